//! Runs programs.
//!
//! [`Evaluation`] walks the steps of a [`Program`], reading variables in place and counting cost as the server counts
//! it. Errors are values that logical operators and quantifiers may absorb; only a used-up budget or the caller's wish to
//! stop ends an evaluation at once.

mod attribute;
mod call;
mod error;
mod fold;
mod quick;
mod truth;

use std::ops::ControlFlow;
use std::sync::Arc;

use crdkit_value::{Event, Value};
use smallvec::SmallVec;

pub(crate) use call::call_overload;
pub use error::EvalError;
use truth::Truth;

use crate::cost::{CostModel, LIST, MAP};
use crate::plan::{PatternUse, PlanStep, Program, Read, StepId};
use crate::shape::{ShapeId, Shapes};
use crate::value::{Arena, Constant, Data, ShapedValue, Val, equal, events, read, shown};

/// Loops ask whether to stop once in this many iterations.
const INTERRUPT_EVERY: u32 = 100;

/// Runs a library function on its arguments.
pub(crate) type Implementation = for<'v> fn(Data<'v>, &[Val<'v>]) -> Result<Val<'v>, EvalError>;

/// Result of a step.
pub(crate) type Evaluated<'v> = Result<Val<'v>, EvalError>;

/// What a variable is bound to.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Binding<'v> {
    /// A part of a document, read by a shape.
    Document(Value<'v>, ShapeId),
    /// The same as an optional value, absent for `None`.
    Optional(Option<(Value<'v>, ShapeId)>),
    /// A value.
    Value(Val<'v>),
    /// A value that is made when it is first read.
    Later(&'v (dyn Later + 'v)),
}

/// A variable whose value is made when an evaluation first reads it, if it ever does.
pub trait Later: std::fmt::Debug {
    /// The value, or what went wrong; the same every time.
    ///
    /// # Errors
    /// An error wherever the variable is read.
    fn value(&self) -> Result<Val<'_>, EvalError>;
}

/// Limits of one evaluation.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Limits<'a> {
    /// The evaluation ends when it has cost more than this.
    pub cost: u64,
    /// Bytes of values that it may make; beyond, it ends as if it had cost too much.
    pub values: usize,
    /// Asked now and then inside loops; `true` ends the evaluation.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// The server's limit for one call.
    pub const PER_CALL: u64 = 1_000_000;
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { cost: Self::PER_CALL, values: Arena::ROOM, stop: None }
    }
}

impl std::fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limits").field("cost", &self.cost).finish_non_exhaustive()
    }
}

/// What an evaluation gave and what it cost.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CelOutcome<'v> {
    /// The value, or the error that was not absorbed.
    pub result: Result<Val<'v>, EvalError>,
    /// Its cost, counted up to the error if there was one.
    pub cost: u64,
}

impl Program {
    /// The variables the program reads.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|name| &**name)
    }

    /// The shapes that documents bound to its variables are read by.
    pub fn shapes(&self) -> &Arc<Shapes> {
        &self.shapes
    }

    /// What the program reads of its variables by name alone, in the order of the expression.
    pub fn reads(&self) -> impl Iterator<Item = Read<'_>> {
        self.steps.iter().filter_map(|step| match step {
            PlanStep::Attribute(attribute) => attribute.read(&self.variables),
            _ => None,
        })
    }

    /// A copy of a result that borrows nothing; `None` for values that only libraries can make.
    pub fn to_constant<'v>(&'v self, arena: &'v Arena, value: &Val<'v>) -> Option<Constant> {
        Constant::of(value, Data { shapes: &self.shapes, arena })
    }

    /// Calls `visit` with the events of a result, as if it were read from a document, until it breaks.
    /// A result can be much larger than what it took to make it.
    pub fn events<'v, B>(
        &'v self,
        arena: &'v Arena,
        value: &Val<'v>,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        events(Data { shapes: &self.shapes, arena }, value, &mut visit)
    }

    /// Runs the program. Variables that `bind` does not know are errors when read.
    pub fn evaluate<'v>(
        &'v self,
        arena: &'v Arena,
        bind: impl Fn(&str) -> Option<Binding<'v>>,
        limits: Limits<'v>,
    ) -> CelOutcome<'v> {
        if let Some(quick) = &self.quick
            && let Some((result, cost)) = quick::Attempt::run(self, quick, &bind, limits)
        {
            return CelOutcome { result: Ok(Val::Bool(result)), cost };
        }
        arena.forget_documents();
        arena.begin(limits.values);
        let data = Data { shapes: &self.shapes, arena };
        // Filled in place: the state is large, and moving it would cost as much as a small rule.
        let mut evaluation = Evaluation {
            program: self,
            data,
            variables: SmallVec::new(),
            locals: SmallVec::new(),
            cost: 0,
            limits,
            ticks: 0,
            failure: None,
        };
        for name in &self.variables {
            evaluation.variables.push(bind(name).map_or(Variable::Unknown, |it| it.variable(data)));
        }
        evaluation.locals.resize(self.locals, Local::Value(Val::Null));
        let result = evaluation.run(self.root);
        CelOutcome { result, cost: evaluation.cost }
    }
}

/// A variable of the caller.
#[derive(Clone, Debug)]
enum Variable<'v> {
    Unknown,
    Read(Evaluated<'v>),
    /// Not read yet.
    Later(&'v (dyn Later + 'v)),
}

/// A local variable.
#[derive(Clone, Debug)]
enum Local<'v> {
    Value(Val<'v>),
    Error(EvalError),
    /// Not read yet.
    Lazy(StepId),
}

struct Evaluation<'v> {
    program: &'v Program,
    data: Data<'v>,
    /// What the variables are, read once.
    variables: SmallVec<[Variable<'v>; 2]>,
    locals: SmallVec<[Local<'v>; 4]>,
    cost: u64,
    limits: Limits<'v>,
    ticks: u32,
    /// Why the last [`Truth::Failed`] failed.
    failure: Option<EvalError>,
}

impl<'v> Evaluation<'v> {
    #[inline]
    fn charge(&mut self, cost: u64) -> Result<(), EvalError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limits.cost { Err(EvalError::CostLimit) } else { Ok(()) }
    }

    /// Charges several steps of cost 1 at once; the limit strikes at the step that crosses it.
    #[inline]
    fn charge_steps(&mut self, steps: u64) -> Result<(), EvalError> {
        self.charge(steps).inspect_err(|_| self.cost = self.limits.cost.saturating_add(1))
    }

    /// Called once per iteration.
    fn tick(&mut self) -> Result<(), EvalError> {
        self.ticks += 1;
        if self.ticks >= INTERRUPT_EVERY {
            self.ticks = 0;
            if self.limits.stop.is_some_and(|stop| stop()) {
                return Err(EvalError::Interrupted);
            }
        }
        Ok(())
    }

    fn run(&mut self, id: StepId) -> Evaluated<'v> {
        let Some(step) = self.program.step(id) else {
            return Err(EvalError::fixed("invalid program"));
        };
        match step {
            PlanStep::Constant(constant) => Ok(constant.value(self.data)),
            PlanStep::Attribute(attribute) => self.attribute(attribute, true),
            PlanStep::And(..)
            | PlanStep::Or(..)
            | PlanStep::Not(_)
            | PlanStep::Equal { .. }
            | PlanStep::Order { .. }
            | PlanStep::InSet { .. } => match self.truth(id) {
                Truth::Failed => Err(self.take_failure()),
                truth => Ok(Val::Bool(truth == Truth::True)),
            },
            PlanStep::Call(call) => self.call(call),
            PlanStep::Pattern { usage, regex, subject, limit } => {
                self.pattern(*usage, regex, *subject, *limit)
            }
            PlanStep::List(elements) => self.list(elements),
            PlanStep::Map(entries) => self.map(entries),
            PlanStep::Fold(fold) => self.fold(fold),
            PlanStep::Bind { value, local, body } => {
                self.set_local(*local, Local::Lazy(*value));
                self.run(*body)
            }
            PlanStep::Block { slots, first, body } => {
                for (index, slot) in slots.iter().enumerate() {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    self.set_local(first.saturating_add(index), Local::Lazy(*slot));
                }
                self.run(*body)
            }
            PlanStep::OptionalOr { first, second, unwrap } => match self.run(*first)? {
                Val::Optional(Some(inner)) if *unwrap => Ok(*inner),
                some @ Val::Optional(Some(_)) => Ok(some),
                Val::Optional(None) => self.run(*second),
                _ => Err(EvalError::NoSuchOverload(None)),
            },
            PlanStep::Fail(message) => Err(EvalError::message(message.to_string())),
        }
    }

    #[inline]
    fn set_local(&mut self, slot: u32, local: Local<'v>) {
        if let Some(place) = self.locals.get_mut(slot as usize) {
            *place = local;
        }
    }

    #[inline(never)]
    fn pattern(
        &mut self,
        usage: PatternUse,
        regex: &'v crdkit_text::regex::Regex,
        subject: StepId,
        limit: Option<StepId>,
    ) -> Evaluated<'v> {
        // A call with a constant pattern ends at its subject's error before it is charged.
        let subject = self.run(subject)?;
        let limit = match limit {
            Some(limit) => soft(self.run(limit))?,
            None => Ok(Val::Int(-1)),
        };
        let arguments = [Some(subject), Some(Val::String(regex.as_str()))];
        self.charge(CostModel::Matches.runtime(self.data, &arguments, None))?;
        let (Val::String(text), Val::Int(limit)) = (subject, limit?) else {
            return Err(EvalError::NoSuchOverload(None));
        };
        Ok(match usage {
            PatternUse::Matches => Val::Bool(regex.is_match(text)),
            PatternUse::Find => crate::library::regex::find(regex, text),
            PatternUse::FindAll => crate::library::regex::find_all(self.data, regex, text, limit),
        })
    }

    #[inline(never)]
    fn list(&mut self, elements: &'v [(StepId, bool)]) -> Evaluated<'v> {
        let mut items = SmallVec::<[Val<'v>; 8]>::new();
        let outcome = elements.iter().try_for_each(|&(step, optional)| {
            match (self.run(step)?, optional) {
                (value, false) | (Val::Optional(Some(&value)), true) => items.push(value),
                (Val::Optional(None), true) => {}
                (other, true) => {
                    return Err(EvalError::message(format!(
                        "cannot initialize optional list element from non-optional value {}",
                        shown(&other)
                    )));
                }
            }
            Ok(())
        });
        let outcome = soft(outcome)?;
        self.charge(LIST)?;
        outcome?;
        Ok(self.data.arena.list(&items))
    }

    #[inline(never)]
    fn map(&mut self, entries: &'v [(StepId, StepId, bool)]) -> Evaluated<'v> {
        let mut table: Vec<(Val<'v>, Val<'v>)> = Vec::with_capacity(entries.len());
        let outcome = entries.iter().try_for_each(|&(key, value, optional)| {
            let key = self.run(key)?;
            let value = match (self.run(value)?, optional) {
                (value, false) | (Val::Optional(Some(&value)), true) => value,
                (Val::Optional(None), true) => return Ok(()),
                (other, true) => {
                    return Err(EvalError::message(format!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        shown(&key),
                        shown(&other)
                    )));
                }
            };
            insert(self.data, &mut table, key, value)
        });
        let outcome = soft(outcome)?;
        self.charge(MAP)?;
        outcome?;
        Ok(self.data.arena.map(&table))
    }
}

/// Adds an entry to a map literal.
fn insert<'v>(
    data: Data<'v>,
    table: &mut Vec<(Val<'v>, Val<'v>)>,
    key: Val<'v>,
    value: Val<'v>,
) -> Result<(), EvalError> {
    if !matches!(key, Val::Bool(_) | Val::Int(_) | Val::Uint(_) | Val::String(_)) {
        return Err(EvalError::message(format!("unsupported key type: {}", key.type_name())));
    }
    if table.iter().any(|(other, _)| matches!(equal(data, other, &key), Ok(true))) {
        return Err(EvalError::message(format!("Failed with repeated key: {}", shown(&key))));
    }
    table.push((key, value));
    Ok(())
}

/// Separates errors that are values from those that end the evaluation.
#[inline]
fn soft<T>(outcome: Result<T, EvalError>) -> Result<Result<T, EvalError>, EvalError> {
    match outcome {
        Err(error) if error.is_fatal() => Err(error),
        other => Ok(other),
    }
}

impl<'v> Binding<'v> {
    fn variable(self, data: Data<'v>) -> Variable<'v> {
        Variable::Read(match self {
            Self::Document(value, shape) => read(data, value, shape),
            Self::Optional(None) => Ok(Val::Optional(None)),
            Self::Optional(Some((value, shape))) => {
                read(data, value, shape).map(|inner| data.arena.some(inner))
            }
            Self::Value(value) => Ok(value),
            Self::Later(later) => return Variable::Later(later),
        })
    }
}

impl<'v> ShapedValue<'v> {
    /// The document value as it stands.
    pub(crate) fn value(self) -> Value<'v> {
        self.value
    }
}
