//! Steps that are true or false.
//!
//! Most steps of a rule are comparisons and what joins them. Their results travel as one byte; the error of a step that
//! failed waits in the evaluation until somebody asks for it.

use super::{EvalError, Evaluated, Evaluation};
use crate::cost::{CostModel, TEXT_FACTOR, scaled};
use crate::plan::{FoldKind, Order, PlanStep, StepId};
use crate::value::{Constant, Val, compare, equal};

/// Result of a step that should be boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    False,
    True,
    /// The error is in [`Evaluation::failure`].
    Failed,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl<'v> Evaluation<'v> {
    #[cold]
    pub(super) fn fail(&mut self, error: EvalError) -> Truth {
        self.failure = Some(error);
        Truth::Failed
    }

    #[cold]
    pub(super) fn take_failure(&mut self) -> EvalError {
        self.failure.take().unwrap_or(EvalError::NoSuchOverload(None))
    }

    /// Whether the last failure ends the evaluation.
    #[cold]
    fn failed_for_good(&self) -> bool {
        self.failure.as_ref().is_some_and(EvalError::is_fatal)
    }

    /// Runs a step whose result should be boolean.
    pub(super) fn truth(&mut self, id: StepId) -> Truth {
        match self.program.step(id) {
            Some(PlanStep::And(left, right)) => self.logic(*left, *right, Truth::False),
            Some(PlanStep::Or(left, right)) => self.logic(*left, *right, Truth::True),
            Some(PlanStep::Not(operand)) => {
                let operand = self.truth(*operand);
                if operand == Truth::Failed && self.failed_for_good() {
                    return operand;
                }
                match (self.charge(1), operand) {
                    (Err(limit), _) => self.fail(limit),
                    (Ok(()), Truth::True) => Truth::False,
                    (Ok(()), Truth::False) => Truth::True,
                    (Ok(()), Truth::Failed) => Truth::Failed,
                }
            }
            Some(PlanStep::Equal { left, right, negated }) => {
                self.equality(*left, *right, *negated)
            }
            Some(PlanStep::Order { order, left, right, cost }) => {
                self.order(*order, *left, *right, *cost)
            }
            Some(PlanStep::InSet { value, set }) => self.in_set(*value, set),
            Some(PlanStep::Fold(fold))
                if matches!(fold.kind, FoldKind::All(_) | FoldKind::Exists(_)) =>
            {
                match self.quantified(fold) {
                    Ok(value) => value.into(),
                    Err(error) => self.fail(error),
                }
            }
            _ => match self.run(id) {
                Ok(Val::Bool(value)) => value.into(),
                Ok(_) => self.fail(EvalError::NoSuchOverload(None)),
                Err(error) => self.fail(error),
            },
        }
    }

    /// `&&` and `||`: `decisive` wins over errors on either side.
    fn logic(&mut self, left: StepId, right: StepId, decisive: Truth) -> Truth {
        let left = self.truth(left);
        if left == decisive {
            return decisive;
        }
        if left == Truth::Failed {
            return self.logic_after_failure(right, decisive);
        }
        // What does not decide is the other truth value, or a failure.
        self.truth(right)
    }

    #[cold]
    fn logic_after_failure(&mut self, right: StepId, decisive: Truth) -> Truth {
        let first = self.take_failure();
        if first.is_fatal() {
            return self.fail(first);
        }
        let right = self.truth(right);
        if right == decisive || right == Truth::Failed && self.failed_for_good() {
            return right;
        }
        self.fail(first)
    }

    fn equality(&mut self, left: StepId, right: StepId, negated: bool) -> Truth {
        let left = self.run(left);
        if is_fatal(&left) {
            return self.give_up(left);
        }
        let right = self.run(right);
        if is_fatal(&right) {
            return self.give_up(right);
        }
        let cost = match (&left, &right) {
            (Ok(Val::Opaque(_)), _) if !negated => 1,
            (Ok(Val::Int(_) | Val::Bool(_) | Val::Double(_)), _) => u64::from(!is_empty(&right)),
            (left, right) => comparison_cost(left, right),
        };
        if let Err(limit) = self.charge(cost) {
            return self.fail(limit);
        }
        let outcome = match (&left, &right) {
            (Ok(Val::String(left)), Ok(Val::String(right))) => Ok(left == right),
            (Ok(left), Ok(right)) => equal(self.data, left, right),
            (Err(error), _) | (_, Err(error)) => Err(error.clone()),
        };
        match outcome {
            Ok(equal) => (equal != negated).into(),
            Err(error) => self.fail(error),
        }
    }

    fn order(&mut self, order: Order, left: StepId, right: StepId, cost: CostModel) -> Truth {
        let left = self.run(left);
        if is_fatal(&left) {
            return self.give_up(left);
        }
        let right = self.run(right);
        if is_fatal(&right) {
            return self.give_up(right);
        }
        let cost = match cost {
            CostModel::Comparison => comparison_cost(&left, &right),
            _ => 1,
        };
        if let Err(limit) = self.charge(cost) {
            return self.fail(limit);
        }
        let ordering = match (&left, &right) {
            (Ok(Val::Int(left)), Ok(Val::Int(right))) => left.cmp(right),
            (Ok(left), Ok(right)) => match compare(left, right) {
                Ok(ordering) => ordering,
                Err(EvalError::NoSuchOverload(_)) => {
                    return self
                        .fail(super::call::no_such_overload(order.function(), &[*left, *right]));
                }
                Err(error) => return self.fail(error),
            },
            (Err(error), _) | (_, Err(error)) => {
                let error = error.clone();
                return self.fail(error);
            }
        };
        match order {
            Order::Less => ordering.is_lt(),
            Order::LessEqual => ordering.is_le(),
            Order::Greater => ordering.is_gt(),
            Order::GreaterEqual => ordering.is_ge(),
        }
        .into()
    }

    fn in_set(&mut self, value: StepId, set: &'v [Constant]) -> Truth {
        let data = self.data;
        match self.run(value) {
            Ok(Val::String(text)) => set
                .iter()
                .any(|item| matches!(item, Constant::String(other) if &**other == text))
                .into(),
            Ok(other) => set
                .iter()
                .any(|item| matches!(equal(data, &item.value(data), &other), Ok(true)))
                .into(),
            Err(error) => self.fail(error),
        }
    }

    #[cold]
    fn give_up(&mut self, outcome: Evaluated<'v>) -> Truth {
        match outcome {
            Err(error) => self.fail(error),
            Ok(_) => Truth::Failed,
        }
    }
}

#[inline]
fn is_fatal(outcome: &Evaluated<'_>) -> bool {
    matches!(outcome, Err(error) if error.is_fatal())
}

/// Whether comparing with this value looks at nothing.
fn is_empty(outcome: &Evaluated<'_>) -> bool {
    matches!(outcome, Ok(value) if value.size() == 0)
}

/// What comparing two texts costs. Short ones need no counting: up to ten bytes cost 1.
#[inline]
pub(super) fn text_comparison_cost(left: &str, right: &str) -> u64 {
    if let length @ 0..=10 = left.len().min(right.len()) {
        return u64::from(length > 0);
    }
    let size = left.chars().count().min(right.chars().count());
    scaled(size as u64, TEXT_FACTOR)
}

/// A tenth of the smaller size, rounded up.
#[inline]
fn comparison_cost(left: &Evaluated<'_>, right: &Evaluated<'_>) -> u64 {
    if let (Ok(Val::String(left)), Ok(Val::String(right))) = (left, right) {
        return text_comparison_cost(left, right);
    }
    let size = |value: &Evaluated<'_>| value.as_ref().map_or(1, Val::size);
    scaled(size(left).min(size(right)), TEXT_FACTOR)
}
