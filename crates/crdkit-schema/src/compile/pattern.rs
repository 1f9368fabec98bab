//! Patterns: compiled when first needed, once for each distinct text.

use crdkit_text::regex::Regex;
use std::sync::OnceLock;

/// Names a pattern in the table that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternId(pub(crate) u32);

/// A regular expression in Go's dialect.
#[derive(Debug)]
pub struct Pattern {
    text: Box<str>,
    compiled: OnceLock<Result<Regex, String>>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.into(), compiled: OnceLock::new() }
    }

    /// The pattern as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches somewhere in `text`; or what is wrong with the pattern itself.
    pub fn is_match(&self, text: &str) -> Result<bool, &str> {
        let compiled =
            self.compiled.get_or_init(|| Regex::new(&self.text).map_err(|error| error.to_string()));
        match compiled {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(error) => Err(error),
        }
    }
}
