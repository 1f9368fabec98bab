//! Runs programs.
//!
//! [`Evaluation`] walks the steps of a [`Program`], reading variables in place and counting cost as the server counts
//! it. Errors are values that logical operators and quantifiers may absorb; only a used-up budget or the caller's wish to
//! stop ends an evaluation at once.

mod attribute;
mod call;
mod error;
mod fold;

use crdkit_value::Value;

pub(crate) use call::call_overload;
pub use error::EvalError;

use crate::cost::{CostModel, LIST, MAP, TEXT_FACTOR, scaled};
use crate::plan::{Order, PatternUse, Program, Step, StepId};
use crate::shape::ShapeId;
use crate::value::{Arena, Constant, Data, List, Map, MapTable, Node, Val, compare, equal, read};

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
}

/// Limits of one evaluation.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Limits<'a> {
    /// The evaluation ends when it has cost more than this.
    pub cost: u64,
    /// Asked now and then inside loops; `true` ends the evaluation.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// The server's limit for one call.
    pub const PER_CALL: u64 = 1_000_000;
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { cost: Self::PER_CALL, stop: None }
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
pub struct Outcome<'v> {
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

    /// Runs the program. Variables that `bind` does not know are errors when read.
    pub fn evaluate<'v>(
        &'v self,
        arena: &'v Arena,
        bind: impl Fn(&str) -> Option<Binding<'v>>,
        limits: Limits<'v>,
    ) -> Outcome<'v> {
        let data = Data { shapes: &self.shapes, arena };
        let variables = self.variables.iter().map(|name| bind(name)).collect();
        let mut evaluation = Evaluation {
            program: self,
            data,
            variables,
            locals: Vec::new(),
            cost: 0,
            limits,
            ticks: 0,
        };
        let result = evaluation.run(self.root);
        Outcome { result, cost: evaluation.cost }
    }
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
    variables: smallvec::SmallVec<[Option<Binding<'v>>; 2]>,
    locals: Vec<Local<'v>>,
    cost: u64,
    limits: Limits<'v>,
    ticks: u32,
}

impl<'v> Evaluation<'v> {
    fn charge(&mut self, cost: u64) -> Result<(), EvalError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limits.cost { Err(EvalError::CostLimit) } else { Ok(()) }
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
            Step::Constant(constant) => Ok(constant.value(self.data)),
            Step::Attribute(attribute) => self.attribute(attribute, true),
            Step::And(left, right) => self.logic(*left, *right, false),
            Step::Or(left, right) => self.logic(*left, *right, true),
            Step::Not(operand) => {
                let value = soft(self.run(*operand))?;
                self.charge(1)?;
                match value? {
                    Val::Bool(value) => Ok(Val::Bool(!value)),
                    _ => Err(EvalError::NoSuchOverload(None)),
                }
            }
            Step::Equal { left, right, negated } => self.equality(*left, *right, *negated),
            Step::Order { order, left, right, cost } => self.order(*order, *left, *right, *cost),
            Step::Call(call) => self.call(call),
            Step::Pattern { usage, regex, subject, limit } => {
                self.pattern(*usage, regex, *subject, *limit)
            }
            Step::InSet { value, set } => self.in_set(*value, set),
            Step::List(elements) => self.list(elements),
            Step::Map(entries) => self.map(entries),
            Step::Fold(fold) => self.fold(fold),
            Step::Bind { value, local, body } => {
                self.set_local(*local, Local::Lazy(*value));
                self.run(*body)
            }
            Step::Block { slots, first, body } => {
                for (index, slot) in slots.iter().enumerate() {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    self.set_local(first.saturating_add(index), Local::Lazy(*slot));
                }
                self.run(*body)
            }
            Step::OptionalOr { first, second, unwrap } => match self.run(*first)? {
                Val::Optional(Some(inner)) if *unwrap => Ok(*inner),
                some @ Val::Optional(Some(_)) => Ok(some),
                Val::Optional(None) => self.run(*second),
                _ => Err(EvalError::NoSuchOverload(None)),
            },
            Step::Fail(message) => Err(EvalError::message(message.to_string())),
        }
    }

    fn set_local(&mut self, slot: u32, local: Local<'v>) {
        let slot = slot as usize;
        if self.locals.len() <= slot {
            self.locals.resize(slot + 1, Local::Value(Val::Null));
        }
        if let Some(place) = self.locals.get_mut(slot) {
            *place = local;
        }
    }

    /// `&&` and `||`: `decisive` wins over errors on either side.
    fn logic(&mut self, left: StepId, right: StepId, decisive: bool) -> Evaluated<'v> {
        let left = soft(self.run(left))?;
        if matches!(left, Ok(Val::Bool(value)) if value == decisive) {
            return Ok(Val::Bool(decisive));
        }
        let right = soft(self.run(right))?;
        if matches!(right, Ok(Val::Bool(value)) if value == decisive) {
            return Ok(Val::Bool(decisive));
        }
        match (left?, right?) {
            (Val::Bool(_), Val::Bool(_)) => Ok(Val::Bool(!decisive)),
            _ => Err(EvalError::NoSuchOverload(None)),
        }
    }

    fn equality(&mut self, left: StepId, right: StepId, negated: bool) -> Evaluated<'v> {
        let left = soft(self.run(left))?;
        let right = soft(self.run(right))?;
        let cost = match (&left, &right) {
            (Ok(Val::Opaque(_)), _) if !negated => 1,
            (left, right) => scaled(size(left).min(size(right)), TEXT_FACTOR),
        };
        self.charge(cost)?;
        let equal = equal(self.data, &left?, &right?)?;
        Ok(Val::Bool(equal != negated))
    }

    fn order(
        &mut self,
        order: Order,
        left: StepId,
        right: StepId,
        cost: CostModel,
    ) -> Evaluated<'v> {
        let left = soft(self.run(left))?;
        let right = soft(self.run(right))?;
        let cost = match cost {
            CostModel::Comparison => scaled(size(&left).min(size(&right)), TEXT_FACTOR),
            _ => 1,
        };
        self.charge(cost)?;
        let ordering = compare(&left?, &right?)?;
        Ok(Val::Bool(match order {
            Order::Less => ordering.is_lt(),
            Order::LessEqual => ordering.is_le(),
            Order::Greater => ordering.is_gt(),
            Order::GreaterEqual => ordering.is_ge(),
        }))
    }

    fn pattern(
        &mut self,
        usage: PatternUse,
        regex: &'v crdkit_text::regex::Regex,
        subject: StepId,
        limit: Option<StepId>,
    ) -> Evaluated<'v> {
        let subject = soft(self.run(subject))?;
        let limit = match limit {
            // With a third argument an error ends the call before it is charged.
            Some(limit) => {
                subject.clone()?;
                match self.run(limit)? {
                    Val::Int(limit) => limit,
                    _ => return Err(EvalError::NoSuchOverload(None)),
                }
            }
            None => -1,
        };
        let arguments = [subject.as_ref().ok().copied(), Some(Val::String(regex.as_str()))];
        self.charge(CostModel::Matches.runtime(self.data, &arguments, None))?;
        let Val::String(text) = subject? else {
            return Err(EvalError::NoSuchOverload(None));
        };
        Ok(match usage {
            PatternUse::Matches => Val::Bool(regex.is_match(text)),
            PatternUse::Find => crate::library::regex::find(regex, text),
            PatternUse::FindAll => crate::library::regex::find_all(self.data, regex, text, limit),
        })
    }

    fn in_set(&mut self, value: StepId, set: &'v [Constant]) -> Evaluated<'v> {
        let value = self.run(value)?;
        let found = match value {
            Val::String(text) => {
                set.iter().any(|item| matches!(item, Constant::String(other) if &**other == text))
            }
            other => {
                let data = self.data;
                set.iter().any(|item| matches!(equal(data, &item.value(data), &other), Ok(true)))
            }
        };
        Ok(Val::Bool(found))
    }

    fn list(&mut self, elements: &'v [(StepId, bool)]) -> Evaluated<'v> {
        let mut items = smallvec::SmallVec::<[Val<'v>; 8]>::new();
        let outcome = elements.iter().try_for_each(|&(step, optional)| {
            match (self.run(step)?, optional) {
                (value, false) | (Val::Optional(Some(&value)), true) => items.push(value),
                (Val::Optional(None), true) => {}
                (other, true) => {
                    return Err(EvalError::message(format!(
                        "cannot initialize optional list element from non-optional value {other:?}"
                    )));
                }
            }
            Ok(())
        });
        let outcome = soft(outcome)?;
        self.charge(LIST)?;
        outcome?;
        Ok(Val::List(List::Slice(self.data.arena.slice(&items))))
    }

    fn map(&mut self, entries: &'v [(StepId, StepId, bool)]) -> Evaluated<'v> {
        let mut table: Vec<(Val<'v>, Val<'v>)> = Vec::with_capacity(entries.len());
        let outcome = entries.iter().try_for_each(|&(key, value, optional)| {
            let key = self.run(key)?;
            let value = match (self.run(value)?, optional) {
                (value, false) | (Val::Optional(Some(&value)), true) => value,
                (Val::Optional(None), true) => return Ok(()),
                (other, true) => {
                    return Err(EvalError::message(format!(
                        "cannot initialize optional entry '{key:?}' from non-optional value {other:?}"
                    )));
                }
            };
            insert(self.data, &mut table, key, value)
        });
        let outcome = soft(outcome)?;
        self.charge(MAP)?;
        outcome?;
        Ok(Val::Map(Map::Table(self.data.arena.value(MapTable::new(&table, self.data.arena)))))
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
        return Err(EvalError::message(format!("Failed with repeated key: {key:?}")));
    }
    table.push((key, value));
    Ok(())
}

/// Separates errors that are values from those that end the evaluation.
fn soft<T>(outcome: Result<T, EvalError>) -> Result<Result<T, EvalError>, EvalError> {
    match outcome {
        Err(error) if error.is_fatal() => Err(error),
        other => Ok(other),
    }
}

fn size(value: &Evaluated<'_>) -> u64 {
    value.as_ref().map_or(1, Val::size)
}

impl<'v> Binding<'v> {
    fn value(self, data: Data<'v>) -> Evaluated<'v> {
        match self {
            Self::Document(value, shape) => read(data, value, shape),
            Self::Optional(None) => Ok(Val::Optional(None)),
            Self::Optional(Some((value, shape))) => {
                let inner = read(data, value, shape)?;
                Ok(data.arena.some(inner))
            }
            Self::Value(value) => Ok(value),
        }
    }
}

impl<'v> Node<'v> {
    /// Whether two views show the same place of the same document.
    pub(crate) fn value(self) -> Value<'v> {
        self.value
    }
}
