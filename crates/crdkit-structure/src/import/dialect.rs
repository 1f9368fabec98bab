//! Which language a schema is in, and where that language has schemas inside schemas.

use super::options::Dialect;
use crdkit_value::{Kind, Value};

/// A language, as far as reading differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language {
    pub(super) kind: LanguageKind,
    /// Whether the keywords that assert something count; a meta-schema may leave them out.
    pub(super) asserts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LanguageKind {
    OpenApi30,
    Draft4,
    Modern,
}

impl Language {
    pub(super) const OPEN_API_30: Self = Self { kind: LanguageKind::OpenApi30, asserts: true };
    pub(super) const DRAFT_4: Self = Self { kind: LanguageKind::Draft4, asserts: true };
    pub(super) const MODERN: Self = Self { kind: LanguageKind::Modern, asserts: true };

    /// The language that `dialect` asks for.
    pub(super) fn of(dialect: Dialect, document: Value<'_>, root: Value<'_>) -> Self {
        match dialect {
            Dialect::OpenApi30 => Self::OPEN_API_30,
            Dialect::Draft4 => Self::DRAFT_4,
            Dialect::OpenApi31 | Dialect::Draft202012 => Self::MODERN,
            Dialect::Auto => Self::detect(document, root),
        }
    }

    fn detect(document: Value<'_>, root: Value<'_>) -> Self {
        if let Some(version) = document.get("openapi").and_then(Value::as_str) {
            return if version.starts_with("3.0") { Self::OPEN_API_30 } else { Self::MODERN };
        }
        if let Some(known) = root.get("$schema").and_then(Value::as_str).and_then(Self::named) {
            return known;
        }
        if uses_30(root) { Self::OPEN_API_30 } else { Self::MODERN }
    }

    /// The language whose meta-schema has this address.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
        match path {
            "json-schema.org/draft-04/schema" => Some(Self::DRAFT_4),
            "json-schema.org/draft/2020-12/schema" | "spec.openapis.org/oas/3.1/dialect/base" => {
                Some(Self::MODERN)
            }
            _ => None,
        }
    }

    /// Whether nothing counts beside `$ref`.
    pub(super) fn reference_stands_alone(self) -> bool {
        self.kind != LanguageKind::Modern
    }

    /// The keyword that names a schema resource.
    pub(super) fn id_keyword(self) -> &'static str {
        if self.kind == LanguageKind::Draft4 { "id" } else { "$id" }
    }
}

/// Whether some schema has what only OpenAPI 3.0 has: `nullable`, or an exclusive limit that is a boolean.
fn uses_30(root: Value<'_>) -> bool {
    let mut pending = vec![root];
    while let Some(schema) = pending.pop() {
        let is_bool = |key| schema.get(key).is_some_and(|it: Value<'_>| it.as_bool().is_some());
        if ["nullable", "exclusiveMinimum", "exclusiveMaximum"].into_iter().any(is_bool) {
            return true;
        }
        pending.extend(subschemas(schema));
    }
    false
}

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas.
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems", "items"];

/// Keywords whose value has schemas by name.
const MAPS: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The schemas inside `schema`, at all places where a language has them.
pub(super) fn subschemas(schema: Value<'_>) -> Vec<Value<'_>> {
    let is_schema = |value: &Value<'_>| matches!(value.kind(), Kind::Object(_) | Kind::Bool(_));
    let mut found = Vec::new();
    for (key, value) in schema.members() {
        if ONE.contains(&key) && is_schema(&value) {
            found.push(value);
        }
        if LISTS.contains(&key) {
            found.extend(value.items().filter(is_schema));
        }
        if MAPS.contains(&key) {
            found.extend(value.members().map(|(_, value)| value).filter(is_schema));
        }
    }
    if let Some(schemas) = schema.get("components").and_then(|it| it.get("schemas")) {
        found.extend(schemas.members().map(|(_, value)| value).filter(is_schema));
    }
    found
}
