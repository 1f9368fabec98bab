//! Why an evaluation has no value.

use std::borrow::Cow;
use std::fmt;

/// An error value. Logical operators and quantifiers may absorb it, unless it ends the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// A field or key that is not there.
    NoSuchKey(Box<str>),
    /// Arguments no overload takes, with the call if known.
    NoSuchOverload(Option<Box<str>>),
    /// Anything else, by its text.
    Message(Cow<'static, str>),
    /// A fault of the server that users see as such; ends the evaluation.
    Internal(&'static str),
    /// The cost limit is used up.
    CostLimit,
    /// The caller asked to stop.
    Interrupted,
}

impl EvalError {
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(Cow::Owned(text.into()))
    }

    pub(crate) const fn fixed(text: &'static str) -> Self {
        Self::Message(Cow::Borrowed(text))
    }

    pub(crate) fn conversion(from: &str, to: &str) -> Self {
        Self::message(format!("type conversion error from '{from}' to '{to}'"))
    }

    /// Whether it ends the evaluation, whatever operators surround it.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::CostLimit | Self::Interrupted | Self::Internal(_))
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchKey(key) => write!(f, "no such key: {key}"),
            Self::NoSuchOverload(None) => f.write_str("no such overload"),
            Self::NoSuchOverload(Some(call)) => write!(f, "no such overload: {call}"),
            Self::Message(text) => f.write_str(text),
            Self::Internal(text) => write!(f, "internal error: {text}"),
            Self::CostLimit => f.write_str("operation cancelled: actual cost limit exceeded"),
            Self::Interrupted => f.write_str("operation interrupted"),
        }
    }
}

impl std::error::Error for EvalError {}
