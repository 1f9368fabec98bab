//! Keywords of one schema that CRDs may not use, or not there.

use super::options::CheckOptions;
use super::walk::{NoDefault, SchemaContext};
use super::{at, supported};
use crate::model::{Additional, Items, Schema};
use crate::path::Path;
use crdkit_issue::{Issue, codes};

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// Whether OpenAPI has a type of that name.
pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

/// Checks one schema object.
pub(super) fn check(
    schema: &Schema<'_>,
    options: &CheckOptions,
    path: &Path<'_>,
    place: &SchemaContext<'_>,
    issues: &mut Vec<Issue>,
) {
    let source = |keyword: &str| schema.source.get(keyword).or(Some(schema.source));
    if options.require_valid_type && !schema.type_name.is_empty() && !is_type(schema.type_name) {
        let issue = at(codes::crd::UNSUPPORTED_VALUE, &path.field("type"), source("type"));
        issues.push(issue.value(schema.type_name).with("supported", supported(TYPES)));
    }
    if let Some(reason) = place.no_default.filter(|_| schema.default.is_some()) {
        let path = path.field("default");
        let report = |code| at(code, &path, source("default"));
        issues.push(match reason {
            NoDefault::Anywhere => report(codes::crd::DEFAULT_FORBIDDEN),
            NoDefault::InTopLevel(field) => {
                report(codes::crd::DEFAULT_IN_TOP_LEVEL).with("name", field)
            }
            NoDefault::InMapOfMetadata => report(codes::crd::DEFAULT_IN_METADATA_MAP),
        });
    }
    let legacy = schema.legacy();
    let is_filled = |entries: Option<usize>| entries.is_some_and(|entries| entries > 0);
    let unsupported = [
        ("id", !legacy.id.is_empty()),
        ("additionalItems", legacy.additional_items.is_some()),
        ("patternProperties", is_filled(legacy.pattern_properties.as_ref().map(Vec::len))),
        ("definitions", is_filled(legacy.definitions.as_ref().map(Vec::len))),
        ("dependencies", legacy.dependencies.is_some()),
        ("$ref", legacy.reference.is_some()),
    ];
    for (keyword, set) in unsupported {
        if set {
            let issue = at(codes::crd::KEYWORD_UNSUPPORTED, &path.field(keyword), source(keyword));
            issues.push(issue.with("keyword", keyword));
        }
    }
    let properties_conflict = !schema.properties.is_empty()
        && !matches!(schema.additional_properties, None | Some(Additional::Allowed(true)));
    let forbidden = [
        (codes::crd::TYPE_NULL, "type", schema.type_name == "null"),
        (codes::crd::ITEMS_LIST, "items", matches!(schema.items, Some(Items::List(_)))),
        (
            codes::crd::EMBEDDED_RESOURCE_IN_METADATA,
            "x-kubernetes-embedded-resource",
            place.in_metadata && schema.extensions().embedded_resource,
        ),
        (codes::crd::UNIQUE_ITEMS, "uniqueItems", schema.unique_items),
        (codes::crd::ADDITIONAL_AND_PROPERTIES, "additionalProperties", properties_conflict),
    ];
    for (code, keyword, set) in forbidden {
        if set {
            issues.push(at(code, &path.field(keyword), source(keyword)));
        }
    }
}
