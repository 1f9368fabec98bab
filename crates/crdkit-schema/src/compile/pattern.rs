//! Patterns: compiled when first needed, once for each distinct text.

use crdkit_text::regex::Regex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes that the patterns of one table may hold to be matched fast; further ones are matched slowly.
const ROOM: u64 = 64 << 20;

/// What is left of the room for fast patterns, which all patterns of a table share.
#[derive(Clone, Debug)]
pub(crate) struct PatternRoom(Arc<AtomicU64>);

impl Default for PatternRoom {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(ROOM)))
    }
}

impl PatternRoom {
    fn has(&self, n_bytes: u64) -> bool {
        let take = |left: u64| left.checked_sub(n_bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

/// Names a pattern in the table that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternId(pub(crate) u32);

/// A regular expression.
#[derive(Debug)]
pub struct Pattern {
    text: Box<str>,
    syntax: Syntax,
    compiled: OnceLock<Result<Regex, String>>,
    room: PatternRoom,
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
        let room = PatternRoom::default();
        Self { text: text.into(), syntax, compiled: OnceLock::new(), room }
    }

    /// Lets it share room with others.
    pub(crate) fn sharing(self, room: &PatternRoom) -> Self {
        Self { room: room.clone(), ..self }
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
        let compile = || {
            let regex = match self.syntax {
                Syntax::Go => Regex::new(&self.text),
                Syntax::Ecma => Regex::ecma(&self.text),
            };
            let regex = regex.map_err(|error| error.to_string())?;
            Ok(if self.room.has(regex.memory()) { regex } else { regex.slowed() })
        };
        let compiled = self.compiled.get_or_init(compile);
        match compiled {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(error) => Err(error),
        }
    }
}
