//! Findings of the decode stage: the bytes themselves.

codes! {
    /// The text is not JSON.
    JSON_SYNTAX = "json-syntax", Decode, "{problem}", server: "{server}", example: "{\"a\": 1,}";

    /// The text is not YAML that Kubernetes reads.
    YAML_SYNTAX = "yaml-syntax", Decode, "{problem}", example: "a: b: c";

    /// The input ends in the middle of a document.
    TRUNCATED = "truncated", Decode, "the input ends {place}",
        server: "unexpected end of JSON input", example: "{\"a\":";

    /// Something follows the end of the document.
    TRAILING_DATA = "trailing-data", Decode, "unexpected data after the document",
        server: "{server}", example: "{} x";

    /// The input holds no document.
    EMPTY_INPUT = "empty-input", Decode, "there is no document here",
        server: "unexpected end of JSON input", example: "";

    /// An object has the same key twice; Kubernetes keeps the last value unless validation is strict.
    DUPLICATE_KEY = "duplicate-key", Decode, "`{key}` is given more than once",
        example: "{\"a\": 1, \"a\": 2}";

    /// A number does not fit a 64-bit integer or double.
    NUMBER_RANGE = "number-range", Decode, "the number `{number}` is too large for a 64-bit float",
        example: "1e400";

    /// The input is larger than the caller allows.
    TOO_LARGE = "input-too-large", Decode, "the input is larger than the limit of {limit} bytes",
        example: "";

    /// Arrays and objects nest deeper than the caller allows.
    TOO_DEEP = "nesting-too-deep", Decode, "arrays and objects nest deeper than the limit of {limit}",
        example: "[[[[[[…";

    /// The document has more values than the caller allows, counting what aliases expand to.
    TOO_MANY_NODES = "too-many-values", Decode, "the document has more than {limit} values",
        example: "a: &a [*a, *a]";
}
