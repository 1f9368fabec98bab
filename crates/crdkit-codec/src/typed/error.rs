//! Why a value and a type do not fit together.

use crdkit_issue::{FieldPath, Issue, Segment, codes};
use std::fmt;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedError {
    /// The steps to the place, the last one first.
    steps: Vec<Segment>,
    problem: String,
}

impl TypedError {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { steps: Vec::new(), problem: problem.into() }
    }

    pub(super) fn too_deep() -> Self {
        Self::new("the value is nested too deeply for a type")
    }

    /// The same error of a value one step below.
    pub(super) fn below(mut self, step: Segment) -> Self {
        self.steps.push(step);
        self
    }

    /// Where it is.
    pub fn path(&self) -> FieldPath {
        self.steps.iter().rev().cloned().collect()
    }

    /// What it is.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The same as a finding.
    pub fn issue(&self) -> Issue {
        let issue = Issue::error(codes::domain::TYPED_MISMATCH).with("problem", &*self.problem);
        issue.at(self.path())
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path().pointer();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for TypedError {}

impl serde::de::Error for TypedError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("missing field `{field}`")).below(Segment::named(field))
    }
}

impl serde::ser::Error for TypedError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
