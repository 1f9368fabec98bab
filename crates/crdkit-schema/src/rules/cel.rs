//! Rules run by `crdkit-cel`.

use super::walk::{Exhausted, RuleFindings, RuleJudge, RuleTarget};
use super::{Compiled, Evaluator, MessageExpression, RESOURCE_VARIABLES, finding};
use crate::compile::{CompiledRule, Id, Node, Rules};
use crdkit_cel::{Arena, Binding, EvalError, Limits, Program, ShapeId, Val};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message that an expression makes may not be longer.
const MAX_MESSAGE: usize = 5 * 1024;

/// The rules of clauses by the schema they are about.
pub(super) type Clauses = BTreeMap<(Id, ShapeId), Arc<[Arc<Compiled>]>>;

pub(super) struct CelJudge<'e, 't> {
    evaluator: &'e mut Evaluator<'t>,
    rules: &'t Rules,
    arena: &'e Arena,
}

/// A value whose rules are evaluated.
#[derive(Clone, Copy)]
struct RuledValue<'t, 'v> {
    node: &'t Node,
    target: &'v RuleTarget<'v>,
}

impl<'e, 't> CelJudge<'e, 't> {
    pub(super) fn new(evaluator: &'e mut Evaluator<'t>, arena: &'e Arena) -> Self {
        let rules = evaluator.table.rules();
        Self { evaluator, rules, arena }
    }
}

impl RuleJudge for CelJudge<'_, '_> {
    fn is_visible(&self, id: Id) -> bool {
        self.rules.is_visible(id)
    }

    /// Finds the compiled rules of `rules` for values of `id` and runs them.
    fn judge(
        &mut self,
        rules: Id,
        id: Id,
        target: &RuleTarget<'_>,
        found: &mut RuleFindings<'_>,
    ) -> Result<(), Exhausted> {
        let table = self.evaluator.table;
        let node = table.node(id);
        let Some(shape) = self.rules.shape(id) else {
            found.add(target.value, finding::no_type(node));
            return Ok(());
        };
        let (at, sources) = (RuledValue { node, target }, table.node(rules).rules());
        if rules == id {
            let compiled = self.rules.get(table, id).unwrap_or_default();
            return self.run(&at, sources, compiled, found);
        }
        let known = self.evaluator.clauses.entry((rules, shape));
        let compiled = known.or_insert_with(|| self.rules.compile(table, rules, id, shape).into());
        let compiled = Arc::clone(compiled);
        self.run(&at, sources, &compiled, found)
    }
}

impl CelJudge<'_, '_> {
    fn run(
        &mut self,
        at: &RuledValue<'_, '_>,
        sources: &[CompiledRule],
        compiled: &[Arc<Compiled>],
        found: &mut RuleFindings<'_>,
    ) -> Result<(), Exhausted> {
        let value = at.target.value;
        if let (Some(0), Some(rule)) = (self.evaluator.remaining, sources.first()) {
            return Err(found.end(value, finding::out_of_budget(at.node, rule)));
        }
        let any_old_self = compiled.iter().any(|rule| rule.uses_old_self);
        for (rule, compiled) in sources.iter().zip(compiled) {
            let program = match &compiled.program {
                Ok(Some(program)) => program,
                Ok(None) => continue,
                Err(failure) => {
                    found.add(value, finding::not_compiled(at.node, rule, &failure.of_rule()));
                    continue;
                }
            };
            if compiled.uses_old_self && at.target.old.is_none() && !rule.optional_old_self {
                continue;
            }
            let optional = rule.optional_old_self;
            let bind = |name: &str| at.bind(compiled, program, name, optional);
            let outcome = self.call(program, bind);
            if !self.evaluator.spend(outcome.cost) {
                return Err(found.end(value, finding::out_of_budget(at.node, rule)));
            }
            match outcome.result {
                Ok(ExpressionResult::Yes) => {}
                Ok(_) => {
                    let message = match &compiled.message {
                        Some(Ok(message)) => {
                            self.message(at, (rule, compiled), message, any_old_self, found)?
                        }
                        _ => None,
                    };
                    let issue = finding::violated(at.node, rule, message, value);
                    let issue = finding::with_seen(issue, program, value, at.target.old);
                    found.failed(at.target, rule, compiled.uses_old_self, issue);
                }
                Err(problem) => {
                    let issue = finding::stopped(at.node, rule, &problem, self.arena.exceeded());
                    if problem.is_fatal() {
                        return Err(found.end(value, issue));
                    }
                    found.add(value, issue);
                }
            }
        }
        Ok(())
    }

    /// Runs a program within the limits.
    fn call<'v>(&self, program: &Program, bind: impl Fn(&str) -> Option<Binding<'v>>) -> Called {
        let evaluator = &*self.evaluator;
        evaluator.timed(|stop| {
            let mut limits = Limits::default();
            limits.cost = evaluator.rule_cost.unwrap_or(limits.cost);
            limits.values = evaluator.value_bytes.unwrap_or(limits.values);
            limits.stop = stop;
            let outcome = program.evaluate(self.arena, |name| bind(name), limits);
            let result = match outcome.result {
                Ok(Val::Bool(true)) => Ok(ExpressionResult::Yes),
                Ok(Val::String(text)) => Ok(ExpressionResult::Text(text.trim().to_owned())),
                Ok(_) => Ok(ExpressionResult::No),
                Err(error) => Err(error),
            };
            Called { result, cost: outcome.cost }
        })
    }

    /// The message that an expression makes, if it makes a good one.
    fn message(
        &mut self,
        at: &RuledValue<'_, '_>,
        (rule, compiled): (&CompiledRule, &Compiled),
        message: &MessageExpression,
        any_old_self: bool,
        found: &mut RuleFindings<'_>,
    ) -> Result<Option<String>, Exhausted> {
        // The old value is never optional here, and there only if some rule asks for it.
        let program = &message.program;
        let bind = |name: &str| match name {
            "oldSelf" if !any_old_self => None,
            name => at.bind(compiled, program, name, false),
        };
        let outcome = self.call(program, bind);
        if let Err(EvalError::CostLimit) = outcome.result {
            let issue = finding::costly_message(at.node, rule, self.arena.exceeded());
            return Err(found.end(at.target.value, issue));
        }
        if !self.evaluator.spend(outcome.cost) {
            let issue = finding::message_out_of_budget(at.node, rule);
            return Err(found.end(at.target.value, issue));
        }
        let Ok(ExpressionResult::Text(text)) = outcome.result else { return Ok(None) };
        let usable = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
        Ok(usable.then_some(text))
    }
}

/// What an expression gave, as far as rules want to know.
enum ExpressionResult {
    Yes,
    No,
    Text(String),
}

struct Called {
    result: Result<ExpressionResult, EvalError>,
    cost: u64,
}

impl<'v> RuledValue<'_, 'v> {
    fn bind(
        &self,
        compiled: &Compiled,
        program: &Program,
        name: &str,
        optional: bool,
    ) -> Option<Binding<'v>> {
        let RuleTarget { value, old, .. } = *self.target;
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
