//! What the API server would say about a schema, as diagnostics.
//!
//! Structural schemas are looked at as they are written; defaults and rules when everything is compiled,
//! because only then is it known what they mean.

use super::diagnostics::{DiagnosticLevel, Diagnostics};
use super::library::{Library, SchemaLocation};
use super::lower::Lower;
use super::options::CelOptions;
#[cfg(feature = "cel")]
use super::options::Functions;
use crate::compiled::CompiledSchema;
use crate::validate;
use crdkit_issue::FieldPath;
use crdkit_schema::compile::Id;
#[cfg(feature = "cel")]
use crdkit_schema::rules::{Environments, Failure};
use crdkit_value::Value;
use std::sync::Arc;

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaContext {
    Root,
    /// Where structure is declared.
    Structure,
    /// Inside a composition, where values are only validated.
    Clause {
        /// Whether a type may stand here, because the schema around it is int-or-string.
        types: bool,
    },
}

/// Remarks about the structure of the schema at `root`.
pub(super) fn structural(lower: &mut Lower<'_>, root: SchemaLocation) {
    let Some(document) = lower.library.documents.get(root.document) else { return };
    let document = Arc::clone(document);
    let mut pending = vec![(document.value(root.node), SchemaContext::Root)];
    while let Some((schema, place)) = pending.pop() {
        let mut remarks = Remarks { schema, diagnostics: &mut lower.diagnostics };
        remarks.all(place);
        children(schema, place, &mut pending);
    }
}

fn children<'d>(
    schema: Value<'d>,
    place: SchemaContext,
    pending: &mut Vec<(Value<'d>, SchemaContext)>,
) {
    let below = match place {
        SchemaContext::Clause { .. } => SchemaContext::Clause { types: false },
        _ => SchemaContext::Structure,
    };
    for (_, property) in schema.get("properties").into_iter().flat_map(Value::members) {
        pending.push((property, below));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(child) = schema.get(key).filter(|child| child.as_object().is_some()) {
            pending.push((child, below));
        }
    }
    let is_mixed = is_true(schema, "x-kubernetes-int-or-string");
    let of_mixed = matches!(place, SchemaContext::Clause { types: true });
    for key in ["allOf", "anyOf", "oneOf"] {
        for (at, clause) in schema.get(key).into_iter().flat_map(Value::items).enumerate() {
            // Either an `anyOf` of the two types, or such an `anyOf` first in an `allOf`.
            let types = match key {
                "anyOf" => (is_mixed || of_mixed) && at < 2,
                "allOf" => is_mixed && at == 0,
                _ => false,
            };
            pending.push((clause, SchemaContext::Clause { types }));
        }
    }
    pending
        .extend(schema.get("not").map(|clause| (clause, SchemaContext::Clause { types: false })));
}

fn is_true(schema: Value<'_>, key: &str) -> bool {
    schema.get(key).and_then(Value::as_bool) == Some(true)
}

fn text<'d>(schema: Value<'d>, key: &str) -> Option<&'d str> {
    schema.get(key).and_then(Value::as_str)
}

/// Remarks about one schema.
struct Remarks<'d, 'a> {
    schema: Value<'d>,
    diagnostics: &'a mut Diagnostics,
}

impl Remarks<'_, '_> {
    fn say(&mut self, code: &'static str, keyword: &str, message: impl Into<String>) {
        let path = self.schema.path();
        let path = if keyword.is_empty() { path } else { path.field(keyword) };
        self.diagnostics.add(DiagnosticLevel::Warning, code, path, message);
    }

    fn has(&self, key: &str) -> bool {
        self.schema.get(key).is_some()
    }

    fn all(&mut self, place: SchemaContext) {
        self.types(place);
        self.keywords(place);
        self.extensions();
        self.lists();
    }

    fn types(&mut self, place: SchemaContext) {
        let schema = self.schema;
        let types = schema.get("type");
        let mixed = is_true(schema, "x-kubernetes-int-or-string");
        let preserves = is_true(schema, "x-kubernetes-preserve-unknown-fields");
        match place {
            SchemaContext::Clause { types: false } if types.is_some() => {
                self.say("schema_non_structural", "type", "a type must not stand in a composition");
            }
            SchemaContext::Root | SchemaContext::Structure
                if types.is_none() && !mixed && !preserves =>
            {
                self.say("schema_non_structural", "", "the type is missing");
            }
            _ => {}
        }
        if text(schema, "type") == Some("array") && !self.has("items") {
            self.say("schema_non_structural", "", "an array must declare its items");
        }
        if types.is_some_and(|types| types.as_array().is_some()) {
            self.say("schema_non_structural", "type", "there must be one type");
        }
    }

    fn keywords(&mut self, place: SchemaContext) {
        if self.has("additionalProperties") {
            if place == SchemaContext::Root {
                let message = "additional properties must not be declared at the root";
                self.say("schema_non_structural", "additionalProperties", message);
            } else if self.has("properties") {
                let message = "additional properties must not be declared beside properties";
                self.say("schema_non_structural", "additionalProperties", message);
            }
            if self.schema.get("additionalProperties").and_then(Value::as_bool) == Some(false)
                && is_true(self.schema, "x-kubernetes-preserve-unknown-fields")
            {
                let message = "unknown fields are preserved, so nothing is forbidden";
                self.say("schema_unknown_conflict", "additionalProperties", message);
            }
        }
        if is_true(self.schema, "uniqueItems") {
            let message = "`uniqueItems` must not be true; use a list type";
            self.say("schema_non_structural", "uniqueItems", message);
        }
        for keyword in
            ["patternProperties", "$ref", "definitions", "dependencies", "additionalItems", "id"]
        {
            if self.has(keyword) {
                let message = format!("`{keyword}` is not allowed in a structural schema");
                self.say("schema_non_structural", keyword, message);
            }
        }
    }

    fn extensions(&mut self) {
        let schema = self.schema;
        let mixed = is_true(schema, "x-kubernetes-int-or-string");
        let embedded = is_true(schema, "x-kubernetes-embedded-resource");
        let preserve = schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool);
        if preserve == Some(false) {
            let message = "must be true or absent";
            self.say("schema_preserve_false", "x-kubernetes-preserve-unknown-fields", message);
        }
        if mixed && (preserve == Some(true) || embedded) {
            let message = "does not go with embedded resources or preserved fields";
            self.say("schema_int_or_string_conflict", "x-kubernetes-int-or-string", message);
        }
        if embedded && text(schema, "type") != Some("object") {
            let message = "an embedded resource must be of type object";
            self.say("schema_embedded_type", "x-kubernetes-embedded-resource", message);
        }
        if let Some(map_type) = schema.get("x-kubernetes-map-type") {
            let known = matches!(map_type.as_str(), Some("granular" | "atomic"));
            if !known || text(schema, "type") != Some("object") {
                let message = "must be granular or atomic, on an object";
                self.say("schema_map_type", "x-kubernetes-map-type", message);
            }
        }
    }

    fn lists(&mut self) {
        let schema = self.schema;
        let keys = schema.get("x-kubernetes-list-map-keys");
        let list_type = schema.get("x-kubernetes-list-type").map(Value::as_str);
        if let Some(list_type) = list_type {
            let known = matches!(list_type, Some("atomic" | "set" | "map"));
            if !known || text(schema, "type") != Some("array") {
                let message = "must be atomic, set or map, on an array";
                self.say("schema_list_type", "x-kubernetes-list-type", message);
            }
        }
        let is_map = list_type == Some(Some("map"));
        if keys.is_some() && !is_map {
            let message = "only lists of type map have keys";
            self.say("schema_list_keys", "x-kubernetes-list-map-keys", message);
        }
        if is_map {
            self.map_keys(keys);
        }
        if list_type == Some(Some("set")) {
            self.set_items();
        }
    }

    fn map_keys(&mut self, keys: Option<Value<'_>>) {
        const KEYWORD: &str = "x-kubernetes-list-map-keys";
        let names: Vec<&str> =
            keys.into_iter().flat_map(Value::items).filter_map(Value::as_str).collect();
        if names.is_empty() {
            return self.say("schema_list_keys", KEYWORD, "a list of type map needs keys");
        }
        let items = self.schema.get("items");
        let required = items.and_then(|items| items.get("required"));
        for (at, name) in names.iter().enumerate() {
            if names.iter().take(at).any(|earlier| earlier == name) {
                self.say("schema_list_keys", KEYWORD, format!("the key `{name}` is repeated"));
            }
            let property = items.and_then(|items| items.get("properties")?.get(name));
            let Some(property) = property else {
                let message = format!("`{name}` is not a property of the items");
                self.say("schema_list_keys", KEYWORD, message);
                continue;
            };
            if matches!(text(property, "type"), Some("object" | "array")) {
                let message = format!("the key `{name}` must be a scalar");
                self.say("schema_list_keys", KEYWORD, message);
            }
            let mut required = required.into_iter().flat_map(Value::items);
            let is_required = required.any(|it| it.as_str() == Some(name));
            if !is_required && property.get("default").is_none() {
                let message = format!("the key `{name}` must be required or have a default");
                self.say("schema_list_key_not_required", KEYWORD, message);
            }
        }
    }

    fn set_items(&mut self) {
        let Some(items) = self.schema.get("items") else { return };
        let granular = match text(items, "type") {
            Some("object") => text(items, "x-kubernetes-map-type") != Some("atomic"),
            Some("array") => {
                text(items, "x-kubernetes-list-type").is_some_and(|list_type| list_type != "atomic")
            }
            _ => false,
        };
        if granular {
            let message = "items of a set must be scalars or atomic";
            self.say("schema_set_items", "items", message);
        }
    }
}

fn path_of(library: &Library<'_>, place: SchemaLocation) -> FieldPath {
    let document = library.documents.get(place.document);
    document.map(|document| document.path(place.node)).unwrap_or_default()
}

/// Remarks about defaults that their own schema does not take.
pub(super) fn defaults(
    schema: &CompiledSchema,
    library: &Library<'_>,
    defaults: &[(Id, SchemaLocation)],
    diagnostics: &mut Diagnostics,
) {
    for (id, place) in defaults {
        let default = schema.table().node(*id).default;
        let value = default.and_then(|default| schema.table().default_value(default));
        let Some(value) = value else { continue };
        let found = validate::report(schema, *id, value, &validate::ValidateRequest::default());
        if let Some((_, issue)) = found.first() {
            let path = path_of(library, *place).field("default");
            diagnostics.add(
                DiagnosticLevel::Warning,
                "schema_default_invalid",
                path,
                issue.to_string(),
            );
        }
    }
}

/// Remarks about rules.
pub(super) fn rules(
    schema: &CompiledSchema,
    library: &Library<'_>,
    with_rules: &[(Id, SchemaLocation)],
    level: DiagnosticLevel,
    diagnostics: &mut Diagnostics,
) {
    let Some(cel) = &schema.settings().cel else { return };
    for (id, place) in with_rules {
        let node = schema.table().node(*id);
        let problems = problems(schema, *id, cel);
        for (at, (rule, problem)) in node.rules().iter().zip(problems).enumerate() {
            let path = path_of(library, *place).field("x-kubernetes-validations").index(at);
            let problem = if rule.rule.trim().is_empty() {
                Some("the rule is empty".to_owned())
            } else if rule.rule.len() > cel.max_expression_bytes {
                Some(format!("the rule is longer than {} bytes", cel.max_expression_bytes))
            } else {
                problem
            };
            if let Some(problem) = problem {
                diagnostics.add(level, "schema_cel_invalid", path.field("rule"), problem);
            }
        }
    }
}

/// What is wrong with each rule of a schema, by whoever evaluates it.
fn problems(schema: &CompiledSchema, id: Id, cel: &CelOptions) -> Vec<Option<String>> {
    let table = schema.table();
    if cel.engine.is_some() {
        return table.own_problems(id);
    }
    let rules = table.node(id).rules().iter().enumerate();
    rules.map(|(at, rule)| problem(schema, id, at, (&rule.rule, cel))).collect()
}

/// What is wrong with the rule `at`, the text `rule`, of a schema.
#[cfg(feature = "cel")]
fn problem(
    schema: &CompiledSchema,
    id: Id,
    at: usize,
    (rule, cel): (&str, &CelOptions),
) -> Option<String> {
    let compiled = schema.table().rules().get(schema.table(), id);
    disallowed(rule, &cel.functions).or_else(|| match compiled.and_then(|all| all.get(at)) {
        Some(compiled) => compiled.program.as_ref().err().map(Failure::of_rule),
        None => Some("the schema has no type that a rule could be about".to_owned()),
    })
}

#[cfg(not(feature = "cel"))]
fn problem(_: &CompiledSchema, _: Id, _: usize, _: (&str, &CelOptions)) -> Option<String> {
    Some("there is no engine that could evaluate it".to_owned())
}

/// What is wrong with a rule that calls a function which is not allowed.
#[cfg(feature = "cel")]
fn disallowed(rule: &str, functions: &Functions) -> Option<String> {
    let Functions::Only(allowed) = functions else { return None };
    let stored = &Environments::shared().stored;
    let checked = stored.parse_unchecked(rule).ok()?;
    let called = checked.ast().functions().find(|name| {
        let is_operator = !name.starts_with(|c: char| c.is_ascii_alphabetic());
        !is_operator && !allowed.contains(*name)
    })?;
    Some(format!("the function `{called}` is not allowed"))
}
