//! Patterns: compiled when first needed, once for each distinct text.

use crdkit_text::regex::Regex;
use std::sync::OnceLock;

/// Names a pattern in the table that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternId(pub(crate) u32);

/// A regular expression.
#[derive(Debug)]
pub struct Pattern {
    text: Box<str>,
    syntax: Syntax,
    compiled: OnceLock<Result<Regex, String>>,
}

/// Whose regular expressions they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Go's, as in CRDs.
    Go,
    /// Those of ECMA-262, as in JSON Schema, as far as they can be matched in linear time.
    Ecma,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Self::with(text, Syntax::Go)
    }

    /// The pattern `text`, written in `syntax`.
    pub fn with(text: &str, syntax: Syntax) -> Self {
        Self { text: text.into(), syntax, compiled: OnceLock::new() }
    }

    pub(crate) fn is_written_like(&self, other: &Self) -> bool {
        self.text == other.text && self.syntax == other.syntax
    }

    /// What is wrong with the pattern itself.
    pub fn problem(&self) -> Option<&str> {
        self.is_match("").err()
    }

    /// The pattern as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches somewhere in `text`; or what is wrong with the pattern itself.
    pub fn is_match(&self, text: &str) -> Result<bool, &str> {
        let compile = || match self.syntax {
            Syntax::Go => Regex::new(&self.text).map_err(|error| error.to_string()),
            Syntax::Ecma => Regex::ecma(&self.text).map_err(|error| error.to_string()),
        };
        let compiled = self.compiled.get_or_init(compile);
        match compiled {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(error) => Err(error),
        }
    }
}
