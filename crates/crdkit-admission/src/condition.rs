//! `matchConditions`: expressions that must all be true for a request to be of concern.
//!
//! One that is false settles it, whatever went wrong in others; otherwise an error is for the failure policy.

use crate::expression::{Compiler, Expression, Inputs};
use crdkit_cel::Arena;
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

    /// Whether all of them are true.
    ///
    /// # Errors
    /// None is false and some could not be evaluated.
    pub(crate) fn hold<'v>(
        &'v self,
        arena: &'v Arena,
        inputs: &Inputs<'v>,
    ) -> Result<bool, String> {
        let mut errors = Vec::new();
        for condition in &self.0 {
            match condition.test(arena, inputs) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(problem) => errors.push(problem),
            }
        }
        match errors.as_slice() {
            [] => Ok(true),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}
