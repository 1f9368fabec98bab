//! Findings about files of rules for conversions.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A file of rules for conversions is not written as it must be.
    FORMAT = "conversion-format", Invalid, "{problem}", example: "rules: [{rename: {path: metadata.name, to: title}}]";

    /// An object does not come back from another version as it was.
    LOSS = "conversion-loss", Invalid,
        "an object is not the same after {from} -> {through} -> {from}: {problem}; the object: {object}", example: "rules: [] # v1 has no spec.colour";

    /// Nothing says that every object comes back from another version as it was.
    UNPROVED = "conversion-unproved", Invalid,
        "{tried} objects are the same after {from} -> {through} -> {from}, which is no proof: {reason}", example: "cel: {path: spec.size, forward: string(self), backward: int(self)}";

    /// There is no CRD to hold the rules against.
    UNKNOWN_KIND = "conversion-unknown-kind", Invalid,
        "there is no CRD of `{kind}` here, so that nothing is known about what is converted", example: "for: Lamp.lighting.example.com";
}
