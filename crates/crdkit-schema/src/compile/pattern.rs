//! Patterns: compiled when first needed, once for each distinct text.

use crdkit_text::regex::Regex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Memory for patterns that are matched fast; those that find no room are matched slowly. Clones share it, and so do
/// all patterns of a table and all CRDs of a set.
#[derive(Clone, Debug)]
pub struct PatternRoom(Arc<AtomicU64>);

impl Default for PatternRoom {
    /// Room for the patterns of a few hundred CRDs.
    fn default() -> Self {
        Self::new(64 << 20)
    }
}

impl PatternRoom {
    /// So many bytes.
    pub fn new(n_bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(n_bytes)))
    }

    /// Takes room for a pattern; none if there is not enough.
    fn take(&self, n_bytes: u64) -> Option<TakenRoom> {
        let take = |left: u64| left.checked_sub(n_bytes);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok().then(|| TakenRoom { room: self.clone(), n_bytes })
    }
}

/// Room that a pattern has as long as it is there.
#[derive(Debug)]
struct TakenRoom {
    room: PatternRoom,
    n_bytes: u64,
}

impl Drop for TakenRoom {
    fn drop(&mut self) {
        self.room.0.fetch_add(self.n_bytes, Ordering::Relaxed);
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
    compiled: OnceLock<Result<(Regex, Option<TakenRoom>), String>>,
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
            let taken = self.room.take(regex.memory());
            Ok((if taken.is_some() { regex } else { regex.slowed() }, taken))
        };
        let compiled = self.compiled.get_or_init(compile);
        match compiled {
            Ok((regex, _)) => Ok(regex.is_match(text)),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_share_room_are_matched_slowly_when_it_is_used_up_and_give_it_back() {
        let room = PatternRoom::new(100 << 10);
        let left = || room.0.load(Ordering::Relaxed);
        let pattern = |text: &str| Pattern::new(text).sharing(&room);
        let patterns: Vec<_> = ["^a+$", "^b+$", "^c+$", "^d+$"].map(pattern).into();
        for (pattern, text) in patterns.iter().zip(["aa", "bb", "cc", "dd"]) {
            assert_eq!((pattern.is_match(text), pattern.is_match("e")), (Ok(true), Ok(false)));
        }
        let fast = patterns.iter().filter(|it| matches!(it.compiled.get(), Some(Ok((_, Some(_))))));
        assert!((1..4).contains(&fast.count()), "{}", left());
        assert!(left() < 64 << 10);
        drop(patterns);
        assert_eq!(left(), 100 << 10);
    }
}
