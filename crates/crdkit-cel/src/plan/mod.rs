//! Checked expressions to programs.
//!
//! Names become slots, calls become function pointers, macros become loops of their own kind, constants are folded and
//! patterns compiled. The result is a table of [`PlanStep`]s that [`crate::eval`] walks. What costs nothing on the server
//! because it was folded there is folded here as well, so that costs agree.

mod attribute;
mod build;
mod fold;
mod quick;

use std::sync::Arc;

use crdkit_text::regex::Regex;

pub use attribute::Read;
pub(crate) use attribute::{Attribute, Base, KnownMember, Qualifier};
pub(crate) use build::plan;
pub(crate) use fold::{Collect, Fold, FoldKind};
pub(crate) use quick::{
    AccessStep, Each, EachKind, Leaf, Number, NumberTest, Quick, QuickText, Start, TextTest, Way,
};

use crate::ast::{Name, operator};
use crate::cost::CostModel;
use crate::declare::Overload;
use crate::shape::Shapes;
use crate::value::Constant;

/// Number of a step in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepId(pub(crate) u32);

/// Order comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Order {
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Less => operator::LESS,
            Self::LessEqual => operator::LESS_EQUALS,
            Self::Greater => operator::GREATER,
            Self::GreaterEqual => operator::GREATER_EQUALS,
        }
    }
}

/// What a constant pattern is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternUse {
    Matches,
    Find,
    FindAll,
}

/// One operation.
#[derive(Debug)]
pub(crate) enum PlanStep {
    Constant(Constant),
    Attribute(Box<Attribute>),
    And(StepId, StepId),
    Or(StepId, StepId),
    Not(StepId),
    Equal {
        left: StepId,
        right: StepId,
        negated: bool,
    },
    Order {
        order: Order,
        left: StepId,
        right: StepId,
        cost: CostModel,
    },
    Call(Box<Call>),
    /// A pattern compiled beforehand.
    Pattern {
        usage: PatternUse,
        regex: Regex,
        subject: StepId,
        /// How many matches `findAll` gives at most.
        limit: Option<StepId>,
    },
    /// Membership in a list of constants.
    InSet {
        value: StepId,
        set: Box<[Constant]>,
    },
    List(Box<[(StepId, bool)]>),
    Map(Box<[(StepId, StepId, bool)]>),
    Fold(Box<Fold>),
    /// A variable that is computed when it is first read.
    Bind {
        value: StepId,
        local: u32,
        body: StepId,
    },
    Block {
        slots: Box<[StepId]>,
        first: u32,
        body: StepId,
    },
    /// `optional.or`, and `orValue` when `unwrap` is set.
    OptionalOr {
        first: StepId,
        second: StepId,
        unwrap: bool,
    },
    /// Always fails.
    Fail(Box<str>),
}

/// A call of a library function.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) function: Name,
    pub(crate) candidates: Arc<[Arc<Overload>]>,
    pub(crate) arguments: Box<[StepId]>,
    pub(crate) cost: CostModel,
}

/// An expression ready to run. It can be shared between threads and run any number of times.
#[derive(Debug)]
pub struct Program {
    pub(crate) steps: Vec<PlanStep>,
    pub(crate) root: StepId,
    /// The same in a form that is tried first.
    pub(crate) quick: Option<Quick>,
    pub(crate) variables: Vec<Name>,
    /// How many local variables are in force at most.
    pub(crate) locals: usize,
    pub(crate) shapes: Arc<Shapes>,
}

impl Program {
    pub(crate) fn step(&self, id: StepId) -> Option<&PlanStep> {
        self.steps.get(id.0 as usize)
    }
}

/// An expression that is valid but cannot run, such as one with a constant that does not convert.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub(crate) String);
