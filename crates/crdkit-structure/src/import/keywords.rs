//! What there is to be said about a keyword by its name alone: what it is for, what its value has to be, and which
//! languages have it.

use super::dialect::LanguageKind;
use super::node::count;
use crdkit_value::{Kind, Value};

/// What a keyword is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It becomes part of a node.
    Read(Shape),
    /// It says nothing about values, but is kept for those who write the schema out again.
    Describes,
    /// It is none.
    Unknown,
}

/// What the value of a keyword has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Anything, or a schema, which is looked at when it is read.
    Any,
    Bool,
    Text,
    Number,
    /// A number; in older languages `true` or `false` beside one.
    Limit,
    Count,
    List,
    Texts,
    /// The name of a type, or several.
    Types,
    Object,
    /// An object whose values are lists of names.
    Names,
    Discriminator,
    Rules,
}

/// What the keyword `name` is for.
pub(super) fn kind(name: &str) -> Keyword {
    let shape = match name {
        "$comment" | "contentEncoding" | "contentMediaType" | "contentSchema" | "deprecated"
        | "description" | "example" | "examples" | "externalDocs" | "readOnly" | "title"
        | "writeOnly" | "xml" => return Keyword::Describes,
        "additionalItems"
        | "additionalProperties"
        | "const"
        | "contains"
        | "default"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "x-kubernetes-unions" => Shape::Any,
        "nullable"
        | "uniqueItems"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string"
        | "x-kubernetes-preserve-unknown-fields" => Shape::Bool,
        "$anchor"
        | "$dynamicAnchor"
        | "$dynamicRef"
        | "$id"
        | "$ref"
        | "$schema"
        | "format"
        | "id"
        | "openapi"
        | "pattern"
        | "x-kubernetes-list-type"
        | "x-kubernetes-map-type" => Shape::Text,
        "maximum" | "minimum" | "multipleOf" => Shape::Number,
        "exclusiveMaximum" | "exclusiveMinimum" => Shape::Limit,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => Shape::Count,
        "allOf" | "anyOf" | "enum" | "oneOf" | "prefixItems" => Shape::List,
        "required" | "x-kubernetes-list-map-keys" => Shape::Texts,
        "type" => Shape::Types,
        "$defs" | "$vocabulary" | "components" | "definitions" | "dependencies"
        | "dependentSchemas" | "patternProperties" | "properties" => Shape::Object,
        "dependentRequired" => Shape::Names,
        "discriminator" => Shape::Discriminator,
        "x-kubernetes-validations" => Shape::Rules,
        _ if name.starts_with("x-") => return Keyword::Describes,
        _ => return Keyword::Unknown,
    };
    Keyword::Read(shape)
}

impl Shape {
    /// What `value` should have been, if it is something else.
    pub(super) fn problem(self, value: Value<'_>) -> Option<&'static str> {
        let is_text = |value: Value<'_>| value.as_str().is_some();
        let is_number = || matches!(value.kind(), Kind::Int(_) | Kind::Float(_) | Kind::Number(_));
        let texts = |value: Value<'_>| value.as_array().is_some_and(|mut it| it.all(is_text));
        let (fits, expected) = match self {
            Self::Any => return None,
            Self::Bool => (value.as_bool().is_some(), "must be true or false"),
            Self::Text => (is_text(value), "must be a string"),
            Self::Number => (is_number(), "must be a number"),
            Self::Limit => (is_number() || value.as_bool().is_some(), "must be a number"),
            Self::Count => (count(value).is_some(), "must be an integer that is not negative"),
            Self::List => (value.as_array().is_some(), "must be a list"),
            Self::Texts => (texts(value), "must be a list of strings"),
            Self::Types => {
                let several = value.items().len() > 0 && texts(value);
                (is_text(value) || several, "must be the name of a type, or a list of such")
            }
            Self::Object => (value.as_object().is_some(), "must be an object"),
            Self::Names => {
                let fits = value.as_object().is_some_and(|mut it| it.all(|(_, it)| texts(it)));
                (fits, "must be an object of lists of strings")
            }
            Self::Discriminator => {
                let mapping = value.get("mapping");
                let maps = |mapping: Value<'_>| {
                    mapping.as_object().is_some_and(|mut it| it.all(|(_, it)| is_text(it)))
                };
                let fits = value.get("propertyName").is_some_and(is_text);
                (fits && mapping.is_none_or(maps), "must name a property")
            }
            Self::Rules => {
                let is_rule = |rule: Value<'_>| {
                    rule.get("rule").is_some_and(is_text)
                        && rule.members().all(|(key, value)| match key {
                            "optionalOldSelf" => value.as_bool().is_some(),
                            _ => is_text(value),
                        })
                };
                let fits = value.as_array().is_some_and(|mut rules| rules.all(is_rule));
                (fits, "must be a list of objects with a `rule`")
            }
        };
        (!fits).then_some(expected)
    }
}

/// Whether the language leaves the keyword out of account although another one has it.
pub(super) fn is_foreign(name: &str, language: LanguageKind) -> bool {
    match language {
        LanguageKind::Draft4 => matches!(
            name,
            "$anchor"
                | "$dynamicAnchor"
                | "$dynamicRef"
                | "$id"
                | "const"
                | "contains"
                | "dependentRequired"
                | "dependentSchemas"
                | "else"
                | "if"
                | "maxContains"
                | "minContains"
                | "nullable"
                | "prefixItems"
                | "propertyNames"
                | "then"
                | "unevaluatedItems"
                | "unevaluatedProperties"
        ),
        LanguageKind::OpenApi30 => {
            matches!(name, "$anchor" | "$dynamicAnchor" | "prefixItems" | "id")
        }
        LanguageKind::Modern => name == "id",
    }
}

/// Why a keyword changes nothing in `schema`, if it does not.
pub(super) fn is_idle_in(name: &str, schema: Value<'_>) -> Option<&'static str> {
    let has = |key: &str| schema.get(key).is_some();
    let without = match name {
        "then" | "else" if !has("if") => "there is no `if`",
        "minContains" | "maxContains" if !has("contains") => "there is no `contains`",
        "additionalItems" if schema.get("items").and_then(Value::as_array).is_none() => {
            "`items` is not a list"
        }
        "discriminator" if !has("oneOf") && !has("anyOf") => "there are no alternatives",
        _ => return None,
    };
    Some(without)
}

/// Whether a keyword makes no difference beside a reference.
pub(super) fn is_idle(name: &str) -> bool {
    kind(name) == Keyword::Describes
        || matches!(name, "$defs" | "definitions" | "$schema" | "$id" | "id" | "$anchor")
}
