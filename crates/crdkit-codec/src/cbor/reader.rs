//! A pull reader over a slice or over [`Read`]: the same events as every other format gives.
//!
//! Reads one item after the other and stops at the first thing that is wrong, so that an input of any
//! size can be handled as it comes. [`super::decode`] has the whole item before it and so can say, as Go
//! does, which of several things wrong is the one to report. The buffer holds no more than the longest
//! string.

use super::Rules;
use super::head::Stop;
use super::parse::{Parser, Token};
use super::problem::{Finding, Problem};
use super::text::Text;
use super::time;
use crate::DecodeError;
use crate::json::{Chunks, Slice, Source};
use crdkit_issue::{FieldPath, Span};
use crdkit_value::{Event, Limits};
use std::io::Read;

/// A pull parser: gives one event at a time.
pub struct Reader<S> {
    source: S,
    parser: Parser,
    /// Offset of the window in the input.
    base: usize,
    /// Where the current item began, and how long it may be.
    item_start: usize,
    max_bytes: usize,
    at_end: bool,
    scratch: String,
    /// The bytes of the last key or string, when they are not UTF-8.
    exact: Vec<u8>,
    is_exact: bool,
    /// Whether the innermost map has had a key yet, for `null` keys; one entry per open container.
    has_key: Vec<bool>,
}

impl<'a> Reader<Slice<'a>> {
    /// Reads from a slice.
    pub fn from_slice(bytes: &'a [u8], limits: &Limits) -> Self {
        Self { at_end: true, ..Self::new(Slice(bytes), limits) }
    }
}

impl<R: Read> Reader<Chunks<R>> {
    /// Reads in chunks of a size that suits files and sockets.
    pub fn from_read(inner: R, limits: &Limits) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, limits)
    }

    /// Reads in chunks of `chunk` bytes.
    pub fn with_chunk_size(inner: R, chunk: usize, limits: &Limits) -> Self {
        Self::new(Chunks { inner, buffer: Vec::new(), chunk: chunk.max(1) }, limits)
    }
}

impl<S: Source> Reader<S> {
    fn new(source: S, limits: &Limits) -> Self {
        Self {
            source,
            parser: Parser::new(Rules::kubernetes(limits)),
            base: 0,
            item_start: 0,
            max_bytes: limits.bytes,
            at_end: false,
            scratch: String::new(),
            exact: Vec::new(),
            is_exact: false,
            has_key: Vec::new(),
        }
    }

    /// The same reader for input whose first byte stands at `base` of something larger.
    #[must_use]
    pub(super) fn starting_at(self, base: usize) -> Self {
        Self { base, item_start: base, ..self }
    }

    /// The next event of the current item, or none at its end.
    ///
    /// # Errors
    /// The finding, when the bytes are not CBOR that Kubernetes reads; or the reader's error.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<(Event<'_>, Span)>, DecodeError> {
        self.is_exact = false;
        let (token, start) = self.next_token()?;
        let span = Span::new(self.base + start, self.base + self.parser.at);
        if span.end - self.item_start > self.max_bytes {
            return Err(self.too_large());
        }
        let event = match token {
            // An item that means nothing comes with its problem, which has been returned above.
            Token::End | Token::Nothing => return Ok(None),
            Token::Null => Event::Null,
            Token::Bool(bool) => Event::Bool(bool),
            Token::Int(int) => Event::Int(int),
            Token::Float(float) => Event::Float(float),
            Token::BeginArray | Token::BeginMap => {
                self.has_key.push(false);
                if matches!(token, Token::BeginMap) {
                    Event::BeginObject
                } else {
                    Event::BeginArray
                }
            }
            Token::EndArray | Token::EndMap => {
                self.has_key.pop();
                if matches!(token, Token::EndMap) { Event::EndObject } else { Event::EndArray }
            }
            Token::String(text) => Event::String(self.text(text, span)?),
            Token::Key(text) => {
                if let Some(has_key) = self.has_key.last_mut() {
                    *has_key = true;
                }
                Event::Key(self.text(text, span)?)
            }
            // It keeps the key before it, which is then a duplicate unless there is none.
            Token::NullKey => match self.has_key.last_mut() {
                Some(has_key) if !*has_key => {
                    *has_key = true;
                    Event::Key("")
                }
                _ => return Err(wrong(Problem::Duplicate { index: 0 }, span)),
            },
            Token::Epoch(seconds) => self.time(time::epoch(seconds), span)?,
            Token::EpochFloat(seconds) => self.time(time::epoch_float(seconds), span)?,
        };
        Ok(Some((event, span)))
    }

    /// The bytes of the last event's key or string, when they are not UTF-8 and the event shows U+FFFD
    /// in their place.
    #[inline]
    pub fn exact(&self) -> Option<&[u8]> {
        self.is_exact.then_some(&self.exact)
    }

    /// Moves to the next item of a sequence; false when nothing is left.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next_document(&mut self) -> Result<bool, DecodeError> {
        self.parser.restart();
        self.has_key.clear();
        loop {
            if self.parser.at < self.source.window().len() {
                self.item_start = self.offset();
                return Ok(true);
            }
            if self.at_end {
                return Ok(false);
            }
            self.refill()?;
        }
    }

    /// Offset in the input of the first byte not yet consumed.
    pub fn offset(&self) -> usize {
        self.base + self.parser.at
    }

    #[inline]
    fn next_token(&mut self) -> Result<(Token, usize), DecodeError> {
        loop {
            match self.parser.next(self.source.window()) {
                Ok((token, start)) => {
                    if let Some(problem) = self.parser.problem {
                        let span = Span::new(self.base + start, self.base + self.parser.at);
                        return Err(wrong(problem, span));
                    }
                    return Ok((token, start));
                }
                Err(Stop::More) if !self.at_end => {
                    if self.offset() - self.item_start > self.max_bytes
                        || self.source.window().len() > self.max_bytes
                    {
                        return Err(self.too_large());
                    }
                    self.refill()?;
                }
                Err(Stop::More) => {
                    let end = self.base + self.source.window().len();
                    let empty = self.parser.is_before() && end == self.offset();
                    let problem = if empty { Problem::Empty } else { Problem::Truncated };
                    return Err(wrong(problem, Span::at(end)));
                }
                Err(Stop::Wrong(problem, at)) => {
                    return Err(wrong(problem, Span::new(self.base + at, self.base + at + 1)));
                }
            }
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), DecodeError> {
        let consumed = self.parser.at;
        let more = self.source.refill(consumed).map_err(DecodeError::Io)?;
        self.base += consumed;
        self.parser.at = 0;
        self.at_end = !more;
        Ok(())
    }

    #[inline]
    fn text(&mut self, text: Text, span: Span) -> Result<&str, DecodeError> {
        if text.is_plain() {
            let bytes = self.source.window().get(text.start..text.end).unwrap_or_default();
            if let Ok(text) = str::from_utf8(bytes) {
                return Ok(text);
            }
        }
        match text.value(self.source.window()) {
            Ok(bytes) => {
                self.exact.clear();
                self.exact.extend_from_slice(&bytes);
            }
            Err(problem) => {
                let content = text.content(self.source.window()).unwrap_or_default();
                let finding = Finding { problem, span, text: content.into() };
                return Err(finding.issue(FieldPath::root()).into());
            }
        }
        self.scratch.clear();
        self.is_exact = str::from_utf8(&self.exact).is_err();
        crate::json::push_lossy(&self.exact, &mut self.scratch);
        Ok(&self.scratch)
    }

    fn time(
        &mut self,
        text: Result<String, Problem>,
        span: Span,
    ) -> Result<Event<'_>, DecodeError> {
        self.scratch = text.map_err(|problem| wrong(problem, span))?;
        Ok(Event::String(&self.scratch))
    }

    #[cold]
    fn too_large(&self) -> DecodeError {
        super::decode::too_large(self.max_bytes, self.item_start + self.max_bytes).into()
    }
}

#[cold]
fn wrong(problem: Problem, span: Span) -> DecodeError {
    Finding::new(problem, span).issue(FieldPath::root()).into()
}
