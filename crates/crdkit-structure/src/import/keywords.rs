//! What there is to be said about a keyword by its name alone: what it is for, what its value has to be, and which
//! languages have it.

use super::dialect::LanguageKind;
use super::node::count;
use crdkit_value::{Kind, Value};
use std::collections::BTreeSet;

/// What a keyword is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It becomes part of a node.
    Read(KeywordShape),
    /// It says nothing about values, but is kept for those who write the schema out again.
    Describes(KeywordShape),
    /// It is none.
    Unknown,
}

/// What the value of a keyword has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeywordShape {
    /// Anything, or a schema, which is looked at when it is read.
    Any,
    Bool,
    Text,
    /// Text that is not empty.
    Name,
    /// A schema: an object, or `true` or `false`.
    Schema,
    /// An object of schemas.
    Schemas,
    /// An object of `true` and `false`.
    Flags,
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
        "$comment" | "contentEncoding" | "contentMediaType" | "description" | "title" => {
            return Keyword::Describes(KeywordShape::Text);
        }
        "deprecated" | "readOnly" | "writeOnly" => return Keyword::Describes(KeywordShape::Bool),
        "contentSchema" => return Keyword::Describes(KeywordShape::Schema),
        "examples" => return Keyword::Describes(KeywordShape::List),
        "externalDocs" | "xml" => return Keyword::Describes(KeywordShape::Object),
        "example" => return Keyword::Describes(KeywordShape::Any),
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
        | "x-kubernetes-unions" => KeywordShape::Any,
        "nullable"
        | "uniqueItems"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string"
        | "x-kubernetes-preserve-unknown-fields" => KeywordShape::Bool,
        "$anchor" | "$dynamicAnchor" => KeywordShape::Name,
        "$dynamicRef"
        | "$id"
        | "$ref"
        | "$schema"
        | "format"
        | "id"
        | "openapi"
        | "pattern"
        | "x-kubernetes-list-type"
        | "x-kubernetes-map-type" => KeywordShape::Text,
        "maximum" | "minimum" | "multipleOf" => KeywordShape::Number,
        "exclusiveMaximum" | "exclusiveMinimum" => KeywordShape::Limit,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => KeywordShape::Count,
        "allOf" | "anyOf" | "enum" | "oneOf" | "prefixItems" => KeywordShape::List,
        "required" | "x-kubernetes-list-map-keys" => KeywordShape::Texts,
        "type" => KeywordShape::Types,
        "$vocabulary" => KeywordShape::Flags,
        "$defs" | "definitions" | "dependentSchemas" => KeywordShape::Schemas,
        "components" | "dependencies" | "patternProperties" | "properties" => KeywordShape::Object,
        "dependentRequired" => KeywordShape::Names,
        "discriminator" => KeywordShape::Discriminator,
        "x-kubernetes-validations" => KeywordShape::Rules,
        _ if name.starts_with("x-") => return Keyword::Describes(KeywordShape::Any),
        _ => return Keyword::Unknown,
    };
    Keyword::Read(shape)
}

impl KeywordShape {
    /// What `value` should have been, if it is something else.
    pub(super) fn problem(self, value: Value<'_>) -> Option<&'static str> {
        let is_text = |value: Value<'_>| value.as_str().is_some();
        let is_number = || matches!(value.kind(), Kind::Int(_) | Kind::Float(_) | Kind::Number(_));
        let texts = |value: Value<'_>| value.as_array().is_some_and(|mut it| it.all(is_text));
        let is_schema = |value: Value<'_>| value.as_object().is_some() || value.as_bool().is_some();
        let (fits, expected) = match self {
            Self::Any => return None,
            Self::Name => (
                value.as_str().is_some_and(|it| !it.is_empty()),
                "must be a string that is not empty",
            ),
            Self::Schema => (is_schema(value), "must be a schema"),
            Self::Schemas => {
                let fits = value.as_object().is_some_and(|mut it| it.all(|(_, it)| is_schema(it)));
                (fits, "must be an object of schemas")
            }
            Self::Flags => {
                let is_flag = |(_, it): (&str, Value<'_>)| it.as_bool().is_some();
                (
                    value.as_object().is_some_and(|mut it| it.all(is_flag)),
                    "must be an object of booleans",
                )
            }
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

/// What is strange about the value of a keyword that counts all the same.
pub(super) fn doubt(name: &str, value: Value<'_>) -> Option<&'static str> {
    match name {
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            (value.items().len() == 0).then_some("is empty, and changes nothing")
        }
        "required" | "type" => {
            let mut names = BTreeSet::new();
            let is_new =
                |it: Value<'_>| it.as_str().is_none_or(|name| names.insert(name.to_owned()));
            (!value.items().all(is_new)).then_some("has a name twice")
        }
        _ => None,
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
    matches!(kind(name), Keyword::Describes(_))
        || matches!(name, "$defs" | "definitions" | "$schema" | "$id" | "id" | "$anchor")
}
