//! Runs the rules of a table on values, with what they may spend.
//!
//! All rules of an object share one budget; when it is used up, or one call costs too much, nothing further is
//! evaluated. A rule that compares with the old value runs only where there is one, unless it asks to
//! run always. On an update, a rule that fails on a value that did not change becomes a warning, unless it compares
//! with the old value.
//!
//! Who evaluates is decided by the table: an engine that a program brought, or else `crdkit-cel`. Without either, rules
//! are a finding that they were not judged.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`.

use super::own::OwnJudge;
use super::walk::{self, WalkQuery};
use crate::compile::{Flags, Id, Table};
use crdkit_issue::{FieldPath, Issue};
use crdkit_value::{NodeId, Value};
use std::time::Duration;

/// What all rules on one object may cost.
const BUDGET: u64 = 10_000_000;

/// Runs the rules of a table, with one budget for all it is asked to run.
pub struct Evaluator<'t> {
    pub(super) table: &'t Table,
    /// What may still be spent; nothing once it was not enough.
    pub(super) remaining: Option<u64>,
    /// What one call may cost; the server's limit if absent.
    pub(super) rule_cost: Option<u64>,
    /// How many bytes of values one call may make; the server's limit if absent.
    #[cfg(feature = "cel")]
    pub(super) value_bytes: Option<usize>,
    /// Whether what fails on a value that did not change is a warning.
    ratchets: bool,
    /// How long one call may take, by a clock of the caller's.
    pub(super) timeout: Option<(&'t dyn Fn() -> Duration, Duration)>,
    /// The rules of clauses by the schema they are about, as far as they were needed.
    #[cfg(feature = "cel")]
    pub(super) clauses: super::cel::Clauses,
}

impl<'t> Evaluator<'t> {
    /// An evaluator with the server's budget.
    pub fn new(table: &'t Table) -> Self {
        Self {
            table,
            remaining: Some(BUDGET),
            rule_cost: None,
            #[cfg(feature = "cel")]
            value_bytes: None,
            ratchets: false,
            timeout: None,
            #[cfg(feature = "cel")]
            clauses: super::cel::Clauses::new(),
        }
    }

    /// The same, for updates: what fails on a value that did not change is a warning.
    #[must_use]
    pub fn ratcheting(self) -> Self {
        Self { ratchets: true, ..self }
    }

    /// The same with a limit on what each call may cost.
    #[must_use]
    pub fn rule_cost(self, cost: u64) -> Self {
        Self { rule_cost: Some(cost), ..self }
    }

    /// The same with a limit on the bytes of values that each call of `crdkit-cel` makes.
    #[must_use]
    #[cfg_attr(
        not(feature = "cel"),
        expect(unused_mut, unused_variables, reason = "nothing makes values")
    )]
    pub fn value_bytes(mut self, bytes: usize) -> Self {
        #[cfg(feature = "cel")]
        {
            self.value_bytes = Some(bytes);
        }
        self
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
        let asked =
            WalkQuery { table: self.table, schema, value, old, base, ratchets: self.ratchets };
        let (found, is_complete) = match &self.table.rule_options.engine {
            Some(engine) => walk::run(asked, &mut OwnJudge { engine, evaluator: self }),
            None => self.built_in(asked),
        };
        if !is_complete {
            self.remaining = None;
        }
        found
    }

    #[cfg(feature = "cel")]
    fn built_in(&mut self, asked: WalkQuery<'_>) -> (Vec<(NodeId, Issue)>, bool) {
        let arena = &crdkit_cel::Arena::new();
        walk::run(asked, &mut super::cel::CelJudge::new(self, arena))
    }

    #[cfg(not(feature = "cel"))]
    fn built_in(&mut self, asked: WalkQuery<'_>) -> (Vec<(NodeId, Issue)>, bool) {
        let issue = Issue::warning(crdkit_issue::codes::object::RULES_NOT_RUN);
        (vec![(asked.value.id(), issue.at(asked.base.clone()))], true)
    }

    /// Takes `cost` off what may still be spent; false when that is not enough.
    pub(super) fn spend(&mut self, cost: u64) -> bool {
        self.remaining = self.remaining.and_then(|remaining| remaining.checked_sub(cost));
        self.remaining.is_some()
    }

    /// Calls `run` with a function that says whether the time of one call is up.
    pub(super) fn timed<T>(&self, run: impl FnOnce(Option<&dyn Fn() -> bool>) -> T) -> T {
        let Some((clock, limit)) = self.timeout else { return run(None) };
        let started = clock();
        run(Some(&|| clock().saturating_sub(started) > limit))
    }
}
