//! The walk over every schema object, clauses and unsupported keywords included.
//!
//! Findings about schemas and findings about rules are kept apart: a rule is compiled only where
//! neither its schema nor anything below has a finding, and the server lists rules last.

use super::root::Context;
use super::rules::{self, Costs};
use super::{extensions, keywords};
use crate::model::{Additional, Dependency, Items, SchemaId};
use crate::path::Path;
use crdkit_issue::Issue;

/// What the walk found.
#[derive(Default)]
pub(super) struct WalkOutcome {
    /// About schemas.
    pub(super) schema_issues: Vec<Issue>,
    /// About rules.
    pub(super) rule_issues: Vec<Issue>,
}

/// What holds for a schema because of where it stands.
#[derive(Clone, Copy)]
pub(super) struct SchemaContext<'p> {
    /// Whether it is the root.
    pub(super) root: bool,
    /// Why it may have no default.
    pub(super) no_default: Option<NoDefault<'p>>,
    /// Whether it describes the metadata of a resource.
    pub(super) in_metadata: bool,
    /// The nearest list or map to the root whose entries cannot be told from their old selves.
    pub(super) uncorrelated: Option<&'p Path<'p>>,
    /// What its rules are compiled with; absent where they are not.
    pub(super) rules: Option<rules::RuleScope<'p>>,
}

/// Why a schema may have no default.
#[derive(Clone, Copy)]
pub(super) enum NoDefault<'p> {
    /// Defaults are not allowed at all.
    Anywhere,
    /// It describes a field that the server itself knows.
    InTopLevel(&'p str),
    /// It describes entries of a map in metadata.
    InMapOfMetadata,
}

/// Walks over the schema called `root`; rules are compiled if there are `costs` to add up.
pub(super) fn check(
    context: Context<'_, '_>,
    root: SchemaId,
    path: &Path<'_>,
    costs: Option<&mut Costs>,
) -> WalkOutcome {
    let rules = costs.is_some().then(|| rules::RuleScope::root(context.schemas, root));
    let mut unused = Costs::default();
    let costs = costs.unwrap_or(&mut unused);
    let mut walk = SchemaWalk { context, costs, outcome: WalkOutcome::default() };
    let no_default = (!context.options.allow_defaults).then_some(NoDefault::Anywhere);
    let place =
        SchemaContext { root: true, no_default, in_metadata: false, uncorrelated: None, rules };
    walk.node(root, path, place);
    walk.outcome
}

struct SchemaWalk<'w, 'c, 'd> {
    context: Context<'c, 'd>,
    costs: &'w mut Costs,
    outcome: WalkOutcome,
}

impl SchemaWalk<'_, '_, '_> {
    fn node(&mut self, id: SchemaId, path: &Path<'_>, place: SchemaContext<'_>) {
        let schema = self.context.schemas.get(id);
        let before = self.outcome.schema_issues.len();
        keywords::check(
            schema,
            self.context.options,
            path,
            &place,
            &mut self.outcome.schema_issues,
        );
        let below = SchemaContext { root: false, ..place };
        if let Some(Additional::Schema(additional)) = schema.additional_properties {
            let no_default =
                if place.in_metadata { Some(NoDefault::InMapOfMetadata) } else { place.no_default };
            let rules = below.rules.as_ref().map(|it| it.element(self.context.schemas, additional));
            let path = path.field("additionalProperties");
            self.node(additional, &path, SchemaContext { no_default, rules, ..below });
        }
        self.properties(id, path, place);
        self.clauses(id, path, SchemaContext { rules: None, ..below });
        self.items(id, path, below);
        for (name, dependency) in schema.legacy().dependencies.iter().flatten() {
            if let Dependency::Schema(dependency) = dependency {
                let path = path.field("dependencies");
                self.node(*dependency, &path.key(name), SchemaContext { rules: None, ..below });
            }
        }
        extensions::check(self.context, schema, path, &mut self.outcome.schema_issues);
        if schema.extensions().validations.is_empty() {
            return;
        }
        rules::check_text(self.context, id, path, &mut self.outcome.schema_issues);
        if self.outcome.schema_issues.len() == before
            && let Some(scope) = &place.rules
        {
            let found = rules::check(self.context, scope, path, place.uncorrelated, self.costs);
            self.outcome.rule_issues.extend(found);
        }
    }

    fn properties(&mut self, id: SchemaId, path: &Path<'_>, place: SchemaContext<'_>) {
        let schema = self.context.schemas.get(id);
        let extensions = schema.extensions();
        let correlated = matches!(extensions.map_type, None | Some("granular" | "atomic"));
        let uncorrelated = place.uncorrelated.or((!correlated).then_some(path));
        let resource = place.root || extensions.embedded_resource;
        let properties = path.field("properties");
        for (name, property) in schema.properties.iter() {
            let meta = resource && matches!(name, "metadata" | "kind" | "apiVersion");
            let no_default = if meta && place.root {
                Some(NoDefault::InTopLevel(name))
            } else {
                place.no_default
            };
            let below = SchemaContext {
                root: false,
                no_default,
                in_metadata: place.in_metadata || meta,
                uncorrelated,
                rules: place
                    .rules
                    .as_ref()
                    .map(|it| it.property(self.context.schemas, property, name)),
            };
            self.node(property, &properties.key(name), below);
        }
    }

    /// Schemas whose rules are never compiled.
    fn clauses(&mut self, id: SchemaId, path: &Path<'_>, below: SchemaContext<'_>) {
        let schema = self.context.schemas.get(id);
        let junctors = schema.junctors();
        if let Some(not) = junctors.not {
            self.node(not, &path.field("not"), below);
        }
        for (name, clauses) in
            [("allOf", &junctors.all_of), ("oneOf", &junctors.one_of), ("anyOf", &junctors.any_of)]
        {
            let path = path.field(name);
            for (index, clause) in clauses.iter().enumerate() {
                self.node(*clause, &path.index(index), below);
            }
        }
        let definitions = path.field("definitions");
        for (name, definition) in schema.legacy().definitions.iter().flatten() {
            self.node(*definition, &definitions.key(name), below);
        }
    }

    fn items(&mut self, id: SchemaId, path: &Path<'_>, below: SchemaContext<'_>) {
        let schema = self.context.schemas.get(id);
        let correlated = schema.extensions().list_type == Some("map");
        let uncorrelated = below.uncorrelated.or((!correlated).then_some(path));
        let items_path = path.field("items");
        let item = |walk: &mut Self, item: SchemaId, path: &Path<'_>| {
            let rules = below.rules.as_ref().map(|it| it.element(walk.context.schemas, item));
            walk.node(item, path, SchemaContext { uncorrelated, rules, ..below });
        };
        match &schema.items {
            Some(Items::Schema(id)) => item(self, *id, &items_path),
            Some(Items::List(list)) => {
                for (index, id) in list.iter().enumerate() {
                    item(self, *id, &items_path.index(index));
                }
            }
            Some(Items::Neither) | None => {}
        }
    }
}
