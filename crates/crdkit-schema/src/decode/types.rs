//! Go's types for the objects that are read, as far as decoding depends on them.

/// A Go type, as its decoder sees it. `null` is accepted by all of them.
#[derive(Debug)]
pub enum GoType {
    /// A string; the name of the type, which messages show.
    String(&'static str),
    /// `bool`.
    Bool,
    /// `int64`.
    Int64,
    /// `int32`.
    Int32,
    /// `float64`.
    Float64,
    /// `[]byte`: base64, or an array of numbers.
    Bytes,
    /// `uint8`.
    Uint8,
    /// A point in time, RFC 3339 in JSON.
    Time,
    /// Anything; not looked into.
    Raw,
    /// An object with fixed fields.
    Struct(&'static GoStruct),
    /// An object with any keys: the name of the type, and the type of the values.
    Map(&'static str, &'static GoType),
    /// An array: the name of the type, and the type of the items.
    List(&'static str, &'static GoType),
    /// An object of the given type or a boolean; not read strictly.
    OrBool(&'static GoType),
    /// One of the given type or an array of them, anything else counts as absent; not read strictly.
    OrList(&'static GoType),
    /// One of the given type or an array of strings, anything else counts as absent; not read strictly.
    OrNames(&'static GoType),
}

/// An object with fixed fields.
#[derive(Debug)]
pub struct GoStruct {
    /// The name as messages show it: the package's last element and the type.
    pub name: &'static str,
    /// Fields by JSON name.
    pub fields: &'static [(&'static str, GoType)],
}

impl GoStruct {
    /// The type of the field called `name`.
    pub fn field(&self, name: &str) -> Option<&'static GoType> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, of)| of)
    }

    /// The name without its package.
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}

const STRING: GoType = GoType::String("string");
const STRINGS: GoType = GoType::List("[]string", &STRING);
const STRING_MAP: GoType = GoType::Map("map[string]string", &STRING);
/// A static, because schemas contain schemas.
static SCHEMA: GoType = GoType::Struct(&JSON_SCHEMA_PROPS);

/// `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
pub static CRD: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinition",
    fields: &[
        ("kind", STRING),
        ("apiVersion", STRING),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&CRD_SPEC)),
        ("status", GoType::Struct(&CRD_STATUS)),
    ],
};

/// The standard object metadata.
pub static OBJECT_META: GoStruct = GoStruct {
    name: "v1.ObjectMeta",
    fields: &[
        ("name", STRING),
        ("generateName", STRING),
        ("namespace", STRING),
        ("selfLink", STRING),
        ("uid", GoType::String("types.UID")),
        ("resourceVersion", STRING),
        ("generation", GoType::Int64),
        ("creationTimestamp", GoType::Time),
        ("deletionTimestamp", GoType::Time),
        ("deletionGracePeriodSeconds", GoType::Int64),
        ("labels", STRING_MAP),
        ("annotations", STRING_MAP),
        ("ownerReferences", GoType::List("[]v1.OwnerReference", &GoType::Struct(&OWNER_REFERENCE))),
        ("finalizers", STRINGS),
        (
            "managedFields",
            GoType::List("[]v1.ManagedFieldsEntry", &GoType::Struct(&MANAGED_FIELDS)),
        ),
    ],
};

static OWNER_REFERENCE: GoStruct = GoStruct {
    name: "v1.OwnerReference",
    fields: &[
        ("apiVersion", STRING),
        ("kind", STRING),
        ("name", STRING),
        ("uid", GoType::String("types.UID")),
        ("controller", GoType::Bool),
        ("blockOwnerDeletion", GoType::Bool),
    ],
};

static MANAGED_FIELDS: GoStruct = GoStruct {
    name: "v1.ManagedFieldsEntry",
    fields: &[
        ("manager", STRING),
        ("operation", GoType::String("v1.ManagedFieldsOperationType")),
        ("apiVersion", STRING),
        ("time", GoType::Time),
        ("fieldsType", STRING),
        ("fieldsV1", GoType::Raw),
        ("subresource", STRING),
    ],
};

static CRD_SPEC: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinitionSpec",
    fields: &[
        ("group", STRING),
        ("names", GoType::Struct(&CRD_NAMES)),
        ("scope", GoType::String("v1.ResourceScope")),
        (
            "versions",
            GoType::List("[]v1.CustomResourceDefinitionVersion", &GoType::Struct(&CRD_VERSION)),
        ),
        ("conversion", GoType::Struct(&CONVERSION)),
        ("preserveUnknownFields", GoType::Bool),
    ],
};

static CRD_NAMES: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinitionNames",
    fields: &[
        ("plural", STRING),
        ("singular", STRING),
        ("shortNames", STRINGS),
        ("kind", STRING),
        ("listKind", STRING),
        ("categories", STRINGS),
    ],
};

static CRD_VERSION: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinitionVersion",
    fields: &[
        ("name", STRING),
        ("served", GoType::Bool),
        ("storage", GoType::Bool),
        ("deprecated", GoType::Bool),
        ("deprecationWarning", STRING),
        ("schema", GoType::Struct(&VALIDATION)),
        ("subresources", GoType::Struct(&SUBRESOURCES)),
        (
            "additionalPrinterColumns",
            GoType::List("[]v1.CustomResourceColumnDefinition", &GoType::Struct(&COLUMN)),
        ),
        (
            "selectableFields",
            GoType::List("[]v1.SelectableField", &GoType::Struct(&SELECTABLE_FIELD)),
        ),
    ],
};

static VALIDATION: GoStruct = GoStruct {
    name: "v1.CustomResourceValidation",
    fields: &[("openAPIV3Schema", GoType::Struct(&JSON_SCHEMA_PROPS))],
};

static SUBRESOURCES: GoStruct = GoStruct {
    name: "v1.CustomResourceSubresources",
    fields: &[
        (
            "status",
            GoType::Struct(&GoStruct { name: "v1.CustomResourceSubresourceStatus", fields: &[] }),
        ),
        ("scale", GoType::Struct(&SCALE)),
    ],
};

static SCALE: GoStruct = GoStruct {
    name: "v1.CustomResourceSubresourceScale",
    fields: &[
        ("specReplicasPath", STRING),
        ("statusReplicasPath", STRING),
        ("labelSelectorPath", STRING),
    ],
};

static COLUMN: GoStruct = GoStruct {
    name: "v1.CustomResourceColumnDefinition",
    fields: &[
        ("name", STRING),
        ("type", STRING),
        ("format", STRING),
        ("description", STRING),
        ("priority", GoType::Int32),
        ("jsonPath", STRING),
    ],
};

static SELECTABLE_FIELD: GoStruct =
    GoStruct { name: "v1.SelectableField", fields: &[("jsonPath", STRING)] };

static CONVERSION: GoStruct = GoStruct {
    name: "v1.CustomResourceConversion",
    fields: &[
        ("strategy", GoType::String("v1.ConversionStrategyType")),
        ("webhook", GoType::Struct(&WEBHOOK)),
    ],
};

static WEBHOOK: GoStruct = GoStruct {
    name: "v1.WebhookConversion",
    fields: &[
        ("clientConfig", GoType::Struct(&CLIENT_CONFIG)),
        ("conversionReviewVersions", STRINGS),
    ],
};

static CLIENT_CONFIG: GoStruct = GoStruct {
    name: "v1.WebhookClientConfig",
    fields: &[("url", STRING), ("service", GoType::Struct(&SERVICE)), ("caBundle", GoType::Bytes)],
};

static SERVICE: GoStruct = GoStruct {
    name: "v1.ServiceReference",
    fields: &[("namespace", STRING), ("name", STRING), ("path", STRING), ("port", GoType::Int32)],
};

static CRD_STATUS: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinitionStatus",
    fields: &[
        (
            "conditions",
            GoType::List("[]v1.CustomResourceDefinitionCondition", &GoType::Struct(&CONDITION)),
        ),
        ("acceptedNames", GoType::Struct(&CRD_NAMES)),
        ("storedVersions", STRINGS),
        ("observedGeneration", GoType::Int64),
    ],
};

static CONDITION: GoStruct = GoStruct {
    name: "v1.CustomResourceDefinitionCondition",
    fields: &[
        ("type", GoType::String("v1.CustomResourceDefinitionConditionType")),
        ("status", GoType::String("v1.ConditionStatus")),
        ("lastTransitionTime", GoType::Time),
        ("reason", STRING),
        ("message", STRING),
        ("observedGeneration", GoType::Int64),
    ],
};

/// A schema in a CRD.
pub static JSON_SCHEMA_PROPS: GoStruct = GoStruct {
    name: "v1.JSONSchemaProps",
    fields: &[
        ("description", STRING),
        ("type", STRING),
        ("properties", GoType::Map("map[string]v1.JSONSchemaProps", &SCHEMA)),
        ("items", GoType::OrList(&SCHEMA)),
        ("required", STRINGS),
        ("format", STRING),
        ("enum", GoType::List("[]v1.JSON", &GoType::Raw)),
        ("default", GoType::Raw),
        ("pattern", STRING),
        ("maxLength", GoType::Int64),
        ("minLength", GoType::Int64),
        ("maximum", GoType::Float64),
        ("minimum", GoType::Float64),
        ("maxItems", GoType::Int64),
        ("minItems", GoType::Int64),
        ("additionalProperties", GoType::OrBool(&SCHEMA)),
        ("nullable", GoType::Bool),
        ("x-kubernetes-preserve-unknown-fields", GoType::Bool),
        ("x-kubernetes-embedded-resource", GoType::Bool),
        ("x-kubernetes-int-or-string", GoType::Bool),
        ("x-kubernetes-list-map-keys", STRINGS),
        ("x-kubernetes-list-type", STRING),
        ("x-kubernetes-map-type", STRING),
        ("x-kubernetes-validations", GoType::List("v1.ValidationRules", &GoType::Struct(&RULE))),
        ("anyOf", GoType::List("[]v1.JSONSchemaProps", &SCHEMA)),
        ("allOf", GoType::List("[]v1.JSONSchemaProps", &SCHEMA)),
        ("oneOf", GoType::List("[]v1.JSONSchemaProps", &SCHEMA)),
        ("not", GoType::Struct(&JSON_SCHEMA_PROPS)),
        ("maxProperties", GoType::Int64),
        ("minProperties", GoType::Int64),
        ("multipleOf", GoType::Float64),
        ("exclusiveMaximum", GoType::Bool),
        ("exclusiveMinimum", GoType::Bool),
        ("uniqueItems", GoType::Bool),
        ("title", STRING),
        ("externalDocs", GoType::Struct(&EXTERNAL_DOCS)),
        ("example", GoType::Raw),
        ("id", STRING),
        ("$schema", GoType::String("v1.JSONSchemaURL")),
        ("$ref", STRING),
        ("patternProperties", GoType::Map("map[string]v1.JSONSchemaProps", &SCHEMA)),
        ("dependencies", GoType::Map("v1.JSONSchemaDependencies", &GoType::OrNames(&SCHEMA))),
        ("additionalItems", GoType::OrBool(&SCHEMA)),
        ("definitions", GoType::Map("v1.JSONSchemaDefinitions", &SCHEMA)),
    ],
};

static EXTERNAL_DOCS: GoStruct = GoStruct {
    name: "v1.ExternalDocumentation",
    fields: &[("description", STRING), ("url", STRING)],
};

static RULE: GoStruct = GoStruct {
    name: "v1.ValidationRule",
    fields: &[
        ("rule", STRING),
        ("message", STRING),
        ("messageExpression", STRING),
        ("reason", GoType::String("v1.FieldValueErrorReason")),
        ("fieldPath", STRING),
        ("optionalOldSelf", GoType::Bool),
    ],
};
