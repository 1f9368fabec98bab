//! A scanner that lets go of its text, to go on in a text that begins later.
//!
//! Holds: what it says next is what it would have said, as long as the new text has all that follows the place up to
//! which the old one is passed.

use std::borrow::Cow;

use super::super::chars::continuation_bytes;
use super::{Scanner, SimpleKey, Surroundings, YamlToken};

impl<'a> Scanner<'a> {
    /// How much of the text is passed, and a scanner for what follows.
    pub(in super::super) fn detach(&self) -> (usize, Scanner<'static>) {
        let waiting = self.tokens.iter().map(|token| token.start).min();
        let mut passed = waiting.map_or(self.position, |start| start.min(self.position));
        if self.line_start < passed {
            // The place of the scanner must not look like the beginning of a line.
            passed = self.text.floor_char_boundary(passed.min(self.position.saturating_sub(1)));
        }
        let characters = |from: usize, to: usize| {
            let bytes = self.bytes().get(from..to).unwrap_or_default();
            bytes.len() - continuation_bytes(bytes)
        };
        let continuations =
            |to: usize| continuation_bytes(self.bytes().get(passed..to).unwrap_or_default());
        let token = |token: &YamlToken<'_>| YamlToken {
            kind: token.kind,
            start: token.start - passed,
            end: token.end.saturating_sub(passed),
            text: Cow::Owned(token.text.to_string()),
            suffix: token.suffix.clone(),
        };
        let key = |key: &SimpleKey| SimpleKey { start: key.start.saturating_sub(passed), ..*key };
        let around = Surroundings { bad: None, ..self.around.clone() };
        let detached = Scanner {
            text: "",
            around,
            position: self.position - passed,
            line: self.line,
            line_start: self.line_start.saturating_sub(passed),
            columns_passed: self.columns_passed + characters(self.line_start, passed),
            characters_passed: self.characters_passed + characters(0, passed),
            counted: self.position - passed,
            continuations: continuations(self.position),
            continuations_before_line: continuations(self.line_start),
            tokens: self.tokens.iter().map(token).collect(),
            front: self.front,
            indent: self.indent,
            indents: self.indents.clone(),
            simple_key_allowed: self.simple_key_allowed,
            simple_keys: self.simple_keys.iter().map(key).collect(),
        };
        (passed, detached)
    }

    /// Goes on in `text`.
    pub(in super::super) fn attach<'t>(self, text: &'t str, around: Surroundings) -> Scanner<'t>
    where
        'a: 't,
    {
        Scanner { text, around, ..self }
    }
}
