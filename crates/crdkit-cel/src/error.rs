//! Findings of the compile stages, printed the way cel-go prints them.
//!
//! Each stage collects [`CompileError`]s; [`CompileErrors`] orders them by position and renders
//! `ERROR: <input>:line:column: message` with the source line and a caret. Users of the API server know these texts, so
//! wording and layout follow cel-go's `common/error.go` and `common/errors.go`.

use std::fmt;

use crate::source::{Position, locate, write_snippet};

/// How many errors are kept; the rest is only counted.
const MAX_REPORTED: usize = 100;

/// One finding: where and what.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileError {
    /// Where in the expression.
    pub position: Position,
    /// What is wrong, without the `ERROR:` prefix.
    pub message: String,
}

/// Everything wrong with one expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileErrors {
    text: String,
    errors: Vec<CompileError>,
    count: usize,
}

impl CompileErrors {
    pub(crate) fn new(text: &str, collected: Collected) -> Self {
        let Collected { mut errors, count } = collected;
        errors.sort_by_key(|error| locate(text, error.position));
        Self { text: text.to_owned(), errors, count }
    }

    /// A failure of the expression as a whole.
    pub(crate) fn whole(text: &str, message: String) -> Self {
        let mut collected = Collected::default();
        collected.report(Position::NOWHERE, message);
        Self::new(text, collected)
    }

    /// The findings in the order of their positions.
    pub fn iter(&self) -> impl Iterator<Item = &CompileError> {
        self.errors.iter()
    }
}

impl fmt::Display for CompileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let location = locate(&self.text, error.position);
            let (line, column) = (location.line, location.column + 1);
            write!(f, "ERROR: <input>:{line}:{column}: {}", error.message)?;
            let mut snippet = String::new();
            write_snippet(&mut snippet, &self.text, location);
            f.write_str(&snippet)?;
        }
        match self.count.checked_sub(MAX_REPORTED) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, "\n{more} more errors were truncated"),
        }
    }
}

impl std::error::Error for CompileErrors {}

/// Errors being gathered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    errors: Vec<CompileError>,
    count: usize,
}

impl Collected {
    pub(crate) fn report(&mut self, position: Position, message: String) {
        self.count += 1;
        if self.count <= MAX_REPORTED {
            self.errors.push(CompileError { position, message });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Forgets everything reported after the first `count` errors.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.errors.truncate(count);
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.count += other.count;
        let room = MAX_REPORTED.saturating_sub(self.errors.len());
        self.errors.extend(other.errors.into_iter().take(room));
    }

    pub(crate) fn into_result(self, text: &str) -> Result<(), CompileErrors> {
        if self.is_empty() { Ok(()) } else { Err(CompileErrors::new(text, self)) }
    }
}
