//! Findings of the decode stage: the bytes themselves.

codes! {
    stage: Lexical, short: ShortName::Own("parse_error");

    /// The text is not JSON.
    JSON_SYNTAX = "json-syntax", Decode, "{problem}", server: "{server}", example: "{\"a\": 1,}";

    /// The text is not YAML that Kubernetes reads.
    YAML_SYNTAX = "yaml-syntax", Decode, "{problem}", example: "a: b: c";

    /// The input ends in the middle of a document.
    TRUNCATED = "truncated", Decode, "the input ends {place}",
        server: "unexpected end of JSON input", example: "{\"a\":";

    /// A value that has to be looked at as a whole is larger than what may be held.
    BUFFER_EXCEEDED = "buffer-exceeded", Decode,
        "this value takes more than {limit} bytes, so {why} could not be checked",
        meaning: NotJudged, example: "a list of a million items with a rule of its own";

    /// Bytes in JSON that are not UTF-8: Kubernetes reads each as U+FFFD, so that what is stored is not what was sent.
    INVALID_UTF8 = "invalid-utf8", Decode, "these bytes are not UTF-8 and are read as U+FFFD",
        example: "{\"a\": \"\\xff\"}";

    /// What follows a document that cannot be read was not read: where that document ends is not known.
    NOT_READ = "not-read", Decode,
        "nothing from here on was read, because the end of the broken document before it is not known",
        meaning: NotJudged, example: "{\"a\": [} {\"kind\": \"Lamp\"}";

    /// Something follows the end of the document.
    TRAILING_DATA = "trailing-data", Decode, "unexpected data after the document",
        server: "{server}", example: "{} x";

    /// The input holds no document.
    EMPTY_INPUT = "empty-input", Decode, "there is no document here",
        server: "unexpected end of JSON input", example: "";

    /// An object has the same key twice; Kubernetes keeps the last value unless validation is strict.
    DUPLICATE_KEY = "duplicate-key", Decode, "`{key}` is given more than once",
        short: "duplicate_key", example: "{\"a\": 1, \"a\": 2}";

    /// A number does not fit a 64-bit integer or double.
    NUMBER_RANGE = "number-range", Decode, "the number `{number}` is too large for a 64-bit float",
        short: "overflow", example: "1e400";

    /// There is not a single byte of CBOR.
    CBOR_EMPTY = "cbor-empty-input", Decode, "{problem}", server: "{server}", example: "";

    /// The input ends in the middle of a CBOR item.
    CBOR_TRUNCATED = "cbor-truncated", Decode, "{problem}", server: "{server}", example: "a1";

    /// Something follows the one CBOR item.
    CBOR_TRAILING_DATA = "cbor-trailing-data", Decode, "{problem}", server: "{server}",
        example: "0000";

    /// Arrays, maps and tags nest deeper than is allowed.
    CBOR_TOO_DEEP = "cbor-nesting-too-deep", Decode, "{problem}", server: "{server}",
        short: "depth_exceeded", example: "818181…";

    /// The bytes are not well-formed CBOR: a head with a reserved argument.
    CBOR_RESERVED = "cbor-reserved-argument", Decode, "{problem}", server: "{server}", example: "1c";

    /// A simple value below 32 is written in two bytes, which CBOR does not allow.
    CBOR_SIMPLE_FORM = "cbor-simple-form", Decode, "{problem}", server: "{server}", example: "f814";

    /// There is a break where no item of indefinite length can end.
    CBOR_BREAK = "cbor-unexpected-break", Decode, "{problem}", server: "{server}", example: "ff";

    /// A string of indefinite length holds something other than strings of its own type.
    CBOR_CHUNK_TYPE = "cbor-chunk-type", Decode, "{problem}", server: "{server}", example: "5f01ff";

    /// A part of a string of indefinite length is itself of indefinite length.
    CBOR_CHUNK_NESTED = "cbor-nested-chunk", Decode, "{problem}", server: "{server}",
        example: "5f5fffff";

    /// An item has an indefinite length where only definite lengths are allowed.
    CBOR_INDEFINITE = "cbor-indefinite-length", Decode, "{problem}", server: "{server}",
        example: "9fff";

    /// A length does not fit a 63-bit number.
    CBOR_LENGTH = "cbor-length", Decode, "{problem}", server: "{server}",
        example: "5bffffffffffffffff";

    /// An array claims or has more items than are allowed.
    CBOR_TOO_MANY_ITEMS = "cbor-too-many-items", Decode, "{problem}", server: "{server}",
        short: "truncated", example: "9affffffff";

    /// A map claims or has more pairs than are allowed.
    CBOR_TOO_MANY_PAIRS = "cbor-too-many-pairs", Decode, "{problem}", server: "{server}",
        short: "truncated", example: "baffffffff";

    /// A floating-point number is not a number, which JSON cannot express.
    CBOR_NAN = "cbor-nan", Decode, "{problem}", server: "{server}", example: "f97e00";

    /// A floating-point number is infinite, which JSON cannot express.
    CBOR_INFINITY = "cbor-infinity", Decode, "{problem}", server: "{server}", example: "f97c00";

    /// An integer of arbitrary size; Kubernetes keeps 64-bit integers only.
    CBOR_BIGNUM = "cbor-bignum", Decode, "{problem}", server: "{server}", example: "c24101";

    /// A simple value other than `true`, `false` and `null`.
    CBOR_SIMPLE = "cbor-simple-value", Decode, "{problem}", server: "{server}", example: "f7";

    /// A text string is not valid UTF-8.
    CBOR_UTF8 = "cbor-invalid-utf8", Decode, "{problem}", server: "{server}", example: "61ff";

    /// What follows a tag is not what the tag asks for.
    CBOR_TAG_CONTENT = "cbor-tag-content", Decode, "{problem}", server: "{server}", example: "c001";

    /// An integer does not fit 64 bits with a sign.
    CBOR_INTEGER_RANGE = "cbor-integer-range", Decode, "{problem}", server: "{server}",
        short: "overflow", example: "1bffffffffffffffff";

    /// A key of a map is not a string.
    CBOR_KEY_TYPE = "cbor-key-type", Decode, "{problem}", server: "{server}", example: "a10102";

    /// A map has the same key twice, which CBOR never allows.
    CBOR_DUPLICATE_KEY = "cbor-duplicate-key", Decode, "{problem}", server: "{server}",
        short: "duplicate_key", example: "a2416101416102";

    /// A field that the type decoded into does not have.
    CBOR_UNKNOWN_FIELD = "cbor-unknown-field", Decode, "`{name}` is not a field of this type",
        server: "{server}", short: "unknown_key", example: "a1416101";

    /// An item is of another type than what it is decoded into.
    CBOR_TYPE = "cbor-type", Decode, "{problem}", server: "{server}", short: "invalid_type",
        example: "01";

    /// The text under tag 0 is not an RFC 3339 time.
    CBOR_TIME_SYNTAX = "cbor-time-syntax", Decode, "{problem}", server: "{server}",
        short: "invalid_format", example: "c06161";

    /// The time under tag 0 or 1 cannot be written as RFC 3339.
    CBOR_TIME_RANGE = "cbor-time-range", Decode, "{problem}", server: "{server}", short: "overflow",
        example: "c11b00ffffffffffffff";

    /// The number under tag 1 is too large for a time.
    CBOR_TIME_OVERFLOW = "cbor-time-overflow", Decode, "{problem}", server: "{server}",
        short: "overflow", example: "c11bffffffffffffffff";

    /// An object has no kind.
    MISSING_KIND = "missing-kind", Decode, "the object has no `kind`",
        server: "Object 'Kind' is missing in '{document}'", short: "required",
        example: "{\"apiVersion\": \"v1\"}";

    /// An object has no version.
    MISSING_API_VERSION = "missing-api-version", Decode, "the object has no `apiVersion`",
        server: "Object 'apiVersion' is missing in '{document}'", short: "required",
        example: "{\"kind\": \"Pod\"}";

    /// The items of a list are not an array.
    LIST_ITEMS = "list-items", Decode, "`items` of a list must be an array",
        server: "items field of UnstructuredList must be encoded as an array or null if present",
        short: "invalid_type", meaning: NotJudged, example: "{\"kind\": \"List\", \"items\": 1}";

    /// An item of a list is not an object.
    LIST_ITEM = "list-item", Decode, "an item of a list must be an object",
        server: "elements of the items field of UnstructuredList must be encoded as a map",
        short: "invalid_type", example: "{\"kind\": \"List\", \"items\": [1]}";

    /// The input is larger than the caller allows.
    TOO_LARGE = "input-too-large", Decode, "the input is larger than the limit of {limit} bytes",
        short: "truncated", meaning: NotJudged, example: "";

    /// Arrays and objects nest deeper than the caller allows.
    TOO_DEEP = "nesting-too-deep", Decode, "arrays and objects nest deeper than the limit of {limit}",
        short: "depth_exceeded", meaning: NotJudged, example: "[[[[[[…";

    /// The document has more values than the caller allows, counting what aliases expand to.
    TOO_MANY_NODES = "too-many-values", Decode, "the document has more than {limit} values",
        short: "truncated", meaning: NotJudged, example: "a: &a [*a, *a]";

    /// Aliases repeat more text than the caller allows.
    ALIASES_TOO_LARGE = "aliases-too-large", Decode, "aliases repeat more than the limit of {limit} bytes of text",
        short: "truncated", meaning: NotJudged, example: "a: &a long\nb: [*a, *a]";
}
