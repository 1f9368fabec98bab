//! Findings of the stages that look at one object beside its schema.

codes! {
    /// A value has another type than the schema asks for.
    TYPE_MISMATCH = "type-mismatch", TypeInvalid, "expected {expected}, found {found}",
        server: "{name} in body must be of type {expected}: {shown}", example: "replicas: many";

    /// A string is not of the format that the schema asks for.
    FORMAT_MISMATCH = "format-mismatch", TypeInvalid, "this is not a valid {expected}",
        server: "{name} in body must be of type {expected}: {shown}", example: "address: 10.0.0.256";

    /// A string has more characters than `maxLength`.
    TOO_LONG = "max-length", TooLong, "longer than the {limit} characters allowed",
        server: "may not be more than {bytes}", example: "name: abcdef";

    /// A string has fewer characters than `minLength`.
    TOO_SHORT = "min-length", Invalid, "shorter than the {limit} characters required",
        server: "{name} in body should be at least {limit} chars long", example: "name: \"\"";

    /// A string does not match `pattern`.
    PATTERN_MISMATCH = "pattern-mismatch", Invalid, "does not match the pattern `{pattern}`",
        server: "{name} in body should match '{pattern}'", example: "name: Not_A_Name";

    /// A number is not a multiple of `multipleOf`.
    NOT_A_MULTIPLE = "multiple-of", Invalid, "not a multiple of {limit}",
        server: "{name} in body should be a multiple of {limit}", example: "size: 7";

    /// `multipleOf` is not positive, so no number can satisfy it.
    FACTOR_NOT_POSITIVE = "multiple-of-not-positive", Invalid,
        "the schema's `multipleOf` is {limit}, which no number satisfies",
        server: "factor MultipleOf declared for {name} must be positive: {limit}", example: "size: 1";

    /// A number is below `minimum`.
    TOO_SMALL = "minimum", Invalid, "must be {relation} {limit}",
        server: "{name} in body should be {relation} {limit}", example: "port: 0";

    /// A number is above `maximum`.
    TOO_LARGE = "maximum", Invalid, "must be {relation} {limit}",
        server: "{name} in body should be {relation} {limit}", example: "port: 70000";

    /// A number, or a limit that the schema sets, does not fit the number type.
    OUT_OF_RANGE = "number-out-of-range", Invalid, "{subject} value does not fit {type}",
        server: "{subject} value must be of type {type} in {name}", example: "port: 4294967296";

    /// A list has fewer items than `minItems`.
    TOO_FEW_ITEMS = "min-items", Invalid, "{count} items, at least {limit} required",
        server: "{name} in body should have at least {limit} items", example: "hosts: []";

    /// A list has more items than `maxItems`.
    TOO_MANY_ITEMS = "max-items", TooMany, "{count} items, at most {limit} allowed",
        server: "must have at most {items}", example: "hosts: [a, b, c]";

    /// An object has fewer fields than `minProperties`.
    TOO_FEW_FIELDS = "min-properties", Invalid, "{count} fields, at least {limit} required",
        server: "{name} in body should have at least {limit} properties", example: "selector: {}";

    /// An object has more fields than `maxProperties`.
    TOO_MANY_FIELDS = "max-properties", TooMany, "{count} fields, at most {limit} allowed",
        server: "must have at most {items}", example: "labels: {a: b, c: d}";

    /// A required field is absent.
    REQUIRED = "required", Required, "this field is required", server: "", example: "spec: {}";

    /// A field is not declared and the schema forbids others.
    FORBIDDEN_FIELD = "forbidden-property", Invalid, "the field `{key}` is not allowed here",
        server: "{name}.{key} in body is a forbidden property", example: "spec: {other: 1}";

    /// A value is none of those that the schema lists.
    NOT_IN_ENUM = "enum-mismatch", NotSupported, "must be one of {supported}",
        server: "supported values: {supported}", example: "policy: Sometimes";

    /// A value satisfies none of the schemas in `anyOf`.
    ANY_OF = "any-of", Invalid, "must satisfy at least one of the alternatives",
        server: "{quoted} must validate at least one schema (anyOf)", example: "spec: {}";

    /// A value satisfies none, or more than one, of the schemas in `oneOf`.
    ONE_OF = "one-of", Invalid, "must satisfy exactly one of the alternatives; {found}",
        server: "{quoted} must validate one and only one schema (oneOf). {found}", example: "spec: {}";

    /// A value does not satisfy all schemas in `allOf`.
    ALL_OF = "all-of", Invalid, "must satisfy all of the combined schemas",
        server: "{quoted} must validate all the schemas (allOf){found}", example: "spec: {}";

    /// A value satisfies the schema in `not`.
    NOT = "not", Invalid, "must not satisfy the schema under `not`",
        server: "{quoted} must not validate the schema (not)", example: "spec: {}";
}
