//! `matchConditions`: expressions that must all be true for a request to be of concern.
//!
//! One that is false settles it, whatever went wrong in others; otherwise an error is for the failure policy.

use crate::evaluate::{BUDGET_OF_CONDITIONS, Evaluator, Inputs, OutOfBudget};
use crate::expression::{Compiler, Expression};
use crdkit_value::Value;

/// Expressions that must all be true.
#[derive(Debug, Default)]
pub(crate) struct MatchConditions(Box<[Expression]>);

impl MatchConditions {
    /// The conditions in `value`, a list of names with expressions.
    pub(crate) fn read(value: Option<Value<'_>>, compiler: &Compiler) -> Self {
        let items = value.into_iter().flat_map(Value::items);
        let texts = items.filter_map(|item| item.get("expression")?.as_str());
        Self(texts.map(|text| compiler.compile(text)).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is wrong with those that cannot be run, by their positions.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (usize, &str)> {
        self.0.iter().enumerate().filter_map(|(at, condition)| Some((at, condition.problem()?)))
    }

    /// Whether all of them are true. Each of them is evaluated, whatever others say.
    ///
    /// # Errors
    /// None is false and some could not be evaluated, or all together cost too much.
    pub(crate) fn hold<'v>(
        &'v self,
        inputs: Inputs<'v>,
        variables: &'v [(Box<str>, Expression)],
    ) -> Result<bool, String> {
        let evaluator = Evaluator::new(inputs, variables, BUDGET_OF_CONDITIONS);
        let results: Result<Vec<_>, OutOfBudget> =
            self.0.iter().map(|condition| evaluator.test(condition)).collect();
        let results = results.map_err(|problem| problem.to_string())?;
        if results.contains(&Ok(false)) {
            return Ok(false);
        }
        let errors: Vec<String> = results.into_iter().filter_map(Result::err).collect();
        match errors.as_slice() {
            [] => Ok(true),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}
