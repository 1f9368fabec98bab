//! Defaults: they must survive pruning and be valid, including inside embedded resources.
//!
//! A default in the metadata of a resource is judged as part of an otherwise minimal resource,
//! because what it means depends on the server's own types. Defaults below `additionalProperties`
//! are not looked at.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go`.

use super::root::Context;
use super::{at, rules};
use crate::compile::SchemaTable;
use crate::embedded::{self, Root};
use crate::model::{Schema, SchemaId, Schemas};
use crate::path::Path;
use crate::prune;
use crate::status;
use crate::validate::{self, shown};
use crdkit_issue::{FieldPath, Issue, Span, codes};
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, Value};

/// Checks the defaults of a schema that is structural.
pub(super) fn check(context: Context<'_, '_>, root: SchemaId, path: &Path<'_>) -> Vec<Issue> {
    let rules = rules::Defaults::new(context);
    let mut check = DefaultCheck { context, rules, issues: Vec::new() };
    let place = DefaultContext { resource: root, at: &Surrounding::Root, in_metadata: false };
    check.node(root, true, place, path);
    check.issues
}

/// Whether some default of a structural schema would lose fields by pruning.
pub(super) fn has_unpruned(schemas: &Schemas<'_>, root: SchemaId) -> bool {
    let compiled = SchemaTable::for_defaults(schemas);
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let schema = schemas.get(id);
        if schema.default.is_some_and(|it| loses_fields(&compiled, id, it)) {
            return true;
        }
        pending.extend(schema.item_schema());
        pending.extend(schema.additional_schema());
        pending.extend(schema.properties.iter().map(|(_, id)| id));
    }
    false
}

struct DefaultCheck<'c, 'd> {
    context: Context<'c, 'd>,
    /// Absent when there are no rules.
    rules: Option<rules::Defaults<'c>>,
    issues: Vec<Issue>,
}

/// Where a schema stands.
#[derive(Clone, Copy)]
struct DefaultContext<'p> {
    /// The resource it belongs to.
    resource: SchemaId,
    /// The way from there.
    at: &'p Surrounding<'p>,
    /// Whether it describes type or metadata of that resource.
    in_metadata: bool,
}

/// The steps from a resource to a value in it.
enum Surrounding<'p> {
    Root,
    Field(&'p Surrounding<'p>, &'p str),
    Item(&'p Surrounding<'p>),
}

impl<'c, 'd> DefaultCheck<'c, 'd> {
    fn compiled(&self) -> &'c SchemaTable {
        self.context.rules.for_defaults(self.context)
    }

    fn node(&mut self, id: SchemaId, is_root: bool, place: DefaultContext<'_>, path: &Path<'_>) {
        if self.rules.as_ref().is_some_and(rules::Defaults::is_exhausted) {
            return;
        }
        let schemas = self.context.schemas;
        let schema = schemas.get(id);
        let is_resource = is_root || schema.extensions().embedded_resource;
        let place = if is_resource {
            DefaultContext { resource: id, at: &Surrounding::Root, in_metadata: false }
        } else {
            place
        };
        if let Some(default) = schema.default {
            let path = path.field("default");
            let found = if place.in_metadata {
                self.in_metadata(id, default, place, &path)
            } else {
                self.outside_metadata(id, default, is_resource, &path)
            };
            self.issues.extend(found);
        }
        if let Some(item) = schema.item_schema() {
            let place = DefaultContext { at: &Surrounding::Item(place.at), ..place };
            self.node(item, false, place, &path.field("items"));
        }
        let properties = path.field("properties");
        for (name, property) in schema.properties.iter() {
            let meta = is_resource && matches!(name, "metadata" | "apiVersion" | "kind");
            let at = Surrounding::Field(place.at, name);
            let in_metadata = place.in_metadata || meta;
            let place = DefaultContext { at: &at, in_metadata, ..place };
            self.node(property, false, place, &properties.key(name));
        }
    }

    fn outside_metadata(
        &mut self,
        id: SchemaId,
        default: Value<'d>,
        is_resource: bool,
        path: &Path<'_>,
    ) -> Vec<Issue> {
        let schemas = self.context.schemas;
        let mut issues = Vec::new();
        // The root has been made a resource; its own fields are never unknown.
        let unknown = self.context.options.require_pruned_defaults
            && has_unknown_fields(self.compiled(), schemas, id, default, is_resource);
        if unknown {
            let issue = at(codes::crd::DEFAULT_UNKNOWN_FIELDS, path, Some(default));
            issues.push(issue.value(shown(default)));
        }
        let root = if is_resource { Root::Resource } else { Root::Plain };
        if let Some(issue) = embedded::unreadable(schemas, id, default, root, path) {
            issues.push(issue);
            return issues;
        }
        let found = embedded::check(schemas, id, default, root, path);
        if !found.is_empty() {
            issues.extend(found);
            return issues;
        }
        issues.extend(self.valid(id, default, path));
        issues
    }

    fn in_metadata(
        &mut self,
        id: SchemaId,
        default: Value<'d>,
        place: DefaultContext<'_>,
        path: &Path<'_>,
    ) -> Vec<Issue> {
        let schemas = self.context.schemas;
        let resource = surround(default, place.at);
        let root = resource.root();
        let problem =
            embedded::unreadable(schemas, place.resource, root, Root::Resource, &Path::Root)
                .map(|issue| status::line(&issue))
                .or_else(|| {
                    let found =
                        embedded::check(schemas, place.resource, root, Root::Resource, &Path::Root);
                    (!found.is_empty()).then(|| status::aggregate(&found))
                });
        match problem {
            Some(problem) => {
                let issue = at(codes::crd::DEFAULT_METADATA, path, Some(default));
                vec![issue.value(shown(default)).with("problem", problem)]
            }
            None => self.valid(id, default, path),
        }
    }

    /// The default against its own schema, and then against its rules.
    fn valid(&mut self, id: SchemaId, default: Value<'d>, path: &Path<'_>) -> Vec<Issue> {
        let (compiled, base) = (self.compiled(), FieldPath::from(path));
        let found = validate::issues(&compiled.table, compiled.id(id), default, None, &base);
        let mut issues: Vec<Issue> = found.into_iter().map(|(_, issue)| issue).collect();
        if let Some(rules) = self.rules.as_mut().filter(|_| issues.is_empty()) {
            issues = rules.check(id, default, &base);
        }
        let span = default.document().place(default.id()).map(|place| place.value);
        for issue in &mut issues {
            issue.span = issue.span.or(span);
        }
        issues
    }
}

fn has_unknown_fields(
    compiled: &SchemaTable,
    schemas: &Schemas<'_>,
    id: SchemaId,
    default: Value<'_>,
    is_resource: bool,
) -> bool {
    let schema: &Schema<'_> = schemas.get(id);
    if !is_resource || schema.extensions().embedded_resource {
        return loses_fields(compiled, id, default);
    }
    let mut trimmed = Document::copy_of(default);
    for key in ["apiVersion", "kind", "metadata"] {
        let member = trimmed.root().get(key).map(Value::id);
        if let Some(member) = member {
            trimmed.remove(member);
        }
    }
    loses_fields(compiled, id, trimmed.root())
}

fn loses_fields(compiled: &SchemaTable, id: SchemaId, value: Value<'_>) -> bool {
    let node = compiled.table.node(compiled.id(id));
    !prune::unknown(&compiled.table, Some(node), value).is_empty()
}

/// The smallest resource that has `value` at the end of the given steps.
fn surround(value: Value<'_>, at: &Surrounding<'_>) -> Document {
    let mut steps = Vec::new();
    let mut step = at;
    loop {
        step = match step {
            Surrounding::Root => break,
            Surrounding::Field(parent, name) => {
                steps.push(Some(*name));
                parent
            }
            Surrounding::Item(parent) => {
                steps.push(None);
                parent
            }
        };
    }
    let first = steps.last().copied().flatten();
    let mut events = Vec::new();
    for step in steps.iter().rev() {
        match step {
            Some(name) => events.extend([Event::BeginObject, Event::Key(name)]),
            None => events.push(Event::BeginArray),
        }
    }
    events.extend(value.events());
    // The outermost object is closed last, after what makes it a resource.
    for step in steps.iter().rev().skip(1).rev() {
        events.push(if step.is_some() { Event::EndObject } else { Event::EndArray });
    }
    for (key, text) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
        if first != Some(key) {
            events.extend([Event::Key(key), Event::String(text)]);
        }
    }
    events.push(Event::EndObject);
    let limits = Limits::default();
    let mut builder = Builder::new(&limits, Duplicates::LastWins);
    for event in events {
        if builder.event(event, Span::at(0)).is_err() {
            break;
        }
    }
    builder.finish().0
}
