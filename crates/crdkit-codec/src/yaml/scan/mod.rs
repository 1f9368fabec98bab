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
mod cursor;
mod detach;
mod indicator;
mod key;
mod plain;
mod quoted;
mod tag;
mod token;

use std::collections::VecDeque;

pub(super) use token::{TokenKind, YamlToken};

use super::chars::{break_length, byte, is_blank_or_end};
use super::error::{Failure, YamlProblem};

type ScanResult = Result<(), Failure>;

/// A key must end within this many characters.
const LONGEST_SIMPLE_KEY: usize = 1024;

/// What the scanner has to know about its text besides the text.
#[derive(Clone, Debug)]
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
    /// as `[]`, so that `[]: x` reads as the document `[]` with something after it.
    released: bool,
    token: usize,
    start: usize,
    index: usize,
    line: usize,
    column: usize,
}

/// Reads tokens from text.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    around: Surroundings,
    position: usize,
    line: usize,
    line_start: usize,
    /// So many characters of the current line, and of all lines, were passed before `text` begins.
    columns_passed: usize,
    characters_passed: usize,
    /// Continuation bytes are counted up to here …
    counted: usize,
    /// … and there are this many, …
    continuations: usize,
    /// … of which this many lie before the current line.
    continuations_before_line: usize,
    tokens: VecDeque<YamlToken<'a>>,
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
            columns_passed: 0,
            characters_passed: 0,
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
    pub(super) fn take(&mut self) -> Option<YamlToken<'a>> {
        match self.tokens.front_mut() {
            Some(token) if token.kind == TokenKind::MappingWithKey => {
                token.kind = TokenKind::Key;
                Some(YamlToken::mark(TokenKind::BlockMappingStart, token.start, token.start))
            }
            _ => self.pop(),
        }
    }

    /// How far the text has been read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    fn pop(&mut self) -> Option<YamlToken<'a>> {
        self.front += 1;
        self.tokens.pop_front()
    }

    fn push(&mut self, token: YamlToken<'a>) {
        self.tokens.push_back(token);
    }

    /// Queues an indicator of `length` bytes and moves past it.
    fn push_indicator(&mut self, kind: TokenKind, length: usize) {
        let start = self.position;
        self.position += length;
        self.push(YamlToken::mark(kind, start, self.position));
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
        self.error_about(YamlProblem::Scan(message), self.position, self.position)
    }

    /// An error about `start..end`, noticed at the current position.
    fn error_about(&self, problem: YamlProblem, start: usize, end: usize) -> Failure {
        match &self.around.bad {
            Some(bad) if self.position >= self.text.len() => bad.clone(),
            _ => Failure::noticed_at(problem, start, end, self.position),
        }
    }

    fn too_deep(&self) -> Failure {
        let problem = YamlProblem::TooDeep(self.around.max_depth);
        self.error_about(problem, self.position, self.position + 1)
    }

    /// Queues at least one more token.
    fn fetch_next_token(&mut self) -> ScanResult {
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
    fn look_ahead(&self, count: usize) -> ScanResult {
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
            self.skip_spaces();
            while tabs && self.byte(0) == b'\t' {
                self.position += 1;
                self.skip_spaces();
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
}
