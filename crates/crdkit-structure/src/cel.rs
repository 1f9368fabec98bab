//! The rules of an imported schema, which may leave them out or run them with limits of its own.
//!
//! Every failure is an issue. A rule that is false and one that cannot be evaluated have codes of their own;
//! both carry the rule, and a hint that names it or shows its beginning.

use crate::compiled::CompiledSchema;
use crdkit_issue::{FieldPath, Issue};
use crdkit_schema::compile::Id;
use crdkit_schema::rules::Evaluator;
use crdkit_value::{NodeId, Value};
use std::time::Duration;

/// What rules are evaluated on.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Call<'v> {
    /// The value.
    pub value: Value<'v>,
    /// The value it replaces.
    pub old: Option<Value<'v>>,
    /// How long a rule may run, and how much time has passed since whenever. Without this only cost ends a rule.
    pub time: Option<(Duration, &'v dyn Fn() -> Duration)>,
}

impl<'v> Call<'v> {
    /// A new value.
    pub fn new(value: Value<'v>) -> Self {
        Self { value, old: None, time: None }
    }
}

/// What the rules of the schema `id` say about a value that stands at `base`. Nothing if the schema was
/// imported without rules. What fails on a value that did not change is a warning.
pub fn check(
    schema: &CompiledSchema,
    id: Id,
    base: &FieldPath,
    call: Call<'_>,
) -> Vec<(NodeId, Issue)> {
    let Some(options) = &schema.settings().cel else { return Vec::new() };
    let mut evaluator = Evaluator::new(schema.table()).ratcheting().rule_cost(options.rule_cost);
    if let Some((limit, clock)) = call.time {
        evaluator = evaluator.timeout(clock, limit);
    }
    evaluator.set_budget(Some(options.total_cost));
    let found = evaluator.run(id, call.value, call.old, base);
    let hinted = |issue: Issue| match issue.rule_hint(options.hint_chars) {
        Some(hint) => issue.with("hint", hint),
        None => issue,
    };
    found.into_iter().map(|(at, issue)| (at, hinted(issue))).collect()
}
