//! What is decided for each parse; what is decided for a schema once stands in the import's options.

use crdkit_value::{Document, Duplicates, Limits, PresenceFilter};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How one input is read.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct ParseOptions {
    pub(super) duplicates: Duplicates,
    pub(super) report_duplicates: bool,
    pub(super) report_pruned: bool,
    pub(super) converted: bool,
    pub(super) fail_fast: bool,
    pub(super) limits: Limits,
    pub(super) presence: Option<PresenceFilter>,
    pub(super) old: Option<Arc<Document>>,
    pub(super) rule_time: Option<RuleTime>,
}

/// How long a rule may run, and how much time has passed since whenever. The engine has no clock of its own.
#[derive(Clone)]
pub(super) struct RuleTime {
    limit: Duration,
    clock: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl RuleTime {
    pub(super) fn as_ref(&self) -> (Duration, &dyn Fn() -> Duration) {
        (self.limit, &*self.clock)
    }
}

impl fmt::Debug for RuleTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RuleTime").field(&self.limit).finish()
    }
}

impl Default for ParseOptions {
    /// Safe for input from anybody: duplicates are errors, nesting and findings are bounded.
    fn default() -> Self {
        Self {
            duplicates: Duplicates::Error,
            report_duplicates: false,
            report_pruned: false,
            converted: false,
            fail_fast: false,
            limits: Limits::new().depth(128).issues(1_000),
            presence: Some(PresenceFilter::all()),
            old: None,
            rule_time: None,
        }
    }
}

impl ParseOptions {
    /// The default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// What happens to a key that an object has more than once.
    #[must_use]
    pub fn duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// Whether repeated keys that are tolerated are warnings.
    #[must_use]
    pub fn report_duplicates(self, yes: bool) -> Self {
        Self { report_duplicates: yes, ..self }
    }

    /// Whether members that are pruned are warnings.
    #[must_use]
    pub fn report_pruned(self, yes: bool) -> Self {
        Self { report_pruned: yes, ..self }
    }

    /// Says that the input was made from YAML by a converter that keeps one value of each key, so that
    /// a warning tells that repeated keys may have been lost.
    #[must_use]
    pub fn converted_from_yaml(self, yes: bool) -> Self {
        Self { converted: yes, ..self }
    }

    /// Whether only the first finding in document order is wanted.
    #[must_use]
    pub fn fail_fast(self, yes: bool) -> Self {
        Self { fail_fast: yes, ..self }
    }

    /// How much is accepted: bytes, depth, values, findings.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How many findings are wanted.
    #[must_use]
    pub fn max_issues(mut self, issues: usize) -> Self {
        self.limits.issues = issues;
        self
    }

    /// Which places presence is kept for; none switches it off.
    #[must_use]
    pub fn presence(self, filter: Option<PresenceFilter>) -> Self {
        Self { presence: filter, ..self }
    }

    /// How long one rule in CEL may run, with a clock that says how much time has passed since whenever. Without this
    /// only the cost of a rule ends it.
    #[must_use]
    pub fn rule_time(
        self,
        limit: Duration,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self { rule_time: Some(RuleTime { limit, clock: Arc::new(clock) }), ..self }
    }

    /// The value that this one replaces, for rules that compare the two.
    #[must_use]
    pub fn old(self, old: impl Into<Arc<Document>>) -> Self {
        Self { old: Some(old.into()), ..self }
    }
}
