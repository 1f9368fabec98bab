//! The extensions that Kubernetes publishes with its own schemas and that CRDs do not have.
//!
//! The API server ignores them in CRDs (strict decoding calls them unknown); tools that read published
//! OpenAPI documents rely on their form.

use crate::model::{Schema, Schemas};
use crdkit_issue::{Issue, codes};
use crdkit_value::{Kind, Value};

const ACTIONS: &[&str] = &[
    "get",
    "list",
    "put",
    "patch",
    "post",
    "delete",
    "deletecollection",
    "watch",
    "watchlist",
    "proxy",
    "connect",
];

/// Warnings about extensions that do not have the form they must have.
pub fn published(schemas: &Schemas<'_>) -> Vec<Issue> {
    schemas.iter().flat_map(|(_, schema)| of_schema(schema)).collect()
}

fn of_schema<'s>(schema: &'s Schema<'_>) -> impl Iterator<Item = Issue> + 's {
    schema.unknown.iter().filter_map(|(key, value)| {
        let expected = extension_problem(key, *value)?;
        let mut issue = Issue::warning(codes::crd::EXTENSION_SHAPE);
        issue.span = value.document().place(value.id()).map(|place| place.value);
        Some(issue.with("extension", *key).with("expected", expected).at(value.path()))
    })
}

/// What the extension `key`, whose value stands in a schema, should have been, if it is something else.
pub fn extension_problem(key: &str, value: Value<'_>) -> Option<&'static str> {
    let (fits, expected) = match key {
        "x-kubernetes-unions" => (
            value.as_array().is_some_and(|mut items| items.all(is_union)),
            "a list of maps with an optional `discriminator` and `fields-to-discriminateBy`",
        ),
        "x-kubernetes-patch-strategy" => (
            value.as_str().is_some_and(|text| {
                text.split(',').all(|strategy| matches!(strategy, "merge" | "retainKeys"))
            }),
            "`merge`, `retainKeys` or both, separated by a comma",
        ),
        "x-kubernetes-patch-merge-key" => (
            value.as_str().is_some_and(|key| !key.is_empty()) && value.parent().is_some_and(merges),
            "the name of a field, on a list whose patch strategy is `merge`",
        ),
        "x-kubernetes-group-version-kind" => (
            match value.kind() {
                Kind::Object(_) => is_text_map(value),
                Kind::Array(mut items) => items.all(is_text_map),
                _ => false,
            },
            "a map of `group`, `version` and `kind`, or a list of such maps",
        ),
        "x-kubernetes-action" => (
            value.as_str().is_some_and(|action| ACTIONS.contains(&action)),
            "one of the actions of the API",
        ),
        _ => return None,
    };
    (!fits).then_some(expected)
}

/// Whether lists of a schema are merged by patches.
fn merges(schema: Value<'_>) -> bool {
    let strategy = schema.get("x-kubernetes-patch-strategy").and_then(Value::as_str);
    strategy.is_some_and(|text| text.split(',').any(|strategy| strategy == "merge"))
}

fn is_union(value: Value<'_>) -> bool {
    value.as_object().is_some_and(|mut members| {
        members.all(|(key, value)| match key {
            "discriminator" => value.as_str().is_some(),
            "fields-to-discriminateBy" => is_text_map(value),
            _ => false,
        })
    })
}

fn is_text_map(value: Value<'_>) -> bool {
    value.as_object().is_some_and(|mut members| members.all(|(_, value)| value.as_str().is_some()))
}
