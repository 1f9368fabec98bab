//! Rules run by an engine that a program brought.

use super::engine::{
    OwnPrograms, RuleAnswer, RuleBudget, RuleProgram, RuleStop, RuleVariables, SharedEngine,
};
use super::walk::{Exhausted, RuleFindings, RuleJudge, RuleTarget};
use super::{Evaluator, finding};
use crate::compile::{CompiledRule, Id, Node, Table};
use std::sync::OnceLock;

/// What one rule may cost where nothing else is said.
const RULE_COST: u64 = 1_000_000;

/// The programs of a table, made when they are first asked for.
#[derive(Debug)]
pub struct OwnRules(Vec<OnceLock<OwnPrograms>>);

impl OwnRules {
    pub(crate) fn new(table: &Table) -> Self {
        Self(table.ids().map(|_| OnceLock::new()).collect())
    }

    pub(crate) fn get(&self, engine: &SharedEngine, table: &Table, id: Id) -> Option<&OwnPrograms> {
        Some(self.0.get(id.index())?.get_or_init(|| engine.compile(table.node(id).rules())))
    }
}

pub(super) struct OwnJudge<'e, 't> {
    pub(super) engine: &'t SharedEngine,
    pub(super) evaluator: &'e mut Evaluator<'t>,
}

impl RuleJudge for OwnJudge<'_, '_> {
    fn is_visible(&self, _: Id) -> bool {
        true
    }

    fn judge(
        &mut self,
        rules: Id,
        id: Id,
        target: &RuleTarget<'_>,
        found: &mut RuleFindings<'_>,
    ) -> Result<(), Exhausted> {
        let table = self.evaluator.table;
        let node = table.node(id);
        let Some(programs) = table.own_rules().get(self.engine, table, rules) else {
            return Ok(());
        };
        for (rule, program) in table.node(rules).rules().iter().zip(programs.iter()) {
            match program {
                Some(Ok(program)) => self.ask(node, rule, program, target, found)?,
                Some(Err(problem)) => {
                    found.add(target.value, finding::not_compiled(node, rule, problem));
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl OwnJudge<'_, '_> {
    fn ask(
        &mut self,
        node: &Node,
        rule: &CompiledRule,
        program: &dyn RuleProgram,
        target: &RuleTarget<'_>,
        found: &mut RuleFindings<'_>,
    ) -> Result<(), Exhausted> {
        let uses_old_self = program.uses_old_self();
        if uses_old_self && target.old.is_none() && !rule.optional_old_self {
            return Ok(());
        }
        let evaluator = &mut *self.evaluator;
        let most = evaluator.rule_cost.unwrap_or(RULE_COST).min(evaluator.remaining.unwrap_or(0));
        let variables = RuleVariables::new(target.value, target.old);
        let (answer, left) = evaluator.timed(|stop| {
            let mut budget = RuleBudget::new(most, stop.unwrap_or(&|| false));
            (program.evaluate(variables, &mut budget), budget.left())
        });
        let is_spent = evaluator.spend(most.saturating_sub(left));
        match answer {
            Ok(RuleAnswer::Holds) => {}
            Ok(RuleAnswer::Fails(message)) => {
                let issue = finding::violated(node, rule, message, target.value);
                found.failed(target, rule, uses_old_self, issue);
            }
            Err(RuleStop::Problem(problem)) => {
                found.add(target.value, finding::no_answer(node, rule, &problem));
            }
            Err(RuleStop::Budget) => {
                return Err(found.end(target.value, finding::out_of_budget(node, rule)));
            }
            Err(RuleStop::Time) => {
                let issue = finding::no_answer(node, rule, "operation interrupted");
                return Err(found.end(target.value, issue));
            }
        }
        if is_spent {
            Ok(())
        } else {
            Err(found.end(target.value, finding::out_of_budget(node, rule)))
        }
    }
}
