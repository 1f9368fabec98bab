//! Rules on a value: those of its schema and of every schema below it.
//!
//! A value's rules come before those of what is in it, and those in `allOf` come between. All rules of
//! an object share one budget; when it is used up, or one call costs too much, nothing further is
//! evaluated. A rule that compares with the old value runs only where there is one, unless it asks to
//! run always.
//!
//! On an update, a rule that fails on a value that did not change becomes a warning, unless it compares
//! with the old value.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`.

use super::finding::{self, RuleFinding};
use super::{Compiled, Message, RESOURCE_VARIABLES};
use crate::compile::{CompiledRule, Flags, Id, Node, Rules, Table};
use crate::place;
use crate::validate::correlate::{self, Pairs};
use crdkit_cel::{Arena, Binding, EvalError, Limits, Program, ShapeId, Val};
use crdkit_issue::{FieldPath, Issue, Severity};
use crdkit_value::{Kind, MemberIndex, NodeId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What all rules on one object may cost.
const BUDGET: u64 = 10_000_000;

/// A message that an expression makes may not be longer.
const MAX_MESSAGE: usize = 5 * 1024;

/// Runs the rules of a table, with one budget for all it is asked to run.
pub struct Evaluator<'t> {
    table: &'t Table,
    /// What may still be spent; nothing once it was not enough.
    remaining: Option<u64>,
    limits: Limits<'t>,
    /// Whether what fails on a value that did not change is a warning.
    ratchets: bool,
    /// The rules of clauses by the schema they are about, as far as they were needed.
    clauses: BTreeMap<(Id, ShapeId), Arc<[Arc<Compiled>]>>,
    /// How long one call may take, by a clock of the caller's.
    timeout: Option<(&'t dyn Fn() -> Duration, Duration)>,
}

impl<'t> Evaluator<'t> {
    /// An evaluator with the server's budget.
    pub fn new(table: &'t Table) -> Self {
        let (limits, clauses) = (Limits::default(), BTreeMap::new());
        let remaining = Some(BUDGET);
        Self { table, remaining, limits, ratchets: false, clauses, timeout: None }
    }

    /// The same, for updates: what fails on a value that did not change is a warning.
    #[must_use]
    pub fn ratcheting(self) -> Self {
        Self { ratchets: true, ..self }
    }

    /// The same with limits for each call.
    #[must_use]
    pub fn limits(self, limits: Limits<'t>) -> Self {
        Self { limits, ..self }
    }

    /// The same with a limit on how long each call may take. `clock` says how much time has passed since
    /// whenever; it is asked now and then.
    #[must_use]
    pub fn timeout(self, clock: &'t dyn Fn() -> Duration, limit: Duration) -> Self {
        Self { timeout: Some((clock, limit)), ..self }
    }

    /// What may still be spent; nothing once it was not enough.
    pub fn budget(&self) -> Option<u64> {
        self.remaining
    }

    /// Changes what may still be spent.
    pub fn set_budget(&mut self, budget: Option<u64>) {
        self.remaining = budget;
    }

    /// What the rules of `schema` say about `value`, which stands at `base` and replaces `old`.
    pub fn run<'v>(
        &mut self,
        schema: Id,
        value: Value<'v>,
        old: Option<Value<'v>>,
        base: &FieldPath,
    ) -> Vec<(NodeId, Issue)> {
        if self.remaining.is_none() || !self.table.node(schema).has(Flags::HAS_RULES) {
            return Vec::new();
        }
        let own = old.filter(|_| self.ratchets).map(|old| Pair { schema, new: value, old });
        let (arena, rules) = (&Arena::new(), self.table.rules());
        let place = RuleTarget { value, old, own, around: None };
        let mut walk = RuleWalk {
            evaluator: self,
            rules,
            arena,
            schema,
            root: value,
            base,
            found: Vec::new(),
        };
        // The error only says that the walk ended early; what was found until then counts.
        let ended = walk.value(schema, schema, place);
        let found = walk.found;
        if ended.is_err() {
            self.remaining = None;
        }
        found
    }
}

/// A value and the one it replaces.
#[derive(Clone, Copy)]
struct Pair<'v> {
    schema: Id,
    new: Value<'v>,
    old: Value<'v>,
}

/// A value, what it was before, and what of it and around it can be compared with what was there.
#[derive(Clone, Copy)]
struct RuleTarget<'v> {
    value: Value<'v>,
    old: Option<Value<'v>>,
    own: Option<Pair<'v>>,
    /// The nearest value around it that has a counterpart.
    around: Option<Pair<'v>>,
}

/// The budget is used up.
struct Exhausted;

struct RuleWalk<'t, 'r> {
    evaluator: &'r mut Evaluator<'t>,
    rules: &'t Rules,
    arena: &'r Arena,
    schema: Id,
    root: Value<'r>,
    base: &'r FieldPath,
    found: Vec<(NodeId, Issue)>,
}

/// A value whose rules are evaluated.
#[derive(Clone, Copy)]
struct At<'t, 'v> {
    node: &'t Node,
    place: RuleTarget<'v>,
}

impl<'t> RuleWalk<'t, '_> {
    /// Runs the rules of the schema `rules` on a value of the schema `id`: the same, or a clause of it.
    fn value(&mut self, rules: Id, id: Id, place: RuleTarget<'_>) -> Result<(), Exhausted> {
        let table = self.evaluator.table;
        let (rules, id) = (table.resolve(rules), table.resolve(id));
        let clause = table.node(rules);
        let RuleTarget { value, old, .. } = place;
        if !clause.has(Flags::HAS_RULES) || value.is_null() {
            return Ok(());
        }
        let node = table.node(id);
        let old = old.filter(|old| !old.is_null());
        if !clause.rules().is_empty() {
            match self.rules.shape(id) {
                Some(shape) => {
                    let at = At { node, place: RuleTarget { old, ..place } };
                    self.compiled(rules, id, shape, &at)?;
                }
                None => self.add(value, finding::no_type(node)),
            }
        }
        for clause in clause.junctors().map_or(&[][..], |junctors| &junctors.all_of) {
            self.value(*clause, id, RuleTarget { old, own: None, ..place })?;
        }
        match value.kind() {
            Kind::Object(members) => {
                let keys = old.map(MemberIndex::new);
                let entries = clause.additional_schema().zip(node.additional_schema());
                for (key, member) in members {
                    let (rules, child) = if let Some(entries) = entries {
                        entries
                    } else {
                        let Some(found) = clause.fields.get(table, key) else { continue };
                        if !table.node(table.resolve(found)).has(Flags::HAS_RULES) {
                            continue;
                        }
                        let child =
                            if rules == id { Some(found) } else { node.fields.get(table, key) };
                        let (rules, Some(child)) = (found, child) else { continue };
                        // What expressions cannot see is left out with everything below it.
                        if !self.rules.is_visible(child) {
                            continue;
                        }
                        (rules, child)
                    };
                    let before = keys.as_ref().and_then(|keys| keys.get(key));
                    self.value(rules, child, place.below(child, member, before))?;
                }
            }
            Kind::Array(items) => {
                let Some((rules, child)) = clause.items.zip(node.items) else { return Ok(()) };
                let pairs = old.map(|old| Pairs::new(table, node, old));
                for item in items {
                    let before = pairs.as_ref().and_then(|pairs| pairs.find(item));
                    self.value(rules, child, place.below(child, item, before))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Finds the compiled rules of `rules` for values of `id` and runs them.
    fn compiled(
        &mut self,
        rules: Id,
        id: Id,
        shape: ShapeId,
        at: &At<'t, '_>,
    ) -> Result<(), Exhausted> {
        let table = self.evaluator.table;
        let sources = table.node(rules).rules();
        if rules == id {
            let compiled = self.rules.get(table, id).unwrap_or_default();
            return self.run(at, sources, compiled);
        }
        let known = self.evaluator.clauses.entry((rules, shape));
        let compiled = known.or_insert_with(|| self.rules.compile(table, rules, id, shape).into());
        let compiled = Arc::clone(compiled);
        self.run(at, sources, &compiled)
    }

    fn run(
        &mut self,
        at: &At<'t, '_>,
        sources: &[CompiledRule],
        compiled: &[Arc<Compiled>],
    ) -> Result<(), Exhausted> {
        if let (Some(0), Some(rule)) = (self.evaluator.remaining, sources.first()) {
            return Err(self.end(at, finding::out_of_budget(at.node, rule)));
        }
        let any_old_self = compiled.iter().any(|rule| rule.uses_old_self);
        for (rule, compiled) in sources.iter().zip(compiled) {
            let program = match &compiled.program {
                Ok(Some(program)) => program,
                Ok(None) => continue,
                Err(failure) => {
                    self.add(at.place.value, finding::not_compiled(at.node, rule, failure));
                    continue;
                }
            };
            if compiled.uses_old_self && at.place.old.is_none() && !rule.optional_old_self {
                continue;
            }
            let optional = rule.optional_old_self;
            let bind = |name: &str| at.bind(compiled, program, name, optional);
            let outcome = self.call(program, bind);
            if !self.spend(outcome.cost) {
                return Err(self.end(at, finding::out_of_budget(at.node, rule)));
            }
            match outcome.result {
                Ok(Answer::Yes) => {}
                Ok(_) => {
                    let message = match &compiled.message {
                        Some(Ok(message)) => {
                            self.message(at, (rule, compiled), message, any_old_self)?
                        }
                        _ => None,
                    };
                    self.failed(at, RuleFinding { rule, compiled, program }, message);
                }
                Err(problem) => {
                    let issue = finding::stopped(at.node, rule, &problem);
                    if problem.is_fatal() {
                        return Err(self.end(at, issue));
                    }
                    self.add(at.place.value, issue);
                }
            }
        }
        Ok(())
    }

    /// Runs a program within the limits.
    fn call<'v>(&self, program: &Program, bind: impl Fn(&str) -> Option<Binding<'v>>) -> Called {
        let mut limits = self.evaluator.limits;
        let started = self.evaluator.timeout.map(|(clock, limit)| (clock, clock(), limit));
        let own = limits.stop;
        let stop = || {
            let late = |(clock, started, limit): (&dyn Fn() -> Duration, Duration, Duration)| {
                clock().saturating_sub(started) > limit
            };
            own.is_some_and(|stop| stop()) || started.is_some_and(late)
        };
        if started.is_some() {
            limits.stop = Some(&stop);
        }
        let outcome = program.evaluate(self.arena, |name| bind(name), limits);
        let result = match outcome.result {
            Ok(Val::Bool(true)) => Ok(Answer::Yes),
            Ok(Val::String(text)) => Ok(Answer::Text(text.trim().to_owned())),
            Ok(_) => Ok(Answer::No),
            Err(error) => Err(error),
        };
        Called { result, cost: outcome.cost }
    }

    fn spend(&mut self, cost: u64) -> bool {
        let left = self.evaluator.remaining.and_then(|remaining| remaining.checked_sub(cost));
        self.evaluator.remaining = left;
        left.is_some()
    }

    fn end(&mut self, at: &At<'_, '_>, issue: Issue) -> Exhausted {
        self.add(at.place.value, issue);
        Exhausted
    }

    /// The message that an expression makes, if it makes a good one.
    fn message(
        &mut self,
        at: &At<'t, '_>,
        (rule, compiled): (&CompiledRule, &Compiled),
        message: &Message,
        any_old_self: bool,
    ) -> Result<Option<String>, Exhausted> {
        // The old value is never optional here, and there only if some rule asks for it.
        let program = &message.program;
        let bind = |name: &str| match name {
            "oldSelf" if !any_old_self => None,
            name => at.bind(compiled, program, name, false),
        };
        let outcome = self.call(program, bind);
        if let Err(EvalError::CostLimit) = outcome.result {
            return Err(self.end(at, finding::costly_message(at.node, rule)));
        }
        if !self.spend(outcome.cost) {
            return Err(self.end(at, finding::message_out_of_budget(at.node, rule)));
        }
        let Ok(Answer::Text(text)) = outcome.result else { return Ok(None) };
        let usable = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
        Ok(usable.then_some(text))
    }

    fn failed(&mut self, at: &At<'_, '_>, failed: RuleFinding<'_>, message: Option<String>) {
        let RuleTarget { value, old, .. } = at.place;
        let mut issue = failed.issue(at.node, message, value, old);
        if !failed.compiled.uses_old_self && self.is_unchanged(&at.place) {
            issue.severity = Severity::Warning;
        }
        let path = failed.rule.field_path.rebase(&self.path(value));
        self.found.push((value.id(), issue.at(path)));
    }

    /// Whether the value or, if it has no counterpart, the nearest around it that has one, is as it was.
    fn is_unchanged(&self, place: &RuleTarget<'_>) -> bool {
        place.own.or(place.around).is_some_and(|pair| {
            correlate::equal(self.evaluator.table, Some(pair.schema), pair.new, pair.old)
        })
    }

    fn add(&mut self, value: Value<'_>, issue: Issue) {
        let path = self.path(value);
        self.found.push((value.id(), issue.at(path)));
    }

    fn path(&self, value: Value<'_>) -> FieldPath {
        let schema = Some(self.schema);
        place::of(self.evaluator.table, schema, self.root, self.base, value.id())
    }
}

impl<'v> RuleTarget<'v> {
    fn below(&self, schema: Id, value: Value<'v>, old: Option<Value<'v>>) -> Self {
        let around = self.own.or(self.around);
        // Without a pair above there is no update to speak of.
        let own = old.filter(|_| around.is_some()).map(|old| Pair { schema, new: value, old });
        Self { value, old, own, around }
    }
}

/// What an expression gave, as far as rules want to know.
enum Answer {
    Yes,
    No,
    Text(String),
}

struct Called {
    result: Result<Answer, EvalError>,
    cost: u64,
}

impl<'v> At<'_, 'v> {
    fn bind(
        &self,
        compiled: &Compiled,
        program: &Program,
        name: &str,
        optional: bool,
    ) -> Option<Binding<'v>> {
        let RuleTarget { value, old, .. } = self.place;
        let shape = compiled.shape;
        match name {
            "self" => Some(Binding::Document(value, shape)),
            "oldSelf" if optional => Some(Binding::Optional(old.map(|old| (old, shape)))),
            "oldSelf" => old.map(|old| Binding::Document(old, shape)),
            name if RESOURCE_VARIABLES.contains(&name) => {
                let shape = program.shapes().member(shape, name)?;
                value.get(name).map(|value| Binding::Document(value, shape))
            }
            _ => None,
        }
    }
}
