//! Rules on a value: those of its schema and of every schema below it.
//!
//! A rule that compares with the old value runs only where there is one. Running out of budget ends
//! everything.

use super::{Compiled, Environments, Failure, Types, compile};
use crate::field_path::{Brackets, resolve};
use crate::model::{Rule, Schema, SchemaId, Schemas};
use crate::path::Path;
use crate::validate::shown;
use crdkit_cel::{Arena, Binding, EvalError, Limits, Outcome, ShapeId, Val};
use crdkit_issue::{Arg, Code, Issue, codes};
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// Characters that the message of an expression may have.
const MESSAGE_BYTES: usize = 5_120;

/// Runs rules; what it has compiled is kept for the next value.
pub struct Evaluator<'e, 'd> {
    schemas: &'e Schemas<'d>,
    types: &'e Types,
    environments: &'e Environments,
    /// Whether a schema or one below it has rules.
    with_rules: &'e [bool],
    compiled: BTreeMap<(SchemaId, ShapeId), Rc<[Compiled]>>,
    /// What may still be spent; below zero everything has ended.
    budget: i64,
    issues: Vec<Issue>,
}

/// For each schema, whether it or one below it has rules.
pub fn with_rules(schemas: &Schemas<'_>) -> Vec<bool> {
    let mut with_rules = vec![false; schemas.len()];
    let ids: Vec<SchemaId> = schemas.iter().map(|(id, _)| id).collect();
    // Children have larger ids than the schemas they are in.
    for id in ids.into_iter().rev() {
        let schema = schemas.get(id);
        let mut any = !schema.extensions().validations.is_empty();
        let children = schema.item_schema().into_iter().chain(schema.additional_schema());
        for child in children.chain(schema.properties.iter().map(|(_, id)| id)) {
            any |= with_rules.get(child.index()).copied().unwrap_or_default();
        }
        if let Some(slot) = with_rules.get_mut(id.index()) {
            *slot = any;
        }
    }
    with_rules
}

/// What all rules on one object may cost.
const BUDGET: i64 = 10_000_000;

/// A value, what it was before, and where it stands.
#[derive(Clone, Copy)]
struct Place<'p, 'v> {
    value: Value<'v>,
    old: Option<Value<'v>>,
    path: &'p Path<'p>,
}

impl<'e, 'd> Evaluator<'e, 'd> {
    /// An evaluator with the server's budget.
    pub fn new(
        schemas: &'e Schemas<'d>,
        types: &'e Types,
        with_rules: &'e [bool],
        environments: &'e Environments,
    ) -> Self {
        let compiled = BTreeMap::new();
        Self {
            schemas,
            types,
            environments,
            with_rules,
            compiled,
            budget: BUDGET,
            issues: Vec::new(),
        }
    }

    /// Whether a schema or one below it has rules.
    pub fn has_rules(&self, id: SchemaId) -> bool {
        self.with_rules.get(id.index()).copied().unwrap_or_default()
    }

    /// What may still be spent; below zero nothing more is run.
    pub fn budget(&self) -> i64 {
        self.budget
    }

    /// Changes what may still be spent.
    pub fn set_budget(&mut self, budget: i64) {
        self.budget = budget;
    }

    /// Runs the rules of `schema` on `value`.
    pub fn run(
        &mut self,
        schema: SchemaId,
        value: Value<'_>,
        old: Option<Value<'_>>,
        path: &Path<'_>,
    ) -> Vec<Issue> {
        self.node(schema, self.types.shape(schema), Place { value, old, path });
        std::mem::take(&mut self.issues)
    }

    fn node(&mut self, id: SchemaId, shape: Option<ShapeId>, place: Place<'_, '_>) {
        if !self.has_rules(id) || place.value.is_null() || self.budget < 0 {
            return;
        }
        let schema = self.schemas.get(id);
        if !schema.extensions().validations.is_empty() {
            self.rules(id, shape, place);
        }
        match place.value.kind() {
            Kind::Array(items) => {
                let Some(item) = schema.item_schema() else { return };
                let shape = shape.and_then(|shape| self.types.element(shape));
                let old = OldItems::of(schema, place.old);
                for (index, value) in items.enumerate() {
                    let path = place.path.index(index);
                    let old = old.get(schema, value);
                    self.node(item, shape, Place { value, old, path: &path });
                }
            }
            Kind::Object(_) => self.members(schema, shape, place),
            _ => {}
        }
    }

    fn members(&mut self, schema: &Schema<'d>, shape: Option<ShapeId>, place: Place<'_, '_>) {
        let correlated = matches!(schema.extensions().map_type, None | Some("granular" | "atomic"));
        let old = place.old.filter(|_| correlated);
        let old = |key: &str| old.and_then(|old| old.get(key));
        if let Some(additional) = schema.additional_schema() {
            let shape = shape.and_then(|shape| self.types.element(shape));
            for (key, value) in place.value.members() {
                let path = place.path.key(key);
                self.node(additional, shape, Place { value, old: old(key), path: &path });
            }
        }
        for (key, value) in place.value.members() {
            let Some(property) = schema.properties.get(key) else { continue };
            let seen = match super::escape(key) {
                Some(_) => shape.and_then(|shape| self.types.property(shape, key)),
                None => self.types.shape(property),
            };
            // What expressions cannot see is left out with everything below it.
            if seen.is_some() {
                let path = place.path.field(key);
                self.node(property, seen, Place { value, old: old(key), path: &path });
            }
        }
    }

    fn rules(&mut self, id: SchemaId, shape: Option<ShapeId>, place: Place<'_, '_>) {
        let schema = self.schemas.get(id);
        let type_name = schema.type_name;
        let invalid = |detail: String| {
            let issue = Issue::error(codes::object::RULE_ERROR).at(place.path.into());
            issue.value(type_name).with("problem", detail)
        };
        let Some(shape) = shape else {
            let problem = "failed to convert to declType for CEL validation rules";
            let issue = invalid(format!("rule compiler initialization error: {problem}"));
            return self.issues.push(issue);
        };
        if self.budget <= 0 {
            self.budget = -1;
            return self.issues.push(invalid(OUT_OF_BUDGET.into()));
        }
        let compiled = self.compiled(id, shape);
        let any_old = compiled.iter().any(|compiled| compiled.uses_old_self);
        for (rule, compiled) in schema.extensions().validations.iter().zip(&*compiled) {
            let program = match &compiled.program {
                Ok(Some(program)) => program,
                Ok(None) => continue,
                Err(failure) => {
                    let problem = failure.describe("cel expression must evaluate to a bool", "");
                    self.issues.push(invalid(format!("rule compile error: {problem}")));
                    continue;
                }
            };
            let optional = rule.optional_old_self == Some(true);
            if compiled.uses_old_self && place.old.is_none() && !optional {
                continue;
            }
            let arena = Arena::new();
            let binding = |name: &str| bind(name, place, shape, any_old, optional);
            let Outcome { result, cost, .. } = program.evaluate(&arena, binding, Limits::default());
            if !self.spend(cost) {
                return self.issues.push(invalid(OUT_OF_BUDGET.into()));
            }
            match result {
                Ok(Val::Bool(true)) => {}
                Ok(_) => {
                    let issue = self.violation(id, rule, compiled, shape, any_old, place);
                    self.issues.push(issue);
                    if self.budget < 0 {
                        return;
                    }
                }
                Err(error) => {
                    self.issues.push(invalid(failed(&error, rule)));
                    if error == EvalError::CostLimit {
                        self.budget = -1;
                        return;
                    }
                }
            }
        }
    }

    fn spend(&mut self, cost: u64) -> bool {
        self.budget = match i64::try_from(cost) {
            Ok(cost) if cost <= self.budget => self.budget - cost,
            _ => -1,
        };
        self.budget >= 0
    }

    /// The finding for a rule that does not hold.
    fn violation(
        &mut self,
        id: SchemaId,
        rule: &Rule<'_>,
        compiled: &Compiled,
        shape: ShapeId,
        any_old: bool,
        place: Place<'_, '_>,
    ) -> Issue {
        let schema = self.schemas.get(id);
        let resolved = (!rule.field_path.is_empty())
            .then(|| resolve(self.schemas, id, rule.field_path, Brackets::Allowed).ok())
            .flatten();
        let field = resolved.map(|resolved| resolved.path.to_string());
        let path = match &field {
            Some(field) => place.path.field(field),
            None => *place.path,
        };
        let mut detail = match rule.message.trim() {
            "" => format!("failed rule: {}", rule.rule.trim()),
            message => message.to_owned(),
        };
        if let Some(Ok(message)) = &compiled.message {
            let arena = Arena::new();
            let binding = |name: &str| bind(name, place, shape, any_old, false);
            let Outcome { result, cost, .. } =
                message.program.evaluate(&arena, binding, Limits::default());
            let problem = if !self.spend(cost) {
                Some("messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_owned())
            } else if matches!(result, Err(EvalError::CostLimit)) {
                let quoted = quote(rule.message_expression);
                Some(format!(
                    "no further validation rules will be run due to call cost exceeds limit for messageExpression: {quoted}"
                ))
            } else {
                None
            };
            if let Some(problem) = problem {
                self.budget = -1;
                let issue = Issue::error(codes::object::RULE_ERROR).at((&path).into());
                return issue.value(schema.type_name).with("problem", problem);
            }
            if let Ok(Val::String(text)) = result {
                let text = text.trim();
                if !text.is_empty() && text.len() <= MESSAGE_BYTES && !text.contains('\n') {
                    text.clone_into(&mut detail);
                }
            }
        }
        let (code, shows): (Code, bool) = match rule.reason {
            Some("FieldValueForbidden") => (codes::object::RULE_FORBIDS, false),
            Some("FieldValueRequired") => (codes::object::RULE_REQUIRES, false),
            Some("FieldValueDuplicate") => (codes::object::RULE_DUPLICATE, true),
            _ => (codes::object::RULE_FAILED, true),
        };
        let issue = Issue::error(code).at((&path).into()).with("detail", detail);
        let composite = matches!(schema.type_name, "object" | "array");
        let value: Option<Arg> = (shows && !composite).then(|| shown(place.value));
        match value {
            Some(value) => issue.value(value),
            None => issue,
        }
    }

    fn compiled(&mut self, id: SchemaId, shape: ShapeId) -> Rc<[Compiled]> {
        let (schemas, types) = (self.schemas, self.types);
        let stored = &self.environments.stored;
        let entry = self.compiled.entry((id, shape)).or_insert_with(|| {
            let rules = &schemas.get(id).extensions().validations;
            rules.iter().map(|rule| compile(rule, types, shape, stored, stored)).collect()
        });
        Rc::clone(entry)
    }
}

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

fn bind<'v>(
    name: &str,
    place: Place<'_, 'v>,
    shape: ShapeId,
    any_old: bool,
    optional: bool,
) -> Option<Binding<'v>> {
    match name {
        "self" => Some(Binding::Document(place.value, shape)),
        "oldSelf" if !any_old => None,
        "oldSelf" if optional => Some(Binding::Optional(place.old.map(|old| (old, shape)))),
        "oldSelf" => place.old.map(|old| Binding::Document(old, shape)),
        _ => None,
    }
}

/// What is said about a rule that cannot be evaluated on a value.
fn failed(error: &EvalError, rule: &Rule<'_>) -> String {
    let text = match rule.message.trim() {
        "" => rule.rule.trim(),
        message => message,
    };
    let shown = error.to_string();
    if shown.starts_with("no such overload") {
        format!(
            "'{shown}': call arguments did not match a supported operator, function or macro signature for rule: {text}"
        )
    } else if *error == EvalError::CostLimit {
        format!(
            "'{shown}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"
        )
    } else {
        format!("{shown} evaluating rule: {text}")
    }
}

impl Failure {
    /// The failure in the server's words; `prefix` tells a message from a rule.
    pub(crate) fn describe(&self, wrong_result: &str, prefix: &str) -> String {
        match (self, prefix) {
            (Self::Compile(problem), _) => format!("{prefix}compilation failed: {problem}"),
            (Self::Result, _) => wrong_result.to_owned(),
            (Self::Program(problem), "") => format!("program instantiation failed: {problem}"),
            (Self::Program(problem), _) => format!("{prefix}instantiation failed: {problem}"),
        }
    }
}

/// The old items of a list, by the values of their keys. Only lists of type `map` have keys.
struct OldItems<'v>(BTreeMap<String, Value<'v>>);

impl<'v> OldItems<'v> {
    fn of(schema: &Schema<'_>, old: Option<Value<'v>>) -> Self {
        let mut items = BTreeMap::new();
        let is_map = schema.extensions().list_type == Some("map");
        for item in old.filter(|_| is_map).into_iter().flat_map(Value::items) {
            if let Some(key) = item_key(schema, item) {
                items.entry(key).or_insert(item);
            }
        }
        Self(items)
    }

    fn get(&self, schema: &Schema<'_>, item: Value<'_>) -> Option<Value<'v>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&item_key(schema, item)?).copied()
    }
}

/// The keys of an item as text that tells kinds apart.
fn item_key(schema: &Schema<'_>, item: Value<'_>) -> Option<String> {
    let mut out = String::new();
    for key in &schema.extensions().list_map_keys {
        let value = item.get(key)?;
        match value.kind() {
            Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::String(_) => {
                let _ = write!(out, "{value:?},");
            }
            _ => return None,
        }
    }
    item.as_object().is_some().then_some(out)
}
