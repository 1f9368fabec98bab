//! Structural schemas: every value's type is known without looking into `allOf`, `anyOf`, `oneOf`
//! or `not`, and nothing in there says anything about structure.
//!
//! Some keywords have no place in a structural schema at all; a schema with one of them anywhere has
//! no structural form, which [`StructuralFailures`] tells. The rules for those that have are in [`check`].
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/{convert,validation,complete}.go`.

use super::at;
use crate::decode::types::JSON_SCHEMA_PROPS;
use crate::model::{Additional, Items, Junctors, Schema, SchemaId, Schemas};
use crate::path::Path;
use crate::status;
use crdkit_issue::{Code, Issue, codes};
use crdkit_text::regex::Regex;

/// For each schema, why it has no structural form.
#[derive(Clone, Debug)]
pub(super) struct StructuralFailures(Vec<Option<&'static str>>);

impl StructuralFailures {
    /// Looks at all schemas, children before their parents.
    pub(super) fn of(schemas: &Schemas<'_>) -> Self {
        let mut all = Self(vec![None; schemas.len()]);
        let ids: Vec<SchemaId> = schemas.iter().map(|(id, _)| id).collect();
        for id in ids.into_iter().rev() {
            let error = all.first_error(schemas.get(id));
            if let Some(slot) = all.0.get_mut(id.index()) {
                *slot = error;
            }
        }
        all
    }

    /// Why the schema called `id` has no structural form, if it has none.
    pub(super) fn error(&self, id: SchemaId) -> Option<&'static str> {
        self.0.get(id.index()).copied().flatten()
    }

    fn first_error(&self, schema: &Schema<'_>) -> Option<&'static str> {
        let junctors = schema.junctors();
        let clauses = junctors.not.iter();
        let clauses =
            clauses.chain(&junctors.all_of).chain(&junctors.any_of).chain(&junctors.one_of);
        let errors =
            |mut ids: &mut dyn Iterator<Item = SchemaId>| (&mut ids).find_map(|id| self.error(id));
        unsupported(schema)
            .or_else(|| errors(&mut clauses.copied()))
            .or_else(|| {
                let preserve = schema.extensions().preserve_unknown_fields;
                (preserve == Some(false)).then_some(
                    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
                )
            })
            .or_else(|| match &schema.items {
                Some(Items::List(_)) => {
                    Some("OpenAPIV3Schema 'items' must be a schema, but is an array")
                }
                Some(Items::Schema(id)) => self.error(*id),
                Some(Items::Neither) | None => None,
            })
            .or_else(|| errors(&mut schema.properties.iter().map(|(_, id)| id)))
            .or_else(|| errors(&mut schema.additional_schema().into_iter()))
    }
}

fn unsupported(schema: &Schema<'_>) -> Option<&'static str> {
    let legacy = schema.legacy();
    if !legacy.id.is_empty() {
        Some("OpenAPIV3Schema 'id' is not supported")
    } else if !legacy.schema.is_empty() {
        Some("OpenAPIV3Schema 'schema' is not supported")
    } else if legacy.reference.is_some_and(|it| !it.is_empty()) {
        Some("OpenAPIV3Schema '$ref' is not supported")
    } else if legacy.pattern_properties.as_ref().is_some_and(|it| !it.is_empty()) {
        Some("OpenAPIV3Schema 'patternProperties' is not supported")
    } else if legacy.dependencies.as_ref().is_some_and(|it| !it.is_empty()) {
        Some("OpenAPIV3Schema 'dependencies' is not supported")
    } else if legacy.additional_items.is_some() {
        Some("OpenAPIV3Schema 'additionalItems' is not supported")
    } else if legacy.definitions.as_ref().is_some_and(|it| !it.is_empty()) {
        Some("OpenAPIV3Schema 'definitions' is not supported")
    } else {
        None
    }
}

/// Whether a schema breaks any rule of this module.
pub(super) fn is_non_structural(
    schemas: &Schemas<'_>,
    root: SchemaId,
    conversions: &StructuralFailures,
) -> bool {
    conversions.error(root).is_some() || !check(schemas, root, &Path::Root).is_empty()
}

/// What keeps a schema that has a structural form from being structural, sorted by text.
pub(super) fn check(schemas: &Schemas<'_>, root: SchemaId, path: &Path<'_>) -> Vec<Issue> {
    let mut check = StructuralCheck { schemas, issues: Vec::new() };
    check.node(root, NodePosition::Root, path);
    let schema = schemas.get(root);
    check.completeness(schema.junctors(), root, path, path);
    let mut issues = check.issues;
    issues.sort_by_cached_key(status::line);
    issues
}

/// Where a node stands; a missing type is worded accordingly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Root,
    Item,
    Field,
}

struct StructuralCheck<'s, 'd> {
    schemas: &'s Schemas<'d>,
    issues: Vec<Issue>,
}

impl<'d> StructuralCheck<'_, 'd> {
    fn report(&mut self, code: Code, path: &Path<'_>, schema: &Schema<'d>) {
        self.issues.push(at(code, path, Some(schema.source)));
    }

    /// Checks a node outside of clauses, and those below.
    fn node(&mut self, id: SchemaId, level: NodePosition, path: &Path<'_>) {
        let schema = self.schemas.get(id);
        match schema.item_schema() {
            Some(item) => self.node(item, NodePosition::Item, &path.field("items")),
            None if schema.type_name == "array" => {
                self.report(codes::crd::ITEMS_REQUIRED, &path.field("items"), schema);
            }
            None => {}
        }
        let properties = path.field("properties");
        for (name, property) in schema.properties.iter() {
            self.node(property, NodePosition::Field, &properties.key(name));
        }
        if let Some(additional) = schema.additional_properties {
            let path = path.field("additionalProperties");
            if level == NodePosition::Root {
                self.report(codes::crd::ADDITIONAL_PROPERTIES_AT_ROOT, &path, schema);
            }
            if let Additional::Schema(additional) = additional {
                self.node(additional, NodePosition::Field, &path);
            }
        }
        self.extensions(schema, path);
        self.clauses(schema, skips(self.schemas, schema), path);
        self.type_name(schema, level, path);
        self.resource(schema, level, path);
    }

    fn extensions(&mut self, schema: &Schema<'d>, path: &Path<'_>) {
        let extensions = schema.extensions();
        if !extensions.int_or_string {
            return;
        }
        let others = [
            ("x-kubernetes-preserve-unknown-fields", schema.preserves_unknown_fields()),
            ("x-kubernetes-embedded-resource", extensions.embedded_resource),
        ];
        for (keyword, set) in others {
            if set {
                let code = codes::crd::INT_OR_STRING_CONFLICT;
                self.issues.push(at(code, &path.field(keyword), Some(schema.source)).value(true));
            }
        }
    }

    fn type_name(&mut self, schema: &Schema<'d>, level: NodePosition, path: &Path<'_>) {
        let extensions = schema.extensions();
        let path = path.field("type");
        if extensions.embedded_resource && schema.type_name != "object" {
            if schema.type_name.is_empty() {
                self.report(codes::crd::EMBEDDED_RESOURCE_TYPE_REQUIRED, &path, schema);
            } else {
                let issue = at(codes::crd::EMBEDDED_RESOURCE_TYPE, &path, Some(schema.source));
                self.issues.push(issue.value(schema.type_name));
            }
        } else if schema.type_name.is_empty()
            && !extensions.int_or_string
            && !schema.preserves_unknown_fields()
        {
            let code = match level {
                NodePosition::Root => codes::crd::TYPE_REQUIRED_AT_ROOT,
                NodePosition::Item => codes::crd::TYPE_REQUIRED_FOR_ITEMS,
                NodePosition::Field => codes::crd::TYPE_REQUIRED_FOR_FIELDS,
            };
            self.report(code, &path, schema);
        }
        if level == NodePosition::Root && !matches!(schema.type_name, "" | "object") {
            let issue = at(codes::crd::ROOT_TYPE, &path, Some(schema.source));
            self.issues.push(issue.value(schema.type_name));
        }
    }

    /// What holds for the root and for embedded resources.
    fn resource(&mut self, schema: &Schema<'d>, level: NodePosition, path: &Path<'_>) {
        let embedded = schema.extensions().embedded_resource;
        if embedded && schema.additional_properties.is_some() {
            let path = path.field("additionalProperties");
            self.report(codes::crd::ADDITIONAL_PROPERTIES_IN_RESOURCE, &path, schema);
        }
        let properties = path.field("properties");
        if level == NodePosition::Root || embedded {
            let meta = [
                ("kind", "string", codes::crd::MUST_BE_STRING),
                ("apiVersion", "string", codes::crd::MUST_BE_STRING),
                ("metadata", "object", codes::crd::MUST_BE_OBJECT),
            ];
            for (name, type_name, code) in meta {
                let Some(property) = schema.properties.get(name) else { continue };
                let property = self.schemas.get(property);
                if property.type_name != type_name {
                    let path = properties.key(name);
                    let issue = at(code, &path.field("type"), Some(property.source));
                    self.issues.push(issue.value(property.type_name));
                }
            }
        }
        if level == NodePosition::Root
            && let Some(metadata) = schema.properties.get("metadata")
            && !says_only_names(self.schemas.get(metadata))
        {
            let metadata = self.schemas.get(metadata);
            self.report(codes::crd::METADATA_RESTRICTED, &properties.key("metadata"), metadata);
        }
        if embedded && !schema.preserves_unknown_fields() && schema.properties.is_empty() {
            self.report(codes::crd::EMBEDDED_RESOURCE_PROPERTIES, &properties, schema);
        }
    }

    /// Checks the pattern and the clauses of a node or clause.
    fn clauses(&mut self, schema: &Schema<'d>, skips: Skips, path: &Path<'_>) {
        let junctors = schema.junctors();
        for (name, clauses) in [
            ("anyOf", junctors.any_of.as_slice()),
            ("allOf", &junctors.all_of),
            ("oneOf", &junctors.one_of),
        ] {
            if name == "anyOf" && skips.any_of {
                continue;
            }
            let path = path.field(name);
            for (index, clause) in clauses.iter().enumerate() {
                let any_of = name == "allOf" && index == 0 && skips.first_all_of;
                self.clause(*clause, Skips { any_of, first_all_of: false }, &path.index(index));
            }
        }
        if let Some(not) = junctors.not {
            self.clause(not, Skips::default(), &path.field("not"));
        }
        if !schema.pattern.is_empty()
            && let Err(problem) = Regex::new(schema.pattern)
        {
            let source = schema.source.get("pattern");
            let issue = at(codes::crd::PATTERN, &path.field("pattern"), source);
            let issue = issue.value(schema.pattern);
            self.issues.push(issue.with("problem", problem.to_string()));
        }
    }

    /// Checks a clause, where nothing may be said about structure.
    fn clause(&mut self, id: SchemaId, skips: Skips, path: &Path<'_>) {
        let schema = self.schemas.get(id);
        self.clauses(schema, skips, path);
        if let Some(item) = schema.item_schema() {
            self.clause(item, Skips::default(), &path.field("items"));
        }
        let properties = path.field("properties");
        for (name, property) in schema.properties.iter() {
            self.clause(property, Skips::default(), &properties.key(name));
        }
        let (extensions, legacy) = (schema.extensions(), schema.legacy());
        let additional = schema.additional_properties;
        let forbidden = [
            ("type", EMPTY, !schema.type_name.is_empty()),
            (
                "additionalProperties",
                UNDEFINED,
                !matches!(additional, None | Some(Additional::Allowed(false))),
            ),
            ("default", UNDEFINED, schema.default.is_some()),
            ("title", EMPTY, !legacy.title.is_empty()),
            ("description", EMPTY, !schema.description.is_empty()),
            ("nullable", FALSE, schema.nullable),
            ("x-kubernetes-preserve-unknown-fields", FALSE, schema.preserves_unknown_fields()),
            ("x-kubernetes-embedded-resource", FALSE, extensions.embedded_resource),
            ("x-kubernetes-int-or-string", FALSE, extensions.int_or_string),
            ("x-kubernetes-list-map-keys", EMPTY, !extensions.list_map_keys.is_empty()),
            ("x-kubernetes-list-type", UNDEFINED, extensions.list_type.is_some()),
            ("x-kubernetes-map-type", UNDEFINED, extensions.map_type.is_some()),
            ("x-kubernetes-validations", EMPTY, !extensions.validations.is_empty()),
        ];
        for (keyword, code, set) in forbidden {
            if set {
                let source = schema.source.get(keyword);
                self.issues.push(at(code, &path.field(keyword), source));
            }
        }
        if schema.properties.get("metadata").is_some() {
            self.report(codes::crd::METADATA_IN_CLAUSE, &properties.key("metadata"), schema);
        }
    }

    /// Everything that the clauses of the root mention must be declared outside of them.
    fn completeness(
        &mut self,
        junctors: &Junctors,
        structure: SchemaId,
        structure_path: &Path<'_>,
        clause_path: &Path<'_>,
    ) {
        if let Some(not) = junctors.not {
            self.complete_clause(not, structure, structure_path, &clause_path.field("not"));
        }
        for (name, clauses) in
            [("allOf", &junctors.all_of), ("anyOf", &junctors.any_of), ("oneOf", &junctors.one_of)]
        {
            let path = clause_path.field(name);
            for (index, clause) in clauses.iter().enumerate() {
                self.complete_clause(*clause, structure, structure_path, &path.index(index));
            }
        }
    }

    fn complete_clause(
        &mut self,
        clause: SchemaId,
        structure: SchemaId,
        structure_path: &Path<'_>,
        clause_path: &Path<'_>,
    ) {
        let (clause, schema) = (self.schemas.get(clause), self.schemas.get(structure));
        self.completeness(clause.junctors(), structure, structure_path, clause_path);
        if let Some(item) = clause.item_schema() {
            let (at_structure, at_clause) =
                (structure_path.field("items"), clause_path.field("items"));
            match schema.item_schema() {
                Some(structure) => {
                    self.complete_clause(item, structure, &at_structure, &at_clause);
                }
                None => self.incomplete(clause, &at_structure, &at_clause),
            }
        }
        let structure_properties = structure_path.field("properties");
        let clause_properties = clause_path.field("properties");
        for (name, property) in clause.properties.iter() {
            let at_structure = structure_properties.key(name);
            let at_clause = clause_properties.key(name);
            match schema.properties.get(name) {
                Some(structure) => {
                    self.complete_clause(property, structure, &at_structure, &at_clause);
                }
                None => self.incomplete(clause, &at_structure, &at_clause),
            }
        }
    }

    fn incomplete(&mut self, clause: &Schema<'d>, structure: &Path<'_>, at_clause: &Path<'_>) {
        let issue = at(codes::crd::CLAUSE_INCOMPLETE, structure, Some(clause.source));
        self.issues.push(issue.with("clause", at_clause.to_string()));
    }
}

const EMPTY: Code = codes::crd::CLAUSE_MUST_BE_EMPTY;
const UNDEFINED: Code = codes::crd::CLAUSE_MUST_BE_UNDEFINED;
const FALSE: Code = codes::crd::CLAUSE_MUST_BE_FALSE;

/// The two places where `type` may stand in a clause: a choice between integer and string, directly
/// in `anyOf`, or in the `anyOf` of the first of `allOf`.
#[derive(Clone, Copy, Default)]
struct Skips {
    any_of: bool,
    first_all_of: bool,
}

fn skips(schemas: &Schemas<'_>, schema: &Schema<'_>) -> Skips {
    let is_choice = |schema: &Schema<'_>| match schema.junctors().any_of.as_slice() {
        [first, second] => {
            let is_only = |id: &SchemaId, type_name| {
                let clause = schemas.get(*id);
                clause.type_name == type_name && says_nothing_but(clause, &["type"])
            };
            is_only(first, "integer") && is_only(second, "string")
        }
        _ => false,
    };
    let first = schema.junctors().all_of.first();
    Skips {
        any_of: is_choice(schema),
        first_all_of: first.is_some_and(|id| is_choice(schemas.get(*id))),
    }
}

/// The metadata of the root may restrict `name` and `generateName` and nothing else.
fn says_only_names(metadata: &Schema<'_>) -> bool {
    let mut names = metadata.properties.iter().map(|(name, _)| name);
    let only_names = names.all(|name| matches!(name, "name" | "generateName"));
    only_names
        && says_nothing_but(metadata, &["type", "default", "properties"])
        && metadata.additional_properties.is_none()
}

/// Whether a schema has no keyword that its structural form keeps, apart from those named. A keyword
/// with an empty value says nothing, except for lists that the structural form takes over as they are.
fn says_nothing_but(schema: &Schema<'_>, known: &[&str]) -> bool {
    schema.source.members().all(|(key, value)| {
        known.contains(&key)
            || match key {
                "required"
                | "x-kubernetes-list-map-keys"
                | "x-kubernetes-validations"
                | "properties" => value.is_null(),
                "additionalProperties" => value.is_null() || value.as_bool() == Some(false),
                "items" => schema.item_schema().is_none(),
                "enum" | "allOf" | "anyOf" | "oneOf" => value.items().len() == 0,
                "dependencies" | "definitions" | "patternProperties" => value.members().len() == 0,
                _ if JSON_SCHEMA_PROPS.field(key).is_none() => true,
                _ => match value.kind() {
                    crdkit_value::Kind::Null | crdkit_value::Kind::Bool(false) => true,
                    crdkit_value::Kind::String(text) => text.is_empty() && !is_pointer(key),
                    _ => false,
                },
            }
    })
}

/// Strings whose presence counts even when they are empty.
fn is_pointer(key: &str) -> bool {
    matches!(key, "x-kubernetes-list-type" | "x-kubernetes-map-type" | "default" | "example")
}
