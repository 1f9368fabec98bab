//! A pull reader over a slice or over [`Read`]: the same events as every other format gives.
//!
//! Reads one item after the other and stops at the first thing that is wrong, so that an input of any
//! size can be handled as it comes. [`super::decode()`] has the whole item before it and so can say, as Go
//! does, which of several things wrong is the one to report. The buffer holds no more than the longest
//! string.

use super::Rules;
use super::parse::{CborParser, CborToken};
use super::problem::{CborFinding, CborProblem};
use super::text::Text;
use super::time;
use crate::fill::give;
use crate::json::{ByteSource, Chunks, Slice};
use crate::{DecodeError, Filled};
use crdkit_issue::{FieldPath, Span};
use crdkit_value::{Builder, Event, Limits};
use std::borrow::Cow;
use std::io::Read;

/// A pull parser: gives one event at a time.
pub struct Reader<S> {
    source: S,
    parser: CborParser,
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
}

impl<'a> Reader<Slice<'a>> {
    /// Reads from a slice.
    pub fn from_slice(bytes: &'a [u8], limits: &Limits) -> Self {
        Self { at_end: true, ..Self::new(Slice::binary(bytes), limits) }
    }
}

impl<R: Read> Reader<Chunks<R>> {
    /// Reads in chunks of a size that suits files and sockets.
    pub fn from_read(inner: R, limits: &Limits) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, limits)
    }

    /// Reads in chunks of `chunk` bytes.
    pub fn with_chunk_size(inner: R, chunk: usize, limits: &Limits) -> Self {
        Self::new(Chunks::new(inner, chunk), limits)
    }
}

impl<S: ByteSource> Reader<S> {
    fn new(source: S, limits: &Limits) -> Self {
        Self {
            source,
            parser: CborParser::new(Rules::kubernetes(limits)),
            base: 0,
            item_start: 0,
            max_bytes: limits.bytes,
            at_end: false,
            scratch: String::new(),
            exact: Vec::new(),
            is_exact: false,
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
        let token = self.next_token()?;
        let span = Span::new(self.base + self.parser.start, self.base + self.parser.at);
        if span.end - self.item_start > self.max_bytes {
            return Err(self.too_large());
        }
        let event = match token {
            CborToken::Null => Event::Null,
            CborToken::False => Event::Bool(false),
            CborToken::True => Event::Bool(true),
            CborToken::Int(int) => Event::Int(int),
            CborToken::Float(bits) => Event::Float(f64::from_bits(bits)),
            CborToken::String => Event::String(self.text(span)?),
            CborToken::Key => Event::Key(self.text(span)?),
            // It keeps the key before it, which is then a duplicate unless there is none.
            CborToken::NullKey if self.parser.is_first_key() => Event::Key(""),
            CborToken::NullKey => return Err(wrong(CborProblem::Duplicate { index: 0 }, span)),
            CborToken::Epoch(seconds) => self.time(time::epoch(seconds), span)?,
            CborToken::EpochFloat(bits) => {
                self.time(time::epoch_float(f64::from_bits(bits)), span)?
            }
            CborToken::BeginArray => Event::BeginArray,
            CborToken::EndArray => Event::EndArray,
            CborToken::BeginMap => Event::BeginObject,
            CborToken::EndMap => Event::EndObject,
            // The others do not get here: `next_token` turns them into errors.
            CborToken::End | CborToken::Nothing | CborToken::More | CborToken::Wrong => {
                return Ok(None);
            }
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

    /// Gives the value that comes next to `builder`, as [`crate::json::Reader::fill`] does.
    ///
    /// # Errors
    /// The finding, when the bytes are not CBOR or exceed a limit; or the reader's error, after which the same call can
    /// be made again.
    pub fn fill(&mut self, builder: &mut Builder<'_>, until: usize) -> Result<Filled, DecodeError> {
        loop {
            let Some((event, span)) = self.next_event()? else { return Ok(Filled::Value) };
            let is_key = matches!(event, Event::Key(_));
            let filled = give(builder, event, span)?;
            if let Some(bytes) = self.exact() {
                builder.exact(bytes);
            }
            match filled {
                Some(filled) => return Ok(filled),
                None if span.end > until && !is_key => return Ok(Filled::Part),
                None => {}
            }
        }
    }

    /// Makes sure that nothing follows the item.
    ///
    /// # Errors
    /// The finding, when something does; or the reader's error.
    pub fn end(&mut self) -> Result<(), DecodeError> {
        if !self.next_document()? {
            return Ok(());
        }
        let start = self.offset();
        while !self.at_end {
            self.parser.at = self.source.window().len();
            self.refill()?;
        }
        let end = self.base + self.source.window().len();
        let bytes = end - start;
        Err(wrong(CborProblem::Trailing { bytes }, Span::new(start, end)))
    }

    /// Offset in the input of the first byte not yet consumed.
    pub fn offset(&self) -> usize {
        self.base + self.parser.at
    }

    #[inline]
    fn next_token(&mut self) -> Result<CborToken, DecodeError> {
        loop {
            let token = self.parser.next(self.source.window());
            match token {
                CborToken::More if !self.at_end => {
                    if self.source.window().len() - self.parser.at > self.max_bytes {
                        return Err(self.too_large());
                    }
                    self.refill()?;
                }
                CborToken::More
                | CborToken::Wrong
                | CborToken::Nothing
                | CborToken::BeginArray
                | CborToken::BeginMap => {
                    return match self.problem(token) {
                        None => Ok(token),
                        Some((problem, span)) => Err(wrong(problem, span)),
                    };
                }
                _ => return Ok(token),
            }
        }
    }

    /// What is wrong with a token, if something is, and where.
    fn problem(&self, token: CborToken) -> Option<(CborProblem, Span)> {
        match token {
            CborToken::More => {
                let end = self.base + self.source.window().len();
                let is_empty = self.parser.is_before() && end == self.offset();
                let problem = if is_empty { CborProblem::Empty } else { CborProblem::Truncated };
                Some((problem, Span::at(end)))
            }
            CborToken::Wrong => {
                let (problem, at) = self.parser.wrong;
                Some((problem, Span::new(self.base + at, self.base + at + 1)))
            }
            _ => {
                let span = Span::new(self.base + self.parser.start, self.base + self.parser.at);
                self.parser.problem.map(|problem| (problem, span))
            }
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), DecodeError> {
        let consumed = self.parser.at;
        self.base += consumed;
        self.parser.at = 0;
        let more = self.source.refill(consumed).map_err(DecodeError::Io)?;
        self.at_end = !more;
        Ok(())
    }

    #[inline]
    fn text(&mut self, span: Span) -> Result<&str, DecodeError> {
        let text = self.parser.text;
        if text.is_plain() {
            let bytes = self.source.window().get(text.start..text.end).unwrap_or_default();
            if let Ok(text) = str::from_utf8(bytes) {
                return Ok(text);
            }
        }
        let bytes = unusual_text(text, self.source.window(), span)?;
        self.is_exact = str::from_utf8(&bytes).is_err();
        self.scratch.clear();
        crate::json::push_lossy(&bytes, &mut self.scratch);
        self.exact = bytes;
        Ok(&self.scratch)
    }

    fn time(
        &mut self,
        text: Result<String, CborProblem>,
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
fn wrong(problem: CborProblem, span: Span) -> DecodeError {
    CborFinding::new(problem, span).issue(FieldPath::root()).into()
}

/// The bytes of a string that is not its content as it stands.
#[cold]
fn unusual_text(text: Text, window: &[u8], span: Span) -> Result<Vec<u8>, DecodeError> {
    text.value(window).map(Cow::into_owned).map_err(|problem| {
        let content = text.content(window).unwrap_or_default();
        CborFinding { problem, span, text: content.into() }.issue(FieldPath::root()).into()
    })
}
