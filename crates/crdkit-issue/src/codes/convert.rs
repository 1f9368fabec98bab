//! Findings about files of rules for conversions.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A file of conversion rules is malformed.
    FORMAT = "conversion-format", Invalid, "{problem}", example: "rules: [{rename: {path: metadata.name, to: title}}]";

    /// An object changes in a round trip through another version.
    LOSS = "conversion-loss", Invalid,
        "an object is not the same after {from} -> {through} -> {from}: {problem}; the object: {object}", example: "rules: [] # v1 has no spec.colour";

    /// It is not proved that every object survives a round trip through another version.
    UNPROVED = "conversion-unproved", Invalid,
        "{tried} objects are the same after {from} -> {through} -> {from}, but this is not proved for all: {reason}", example: "cel: {path: spec.size, forward: string(self), backward: int(self)}";

    /// There is no CRD to check the rules against.
    UNKNOWN_KIND = "conversion-unknown-kind", Invalid,
        "there is no CRD of `{kind}` here, so the conversion cannot be checked", example: "for: Lamp.lighting.example.com";
}
