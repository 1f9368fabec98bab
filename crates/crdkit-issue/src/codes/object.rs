//! Findings about an object and its schema.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// A value has another type than the schema asks for.
    TYPE_MISMATCH = "type-mismatch", TypeInvalid, "expected {expected}, found {found}",
        server: "{name} in body must be of type {expected}: {shown}", short: "invalid_type",
        keyword: "type", stage: Type, example: "replicas: many";

    /// A string is not of the format that the schema asks for.
    FORMAT_MISMATCH = "format-mismatch", TypeInvalid, "this is not a valid {expected}",
        server: "{name} in body must be of type {expected}: {shown}", short: "invalid_format",
        keyword: "format", example: "address: 10.0.0.256";

    /// A string has more characters than `maxLength`.
    TOO_LONG = "max-length", TooLong, "longer than the {limit} characters allowed",
        server: "may not be more than {bytes}", short: "too_long", keyword: "maxLength",
        example: "name: abcdef";

    /// A string has fewer characters than `minLength`.
    TOO_SHORT = "min-length", Invalid, "shorter than the {limit} characters required",
        server: "{name} in body should be at least {limit} chars long", short: "too_short",
        keyword: "minLength", example: "name: \"\"";

    /// A string does not match `pattern`.
    PATTERN_MISMATCH = "pattern-mismatch", Invalid, "does not match the pattern `{pattern}`",
        server: "{name} in body should match '{pattern}'", short: "pattern", keyword: "pattern",
        example: "name: Not_A_Name";

    /// A number is not a multiple of `multipleOf`.
    NOT_A_MULTIPLE = "multiple-of", Invalid, "not a multiple of {limit}",
        server: "{name} in body should be a multiple of {limit}", short: "not_multiple_of",
        keyword: "multipleOf", example: "size: 7";

    /// `multipleOf` is not positive, so no number can satisfy it.
    FACTOR_NOT_POSITIVE = "multiple-of-not-positive", Invalid,
        "the schema's `multipleOf` is {limit}, which no number satisfies",
        server: "factor MultipleOf declared for {name} must be positive: {limit}",
        short: "not_multiple_of", keyword: "multipleOf", example: "size: 1";

    /// A number is below `minimum`.
    TOO_SMALL = "minimum", Invalid, "must be {relation} {limit}",
        server: "{name} in body should be {relation} {limit}", short: "too_small",
        keyword: "minimum", example: "port: 0";

    /// A number is above `maximum`.
    TOO_LARGE = "maximum", Invalid, "must be {relation} {limit}",
        server: "{name} in body should be {relation} {limit}", short: "too_big", keyword: "maximum",
        example: "port: 70000";

    /// A number, or a limit that the schema sets, does not fit the number type.
    OUT_OF_RANGE = "number-out-of-range", Invalid, "{subject} value does not fit {type}",
        server: "{subject} value must be of type {type} in {name}", short: "overflow",
        keyword: "format", example: "port: 4294967296";

    /// A list has fewer items than `minItems`.
    TOO_FEW_ITEMS = "min-items", Invalid, "{count} items, at least {limit} required",
        server: "{name} in body should have at least {limit} items", short: "too_short",
        keyword: "minItems", example: "hosts: []";

    /// Defaults would add more to an object than the caller allows.
    DEFAULTS_TOO_LARGE = "defaults-too-large", TooLong, "defaults would add more than the limit of {limit} bytes",
        meaning: NotJudged, example: "";

    /// A list has more items than `maxItems`.
    TOO_MANY_ITEMS = "max-items", TooMany, "{count} items, at most {limit} allowed",
        server: "must have at most {items}", short: "too_long", keyword: "maxItems",
        example: "hosts: [a, b, c]";

    /// An object has fewer fields than `minProperties`.
    TOO_FEW_FIELDS = "min-properties", Invalid, "{count} fields, at least {limit} required",
        server: "{name} in body should have at least {limit} properties", short: "too_short",
        keyword: "minProperties", example: "selector: {}";

    /// An object has more fields than `maxProperties`.
    TOO_MANY_FIELDS = "max-properties", TooMany, "{count} fields, at most {limit} allowed",
        server: "must have at most {items}", short: "too_long", keyword: "maxProperties",
        example: "labels: {a: b, c: d}";

    /// A required field is absent.
    REQUIRED = "required", Required, "this field is required", server: "", keyword: "required",
        example: "spec: {}";

    /// A field is not declared and the schema forbids others.
    FORBIDDEN_FIELD = "forbidden-property", Invalid, "the field `{key}` is not allowed here",
        server: "{name}.{key} in body is a forbidden property", short: "unknown_key",
        keyword: "additionalProperties", stage: Type, example: "spec: {other: 1}";

    /// A value is not one of those that the schema lists.
    NOT_IN_ENUM = "enum-mismatch", NotSupported, "must be one of {supported}",
        server: "supported values: {supported}", short: "invalid_enum", keyword: "enum",
        example: "policy: Sometimes";

    /// A value satisfies none of the schemas in `anyOf`.
    ANY_OF = "any-of", Invalid, "must satisfy at least one of the alternatives",
        server: "{quoted} must validate at least one schema (anyOf)", short: "union_no_match",
        keyword: "anyOf", stage: Type, example: "spec: {}";

    /// A value satisfies none, or more than one, of the schemas in `oneOf`.
    ONE_OF = "one-of", Invalid, "must satisfy exactly one of the alternatives; {found}",
        server: "{quoted} must validate one and only one schema (oneOf). {found}",
        short: "union_no_match", keyword: "oneOf", stage: Type, example: "spec: {}";

    /// A value does not satisfy all schemas in `allOf`.
    ALL_OF = "all-of", Invalid, "must satisfy all of the combined schemas",
        server: "{quoted} must validate all the schemas (allOf){found}", short: "union_no_match",
        keyword: "allOf", stage: Type, example: "spec: {}";

    /// A value satisfies the schema in `not`.
    NOT = "not", Invalid, "must not satisfy the schema under `not`",
        server: "{quoted} must not validate the schema (not)", short: "not_allowed", keyword: "not",
        example: "spec: {}";

    /// The object is not a mapping.
    NOT_AN_OBJECT = "not-a-mapping", Decode, "expected an object, found {found}",
        server: "json: cannot unmarshal {found} into Go value of type map[string]interface {}",
        short: "invalid_type", keyword: "type", stage: Type, example: "[]";

    /// The object has no `kind`.
    KIND_MISSING = "kind-missing", Decode, "`kind` is missing",
        server: "Object 'Kind' is missing in '{body}'", short: "required",
        example: "apiVersion: v1";

    /// `apiVersion` is not a string.
    API_VERSION_TYPE = "api-version-type", Decode, "`apiVersion` must be a string",
        server: "{problem}", short: "invalid_type", stage: Type, example: "apiVersion: 1";

    /// `apiVersion` has more than one slash.
    API_VERSION_FORM = "api-version-form", Decode,
        "`{version}` is not a group and version; write `GROUP/VERSION`, or `VERSION` for the core group",
        server: "unexpected GroupVersion string: {version}", meaning: NotJudged,
        example: "apiVersion: a/b/c";

    /// `apiVersion` is not the one the request is for.
    API_VERSION_MISMATCH = "object-version-mismatch", Decode,
        "`apiVersion` is `{version}`, the request is for `{expected}`",
        server: "the API version in the data ({version}) does not match the expected API version ({expected})",
        example: "apiVersion: example.com/v2";

    /// `metadata` has a value of a wrong type.
    METADATA_TYPE = "object-metadata-type", Decode, "invalid metadata: {problem}",
        server: "{problem}", short: "invalid_type", stage: Type,
        example: "metadata: {labels: {a: 1}}";

    /// `apiVersion` or `kind` of an embedded resource is not a string.
    EMBEDDED_TYPE = "embedded-type", Decode, "{problem}", server: "{problem}",
        short: "invalid_type", stage: Type, example: "template: {kind: 1}";

    /// The object's namespace is not the one the request is for.
    NAMESPACE_MISMATCH = "namespace-mismatch", Decode,
        "the namespace is `{namespace}`, the request is for `{expected}`",
        server: "the namespace of the provided object does not match the namespace sent on the request",
        example: "metadata: {namespace: other}";

    /// The object's name is not the one the request is for.
    NAME_MISMATCH = "name-mismatch", Decode, "the name is `{name}`, the request is for `{expected}`",
        server: "the name of the object ({name}) does not match the name on the URL ({expected})",
        example: "metadata: {name: other}";

    /// The object has no name, and the request is for one.
    NAME_MISSING = "name-missing", Decode, "the object has no name, the request is for `{expected}`",
        server: "the name of the object ({expected} based on URL) was undeterminable: name must be provided",
        example: "metadata: {}";

    /// `kind` is not the one of the CRD.
    WRONG_KIND = "wrong-kind", Invalid, "`kind` must be `{expected}`", server: "must be {expected}",
        example: "kind: Other";

    /// `apiVersion` is not the one of the CRD.
    WRONG_API_VERSION = "wrong-api-version", Invalid, "`apiVersion` must be `{expected}`",
        server: "must be {expected}", example: "apiVersion: other/v1";

    /// A value that the `scale` subresource reads is not what it needs.
    SCALE_VALUE = "scale-value", Invalid, "{problem}", example: "spec: {replicas: -1}";

    /// The object changed since the version that the update is for.
    CONFLICT = "conflict", Invalid, "the object was changed since version `{found}`",
        server: "the object has been modified; please apply your changes to the latest version and try again",
        stage: Refine, example: "metadata: {resourceVersion: \"1\"}";

    /// The identity of the object is not the one the update is for.
    UID_MISMATCH = "uid-mismatch", Invalid, "the object's `uid` is `{expected}`, not `{found}`",
        server: "Precondition failed: UID in precondition: {found}, UID in object meta: {expected}",
        short: "conflict", stage: Refine, example: "metadata: {uid: other}";

    /// An embedded resource lacks `apiVersion` or `kind`.
    EMBEDDED_REQUIRED = "embedded-required", Required, "an embedded resource must have this field",
        server: "", short: "required", keyword: "x-kubernetes-embedded-resource",
        example: "template: {kind: Pod}";

    /// `apiVersion` or `kind` of an embedded resource is not acceptable.
    EMBEDDED_INVALID = "embedded-invalid", Invalid, "{problem}", short: "invalid_format",
        keyword: "x-kubernetes-embedded-resource", example: "template: {kind: \"\"}";

    /// An item of a set occurs again.
    REPEATED_ITEM = "repeated-item", Duplicate, "this item occurs more than once", server: "",
        short: "duplicate_item", keyword: "x-kubernetes-list-type", example: "zones: [a, a]";

    /// An entry of a map-type list has the keys of an earlier one.
    REPEATED_KEYS = "repeated-keys", Duplicate, "an earlier entry has the same keys", server: "",
        short: "duplicate_item", keyword: "x-kubernetes-list-map-keys",
        example: "ports: [{name: a}, {name: a}]";

    /// An item of a map-type list is not an object.
    MAP_ITEM_NOT_OBJECT = "map-item-not-object", Invalid,
        "must be an object for an array of list-type map", short: "invalid_type",
        keyword: "x-kubernetes-list-type", stage: Type, example: "ports: [1]";

    /// A finalizer's name does not say whose it is.
    FINALIZER_NAME = "finalizer-name", Invalid, "{problem}", example: "finalizers: [cleanup]";

    /// The same owner is listed twice.
    REPEATED_OWNER = "repeated-owner", Duplicate, "this owner is listed more than once: {uids}",
        server: ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}",
        short: "duplicate_item", example: "ownerReferences: [{uid: a}, {uid: a}]";

    /// The version is deprecated.
    DEPRECATED = "deprecated", Invalid, "{warning}", example: "apiVersion: example.com/v1alpha1";

    /// Rules were not evaluated because of other findings.
    RULES_NOT_CHECKED = "rules-not-checked", Invalid,
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        meaning: Incomplete, example: "spec: {}";

    /// Rules were not evaluated because the program was built without anything that could.
    RULES_NOT_RUN = "rules-not-run", Invalid,
        "validation rules were not evaluated: there is no engine for them", stage: Cel,
        meaning: NotJudged, example: "spec: {}";

    /// A rule of the schema does not hold.
    RULE_FAILED = "rule-failed", Invalid, "{detail}", short: "cel_violation",
        keyword: "x-kubernetes-validations", stage: Cel, example: "spec: {min: 3, max: 1}";

    /// A rule of the schema says that the field must not be set.
    RULE_FORBIDS = "rule-forbids", Forbidden, "{detail}", short: "cel_violation",
        keyword: "x-kubernetes-validations", stage: Cel, example: "spec: {mode: a, other: 1}";

    /// A rule of the schema says that the field must be set.
    RULE_REQUIRES = "rule-requires", Required, "{detail}", short: "cel_violation",
        keyword: "x-kubernetes-validations", stage: Cel, example: "spec: {mode: b}";

    /// A rule of the schema says that the value must not occur again.
    RULE_DUPLICATE = "rule-duplicate", Duplicate, "{detail}", server: "", short: "cel_violation",
        keyword: "x-kubernetes-validations", stage: Cel, example: "spec: [a, a]";

    /// A rule of the schema could not be evaluated.
    RULE_ERROR = "rule-error", Invalid, "{problem}", short: "cel_error",
        keyword: "x-kubernetes-validations", stage: Cel, example: "spec: {}";
}
