//! YAML text to tokens.
//!
//! Takes checked text; gives tokens one at a time, in the order and with the errors of libyaml's scanner as
//! `go.yaml.in/yaml/v2` has it. The scanner turns indentation into start and end tokens and decides, after the
//! fact, whether something was a mapping key: a place where a key may begin is queued as a tentative token, and
//! the `:` that follows it turns it into a key.
//!
//! Invariants: every call of [`Scanner::fetch_next_token`] moves forward in the text or ends the stream; work is
//! linear in the text; columns and key lengths count characters, positions count bytes.
//! Upstream: `scannerc.go`.

mod block;
mod plain;
mod quoted;
mod tag;
mod token;

use std::collections::VecDeque;

pub(super) use token::{Token, TokenKind};

use super::chars::{break_length, byte, continuation_bytes, is_blank_or_end};
use super::error::{Failure, Problem};

type Step = Result<(), Failure>;

/// A key must end within this many characters.
const LONGEST_SIMPLE_KEY: usize = 1024;

/// What the scanner has to know about its text besides the text.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The bad character that follows the text.
    pub(super) bad: Option<Failure>,
    /// Whether every character is one byte.
    pub(super) ascii: bool,
    /// Whether lines end in line feeds only.
    pub(super) line_feeds_only: bool,
    /// How deep collections may nest.
    pub(super) max_depth: usize,
}

/// Where a mapping key may have begun.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// A key has to be here, because the text continues a block mapping.
    required: bool,
    /// The parser need not wait for the `:`. That is so for a flow collection in which no key could begin, such
    /// as `[]`, so that `[]: x` reads as the document `[]` with something behind it.
    released: bool,
    token: usize,
    start: usize,
    index: usize,
    line: usize,
    column: usize,
}

/// Reads tokens from text.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    around: Surroundings,
    position: usize,
    line: usize,
    line_start: usize,
    /// Continuation bytes are counted up to here …
    counted: usize,
    /// … and there are this many, …
    continuations: usize,
    /// … of which this many lie before the current line.
    continuations_before_line: usize,
    tokens: VecDeque<Token<'a>>,
    /// The number of the token at the front of the queue.
    front: usize,
    /// One more than the column of the innermost block collection; zero outside of all.
    indent: usize,
    indents: Vec<usize>,
    simple_key_allowed: bool,
    /// One pending key for each flow level and one for the block level.
    simple_keys: Vec<SimpleKey>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, around: Surroundings) -> Self {
        Self {
            text,
            around,
            position: 0,
            line: 0,
            line_start: 0,
            counted: 0,
            continuations: 0,
            continuations_before_line: 0,
            tokens: VecDeque::with_capacity(16),
            front: 0,
            indent: 0,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: vec![SimpleKey::default()],
        }
    }

    /// The next token's kind and place, without taking it.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<(TokenKind, usize, usize), Failure> {
        loop {
            if let Some(token) = self.tokens.front() {
                let TokenKind::Tentative(level) = token.kind else {
                    return Ok((token.kind, token.start, token.end));
                };
                if self.is_released(level) || !self.is_pending(level, self.front)? {
                    self.pop();
                    continue;
                }
            }
            self.fetch_next_token()?;
        }
    }

    /// Takes the token that [`Scanner::peek`] showed.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        match self.tokens.front_mut() {
            Some(token) if token.kind == TokenKind::MappingWithKey => {
                token.kind = TokenKind::Key;
                Some(Token::mark(TokenKind::BlockMappingStart, token.start, token.start))
            }
            _ => self.pop(),
        }
    }

    /// How far the text has been read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    fn pop(&mut self) -> Option<Token<'a>> {
        self.front += 1;
        self.tokens.pop_front()
    }

    fn push(&mut self, token: Token<'a>) {
        self.tokens.push_back(token);
    }

    /// Queues an indicator of `length` bytes and moves past it.
    fn push_indicator(&mut self, kind: TokenKind, length: usize) {
        let start = self.position;
        self.position += length;
        self.push(Token::mark(kind, start, self.position));
    }

    fn next_number(&self) -> usize {
        self.front + self.tokens.len()
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The byte `ahead` of the current one, or NUL past the end.
    #[inline]
    fn byte(&self, ahead: usize) -> u8 {
        byte(self.bytes(), self.position + ahead)
    }

    fn in_flow(&self) -> bool {
        self.simple_keys.len() > 1
    }

    /// An error at the current position. Where the text was cut off before a bad character, that character is
    /// what is wrong.
    fn error(&self, message: &'static str) -> Failure {
        self.error_about(Problem::Scan(message), self.position, self.position)
    }

    /// An error about `start..end`, noticed at the current position.
    fn error_about(&self, problem: Problem, start: usize, end: usize) -> Failure {
        match &self.around.bad {
            Some(bad) if self.position >= self.text.len() => bad.clone(),
            _ => Failure::noticed_at(problem, start, end, self.position),
        }
    }

    fn too_deep(&self) -> Failure {
        let problem = Problem::TooDeep(self.around.max_depth);
        self.error_about(problem, self.position, self.position + 1)
    }

    /// The column of the current position, in characters.
    #[inline]
    fn column(&mut self) -> usize {
        if self.around.ascii {
            return self.position - self.line_start;
        }
        self.count_characters();
        self.position - self.line_start - (self.continuations - self.continuations_before_line)
    }

    /// The number of characters before the current position.
    fn index(&mut self) -> usize {
        if self.around.ascii {
            return self.position;
        }
        self.count_characters();
        self.position - self.continuations
    }

    fn count_characters(&mut self) {
        let bytes = self.bytes();
        let count =
            |from: usize, to: usize| continuation_bytes(bytes.get(from..to).unwrap_or_default());
        if self.counted <= self.line_start {
            self.continuations += count(self.counted, self.line_start);
            self.continuations_before_line = self.continuations;
            self.counted = self.line_start;
        }
        self.continuations += count(self.counted, self.position);
        self.counted = self.position;
    }

    /// Moves past a line break of `length` bytes.
    #[inline]
    fn skip_break(&mut self, length: usize) {
        self.position += length;
        self.line += 1;
        self.line_start = self.position;
    }

    /// Where the line that `from` lies on ends: the position of its break or the end of the text.
    fn line_end(&self, from: usize) -> usize {
        let bytes = self.bytes();
        let rest = bytes.get(from..).unwrap_or_default();
        if self.around.line_feeds_only {
            return memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| from + at);
        }
        let mut candidates = rest
            .iter()
            .enumerate()
            .filter(|&(_, &byte)| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2))
            .map(|(at, _)| from + at);
        candidates.find(|&at| break_length(bytes, at) > 0).unwrap_or(bytes.len())
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.position += 1;
        }
    }

    /// Moves past spaces and a comment to the end of a line that may hold nothing else, and past its break.
    fn finish_line(&mut self) -> Step {
        self.skip_blanks();
        if self.byte(0) == b'#' {
            self.position = self.line_end(self.position);
        }
        match break_length(self.bytes(), self.position) {
            0 if self.position < self.text.len() => {
                Err(self.error("did not find expected comment or line break"))
            }
            0 => Ok(()),
            length => {
                self.skip_break(length);
                Ok(())
            }
        }
    }

    /// Whether a `---` or `...` line begins here; the caller knows that the column is zero.
    fn at_document_indicator(&self) -> bool {
        let bytes = self.bytes();
        matches!(bytes.get(self.position..self.position + 3), Some(b"---" | b"..."))
            && is_blank_or_end(bytes, self.position + 3)
    }

    /// Queues at least one more token.
    fn fetch_next_token(&mut self) -> Step {
        self.skip_to_next_token();
        let column = self.column();
        if !self.in_flow() {
            self.unroll_indent(column + 1);
        }
        self.look_ahead(4)?;
        let Some(&first) = self.bytes().get(self.position) else {
            return self.fetch_stream_end();
        };
        if column == 0 {
            match first {
                b'%' => return self.fetch_directive(),
                b'-' if self.at_document_indicator() => {
                    return self.fetch_document_indicator(TokenKind::DocumentStart);
                }
                b'.' if self.at_document_indicator() => {
                    return self.fetch_document_indicator(TokenKind::DocumentEnd);
                }
                _ => {}
            }
        }
        let in_flow = self.in_flow();
        let before_blank = || is_blank_or_end(self.bytes(), self.position + 1);
        match first {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if before_blank() => self.fetch_block_entry(),
            b'?' if in_flow || before_blank() => self.fetch_key(),
            b':' if in_flow || before_blank() => self.fetch_value(),
            b'*' => self.fetch_anchor(TokenKind::Alias),
            b'&' => self.fetch_anchor(TokenKind::Anchor),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(true).and_then(|()| self.look_ahead(1)),
            b'>' if !in_flow => self.fetch_block_scalar(false).and_then(|()| self.look_ahead(1)),
            b'\'' => self.fetch_quoted_scalar(true),
            b'"' => self.fetch_quoted_scalar(false),
            b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => {
                Err(self.error("found character that cannot start any token"))
            }
            _ => self.fetch_plain_scalar().and_then(|()| self.look_ahead(2)),
        }
    }

    /// Fails if there is a bad character that the mirrored reader would notice by looking at the next `count`
    /// characters.
    #[inline]
    fn look_ahead(&self, count: usize) -> Step {
        match &self.around.bad {
            Some(bad)
                if self
                    .text
                    .get(self.position..)
                    .is_none_or(|rest| rest.chars().take(count).count() < count) =>
            {
                Err(bad.clone())
            }
            _ => Ok(()),
        }
    }

    /// Moves past spaces, comments and line breaks. A tab is skipped only where it cannot be taken for
    /// indentation.
    #[inline]
    fn skip_to_next_token(&mut self) {
        loop {
            let tabs = self.in_flow() || !self.simple_key_allowed;
            loop {
                match self.byte(0) {
                    b' ' => self.position += 1,
                    b'\t' if tabs => self.position += 1,
                    _ => break,
                }
            }
            if self.byte(0) == b'#' {
                self.position = self.line_end(self.position);
            }
            match break_length(self.bytes(), self.position) {
                0 => return,
                length => self.skip_break(length),
            }
            if !self.in_flow() {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Whether the key of `level` is still the one queued as `token` and may still get its `:`.
    fn is_pending(&mut self, level: usize, token: usize) -> Result<bool, Failure> {
        let Some(&key) = self.simple_keys.get(level) else { return Ok(false) };
        if !key.possible || key.token != token {
            return Ok(false);
        }
        if key.line == self.line && self.index() <= key.index + LONGEST_SIMPLE_KEY {
            return Ok(true);
        }
        if key.required {
            return Err(self.missing_colon(key));
        }
        if let Some(key) = self.simple_keys.get_mut(level) {
            key.possible = false;
        }
        Ok(false)
    }

    fn is_released(&self, level: usize) -> bool {
        self.simple_keys.get(level).is_some_and(|key| key.released && key.token == self.front)
    }

    fn missing_colon(&self, key: SimpleKey) -> Failure {
        let problem = Problem::Scan("could not find expected ':'");
        self.error_about(problem, key.start, self.line_end(key.start))
    }

    /// Notes that a key may begin here.
    fn save_simple_key(&mut self) -> Step {
        if !self.simple_key_allowed {
            return Ok(());
        }
        self.remove_simple_key()?;
        let column = self.column();
        let level = self.simple_keys.len() - 1;
        let key = SimpleKey {
            possible: true,
            required: level == 0 && self.indent == column + 1,
            released: false,
            token: self.next_number(),
            start: self.position,
            index: self.index(),
            line: self.line,
            column,
        };
        self.push(Token::mark(TokenKind::Tentative(level), self.position, self.position));
        if let Some(slot) = self.simple_keys.last_mut() {
            *slot = key;
        }
        Ok(())
    }

    /// Gives up the pending key of the current level.
    fn remove_simple_key(&mut self) -> Step {
        match self.simple_keys.last_mut() {
            Some(key) if key.possible && key.required => {
                let key = *key;
                Err(self.missing_colon(key))
            }
            Some(key) => {
                key.possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Opens a block collection at `column` if the current one is further left. Says whether it did.
    fn roll_indent(&mut self, column: usize) -> Result<bool, Failure> {
        if self.in_flow() || self.indent > column {
            return Ok(false);
        }
        self.indents.push(self.indent);
        self.indent = column + 1;
        if self.indents.len() > self.around.max_depth {
            return Err(self.too_deep());
        }
        Ok(true)
    }

    /// Closes every block collection whose `indent` is greater.
    #[inline]
    fn unroll_indent(&mut self, indent: usize) {
        while self.indent > indent {
            self.push(Token::mark(TokenKind::BlockEnd, self.position, self.position));
            self.indent = self.indents.pop().unwrap_or_default();
        }
    }

    /// Closes all block collections and gives up the pending key, as before a document marker.
    fn leave_blocks(&mut self) -> Step {
        if !self.in_flow() {
            self.unroll_indent(0);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }

    fn fetch_stream_end(&mut self) -> Step {
        // The end of the text ends its line, and with it every pending key.
        if self.position > self.line_start {
            self.line += 1;
            self.line_start = self.position;
        }
        self.leave_blocks()?;
        self.push(Token::mark(TokenKind::StreamEnd, self.position, self.position));
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind) -> Step {
        self.leave_blocks()?;
        self.push_indicator(kind, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Step {
        self.save_simple_key()?;
        if self.simple_keys.len() > self.around.max_depth {
            return Err(self.too_deep());
        }
        let token = self.next_number();
        self.simple_keys.push(SimpleKey { token, ..SimpleKey::default() });
        self.simple_key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Step {
        self.remove_simple_key()?;
        if self.in_flow()
            && let Some(inner) = self.simple_keys.pop()
            && let Some(outer) = self.simple_keys.last_mut()
        {
            // The number is still that of the opening bracket if no key began inside.
            outer.released |= inner.token == outer.token + 1;
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Step {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    /// Opens a block collection for an indicator at the current column, if one may begin here.
    fn start_block(&mut self, kind: TokenKind, not_allowed: &'static str) -> Step {
        if self.in_flow() {
            return Ok(());
        }
        if !self.simple_key_allowed {
            return Err(self.error(not_allowed));
        }
        let column = self.column();
        if self.roll_indent(column)? {
            self.push(Token::mark(kind, self.position, self.position));
        }
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Step {
        self.start_block(
            TokenKind::BlockSequenceStart,
            "block sequence entries are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Step {
        self.start_block(
            TokenKind::BlockMappingStart,
            "mapping keys are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = !self.in_flow();
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Step {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys.last().copied().unwrap_or_default();
        if self.is_pending(level, key.token)? {
            let kind = if self.roll_indent(key.column)? {
                TokenKind::MappingWithKey
            } else {
                TokenKind::Key
            };
            let place = key.token.checked_sub(self.front);
            match place.and_then(|place| self.tokens.get_mut(place)) {
                Some(token) => token.kind = kind,
                // The parser did not wait; it will not accept the key here.
                None => self.push(Token::mark(TokenKind::Key, key.start, key.start)),
            }
            if let Some(key) = self.simple_keys.last_mut() {
                key.possible = false;
            }
            self.simple_key_allowed = false;
        } else {
            self.start_block(
                TokenKind::BlockMappingStart,
                "mapping values are not allowed in this context",
            )?;
            self.simple_key_allowed = !self.in_flow();
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }
}
