//! Why a Rust value has no CBOR form, or CBOR is not a Rust value.

use super::super::problem::CborFinding;
use crdkit_issue::{FieldPath, Issue};
use std::fmt;

/// Why a value could not be encoded or decoded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are refused.
    Refused(Box<Issue>),
    /// The value, or its type, says what is wrong.
    Message(String),
}

impl From<CborFinding> for Error {
    fn from(finding: CborFinding) -> Self {
        Self::Refused(finding.issue(FieldPath::root()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(issue) => issue.fmt(f),
            Self::Message(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Message(message.to_string())
    }
}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Message(message.to_string())
    }
}
