//! What is wrong with a value for its type, in the server's words.

use crate::set::Element;
use std::fmt;

/// Something wrong with a value, and the path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeProblem {
    /// The path as messages show it.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl TypeProblem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// The same, found one step further up.
    pub(crate) fn below(mut self, element: &Element<'_>) -> Self {
        self.path.insert_str(0, &element.to_string());
        self
    }
}

impl fmt::Display for TypeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// All of `problems` as one text.
pub(crate) fn text(problems: &[TypeProblem]) -> String {
    match problems {
        [one] => one.to_string(),
        many => many.iter().fold("errors:".to_owned(), |text, one| format!("{text}\n  {one}")),
    }
}
