//! What a caller decides about decoding, and what comes back.

use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Document, Duplicates, Limits, NumberMode};
use std::{fmt, io};

/// How to decode, whatever the format.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// How much is accepted.
    pub limits: Limits,
    /// What happens to a key that an object has more than once.
    pub duplicates: Duplicates,
    /// Whether repeated keys that are tolerated are reported as warnings.
    pub report_duplicates: bool,
    /// What becomes of numbers.
    pub numbers: NumberMode,
    /// Whether the document remembers where each key and value stood. Decoding again with positions
    /// gives the same ids, so a caller can decode without and come back only when there is something
    /// to show.
    pub positions: bool,
}

impl DecodeOptions {
    /// The default choices.
    pub fn new() -> Self {
        Self::default()
    }

    /// How much is accepted.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// What happens to a key that an object has more than once.
    #[must_use]
    pub fn duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// Whether repeated keys that are tolerated are reported as warnings.
    #[must_use]
    pub fn report_duplicates(self, yes: bool) -> Self {
        Self { report_duplicates: yes, ..self }
    }

    /// What becomes of numbers.
    #[must_use]
    pub fn numbers(self, numbers: NumberMode) -> Self {
        Self { numbers, ..self }
    }

    /// Whether the document remembers where each key and value stood. Decoding again with positions
    /// gives the same ids, so a caller can decode without and come back only when there is something
    /// to show.
    #[must_use]
    pub fn positions(self, yes: bool) -> Self {
        Self { positions: yes, ..self }
    }
}

/// A document, and what was noticed while reading it.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The document.
    pub document: Document,
    /// Duplicate keys: errors under [`Duplicates::Error`], else warnings if they were asked for.
    pub issues: Vec<Issue>,
}

/// Why a document of a stream could not be had.
#[derive(Debug)]
pub enum DecodeError {
    /// The bytes are not a document.
    Refused(Box<Issue>),
    /// The bytes could not be read.
    Io(io::Error),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(issue) => issue.fmt(f),
            Self::Io(_) => f.write_str("the input could not be read"),
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Io(error) => Some(error),
        }
    }
}

impl From<Box<Issue>> for DecodeError {
    fn from(issue: Box<Issue>) -> Self {
        Self::Refused(issue)
    }
}

/// That what begins at `at` was not read because of what is before it.
#[cold]
pub(crate) fn not_read(at: usize) -> DecodeError {
    Box::new(Issue::error(codes::decode::NOT_READ).span(Span::new(at, at + 1))).into()
}
