//! What there is to be said about a keyword by its name alone.

/// What a keyword is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It becomes part of a node.
    Read,
    /// It says nothing about values, but is kept for those who write the schema out again.
    Describes,
    /// It is none.
    Unknown,
}

/// What the keyword `name` is for.
pub(super) fn kind(name: &str) -> Keyword {
    match name {
        "$comment" | "contentEncoding" | "contentMediaType" | "contentSchema" | "deprecated"
        | "description" | "example" | "examples" | "externalDocs" | "readOnly" | "title"
        | "writeOnly" | "xml" => Keyword::Describes,
        "$anchor"
        | "$defs"
        | "$dynamicAnchor"
        | "$dynamicRef"
        | "$id"
        | "$ref"
        | "$schema"
        | "$vocabulary"
        | "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "components"
        | "const"
        | "contains"
        | "default"
        | "definitions"
        | "dependencies"
        | "dependentRequired"
        | "dependentSchemas"
        | "discriminator"
        | "else"
        | "enum"
        | "exclusiveMaximum"
        | "exclusiveMinimum"
        | "format"
        | "id"
        | "if"
        | "items"
        | "maxContains"
        | "maxItems"
        | "maxLength"
        | "maxProperties"
        | "maximum"
        | "minContains"
        | "minItems"
        | "minLength"
        | "minProperties"
        | "minimum"
        | "multipleOf"
        | "not"
        | "nullable"
        | "oneOf"
        | "openapi"
        | "pattern"
        | "patternProperties"
        | "prefixItems"
        | "properties"
        | "propertyNames"
        | "required"
        | "then"
        | "type"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "uniqueItems"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string"
        | "x-kubernetes-list-map-keys"
        | "x-kubernetes-list-type"
        | "x-kubernetes-preserve-unknown-fields"
        | "x-kubernetes-unions"
        | "x-kubernetes-validations" => Keyword::Read,
        _ if name.starts_with("x-") => Keyword::Describes,
        _ => Keyword::Unknown,
    }
}

/// Whether a keyword makes no difference beside a reference.
pub(super) fn is_idle(name: &str) -> bool {
    kind(name) == Keyword::Describes
        || matches!(name, "$defs" | "definitions" | "$schema" | "$id" | "id" | "$anchor")
}
