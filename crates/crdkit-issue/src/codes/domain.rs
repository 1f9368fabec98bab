//! Findings on the way between a document and the values of a program: presence, codecs, rules of the
//! program's own, reports cut short.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A member was removed because the schema does not declare it.
    PRUNED_KEY = "pruned-key", Forbidden, "this field is not declared and was removed",
        short: "unknown_key", stage: Type, example: "spec: {other: 1}";

    /// The input has something where members that the schema does not declare are gathered.
    PASSTHROUGH_COLLISION = "passthrough-collision", Forbidden,
        "undeclared fields are collected here, so the input must not use it",
        short: "not_allowed", stage: Type, example: "extra: {a: 1}";

    /// The input was made from YAML, where keys that were given twice may have been lost.
    DUPLICATES_UNKNOWN = "duplicates-unknown", Invalid,
        "converted from YAML, so repeated keys can no longer be detected",
        short: "duplicate_key", example: "";

    /// A value cannot be converted by the codec of its place.
    CODEC_MISMATCH = "codec-mismatch", Invalid, "this is not a valid {codec}: {problem}",
        short: "invalid_format", keyword: "format", example: "at: yesterday";

    /// A number cannot be written in the notation asked for.
    NUMBER_NOTATION = "number-notation", Invalid, "the number {number} cannot be written: {problem}",
        short: "overflow", example: "1e1000000000";

    /// A number is infinite or not a number, which JSON cannot express.
    NOT_FINITE = "number-not-finite", Invalid, "there is no JSON for {number}", short: "overflow",
        example: "";

    /// A number has a fraction where the number mode takes whole numbers only.
    NOT_WHOLE = "number-not-whole", TypeInvalid, "the number {number} is not a whole number",
        short: "invalid_type", keyword: "type", stage: Type, example: "1.5";

    /// A value does not fit the type that a program decodes it into.
    TYPED_MISMATCH = "typed-mismatch", TypeInvalid, "{problem}", short: "invalid_type", stage: Type,
        example: "replicas: many";

    /// Defaults are left out because they would make the document too large.
    DEFAULTS_CUT = "defaults-cut", TooLong, "defaults would make the document too large; some are left out",
        short: "truncated", keyword: "default", meaning: Incomplete, example: "";

    /// A report ends here because it holds as many findings as were asked for.
    REPORT_TRUNCATED = "report-truncated", TooLong, "more than {limit} findings; the rest are omitted",
        short: "truncated", meaning: Incomplete, example: "";

    /// A value is outside the range that a rule of the program allows.
    DOMAIN_RANGE = "domain-range", Invalid, "{detail}", stage: Refine, example: "age: -1";

    /// A collection as a whole breaks a rule of the program.
    AGGREGATE_VIOLATION = "aggregate-violation", Invalid, "{detail}", stage: Refine,
        example: "shares: [50, 60]";

    /// A value that a rule of the program wants to be unique occurs again.
    UNIQUENESS = "uniqueness", Invalid, "{detail}", stage: Refine, example: "emails: [a, a]";

    /// A rule of the program does not hold.
    BUSINESS_RULE = "business-rule", Invalid, "{detail}", stage: Refine, example: "from: 3\nto: 1";

    /// A value contradicts the state of the program.
    STATE_CONFLICT = "state-conflict", Invalid, "{detail}", short: "conflict", stage: Refine,
        example: "version: 3";

    /// Something that a rule of the program needs cannot be reached.
    DEPENDENCY_UNAVAILABLE = "dependency-unavailable", Internal, "{detail}", stage: Refine,
        meaning: NotJudged, example: "";

    /// A rule of the program says why in its own words.
    CUSTOM = "custom", Invalid, "{detail}", stage: Refine, example: "";
}
