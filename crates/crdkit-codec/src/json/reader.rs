//! Events from a slice or from a reader, with byte offsets.
//!
//! A [`Source`] is a window onto the input. Over a slice the window is all of it; over
//! [`std::io::Read`] it is a buffer that slides along and grows only when a single token needs it.

use super::lex::{Lexed, NumberToken, StringToken};
use super::parse::{Parser, Token, skip_space};
use super::problem::Problem;
use super::text;
use crate::DecodeError;
use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Event, Limits, NumberMode};
use std::io::{self, Read};

/// Where bytes come from.
pub trait Source {
    /// The bytes at hand.
    fn window(&self) -> &[u8];

    /// The text between two offsets of the window, if it is valid UTF-8.
    fn text(&self, start: usize, end: usize) -> Option<&str> {
        str::from_utf8(self.window().get(start..end)?).ok()
    }

    /// Forgets the first `consumed` bytes and gets more; false when there are no more.
    ///
    /// # Errors
    /// When reading fails.
    fn refill(&mut self, consumed: usize) -> io::Result<bool>;
}

/// The whole input at once.
#[derive(Debug)]
pub struct Slice<'a> {
    bytes: &'a [u8],
    /// The same as text, checked once for all, if it is valid UTF-8.
    text: Option<&'a str>,
}

/// Input in chunks from a reader.
#[derive(Debug)]
pub struct Chunks<R> {
    inner: R,
    buffer: Vec<u8>,
    chunk: usize,
}

/// A pull parser: gives one event at a time.
pub struct Reader<S> {
    source: S,
    parser: Parser,
    numbers: NumberMode,
    /// Offset of the window in the input.
    base: usize,
    /// Where the current document began, and how long it may be.
    document_start: usize,
    max_bytes: usize,
    at_end: bool,
    scratch: String,
}

impl<'a> Reader<Slice<'a>> {
    /// Reads from a slice.
    pub fn from_slice(bytes: &'a [u8], limits: &Limits, numbers: NumberMode) -> Self {
        let source = Slice { bytes, text: str::from_utf8(bytes).ok() };
        Self { at_end: true, ..Self::new(source, limits, numbers) }
    }

    /// The whole input, if it is valid UTF-8.
    pub(crate) fn source_text(&self) -> Option<&'a str> {
        self.source.text
    }
}

impl<R: Read> Reader<Chunks<R>> {
    /// Reads in chunks of a size that suits files and sockets.
    pub fn from_read(inner: R, limits: &Limits, numbers: NumberMode) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, limits, numbers)
    }

    /// Reads in chunks of `chunk` bytes.
    pub fn with_chunk_size(inner: R, chunk: usize, limits: &Limits, numbers: NumberMode) -> Self {
        Self::new(Chunks { inner, buffer: Vec::new(), chunk: chunk.max(1) }, limits, numbers)
    }
}

impl<S: Source> Reader<S> {
    fn new(source: S, limits: &Limits, numbers: NumberMode) -> Self {
        Self {
            source,
            parser: Parser::new(limits.depth),
            numbers,
            base: 0,
            document_start: 0,
            max_bytes: limits.bytes,
            at_end: false,
            scratch: String::new(),
        }
    }

    /// The next event of the current document, or none at its end.
    ///
    /// # Errors
    /// The finding, when the bytes are not JSON; or the reader's error.
    #[inline(always)]
    pub fn next_event(&mut self) -> Result<Option<(Event<'_>, Span)>, DecodeError> {
        let (token, start) = self.next_token()?;
        let span = Span::new(self.base + start, self.base + self.parser.at);
        let event = match token {
            Token::End => return Ok(None),
            Token::Null => Event::Null,
            Token::Bool(bool) => Event::Bool(bool),
            Token::BeginArray => Event::BeginArray,
            Token::EndArray => Event::EndArray,
            Token::BeginObject => Event::BeginObject,
            Token::EndObject => Event::EndObject,
            Token::String(string) => Event::String(self.text(string)),
            Token::Key(key) => {
                // The parser may already be behind the colon.
                let span = Span::new(span.start, self.base + key.end + 1);
                return Ok(Some((Event::Key(self.text(key)), span)));
            }
            Token::Number(number) => self.number(number, start, span)?,
        };
        Ok(Some((event, span)))
    }

    /// Moves to the next document of a stream; false when nothing but white space is left.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next_document(&mut self) -> Result<bool, DecodeError> {
        self.parser.restart();
        loop {
            self.parser.at = skip_space(self.source.window(), self.parser.at);
            if self.parser.at < self.source.window().len() {
                self.document_start = self.offset();
                return Ok(true);
            }
            if self.at_end {
                return Ok(false);
            }
            self.refill()?;
        }
    }

    /// Passes over the rest of the current line, to go on behind a line that is not JSON.
    ///
    /// # Errors
    /// When reading fails.
    pub fn skip_line(&mut self) -> Result<(), DecodeError> {
        loop {
            let window = self.source.window();
            let rest = window.get(self.parser.at..).unwrap_or_default();
            if let Some(feed) = memchr::memchr(b'\n', rest) {
                self.parser.at += feed + 1;
                return Ok(());
            }
            self.parser.at = window.len();
            if self.at_end {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// Offset in the input of the first byte not yet consumed.
    pub fn offset(&self) -> usize {
        self.base + self.parser.at
    }

    #[inline(always)]
    fn next_token(&mut self) -> Result<(Token, usize), DecodeError> {
        loop {
            match self.parser.next(self.source.window(), self.at_end) {
                Lexed::Token(token) => return Ok(token),
                Lexed::More => {
                    let seen = self.base + self.source.window().len();
                    if seen.saturating_sub(self.document_start) > self.max_bytes {
                        return Err(self.too_large());
                    }
                    self.refill()?;
                }
                Lexed::Wrong(problem, at) => return Err(self.wrong(problem, at)),
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
    fn text(&mut self, string: StringToken) -> &str {
        if !string.escaped
            && let Some(text) = self.source.text(string.start, string.end)
        {
            return text;
        }
        self.scratch.clear();
        let bytes = self.source.window().get(string.start..string.end).unwrap_or_default();
        text::unescape(bytes, &mut self.scratch);
        &self.scratch
    }

    #[inline]
    fn number(
        &self,
        number: NumberToken,
        start: usize,
        span: Span,
    ) -> Result<Event<'_>, DecodeError> {
        if let (Some(int), NumberMode::Value) = (number.int, self.numbers) {
            return Ok(Event::Int(int));
        }
        let text = self.source.text(start, number.end).unwrap_or_default();
        if self.numbers == NumberMode::Text {
            return Ok(Event::Number(text));
        }
        if !number.float
            && let Ok(int) = text.parse()
        {
            return Ok(Event::Int(int));
        }
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(Event::Float(float)),
            _ => {
                let issue = Issue::error(codes::decode::NUMBER_RANGE).with("number", text);
                Err(Box::new(issue.span(span)).into())
            }
        }
    }

    #[cold]
    fn wrong(&self, problem: Problem, at: usize) -> DecodeError {
        let found = self.source.window().get(at).copied();
        // An input without a single byte of a document is empty rather than cut off.
        if problem == Problem::Truncated && !self.parser.is_inside() && at == self.parser.at {
            let issue = Issue::error(codes::decode::EMPTY_INPUT);
            return Box::new(issue.span(Span::at(self.base + at))).into();
        }
        problem.issue(found, self.base + at).into()
    }

    #[cold]
    fn too_large(&self) -> DecodeError {
        let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", self.max_bytes);
        Box::new(issue.span(Span::at(self.document_start + self.max_bytes))).into()
    }
}

impl Source for Slice<'_> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn text(&self, start: usize, end: usize) -> Option<&str> {
        match self.text {
            Some(text) => text.get(start..end),
            None => str::from_utf8(self.bytes.get(start..end)?).ok(),
        }
    }

    fn refill(&mut self, consumed: usize) -> io::Result<bool> {
        self.bytes = self.bytes.get(consumed..).unwrap_or_default();
        self.text = self.text.and_then(|text| text.get(consumed..));
        Ok(false)
    }
}

impl<R: Read> Source for Chunks<R> {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.buffer
    }

    /// What is left of the window stays in front. A token longer than the chunk doubles what is read,
    /// so that trying it again costs no more than its length in all.
    fn refill(&mut self, consumed: usize) -> io::Result<bool> {
        self.buffer.drain(..consumed);
        let want = self.chunk.max(self.buffer.len());
        let mut limited = (&mut self.inner).take(want as u64);
        loop {
            match limited.read_to_end(&mut self.buffer) {
                Ok(read) => return Ok(read > 0),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
