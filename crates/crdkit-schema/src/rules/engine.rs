//! Rules judged by an engine that a program brings, in place of `crdkit-cel`.
//!
//! The text of a rule goes in once for each schema that has it; the program that comes back is asked about every value
//! the schema is about. What it may spend and how long it may take is handed to it as a [`RuleBudget`].

use crate::compile::CompiledRule;
use crdkit_value::Value;
use std::fmt;
use std::sync::Arc;

/// Makes programs of rules.
pub trait RuleEngine: Send + Sync {
    /// The program of a rule.
    ///
    /// # Errors
    /// What is wrong with the rule, in words.
    fn compile(&self, rule: &CompiledRule) -> Result<Arc<dyn RuleProgram>, String>;
}

/// A rule that can be asked about values.
pub trait RuleProgram: Send + Sync {
    /// Whether the rule compares with the old value. Where there is none such a rule is not asked, unless it has
    /// `optionalOldSelf`.
    fn uses_old_self(&self) -> bool {
        false
    }

    /// What the rule says. Work is charged to `budget` before it is done.
    ///
    /// # Errors
    /// Why there is no answer.
    fn evaluate(
        &self,
        variables: RuleVariables<'_>,
        budget: &mut RuleBudget<'_>,
    ) -> Result<RuleAnswer, RuleStop>;
}

/// What a rule is asked about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RuleVariables<'v> {
    /// `self`.
    pub value: Value<'v>,
    /// `oldSelf`, where there is one.
    pub old: Option<Value<'v>>,
}

impl<'v> RuleVariables<'v> {
    /// What a rule is asked about.
    pub fn new(value: Value<'v>, old: Option<Value<'v>>) -> Self {
        Self { value, old }
    }
}

/// What a rule says about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAnswer {
    /// It holds.
    Holds,
    /// It does not, with a message in place of the rule's own.
    Fails(Option<String>),
}

/// Why a rule has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleStop {
    /// The budget is used up: no further rule is asked.
    Budget,
    /// The time is up: no further rule is asked.
    Time,
    /// Something went wrong; what, in words.
    Problem(String),
}

/// What one rule may spend.
pub struct RuleBudget<'b> {
    left: u64,
    stop: &'b dyn Fn() -> bool,
}

impl<'b> RuleBudget<'b> {
    /// So much, until `stop` says that it is enough.
    pub fn new(left: u64, stop: &'b dyn Fn() -> bool) -> Self {
        Self { left, stop }
    }

    /// Spends `cost`.
    ///
    /// # Errors
    /// When there is not so much left, or the time is up.
    pub fn charge(&mut self, cost: u64) -> Result<(), RuleStop> {
        if (self.stop)() {
            return Err(RuleStop::Time);
        }
        self.left = self.left.checked_sub(cost).ok_or(RuleStop::Budget)?;
        Ok(())
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl fmt::Debug for RuleBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleBudget").field("left", &self.left).finish_non_exhaustive()
    }
}

/// An engine that is shared. Two handles are equal when they share one.
#[derive(Clone)]
pub struct SharedEngine(Arc<dyn RuleEngine>);

impl SharedEngine {
    /// A handle of `engine`.
    pub fn new(engine: impl RuleEngine + 'static) -> Self {
        Self(Arc::new(engine))
    }

    /// The programs of rules, or what is wrong with them.
    pub(crate) fn compile(&self, rules: &[CompiledRule]) -> OwnPrograms {
        let compile = |rule: &CompiledRule| match rule.rule.trim() {
            "" => None,
            _ => Some(self.0.compile(rule)),
        };
        OwnPrograms(rules.iter().map(compile).collect())
    }
}

impl PartialEq for SharedEngine {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedEngine {}

impl fmt::Debug for SharedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedEngine")
    }
}

/// A program, or what is wrong with its rule.
type OwnProgram = Result<Arc<dyn RuleProgram>, String>;

/// The programs of the rules of a schema, in their order; nothing for a rule that is blank.
pub(crate) struct OwnPrograms(Box<[Option<OwnProgram>]>);

impl OwnPrograms {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<Result<&dyn RuleProgram, &str>>> + '_ {
        self.0.iter().map(|program| {
            let program = program.as_ref()?;
            Some(program.as_deref().map_err(String::as_str))
        })
    }
}

impl fmt::Debug for OwnPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnPrograms({})", self.0.len())
    }
}
