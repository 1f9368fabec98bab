//! One schema from its root: which checks run, and what depends on what.

use super::options::CheckOptions;
use super::structural::{self, StructuralFailures};
use super::walk::{self, WalkOutcome};
use super::{at, defaults, rules};
use crate::internal_json;
use crate::model::{Schema, SchemaId, Schemas, Validation};
use crate::path::Path;
use crdkit_issue::{Arg, Issue, codes};

/// What the checks of one schema need.
#[derive(Clone, Copy)]
pub(super) struct Context<'c, 'd> {
    /// The schemas of the CRD.
    pub(super) schemas: &'c Schemas<'d>,
    /// Which of them have a structural form.
    pub(super) conversions: &'c StructuralFailures,
    /// Those that describe whole objects.
    #[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "only compiled rules ask"))]
    pub(super) roots: &'c [SchemaId],
    /// What is known about them for rules.
    pub(super) rules: &'c rules::Knowledge,
    /// What is required.
    pub(super) options: &'c CheckOptions,
    /// Whether a rule may cost too much because it always has.
    #[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "only compiled rules ask"))]
    pub(super) suppress_rule_cost: bool,
}

/// Checks the schema of a version, or the one all versions share.
pub(super) fn check(
    context: Context<'_, '_>,
    validation: Option<Validation<'_>>,
    status_enabled: bool,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let Some(root) = validation.and_then(|it| it.schema) else { return };
    let before = issues.len();
    let schema = context.schemas.get(root);
    let schema_path = path.field("openAPIV3Schema");
    if status_enabled {
        issues.extend(status_root(context.schemas, root, path));
    }
    if schema.nullable {
        let path = path.field("openAPIV3Schema.nullable");
        issues.push(at(codes::crd::NULLABLE_ROOT, &path, Some(schema.source)));
    }
    // Without a structural form, or with findings about it or about defaults, rules are not compiled.
    let mut check_rules = false;
    let mut deferred = None;
    if context.options.require_structural {
        deferred = context.conversions.error(root);
        if deferred.is_none() {
            let mut found = structural::check(context.schemas, root, &schema_path);
            if found.is_empty() {
                found = defaults::check(context, root, &schema_path);
            }
            check_rules = found.is_empty() || context.options.check_rules_anyway;
            issues.append(&mut found);
        }
    }
    let mut costs = check_rules.then(rules::Costs::default);
    let WalkOutcome { schema_issues, rule_issues } =
        walk::check(context, root, &schema_path, costs.as_mut());
    issues.extend(schema_issues);
    issues.extend(rule_issues);
    if let Some(problem) = deferred.filter(|_| issues.len() == before) {
        // Other checks usually say the same more precisely, so it counts only when none did.
        let issue = at(codes::crd::NOT_STRUCTURAL, &schema_path, Some(schema.source)).value("");
        issues.push(issue.with("problem", problem));
    }
    if let Some(costs) = costs {
        issues.extend(costs.total(&schema_path));
    }
}

/// With the status subresource enabled, `status` is validated alone, so nothing at the root may
/// constrain it together with other fields.
fn status_root(schemas: &Schemas<'_>, root: SchemaId, path: &Path<'_>) -> Option<Issue> {
    let schema = schemas.get(root);
    for (keyword, allowed) in set_keywords(schema) {
        if keyword == "Type" && schema.type_name != "object" {
            let path = path.field("openAPIV3Schema.type");
            let issue = at(codes::crd::STATUS_ROOT_TYPE, &path, schema.source.get("type"));
            return Some(issue.value(schema.type_name));
        }
        if !allowed {
            let path = path.field("openAPIV3Schema");
            let shown = Arg::Literal(internal_json::schema(schemas, root).into());
            return Some(
                at(codes::crd::STATUS_ROOT_KEYWORD, &path, Some(schema.source)).value(shown),
            );
        }
    }
    None
}

/// The keywords that say something, in the order the server declares them, and whether each may
/// stand at a root with the status subresource. A list that is written counts even when it is empty.
fn set_keywords(schema: &Schema<'_>) -> impl Iterator<Item = (&'static str, bool)> {
    let (bounds, legacy) = (schema.bounds(), schema.legacy());
    let (junctors, extensions) = (schema.junctors(), schema.extensions());
    let written = |key: &str| schema.is_written(key);
    [
        ("ID", false, !legacy.id.is_empty()),
        ("Schema", false, !legacy.schema.is_empty()),
        ("Ref", false, legacy.reference.is_some()),
        ("Description", true, !schema.description.is_empty()),
        ("Type", true, !schema.type_name.is_empty()),
        ("Nullable", false, schema.nullable),
        ("Format", true, !schema.format.is_empty()),
        ("Title", true, !legacy.title.is_empty()),
        ("Default", false, schema.default.is_some()),
        ("Maximum", true, bounds.maximum.is_some()),
        ("ExclusiveMaximum", true, bounds.exclusive_maximum),
        ("Minimum", true, bounds.minimum.is_some()),
        ("ExclusiveMinimum", true, bounds.exclusive_minimum),
        ("MaxLength", true, bounds.max_length.is_some()),
        ("MinLength", true, bounds.min_length.is_some()),
        ("Pattern", true, !schema.pattern.is_empty()),
        ("MaxItems", true, bounds.max_items.is_some()),
        ("MinItems", true, bounds.min_items.is_some()),
        ("UniqueItems", true, schema.unique_items),
        ("MultipleOf", true, bounds.multiple_of.is_some()),
        ("Enum", false, schema.enum_values.is_some()),
        ("MaxProperties", false, bounds.max_properties.is_some()),
        ("MinProperties", false, bounds.min_properties.is_some()),
        ("Required", true, written("required")),
        ("Items", true, schema.items.is_some()),
        ("AllOf", false, written("allOf")),
        ("OneOf", false, written("oneOf")),
        ("AnyOf", false, written("anyOf")),
        ("Not", false, junctors.not.is_some()),
        ("Properties", true, written("properties")),
        ("AdditionalProperties", false, schema.additional_properties.is_some()),
        ("PatternProperties", false, legacy.pattern_properties.is_some()),
        ("Dependencies", false, legacy.dependencies.is_some()),
        ("AdditionalItems", false, legacy.additional_items.is_some()),
        ("Definitions", false, legacy.definitions.is_some()),
        ("ExternalDocs", true, legacy.external_docs.is_some()),
        ("Example", true, legacy.example.is_some()),
        ("XPreserveUnknownFields", true, extensions.preserve_unknown_fields.is_some()),
        ("XEmbeddedResource", false, extensions.embedded_resource),
        ("XIntOrString", false, extensions.int_or_string),
        ("XListMapKeys", false, written("x-kubernetes-list-map-keys")),
        ("XListType", false, extensions.list_type.is_some()),
        ("XMapType", false, extensions.map_type.is_some()),
        ("XValidations", true, written("x-kubernetes-validations")),
    ]
    .into_iter()
    .filter(|(_, _, set)| *set)
    .map(|(keyword, allowed, _)| (keyword, allowed))
}
