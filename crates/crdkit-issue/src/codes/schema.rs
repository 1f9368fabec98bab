//! Findings that only schemas outside CRDs lead to, and limits on what is looked at.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A value differs from `const`.
    NOT_THE_CONSTANT = "const-mismatch", Invalid, "must be {expected}", short: "invalid_const",
        keyword: "const", example: "version: 2";

    /// There is a value where the schema allows none.
    NEVER_VALID = "never-valid", Forbidden, "no value is allowed here", short: "not_allowed",
        example: "legacy: 1";

    /// A key is not declared and unknown keys are not tolerated.
    UNKNOWN_KEY = "unknown-key", Forbidden, "the field `{key}` is unknown", stage: Type,
        example: "spec: {other: 1}";

    /// The name of a member does not satisfy `propertyNames`.
    PROPERTY_NAME = "property-name", Invalid, "the name `{key}` is not allowed here",
        short: "pattern", keyword: "propertyNames", example: "labels: {Not_A_Name: 1}";

    /// A member needs another one that is absent.
    DEPENDENT_REQUIRED = "dependent-required", Required, "required because `{because}` is set",
        short: "required", keyword: "dependentRequired", example: "tls: {key: a}";

    /// Fewer items than `minContains` satisfy `contains`.
    TOO_FEW_CONTAINED = "min-contains", Invalid,
        "{actual} items match `contains`, at least {expected} required", short: "too_short",
        keyword: "minContains", example: "ports: []";

    /// More items than `maxContains` satisfy `contains`.
    TOO_MANY_CONTAINED = "max-contains", TooMany,
        "{actual} items match `contains`, at most {expected} allowed", short: "too_long",
        keyword: "maxContains", example: "ports: [1, 1]";

    /// Several alternatives match where one must.
    UNION_AMBIGUOUS = "union-ambiguous", Invalid, "the alternatives {branches} all match",
        stage: Type, example: "replicas: 3";

    /// No alternative matches.
    UNION_NO_MATCH = "union-no-match", Invalid, "none of the alternatives matches; {hint}",
        stage: Type, example: "replicas: many";

    /// The member that chooses among alternatives is absent or not a string.
    DISCRIMINATOR_MISSING = "discriminator-missing", Required,
        "this field chooses among the alternatives and must be a string", stage: Type,
        example: "shape: {}";

    /// The member that chooses among alternatives has a value that no alternative is for.
    DISCRIMINATOR_UNKNOWN = "discriminator-unknown", NotSupported, "no alternative is called `{found}`",
        stage: Type, example: "shape: {kind: Other}";

    /// The member that the discriminator names is not the one that is set.
    UNION_FIELD = "union-field", Forbidden, "`{discriminator}` does not select `{field}`",
        short: "not_allowed", keyword: "x-kubernetes-unions",
        example: "source: {type: Git, image: a}";

    /// Several fields of a union are set, and no discriminator says which one is meant.
    UNION_SEVERAL = "union-several", Forbidden, "`{field}` must not be set together with `{other}`",
        short: "not_allowed", keyword: "x-kubernetes-unions",
        example: "source: {git: {}, image: a}";

    /// A member or item that no other part of the schema has looked at is not allowed.
    UNEVALUATED = "unevaluated", Forbidden, "{what} is not allowed because it is not declared",
        example: "spec: {other: 1}";

    /// A number does not fit what numbers are kept in.
    NUMBER_OVERFLOW = "number-overflow", Invalid, "this number cannot be kept exactly as {mode}",
        short: "overflow", example: "size: 9007199254740993";

    /// Values, or the schemas they are held against, are nested too deeply.
    TOO_DEEP = "evaluation-too-deep", Invalid, "nested too deeply to be checked",
        short: "depth_exceeded", meaning: NotJudged, example: "a: {a: {}}";

    /// There are more findings than were asked for.
    TRUNCATED = "findings-truncated", Invalid, "more findings were left out", short: "truncated",
        meaning: Incomplete, example: "spec: {}";
}
