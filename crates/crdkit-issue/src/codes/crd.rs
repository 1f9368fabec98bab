//! Findings about CRDs themselves, and about decoding typed objects.

codes! {
    stage: Rule, short: ShortName::Prefixed("schema_");

    /// An object has a field that its type does not have.
    UNKNOWN_FIELD = "unknown-field", Decode, "there is no such field",
        short: "unknown_key", stage: Type, example: "spec: {grup: example.com}";

    /// A value has another JSON type than its field.
    WRONG_JSON_TYPE = "wrong-json-type", Decode, "{problem}", example: "maxLength: \"3\"";

    /// The document is not an object of the expected kind.
    UNRECOGNIZED_OBJECT = "unrecognized-object", Decode, "{problem}", example: "kind: Deployment";

    /// The object is of another API version than the one it is read as.
    API_VERSION_MISMATCH = "crd-api-version", Decode,
        "the API version in the data ({found}) does not match the expected API version ({expected})",
        example: "apiVersion: apiextensions.k8s.io/v1beta1";

    /// Schemas contain schemas to a greater depth than this program works with.
    SCHEMA_TOO_DEEP = "schema-too-deep", Forbidden, "schemas nest deeper than the limit of {limit}",
        example: "not: {not: {not: {not: …}}}";

    /// A default, with the defaults inside it, is larger than this program works with.
    DEFAULT_TOO_LARGE = "default-too-large", Forbidden, "with the defaults inside it, the default has more than {limit} values",
        example: "default: {}\nproperties: {a: {default: {}, properties: {…}}}";

    /// A `$ref` names a place that the document does not have.
    REFERENCE_UNRESOLVED = "reference-unresolved", Invalid, "`{reference}` is not in this document",
        example: "$ref: '#/components/schemas/Missing'";

    /// A `$ref` leads to references only, and back to itself.
    REFERENCE_CIRCLE = "reference-circle", Invalid,
        "`{reference}` leads back to itself without reaching a schema",
        example: "a: {$ref: '#/components/schemas/a'}";

    /// A field that must have a value has none.
    REQUIRED = "field-required", Required, "this field must have a value", server: "",
        example: "spec: {group: \"\"}";

    /// A list of strings or a reference has an empty field.
    MUST_NOT_BE_EMPTY = "field-empty", Required, "must not be empty",
        example: "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: \"\"}]";

    /// A value is not one of those that are supported.
    UNSUPPORTED_VALUE = "unsupported-value", NotSupported, "supported values: {supported}",
        example: "spec: {scope: Global}";

    /// A value that must be unique occurs again.
    DUPLICATE_VALUE = "duplicate-value", Duplicate, "this value occurs more than once", server: "",
        example: "selectableFields: [{jsonPath: .spec.a}, {jsonPath: .spec.a}]";

    /// A list has too many entries.
    TOO_MANY_ITEMS = "too-many-items", TooMany, "must have at most {limit} items",
        example: "selectableFields: # nine of them";

    /// A text has too many bytes.
    TOO_LONG = "too-long", TooLong, "may not be more than {limit} bytes",
        example: "managedFields: [{manager: # 129 bytes}]";

    /// A field may not change once the object exists.
    IMMUTABLE = "immutable-field", Invalid, "field is immutable",
        example: "spec: {group: other.example.com}";

    /// A number that counts something is negative.
    NEGATIVE = "negative-number", Invalid, "must be greater than or equal to 0",
        example: "metadata: {generation: -1}";

    /// A name does not follow the rules for names of its kind.
    INVALID_NAME = "invalid-name", Invalid, "{problem}", example: "spec: {group: Example.com}";

    /// A kind, in lower case, does not follow the rules for names.
    INVALID_KIND = "invalid-kind", Invalid,
        "may have mixed case, but should otherwise match: {problem}",
        example: "names: {kind: My_Kind}";

    /// An object has neither a name nor a prefix for one.
    NAME_REQUIRED = "name-required", Required, "name or generateName is required",
        example: "metadata: {}";

    /// A cluster-scoped object has a namespace.
    NAMESPACE_FORBIDDEN = "namespace-forbidden", Forbidden, "not allowed on this type",
        example: "metadata: {name: a.example.com, namespace: default}";

    /// The annotations of an object are too large together.
    ANNOTATIONS_TOO_LONG = "annotations-too-long", TooLong, "may not be more than {limit} bytes",
        example: "metadata: {annotations: # 300 KiB of them}";

    /// An owner reference's `apiVersion` cannot be read.
    OWNER_API_VERSION = "owner-api-version", Invalid, "must be <group>/<version> or <version>",
        example: "ownerReferences: [{apiVersion: a/b/c}]";

    /// An owner reference points to an object that cannot own anything.
    OWNER_DISALLOWED = "owner-disallowed", Invalid,
        "/v1, Kind=Event is disallowed from being an owner",
        example: "ownerReferences: [{apiVersion: v1, kind: Event}]";

    /// More than one owner is marked as the controller.
    SEVERAL_CONTROLLERS = "several-controllers", Invalid,
        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {second}",
        example: "ownerReferences: [{controller: true}, {controller: true}]";

    /// Two finalizers ask for opposite treatment of dependents.
    FINALIZERS_CONFLICT = "finalizers-conflict", Invalid,
        "finalizer orphan and foregroundDeletion cannot be both set",
        example: "finalizers: [orphan, foregroundDeletion]";

    /// A finalizer is added to an object that is being deleted.
    NEW_FINALIZERS = "new-finalizers", Forbidden,
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{finalizers}}",
        example: "finalizers: [example.com/late]";

    /// An update does not say which version of the object it replaces.
    RESOURCE_VERSION_REQUIRED = "update-without-version", Invalid,
        "must be specified for an update", example: "metadata: {name: a}";

    /// An update lowers the generation.
    GENERATION_DECREMENTED = "generation-decremented", Invalid, "must not be decremented",
        example: "metadata: {generation: 1} # was 2";

    /// Managed fields are in a notation the server does not know.
    FIELDS_TYPE = "fields-type", Invalid, "must be `FieldsV1`",
        example: "managedFields: [{fieldsType: FieldsV2}]";

    /// The API group is not a domain name.
    GROUP_WITHOUT_DOT = "group-without-dot", Invalid, "should be a domain with at least one dot",
        example: "spec: {group: example}";

    /// `preserveUnknownFields` is set on a CRD that did not have it.
    PRESERVE_UNKNOWN_FIELDS = "preserve-unknown-fields", Invalid,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        example: "spec: {preserveUnknownFields: true}";

    /// A schema has defaults although unknown fields are preserved.
    DEFAULTS_NEED_PRUNING = "defaults-need-pruning", Invalid,
        "must be false in order to use defaults in the schema",
        example: "spec: {preserveUnknownFields: true} # and a default in a schema";

    /// A conversion webhook is used although unknown fields are preserved.
    CONVERSION_NEEDS_PRUNING = "conversion-needs-pruning", Invalid,
        "must be None if spec.preserveUnknownFields is true",
        example: "spec: {preserveUnknownFields: true, conversion: {strategy: Webhook}}";

    /// A v1beta1 CRD has the same for all versions and for each.
    TOP_LEVEL_AND_PER_VERSION = "top-level-and-per-version", Forbidden,
        "top-level and per-version {what} are mutually exclusive",
        example: "spec: {validation: {}, versions: [{schema: {}}]}";

    /// A v1beta1 CRD repeats for each version what holds for all.
    PER_VERSION_IDENTICAL = "per-version-identical", Invalid,
        "per-version {what} may not all be set to identical values (top-level {top} should be used instead)",
        example: "versions: [{name: v1, schema: {}}]";

    /// A v1beta1 CRD names another version than its first.
    FIRST_VERSION = "first-version", Invalid, "must match the first version in spec.versions",
        example: "spec: {version: v1, versions: [{name: v2}]}";

    /// Two versions have the same name.
    DUPLICATE_VERSION = "duplicate-version", Invalid, "must contain unique version names",
        example: "versions: [{name: v1}, {name: v1}]";

    /// None or several versions are the storage version.
    STORAGE_VERSION_COUNT = "storage-version-count", Invalid,
        "must have exactly one version marked as storage version",
        example: "versions: [{name: v1, storage: false}]";

    /// A served version has no schema, so all fields of its objects would be removed.
    SCHEMA_REQUIRED_TO_PRUNE = "schema-required-to-prune", Required,
        "because otherwise all fields are pruned", example: "versions: [{name: v1, served: true}]";

    /// A version that is not deprecated has a deprecation warning.
    WARNING_WITHOUT_DEPRECATION = "warning-without-deprecation", Invalid,
        "can only be set for deprecated versions",
        example: "versions: [{name: v1, deprecationWarning: use v2}]";

    /// A deprecation warning is too long.
    DEPRECATION_WARNING_TOO_LONG = "deprecation-warning-too-long", Invalid,
        "must be <= 256 characters long", example: "deprecationWarning: # 257 bytes";

    /// A deprecation warning is empty.
    DEPRECATION_WARNING_EMPTY = "deprecation-warning-empty", Invalid, "must not be an empty string",
        example: "deprecationWarning: \"\"";

    /// A deprecation warning has characters that cannot be printed.
    DEPRECATION_WARNING_UNPRINTABLE = "deprecation-warning-unprintable", Invalid,
        "must only contain printable UTF-8 characters; non-printable character found at index {index}",
        example: "deprecationWarning: \"a\\u0007b\"";

    /// No version is listed as stored.
    NO_STORED_VERSION = "no-stored-version", Invalid, "must have at least one stored version",
        example: "status: {storedVersions: []}";

    /// The storage version is not listed as stored.
    STORAGE_VERSION_NOT_STORED = "storage-version-not-stored", Invalid,
        "must have the storage version {version}", example: "status: {storedVersions: [v1]}";

    /// A version that objects may still be stored in was removed.
    STORED_VERSION_REMOVED = "stored-version-removed", Invalid,
        "missing from spec.versions; {version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {version} and removes {version} from status.storedVersions",
        example: "status: {storedVersions: [v1alpha1, v1]}";

    /// Kind and list kind are the same.
    KIND_IS_LIST_KIND = "kind-is-list-kind", Invalid, "kind and listKind may not be the same",
        example: "names: {kind: Widget, listKind: Widget}";

    /// A CRD in a group of Kubernetes has no approval.
    APPROVAL_MISSING = "approval-missing", Required,
        "protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111",
        example: "spec: {group: example.k8s.io}";

    /// The approval of a CRD in a group of Kubernetes is neither a URL nor a reason.
    APPROVAL_INVALID = "approval-invalid", Invalid,
        "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111",
        example: "annotations: {api-approved.kubernetes.io: maybe}";

    /// A path does not begin with a dot.
    PATH_WITHOUT_DOT = "path-without-dot", Invalid, "must be a simple json path starting with .",
        example: "jsonPath: spec.replicas";

    /// The path of the desired replicas is not in the spec.
    PATH_NOT_IN_SPEC = "path-not-in-spec", Invalid, "should be a json path under .spec",
        example: "scale: {specReplicasPath: .status.replicas}";

    /// The path of the observed replicas is not in the status.
    PATH_NOT_IN_STATUS = "path-not-in-status", Invalid, "should be a json path under .status",
        example: "scale: {statusReplicasPath: .spec.replicas}";

    /// The path of the label selector is neither in the spec nor in the status.
    PATH_NOT_IN_SPEC_OR_STATUS = "path-not-in-spec-or-status", Invalid,
        "should be a json path under either .spec or .status",
        example: "scale: {labelSelectorPath: .metadata.labels}";

    /// A printer column has no type.
    COLUMN_TYPE_REQUIRED = "column-type-required", Required, "must be one of {types}",
        example: "additionalPrinterColumns: [{name: Age, jsonPath: .metadata.creationTimestamp}]";

    /// A printer column has an unknown type.
    COLUMN_TYPE = "column-type", Invalid, "must be one of {types}",
        example: "additionalPrinterColumns: [{type: object}]";

    /// A printer column has an unknown format.
    COLUMN_FORMAT = "column-format", Invalid, "must be one of {formats}",
        example: "additionalPrinterColumns: [{format: uuid}]";

    /// Selectable fields are given where there is no schema to find them in.
    SELECTABLE_WITHOUT_SCHEMA = "selectable-without-schema", Invalid,
        "may only be set when validations.schema is included",
        example: "versions: [{selectableFields: [{jsonPath: .spec.a}]}]";

    /// Selectable fields of one version are given where the version has no schema of its own.
    SELECTABLE_WITHOUT_VERSION_SCHEMA = "selectable-without-version-schema", Invalid,
        "selectable fields that differ between versions need schemas that differ as well",
        server: "may only be set when `version.schema.openAPIV3Schema` is not included",
        example: "versions: [{selectableFields: [{jsonPath: .spec.a}]}, {}]";

    /// A selectable field's path cannot be followed.
    SELECTABLE_PATH = "selectable-path", Invalid, "is an invalid path: {problem}",
        example: "selectableFields: [{jsonPath: .spec.missing}]";

    /// A selectable field is part of the metadata.
    SELECTABLE_METADATA = "selectable-metadata", Invalid, "must not point to fields in metadata",
        example: "selectableFields: [{jsonPath: .metadata.name}]";

    /// A selectable field is not a scalar that can be compared.
    SELECTABLE_TYPE = "selectable-type", Invalid,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        example: "selectableFields: [{jsonPath: .spec}]";

    /// A conversion webhook is described although it is not used.
    WEBHOOK_WITHOUT_STRATEGY = "webhook-without-strategy", Forbidden,
        "should not be set when strategy is not set to Webhook",
        example: "conversion: {strategy: None, webhook: {}}";

    /// A conversion webhook is used but not described.
    WEBHOOK_REQUIRED = "webhook-required", Required, "required when strategy is set to Webhook",
        example: "conversion: {strategy: Webhook}";

    /// A webhook has both or neither of the two ways to reach it.
    WEBHOOK_URL_OR_SERVICE = "webhook-url-or-service", Required,
        "exactly one of url or service is required", example: "clientConfig: {}";

    /// A webhook's URL cannot be read.
    WEBHOOK_URL_UNREADABLE = "webhook-url-unreadable", Required,
        "url must be a valid URL: {problem}; desired format: https://host[/path]",
        example: "clientConfig: {url: 'https://%'}";

    /// A webhook's URL is not HTTPS.
    WEBHOOK_URL_SCHEME = "webhook-url-scheme", Invalid,
        "'https' is the only allowed URL scheme; desired format: https://host[/path]",
        example: "clientConfig: {url: 'http://example.com'}";

    /// A webhook's URL has no host.
    WEBHOOK_URL_HOST = "webhook-url-host", Invalid,
        "host must be specified; desired format: https://host[/path]",
        example: "clientConfig: {url: 'https:///path'}";

    /// A webhook's URL names a user.
    WEBHOOK_URL_USER = "webhook-url-user", Invalid,
        "user information is not permitted in the URL",
        example: "clientConfig: {url: 'https://me@example.com'}";

    /// A webhook's URL has a fragment.
    WEBHOOK_URL_FRAGMENT = "webhook-url-fragment", Invalid,
        "fragments are not permitted in the URL",
        example: "clientConfig: {url: 'https://example.com/#a'}";

    /// A webhook's URL has a query.
    WEBHOOK_URL_QUERY = "webhook-url-query", Invalid,
        "query parameters are not permitted in the URL",
        example: "clientConfig: {url: 'https://example.com/?a=b'}";

    /// A webhook's service has an impossible port.
    SERVICE_PORT = "service-port", Invalid,
        "port is not valid: must be between 1 and 65535, inclusive",
        example: "service: {port: 0}";

    /// The path of a webhook's service is not valid.
    SERVICE_PATH = "service-path", Invalid, "{problem}", example: "service: {path: a//b}";

    /// A CA bundle holds no certificate.
    CA_BUNDLE = "ca-bundle", Invalid, "{problem}", example: "clientConfig: {caBundle: Cg==}";

    /// A version of conversion reviews is listed twice.
    DUPLICATE_REVIEW_VERSION = "duplicate-review-version", Invalid, "duplicate version",
        example: "conversionReviewVersions: [v1, v1]";

    /// The server supports none of the versions of conversion reviews.
    REVIEW_VERSION_UNKNOWN = "review-version-unknown", Invalid,
        "must include at least one of v1, v1beta1", example: "conversionReviewVersions: [v2]";

    /// The root of a schema is nullable.
    NULLABLE_ROOT = "nullable-root", Forbidden, "nullable cannot be true at the root",
        example: "openAPIV3Schema: {type: object, nullable: true}";

    /// With the status subresource, the root of a schema is not an object.
    STATUS_ROOT_TYPE = "status-root-type", Invalid,
        "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled",
        example: "openAPIV3Schema: {type: array}";

    /// With the status subresource, the root of a schema constrains fields together.
    STATUS_ROOT_KEYWORD = "status-root-keyword", Invalid,
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled",
        example: "openAPIV3Schema: {type: object, maxProperties: 5}";

    /// A schema uses a keyword that a structural schema cannot express.
    NOT_STRUCTURAL = "not-structural", Invalid, "{problem}",
        example: "openAPIV3Schema: {$schema: 'http://json-schema.org/schema#'}";

    /// A list has no schema for its items.
    ITEMS_REQUIRED = "items-required", Required, "must be specified", example: "type: array";

    /// The root of a schema allows any property.
    ADDITIONAL_PROPERTIES_AT_ROOT = "additional-properties-at-root", Forbidden,
        "must not be used at the root", example: "openAPIV3Schema: {additionalProperties: true}";

    /// An embedded resource allows any property.
    ADDITIONAL_PROPERTIES_IN_RESOURCE = "additional-properties-in-resource", Forbidden,
        "must not be used if x-kubernetes-embedded-resource is set",
        example: "{x-kubernetes-embedded-resource: true, additionalProperties: true}";

    /// A value that is an integer or a string is also something else.
    INT_OR_STRING_CONFLICT = "int-or-string-conflict", Invalid,
        "must be false if x-kubernetes-int-or-string is true",
        example: "{x-kubernetes-int-or-string: true, x-kubernetes-embedded-resource: true}";

    /// An embedded resource has no type.
    EMBEDDED_RESOURCE_TYPE_REQUIRED = "embedded-resource-type-required", Required,
        "must be object if x-kubernetes-embedded-resource is true",
        example: "{x-kubernetes-embedded-resource: true}";

    /// An embedded resource is not an object.
    EMBEDDED_RESOURCE_TYPE = "embedded-resource-type", Invalid,
        "must be object if x-kubernetes-embedded-resource is true",
        example: "{type: string, x-kubernetes-embedded-resource: true}";

    /// An embedded resource says nothing about its fields and preserves none.
    EMBEDDED_RESOURCE_PROPERTIES = "embedded-resource-properties", Required,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        example: "{type: object, x-kubernetes-embedded-resource: true}";

    /// An embedded resource is in the metadata of another.
    EMBEDDED_RESOURCE_IN_METADATA = "embedded-resource-in-metadata", Forbidden,
        "must not be used inside of resource meta",
        example: "metadata: {type: object, x-kubernetes-embedded-resource: true}";

    /// The root of a schema has no type.
    TYPE_REQUIRED_AT_ROOT = "type-required-at-root", Required, "must not be empty at the root",
        example: "openAPIV3Schema: {properties: {}}";

    /// The items of a list have no type.
    TYPE_REQUIRED_FOR_ITEMS = "type-required-for-items", Required,
        "must not be empty for specified array items", example: "{type: array, items: {}}";

    /// A property has no type.
    TYPE_REQUIRED_FOR_FIELDS = "type-required-for-fields", Required,
        "must not be empty for specified object fields", example: "properties: {a: {}}";

    /// The root of a schema is not an object.
    ROOT_TYPE = "root-type", Invalid, "must be object at the root",
        example: "openAPIV3Schema: {type: array, items: {type: string}}";

    /// `kind` or `apiVersion` of a resource is not a string.
    MUST_BE_STRING = "type-meta-schema-type", Invalid, "must be string",
        example: "properties: {kind: {type: integer}}";

    /// `metadata` of a resource is not an object.
    MUST_BE_OBJECT = "metadata-schema-type", Invalid, "must be object",
        example: "properties: {metadata: {type: string}}";

    /// The schema of the root's metadata does more than restrict names.
    METADATA_RESTRICTED = "metadata-restricted", Forbidden,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
        example: "properties: {metadata: {type: object, properties: {labels: {type: object}}}}";

    /// A clause is about metadata.
    METADATA_IN_CLAUSE = "metadata-in-clause", Forbidden,
        "must not be specified in a nested context", example: "not: {properties: {metadata: {}}}";

    /// A pattern is not a regular expression.
    PATTERN = "pattern-syntax", Invalid,
        "must be a valid regular expression, but isn't: {problem}", example: "pattern: '['";

    /// A clause has a text or list that belongs outside of it.
    CLAUSE_MUST_BE_EMPTY = "clause-must-be-empty", Forbidden, "must be empty to be structural",
        example: "anyOf: [{type: string}]";

    /// A clause has a keyword that belongs outside of it.
    CLAUSE_MUST_BE_UNDEFINED = "clause-must-be-undefined", Forbidden,
        "must be undefined to be structural", example: "anyOf: [{default: 1}]";

    /// A clause has a flag that belongs outside of it.
    CLAUSE_MUST_BE_FALSE = "clause-must-be-false", Forbidden, "must be false to be structural",
        example: "anyOf: [{nullable: true}]";

    /// A clause mentions something that is not declared outside of it.
    CLAUSE_INCOMPLETE = "clause-incomplete", Required, "because it is defined in {clause}",
        example: "openAPIV3Schema: {type: object, not: {properties: {a: {}}}}";

    /// A schema has a default although none is allowed.
    DEFAULT_FORBIDDEN = "default-forbidden", Forbidden, "must not be set", example: "default: 1";

    /// A field that the server itself knows has a default.
    DEFAULT_IN_TOP_LEVEL = "default-in-top-level", Forbidden, "must not be set in top-level {name}",
        example: "properties: {kind: {type: string, default: Widget}}";

    /// Entries of a map in the metadata of a resource have a default.
    DEFAULT_IN_METADATA_MAP = "default-in-metadata-map", Forbidden,
        "must not be set inside additionalProperties applying to object metadata",
        example: "labels: {type: object, additionalProperties: {type: string, default: a}}";

    /// A default has fields that its schema does not name.
    DEFAULT_UNKNOWN_FIELDS = "default-unknown-fields", Invalid, "must not have unknown fields",
        example: "{type: object, default: {a: 1}}";

    /// A default does not make valid metadata.
    DEFAULT_METADATA = "default-metadata", Invalid, "must result in valid metadata: {problem}",
        example: "properties: {kind: {type: string, default: '%'}}";

    /// `apiVersion` or `kind` of an embedded resource is not a string.
    MUST_BE_A_STRING = "type-meta-not-text", Invalid, "must be a string", example: "kind: 1";

    /// `apiVersion` or `kind` of an embedded resource is empty.
    TYPE_META_EMPTY = "type-meta-empty", Invalid, "must not be empty", example: "kind: \"\"";

    /// The metadata of an embedded resource cannot be read.
    METADATA_UNREADABLE = "metadata-unreadable", Invalid, "{problem}", example: "metadata: {name: 1}";

    /// A keyword has no meaning in CRDs.
    KEYWORD_UNSUPPORTED = "keyword-unsupported", Forbidden, "{keyword} is not supported",
        example: "$ref: '#/definitions/a'";

    /// A value can only be null.
    TYPE_NULL = "type-null", Forbidden,
        "type cannot be set to null, use nullable as an alternative", example: "type: \"null\"";

    /// Items have one schema for each position.
    ITEMS_LIST = "items-list", Forbidden, "items must be a schema object and not an array",
        example: "items: [{type: string}]";

    /// Items are asked to be unique.
    UNIQUE_ITEMS = "unique-items", Forbidden,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        example: "uniqueItems: true";

    /// An object is described both as a struct and as a map.
    ADDITIONAL_AND_PROPERTIES = "additional-and-properties", Forbidden,
        "additionalProperties and properties are mutual exclusive",
        example: "{properties: {a: {}}, additionalProperties: false}";

    /// `x-kubernetes-preserve-unknown-fields` is `false`.
    PRESERVE_FALSE = "preserve-false", Invalid, "must be true or undefined",
        example: "x-kubernetes-preserve-unknown-fields: false";

    /// A value with a map type has no type.
    MAP_TYPE_NEEDS_TYPE = "map-type-needs-type", Required,
        "must be object if x-kubernetes-map-type is specified",
        example: "{x-kubernetes-map-type: atomic}";

    /// A value with a map type is not an object.
    MAP_TYPE_NEEDS_OBJECT = "map-type-needs-object", Invalid,
        "must be object if x-kubernetes-map-type is specified",
        example: "{type: string, x-kubernetes-map-type: atomic}";

    /// A value with a list type has no type.
    LIST_TYPE_NEEDS_TYPE = "list-type-needs-type", Required,
        "must be array if x-kubernetes-list-type is specified",
        example: "{x-kubernetes-list-type: set}";

    /// A value with a list type is not a list.
    LIST_TYPE_NEEDS_ARRAY = "list-type-needs-array", Invalid,
        "must be array if x-kubernetes-list-type is specified",
        example: "{type: string, x-kubernetes-list-type: set}";

    /// The items of a set can be changed in part.
    SET_ITEMS_ATOMIC = "set-items-atomic", Invalid,
        "must be atomic as item of a list with x-kubernetes-list-type=set",
        example: "{type: array, x-kubernetes-list-type: set, items: {type: object}}";

    /// Keys of a map list are given for a list without a type.
    LIST_MAP_KEYS_NEED_LIST_TYPE = "list-map-keys-need-list-type", Required,
        "must be map if x-kubernetes-list-map-keys is non-empty",
        example: "{type: array, x-kubernetes-list-map-keys: [name]}";

    /// Keys of a map list are given for a list of another type.
    LIST_MAP_KEYS_NEED_MAP = "list-map-keys-need-map", Invalid,
        "must be map if x-kubernetes-list-map-keys is non-empty",
        example: "{x-kubernetes-list-type: set, x-kubernetes-list-map-keys: [name]}";

    /// A map list has no keys.
    LIST_MAP_KEYS_REQUIRED = "list-map-keys-required", Required,
        "must not be empty if x-kubernetes-list-type is map",
        example: "{type: array, x-kubernetes-list-type: map}";

    /// A map list has no schema for its items.
    LIST_MAP_NEEDS_ITEMS = "list-map-needs-items", Required,
        "must have a schema if x-kubernetes-list-type is map",
        example: "{type: array, x-kubernetes-list-type: map}";

    /// A map list has something else than one schema for its items.
    LIST_MAP_SINGLE_SCHEMA = "list-map-single-schema", Invalid,
        "must only have a single schema if x-kubernetes-list-type is map",
        example: "{x-kubernetes-list-type: map, items: [{type: object}]}";

    /// The items of a map list are not objects.
    LIST_MAP_ITEMS_OBJECT = "list-map-items-object", Invalid,
        "must be object if parent array's x-kubernetes-list-type is map",
        example: "{x-kubernetes-list-type: map, items: {type: string}}";

    /// A key of a map list is not a scalar.
    LIST_MAP_KEY_SCALAR = "list-map-key-scalar", Invalid,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
        example: "x-kubernetes-list-map-keys: [labels]";

    /// A key of a map list is not a property of its items.
    LIST_MAP_KEY_UNKNOWN = "list-map-key-unknown", Invalid,
        "entries must all be names of item properties",
        example: "x-kubernetes-list-map-keys: [missing]";

    /// A key of a map list is given twice.
    LIST_MAP_KEY_DUPLICATE = "list-map-key-duplicate", Invalid,
        "must not contain duplicate entries", example: "x-kubernetes-list-map-keys: [name, name]";

    /// The items of a set or map list are nullable.
    LIST_ITEMS_NULLABLE = "list-items-nullable", Forbidden,
        "cannot be nullable when x-kubernetes-list-type is {type}",
        example: "{x-kubernetes-list-type: set, items: {type: string, nullable: true}}";

    /// A key of a map list may be absent.
    LIST_MAP_KEY_OPTIONAL = "list-map-key-optional", Required,
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        example: "{x-kubernetes-list-map-keys: [name], items: {properties: {name: {type: string}}}}";

    /// A key of a map list is nullable.
    LIST_MAP_KEY_NULLABLE = "list-map-key-nullable", Forbidden,
        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        example: "items: {required: [name], properties: {name: {type: string, nullable: true}}}";

    /// A validation has no rule.
    RULE_REQUIRED = "rule-required", Required, "rule is not specified",
        example: "x-kubernetes-validations: [{message: no}]";

    /// A message or path of a rule is blank.
    RULE_TEXT_BLANK = "rule-text-blank", Invalid, "must be non-empty if specified",
        example: "x-kubernetes-validations: [{rule: 'true', message: ' '}]";

    /// A message or path of a rule has more than one line.
    RULE_TEXT_BREAKS_LINE = "rule-text-breaks-line", Invalid, "must not contain line breaks",
        example: "x-kubernetes-validations: [{rule: 'true', message: \"a\\nb\"}]";

    /// A rule of several lines has no message to show in its place.
    RULE_MESSAGE_REQUIRED = "rule-message-required", Required,
        "message must be specified if rule contains line breaks",
        example: "x-kubernetes-validations: [{rule: \"true\\n|| false\"}]";

    /// The expression for a rule's message is blank.
    MESSAGE_EXPRESSION_BLANK = "message-expression-blank", Required,
        "messageExpression must be non-empty if specified",
        example: "x-kubernetes-validations: [{rule: 'true', messageExpression: ' '}]";

    /// A rule's field path leads nowhere.
    RULE_FIELD_PATH = "rule-field-path", Invalid, "must be a valid path",
        example: "x-kubernetes-validations: [{rule: 'true', fieldPath: .missing}]";

    /// The value that a rule is about cannot be described to the expression language.
    RULE_TYPE = "rule-type", Internal,
        "internal error: failed to construct type information for x-kubernetes-validations rules: {problem}",
        example: "{x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: 'true'}]}";

    /// A rule or the expression for its message does not compile.
    RULE_INVALID = "rule-invalid", Invalid, "{problem}",
        example: "x-kubernetes-validations: [{rule: self.missing > 1}]";

    /// A rule, or all rules of a schema together, may cost more than allowed.
    RULE_COST = "rule-cost", Forbidden,
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        example: "{type: array, x-kubernetes-validations: [{rule: 'self.all(x, self.exists(y, x == y))'}]}";

    /// A rule has a large part in the cost of all rules of a schema.
    RULE_COST_SHARE = "rule-cost-share", Forbidden,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        example: "x-kubernetes-validations: # many expensive rules";

    /// A rule compares with an old value that cannot be found.
    RULE_UNCORRELATED = "rule-uncorrelated", Invalid,
        "oldSelf cannot be used on the uncorrelatable portion of the schema within {within}",
        example: "{type: array, items: {x-kubernetes-validations: [{rule: self == oldSelf}]}}";

    /// `optionalOldSelf` is set for a rule that does not compare with the old value.
    OPTIONAL_OLD_SELF_UNUSED = "optional-old-self-unused", Invalid,
        "may not be set if oldSelf is not used in rule",
        example: "x-kubernetes-validations: [{rule: self > 0, optionalOldSelf: true}]";

    /// An extension of published schemas does not have the form it must have.
    EXTENSION_SHAPE = "extension-shape", Invalid, "`{extension}` must be {expected}",
        example: "x-kubernetes-patch-strategy: 1";

    /// A schema has a format that does not count for its type.
    FORMAT_UNRECOGNIZED = "format-unrecognized", Invalid, "unrecognized format {format}",
        example: "{type: string, format: phone}";

    /// The items of a set are themselves collections.
    SET_OF_COLLECTIONS = "set-of-collections", Invalid,
        "x-kubernetes-list-type: set for items of type {type} is not supported by server-side apply or CEL validation rules",
        example: "{x-kubernetes-list-type: set, items: {type: array, items: {type: string}}}";
}
