//! Rules: `x-kubernetes-validations`, evaluated on the values they stand at.
//!
//! A value's rules come before those of what is in it. All rules of an object share one budget; when it
//! is used up, or one call costs too much, nothing further is evaluated. A rule that compares with the
//! value before runs only where there is one, unless it asks to run always.
//!
//! On an update, a rule that fails on a value that did not change becomes a warning, unless it compares
//! with the value before.
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`.

use crate::findings::Findings;
use crate::walk;
use crdkit_cel::{Arena, Binding, EvalError, Limits, Program, ShapeId, Val};
use crdkit_issue::{Arg, Code, FieldPath, Issue, Severity, codes::object as codes};
use crdkit_schema::compile::{CompiledRule, Flags, Id, Node, Rule, Rules, Table, Types};
use crdkit_schema::validate::correlate::{self, Keys, Pairs};
use crdkit_schema::validate::shown;
use crdkit_value::{Kind, Value};

/// What all rules of an object may cost together.
const BUDGET: u64 = 10_000_000;

/// A message that an expression makes may not be longer.
const MAX_MESSAGE: usize = 5 * 1024;

/// Evaluates the rules of `object`, which replaces `old`.
pub(crate) fn check<'v>(
    table: &Table,
    schema: Id,
    object: Value<'v>,
    old: Option<Value<'v>>,
    findings: &mut Findings,
) {
    if !table.node(schema).has(Flags::HAS_RULES) {
        return;
    }
    if findings.block_rules() {
        let nothing = Arg::Literal("null".into());
        findings.add(object.id(), Issue::error(codes::RULES_NOT_CHECKED).value(nothing));
        return;
    }
    let (rules, arena) = (table.rules(), &Arena::new());
    let mut walk = Walk { table, schema, rules, arena, remaining: BUDGET, found: Vec::new() };
    let nearest = old.map(|old| Pair { schema, new: object, old });
    // The error only says that the walk ended early; what was found until then counts.
    let _ = walk.value(schema, object, old, nearest);
    let mut found = walk.found;
    found.sort_by(|(_, left), (_, right)| left.path.cmp(&right.path));
    findings.entries.extend(found);
}

/// A value and the one it replaces.
#[derive(Clone, Copy)]
struct Pair<'v> {
    schema: Id,
    new: Value<'v>,
    old: Value<'v>,
}

/// The budget is used up.
struct Exhausted;

struct Walk<'t> {
    table: &'t Table,
    schema: Id,
    rules: &'t Rules,
    arena: &'t Arena,
    remaining: u64,
    found: Vec<(crdkit_value::NodeId, Issue)>,
}

/// A value whose rules are evaluated.
#[derive(Clone, Copy)]
struct At<'t, 'v> {
    node: &'t Node,
    shape: ShapeId,
    value: Value<'v>,
    old: Option<Value<'v>>,
    /// The value itself, or the nearest around it, that has a counterpart before the update.
    nearest: Option<Pair<'v>>,
}

impl<'t> Walk<'t> {
    fn value<'v>(
        &mut self,
        id: Id,
        value: Value<'v>,
        old: Option<Value<'v>>,
        nearest: Option<Pair<'v>>,
    ) -> Result<(), Exhausted> {
        let node = self.table.node(id);
        if !node.has(Flags::HAS_RULES) || value.is_null() {
            return Ok(());
        }
        let old = old.filter(|old| !old.is_null());
        if !node.rules().is_empty() {
            let rules = self.rules;
            match (rules.shape(id), rules.get(id, node)) {
                (Some(shape), Some(compiled)) => {
                    let at = At { node, shape, value, old, nearest };
                    self.node(&at, compiled)?;
                }
                _ => self.add(value, error(node, "rule compiler initialization error: no type")),
            }
        }
        match value.kind() {
            Kind::Object(members) => {
                let keys = old.map(Keys::new);
                for (key, member) in members {
                    let property = node.fields.get(self.table, key);
                    let Some(child) = property.or(node.additional_schema()) else { continue };
                    let before = keys.as_ref().and_then(|keys| keys.find(key));
                    self.below(child, member, before, nearest)?;
                }
            }
            Kind::Array(items) => {
                let Some(child) = node.items else { return Ok(()) };
                let pairs = old.map(|old| Pairs::new(self.table, node, old));
                for item in items {
                    let before = pairs.as_ref().and_then(|pairs| pairs.find(item));
                    self.below(child, item, before, nearest)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn below<'v>(
        &mut self,
        schema: Id,
        value: Value<'v>,
        old: Option<Value<'v>>,
        nearest: Option<Pair<'v>>,
    ) -> Result<(), Exhausted> {
        let nearest = old.map(|old| Pair { schema, new: value, old }).or(nearest);
        self.value(schema, value, old, nearest)
    }

    fn node(&mut self, at: &At<'t, '_>, compiled: &'t [CompiledRule]) -> Result<(), Exhausted> {
        if self.remaining == 0 {
            return Err(self.out_of_budget(at));
        }
        let any_old_self = compiled.iter().any(|rule| rule.uses_old_self);
        for (rule, compiled) in at.node.rules().iter().zip(compiled) {
            let program = match &compiled.program {
                Ok(program) => program,
                Err(problem) => {
                    self.add(at.value, error(at.node, &format!("rule compile error: {problem}")));
                    continue;
                }
            };
            if compiled.uses_old_self && at.old.is_none() && !rule.optional_old_self {
                continue;
            }
            let optional = rule.optional_old_self;
            let outcome =
                program.evaluate(self.arena, |name| bind(at, name, optional), Limits::default());
            self.charge(at, outcome.cost)?;
            match outcome.result {
                Ok(Val::Bool(true)) => {}
                Ok(_) => {
                    let message = match &compiled.message {
                        Some(program) => self.message(at, rule, program, any_old_self)?,
                        None => None,
                    };
                    self.failed(at, rule, compiled, message);
                }
                Err(problem) => self.stopped(at, rule, &problem)?,
            }
        }
        Ok(())
    }

    fn charge(&mut self, at: &At<'_, '_>, cost: u64) -> Result<(), Exhausted> {
        match self.remaining.checked_sub(cost) {
            Some(remaining) => {
                self.remaining = remaining;
                Ok(())
            }
            None => Err(self.out_of_budget(at)),
        }
    }

    fn out_of_budget(&mut self, at: &At<'_, '_>) -> Exhausted {
        let problem = "validation failed due to running out of cost budget, no further validation \
                       rules will be run";
        self.add(at.value, error(at.node, problem));
        Exhausted
    }

    /// The rule could not be evaluated.
    fn stopped(
        &mut self,
        at: &At<'_, '_>,
        rule: &Rule,
        problem: &EvalError,
    ) -> Result<(), Exhausted> {
        let named = match rule.message.trim() {
            "" => rule.rule.trim(),
            message => message,
        };
        let text = match problem {
            EvalError::NoSuchOverload(_) => format!(
                "'{problem}': call arguments did not match a supported operator, function or macro \
                 signature for rule: {named}"
            ),
            EvalError::CostLimit => format!(
                "'{problem}': no further validation rules will be run due to call cost exceeds limit \
                 for rule: {named}"
            ),
            _ => format!("{problem} evaluating rule: {named}"),
        };
        self.add(at.value, error(at.node, &text));
        if problem.is_fatal() { Err(Exhausted) } else { Ok(()) }
    }

    /// The message that an expression makes, if it makes a good one.
    fn message(
        &mut self,
        at: &At<'t, '_>,
        rule: &Rule,
        program: &'t Program,
        any_old_self: bool,
    ) -> Result<Option<String>, Exhausted> {
        // The old value is never optional here, and there only if some rule asks for it.
        let bind = |name: &str| {
            if name == "oldSelf" && !any_old_self { None } else { bind(at, name, false) }
        };
        let outcome = program.evaluate(self.arena, bind, Limits::default());
        if let Err(EvalError::CostLimit) = outcome.result {
            let problem = format!(
                "no further validation rules will be run due to call cost exceeds limit for \
                 messageExpression: {}",
                crdkit_text::quote::quote(&rule.message_expression)
            );
            self.add(at.value, error(at.node, &problem));
            return Err(Exhausted);
        }
        let Some(remaining) = self.remaining.checked_sub(outcome.cost) else {
            let problem = "messageExpression evaluation failed due to running out of cost budget, \
                           no further validation rules will be run";
            self.add(at.value, error(at.node, problem));
            return Err(Exhausted);
        };
        self.remaining = remaining;
        let Ok(Val::String(text)) = outcome.result else { return Ok(None) };
        let text = text.trim();
        let usable = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
        Ok(usable.then(|| text.to_owned()))
    }

    fn failed(
        &mut self,
        at: &At<'_, '_>,
        rule: &Rule,
        compiled: &CompiledRule,
        message: Option<String>,
    ) {
        let detail = message.unwrap_or_else(|| match rule.message.trim() {
            "" => format!("failed rule: {}", rule.rule.trim()),
            message => message.to_owned(),
        });
        let mut issue = Issue::error(code(rule)).with("detail", detail);
        if !matches!(at.node.types, Types::Object | Types::Array) || rule_is_duplicate(rule) {
            issue = issue.value(shown(at.value));
        }
        if !compiled.uses_old_self && self.is_unchanged(at) {
            issue.severity = Severity::Warning;
        }
        let path = walk::path(self.table, Some(self.schema), at.value.document(), at.value.id());
        let steps = rule.field_path.segments().iter().cloned();
        let path = steps.fold(path, FieldPath::join);
        self.found.push((at.value.id(), issue.at(path)));
    }

    /// Whether the value, or the nearest around it that can be compared, is as it was.
    fn is_unchanged(&self, at: &At<'_, '_>) -> bool {
        at.nearest
            .is_some_and(|pair| correlate::equal(self.table, Some(pair.schema), pair.new, pair.old))
    }

    fn add(&mut self, value: Value<'_>, issue: Issue) {
        let path = walk::path(self.table, Some(self.schema), value.document(), value.id());
        self.found.push((value.id(), issue.at(path)));
    }
}

fn bind<'v>(at: &At<'_, 'v>, name: &str, optional: bool) -> Option<Binding<'v>> {
    match name {
        "self" => Some(Binding::Document(at.value, at.shape)),
        "oldSelf" if optional => Some(Binding::Optional(at.old.map(|old| (old, at.shape)))),
        "oldSelf" => at.old.map(|old| Binding::Document(old, at.shape)),
        _ => None,
    }
}

/// A finding that is not about the value but about evaluating; the server shows the type.
fn error(node: &Node, problem: &str) -> Issue {
    let types = match node.types {
        Types::IntOrString => "",
        types => types.text(),
    };
    Issue::error(codes::RULE_ERROR).with("problem", problem).value(types)
}

fn code(rule: &Rule) -> Code {
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => codes::RULE_FORBIDS,
        Some("FieldValueRequired") => codes::RULE_REQUIRES,
        Some("FieldValueDuplicate") => codes::RULE_DUPLICATE,
        _ => codes::RULE_FAILED,
    }
}

fn rule_is_duplicate(rule: &Rule) -> bool {
    rule.reason.as_deref() == Some("FieldValueDuplicate")
}
