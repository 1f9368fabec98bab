//! Findings about values that do not satisfy their schema.

codes! {
    /// A value has the wrong type.
    TYPE = "type", TypeInvalid, "{name} in body must be of type {type}: {found}",
        example: "replicas: \"3\"";

    /// A string is not of its format.
    FORMAT = "format", TypeInvalid, "{name} in body must be of type {format}: {found}",
        example: "address: not-an-address # format: ipv4";

    /// A string has too many characters.
    MAX_LENGTH = "max-length", TooLong, "{name} has more than {limit} characters",
        server: "may not be more than {limit} {bytes}", example: "name: toolong # maxLength: 3";

    /// A string has too few characters.
    MIN_LENGTH = "min-length", Invalid, "{name} in body should be at least {limit} chars long",
        example: "name: a # minLength: 3";

    /// A string does not match its pattern.
    PATTERN = "pattern", Invalid, "{name} in body should match '{pattern}'",
        example: "name: A # pattern: ^[a-z]+$";

    /// A number does not fit the type and format of its schema, or a bound of the schema does not.
    NUMBER_RANGE = "number-out-of-range", Invalid,
        "{what} value must be of type {type} {format} in {name}",
        example: "replicas: 3000000000 # format: int32";

    /// A number is not a multiple of its factor.
    MULTIPLE_OF = "multiple-of", Invalid, "{name} in body should be a multiple of {factor}",
        example: "size: 3 # multipleOf: 2";

    /// The factor of a schema counts as zero or less.
    MULTIPLE_OF_FACTOR = "multiple-of-factor", Invalid,
        "factor MultipleOf declared for {name} must be positive: {factor}",
        example: "size: 3 # multipleOf: 0";

    /// A number is too small.
    MINIMUM = "minimum", Invalid, "{name} in body should be greater than or equal to {limit}",
        example: "replicas: -1 # minimum: 0";

    /// A number is too small, or as small as may not be.
    EXCLUSIVE_MINIMUM = "exclusive-minimum", Invalid,
        "{name} in body should be greater than {limit}",
        example: "replicas: 0 # minimum: 0, exclusiveMinimum: true";

    /// A number is too large.
    MAXIMUM = "maximum", Invalid, "{name} in body should be less than or equal to {limit}",
        example: "replicas: 11 # maximum: 10";

    /// A number is too large, or as large as may not be.
    EXCLUSIVE_MAXIMUM = "exclusive-maximum", Invalid, "{name} in body should be less than {limit}",
        example: "replicas: 10 # maximum: 10, exclusiveMaximum: true";

    /// A list has too few items.
    MIN_ITEMS = "min-items", Invalid, "{name} in body should have at least {limit} items",
        example: "hosts: [] # minItems: 1";

    /// A list has too many items.
    MAX_ITEMS = "max-items", TooMany, "{name} has more than {limit} items",
        server: "must have at most {limit} {items}", example: "hosts: [a, b] # maxItems: 1";

    /// An object has too few properties.
    MIN_PROPERTIES = "min-properties", Invalid,
        "{name} in body should have at least {limit} properties",
        example: "labels: {} # minProperties: 1";

    /// An object has too many properties.
    MAX_PROPERTIES = "max-properties", TooMany, "{name} has more than {limit} properties",
        server: "must have at most {limit} {items}", example: "labels: {a: b} # maxProperties: 0";

    /// A required property is absent.
    REQUIRED = "required", Required, "{name} is required", server: "",
        example: "spec: {} # required: [replicas]";

    /// An object has a property that its schema does not allow.
    ADDITIONAL_PROPERTY = "additional-property", Invalid,
        "{name}.{key} in body is a forbidden property",
        example: "spec: {other: 1} # additionalProperties: false";

    /// A value is not one of those listed.
    ENUM = "enum", NotSupported, "{name} must be one of {supported}",
        server: "supported values: {supported}", example: "mode: fast # enum: [slow]";

    /// A value satisfies none of the alternatives.
    ANY_OF = "any-of", Invalid, "{name} must validate at least one schema (anyOf)",
        example: "a: 1 # anyOf: [{minimum: 2}]";

    /// A value satisfies none or several of the alternatives.
    ONE_OF = "one-of", Invalid, "{name} must validate one and only one schema (oneOf). {found}",
        example: "a: 1 # oneOf: [{minimum: 0}, {minimum: 1}]";

    /// A value does not satisfy all of the schemas.
    ALL_OF = "all-of", Invalid, "{name} must validate all the schemas (allOf){none}",
        example: "a: 1 # allOf: [{minimum: 2}]";

    /// A value satisfies a schema that it may not.
    NOT = "not", Invalid, "{name} must not validate the schema (not)",
        example: "a: 1 # not: {minimum: 1}";
}
