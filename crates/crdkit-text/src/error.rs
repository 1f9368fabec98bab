//! One error for every parser whose caller only needs Go's words.

use std::fmt;

/// Why text was refused; its text is the one Go gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError(Box<str>);

impl TextError {
    pub(crate) fn new(message: impl Into<Box<str>>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TextError {}
