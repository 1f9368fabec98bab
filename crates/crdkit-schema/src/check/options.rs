//! What is required of a CRD: everything on create, and on update what the old CRD already kept to.
//!
//! A rule that came into being after CRDs had been stored is not applied to a CRD whose old version
//! breaks it, so that such a CRD can still be changed.

use super::{defaults, extensions, structural};
use crate::equal;
use crate::model::{Crd, CrdVersion, Schema, SchemaId, Schemas};
use std::collections::{BTreeMap, BTreeSet};

/// The rules that depend on what was there before.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as the server has them")]
#[non_exhaustive]
pub struct CheckOptions {
    /// Schemas may have defaults.
    pub allow_defaults: bool,
    /// A conversion webhook must understand a review version that the server speaks.
    pub require_recognized_review_version: bool,
    /// `scope` and `names.kind` may not change.
    pub require_immutable_names: bool,
    /// Every version must have a schema.
    pub require_schema: bool,
    /// `type` must be one of the six that OpenAPI has.
    pub require_valid_type: bool,
    /// Schemas must be structural.
    pub require_structural: bool,
    /// Defaults must have no unknown fields.
    pub require_pruned_defaults: bool,
    /// Items of a list of type `set` must be atomic.
    pub require_atomic_set: bool,
    /// Keys of a list of type `map` must be present in every item.
    pub require_list_map_keys: bool,
    /// A CA bundle may be unusable.
    pub allow_invalid_ca_bundle: bool,
    /// Rules are looked at even if the schema has findings, after which the server stops.
    pub check_rules_anyway: bool,
    /// Rules that the old CRD has; they may use everything that was ever allowed.
    pub known_rules: BTreeSet<String>,
    /// Message expressions that the old CRD has.
    pub known_message_expressions: BTreeSet<String>,
    /// Versions whose schema has not changed; the cost of their rules is not held against them.
    pub unchanged_versions: BTreeSet<String>,
    /// Versions that keep more selectable fields than allowed; the empty name is the top of the spec.
    pub too_many_selectable_fields: BTreeSet<String>,
}

impl CheckOptions {
    /// For a new CRD.
    pub fn create() -> Self {
        Self {
            allow_defaults: true,
            require_recognized_review_version: true,
            require_immutable_names: false,
            require_schema: true,
            require_valid_type: true,
            require_structural: true,
            require_pruned_defaults: true,
            require_atomic_set: true,
            require_list_map_keys: true,
            allow_invalid_ca_bundle: true,
            check_rules_anyway: false,
            known_rules: BTreeSet::new(),
            known_message_expressions: BTreeSet::new(),
            unchanged_versions: BTreeSet::new(),
            too_many_selectable_fields: BTreeSet::new(),
        }
    }

    /// For a CRD that replaces `old`.
    pub fn update(crd: &Crd<'_>, old: &Crd<'_>) -> Self {
        let schemas = &old.schemas;
        let any = |test: &dyn Fn(&Schema<'_>) -> bool| {
            used(old).any(|root| subtree(schemas, root).any(|id| test(schemas.get(id))))
        };
        let rules = || {
            let all = used(old).flat_map(|root| subtree(schemas, root));
            all.flat_map(|id| &schemas.get(id).extensions().validations)
        };
        let conversions = structural::StructuralFailures::of(schemas);
        let non_structural = |root| structural::is_non_structural(schemas, root, &conversions);
        let conversion = old.spec.conversion.as_ref();
        let review_versions =
            conversion.map(|it| it.review_versions.as_slice()).unwrap_or_default();
        Self {
            require_recognized_review_version: review_versions.is_empty()
                || review_versions.iter().any(|it| super::conversion::is_recognized(it)),
            require_immutable_names: old.is_established(),
            require_schema: (0..old.spec.versions.len()).all(|index| old.schema(index).is_some()),
            require_valid_type: !any(&|schema| {
                !schema.type_name.is_empty() && !super::keywords::is_type(schema.type_name)
            }),
            require_structural: !used(old).any(non_structural),
            require_pruned_defaults: !used(old)
                .any(|root| !non_structural(root) && defaults::has_unpruned(schemas, root)),
            require_atomic_set: !any(&|schema| extensions::non_atomic_set(schemas, schema)),
            require_list_map_keys: !any(&|schema| {
                extensions::breaks_list_map_keys(schemas, schema)
            }),
            allow_invalid_ca_bundle: !old.is_established()
                || conversion.and_then(|it| it.client_config.as_ref()).is_some_and(|config| {
                    !config.ca_bundle.is_empty()
                        && super::conversion::ca_bundle_problem(&config.ca_bundle).is_some()
                }),
            known_rules: rules().map(|rule| rule.rule.to_owned()).collect(),
            known_message_expressions: rules()
                .filter(|rule| !rule.message_expression.is_empty())
                .map(|rule| rule.message_expression.to_owned())
                .collect(),
            unchanged_versions: unchanged(crd, old),
            too_many_selectable_fields: too_many(crd, old),
            ..Self::create()
        }
    }
}

/// The schemas of a CRD, one for each version or the one they share.
pub(super) fn used<'c>(crd: &'c Crd<'_>) -> impl Iterator<Item = SchemaId> + 'c {
    let validations = crd.spec.versions.iter().map(|version| version.validation);
    crd.spec.validation.into_iter().chain(validations.flatten()).filter_map(|it| it.schema)
}

/// A schema and everything below it.
pub(super) fn subtree<'s>(
    schemas: &'s Schemas<'_>,
    root: SchemaId,
) -> impl Iterator<Item = SchemaId> + 's {
    let mut pending = vec![root];
    std::iter::from_fn(move || {
        let id = pending.pop()?;
        schemas.get(id).each_child(|child| pending.push(child));
        Some(id)
    })
}

fn unchanged(crd: &Crd<'_>, old: &Crd<'_>) -> BTreeSet<String> {
    let (new, before) = (ByName::of(crd), ByName::of(old));
    let names = crd.spec.versions.iter().map(|version| version.name);
    let same = names.filter(|name| {
        new.has(name)
            && before.has(name)
            && equal::optional_schemas(
                (&crd.schemas, new.schema(name)),
                (&old.schemas, before.schema(name)),
            )
    });
    same.map(str::to_owned).collect()
}

/// The schemas of a CRD by the names of its versions. One that all versions share is found under any
/// name.
struct ByName<'c, 'd> {
    crd: &'c Crd<'d>,
    is_shared: bool,
    own: BTreeMap<&'c str, &'c CrdVersion<'d>>,
}

impl<'c, 'd> ByName<'c, 'd> {
    fn of(crd: &'c Crd<'d>) -> Self {
        let versions = &crd.spec.versions;
        let is_shared = versions.iter().all(|version| version.validation.is_none());
        let mut own = BTreeMap::new();
        for version in versions {
            own.entry(version.name).or_insert(version);
        }
        Self { crd, is_shared, own }
    }

    fn has(&self, name: &str) -> bool {
        self.is_shared || self.own.contains_key(name)
    }

    fn schema(&self, name: &str) -> Option<SchemaId> {
        let shared = self.crd.spec.validation.filter(|_| self.is_shared);
        let own = || self.own.get(name).and_then(|version| version.validation);
        shared.or_else(own).and_then(|validation| validation.schema)
    }
}

fn too_many(crd: &Crd<'_>, old: &Crd<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let limit = super::selectable::LIMIT;
    let kept =
        |new: &[_], before: &[_]| before.len() > limit && equal::selectable_fields(new, before);
    if kept(&crd.spec.selectable_fields, &old.spec.selectable_fields) {
        names.insert(String::new());
    }
    let before: BTreeMap<&str, _> = old
        .spec
        .versions
        .iter()
        .map(|version| (version.name, &version.selectable_fields))
        .collect();
    for version in &crd.spec.versions {
        let before = before.get(version.name);
        if before.is_some_and(|before| kept(&version.selectable_fields, before)) {
            names.insert(version.name.to_owned());
        }
    }
    names
}
