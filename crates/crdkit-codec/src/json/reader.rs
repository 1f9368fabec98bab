//! Events from a slice or from a reader, with byte offsets.
//!
//! [`Reader`] gives them one at a time to whoever asks, or all of a document to a builder; both are the
//! same run of the parser with another sink.

use super::lex::{Miss, NumberToken, NumberValue, StringToken};
use super::parse::{JsonParser, JsonToken, Sink, Stop, skip_space};
use super::problem::JsonProblem;
use super::source::{ByteSource, Chunks, Slice, Window};
use crate::DecodeError;
use crate::number::exact;
use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Builder, Event, Limits, NumberMode};
use std::io::Read;

/// A pull parser: gives one event at a time.
pub struct Reader<S> {
    pub(super) source: S,
    pub(super) parser: JsonParser,
    numbers: NumberMode,
    /// Offset of the window in the input, and the byte before it.
    pub(super) base: usize,
    pub(super) before: Option<u8>,
    /// Where the current document began, and how long it may be.
    pub(super) document_start: usize,
    max_bytes: usize,
    pub(super) at_end: bool,
    scratch: String,
}

impl<'a> Reader<Slice<'a>> {
    /// Reads from a slice.
    pub fn from_slice(bytes: &'a [u8], limits: &Limits, numbers: NumberMode) -> Self {
        Self { at_end: true, ..Self::new(Slice::new(bytes), limits, numbers) }
    }

    /// The whole input, if it is valid UTF-8.
    pub(crate) fn source_text(&self) -> Option<&'a str> {
        self.source.whole_text()
    }
}

impl<R: Read> Reader<Chunks<R>> {
    /// Reads in chunks of a size that suits files and sockets.
    pub fn from_read(inner: R, limits: &Limits, numbers: NumberMode) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, limits, numbers)
    }

    /// Reads in chunks of `chunk` bytes.
    pub fn with_chunk_size(inner: R, chunk: usize, limits: &Limits, numbers: NumberMode) -> Self {
        Self::new(Chunks::new(inner, chunk), limits, numbers)
    }
}

impl<S: ByteSource> Reader<S> {
    fn new(source: S, limits: &Limits, numbers: NumberMode) -> Self {
        Self {
            source,
            parser: JsonParser::new(limits.depth),
            numbers,
            base: 0,
            before: None,
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
    pub fn next_event(&mut self) -> Result<Option<(Event<'_>, Span)>, DecodeError> {
        let (token, start, end) = loop {
            let Self { ref source, at_end, ref mut scratch, .. } = *self;
            match self.parser.run(Window::of(source), at_end, &mut One { scratch }) {
                Ok(()) => return Ok(None),
                Err(Stop::Sink(token)) => break token,
                Err(Stop::Miss(miss)) => self.recover(miss)?,
            }
        };
        let Self { ref source, numbers, base, ref mut scratch, .. } = *self;
        let values = Values { window: Window::of(source), numbers, base };
        values.event(token, start, end, scratch).map(Some)
    }

    /// Gives all events of the current document to `builder`.
    pub(crate) fn build(&mut self, builder: &mut Builder<'_>) -> Result<(), DecodeError> {
        loop {
            let Self { ref source, at_end, numbers, base, ref mut scratch, .. } = *self;
            let window = Window::of(source);
            let mut sink = Build { values: Values { window, numbers, base }, scratch, builder };
            match self.parser.run(window, at_end, &mut sink) {
                Ok(()) => return Ok(()),
                Err(Stop::Sink(error)) => return Err(error),
                Err(Stop::Miss(miss)) => self.recover(miss)?,
            }
        }
    }

    /// Moves to the next document of a stream; false when nothing but white space is left.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next_document(&mut self) -> Result<bool, DecodeError> {
        self.parser.restart();
        loop {
            let window = self.source.window();
            self.parser.move_to(skip_space(window, self.parser.at()));
            if self.parser.at() < window.len() {
                self.document_start = self.offset();
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
        self.base + self.parser.at()
    }

    /// Gets more input if that is what a token needs.
    #[cold]
    pub(super) fn recover(&mut self, miss: Miss) -> Result<(), DecodeError> {
        match miss {
            Miss::More => {
                let seen = self.base + self.source.window().len();
                if seen.saturating_sub(self.document_start) > self.max_bytes {
                    return Err(self.too_large());
                }
                self.refill()
            }
            Miss::Wrong(problem, at) => Err(self.wrong(problem, at)),
        }
    }

    /// Forgets what has been read and gets more. Reading can go on after an error of the source.
    pub(super) fn refill(&mut self) -> Result<(), DecodeError> {
        let consumed = self.parser.at();
        if let Some(last) = consumed.checked_sub(1) {
            self.before = self.source.window().get(last).copied();
        }
        self.base += consumed;
        self.parser.move_to(0);
        let more = self.source.refill(consumed).map_err(DecodeError::Io)?;
        self.at_end = !more;
        Ok(())
    }

    /// What a run of the parser takes.
    #[inline(always)]
    pub(super) fn parts(&mut self) -> (&S, &mut JsonParser, bool, Values<'static>, &mut String) {
        let Self { ref source, ref mut parser, at_end, numbers, base, ref mut scratch, .. } = *self;
        (source, parser, at_end, Values { window: Window::EMPTY, numbers, base }, scratch)
    }

    fn wrong(&self, problem: JsonProblem, at: usize) -> DecodeError {
        let found = self.source.window().get(at).copied();
        // An input without a single byte of a document is empty rather than cut off.
        if problem == JsonProblem::Truncated && !self.parser.is_inside() && at == self.parser.at() {
            let issue = Issue::error(codes::decode::EMPTY_INPUT);
            return Box::new(issue.span(Span::at(self.base + at))).into();
        }
        let problem = match self.source.window().get(at..) {
            Some([0xEF, 0xBB, 0xBF, ..]) if problem == JsonProblem::Value => {
                JsonProblem::Encoding { found: "a byte order mark" }
            }
            Some([0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) if problem == JsonProblem::Value => {
                JsonProblem::Encoding { found: "UTF-16" }
            }
            _ => problem,
        };
        problem.issue(found, self.base + at).into()
    }

    fn too_large(&self) -> DecodeError {
        let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", self.max_bytes);
        Box::new(issue.span(Span::at(self.document_start + self.max_bytes))).into()
    }
}

/// Stops at every token and hands it out.
struct One<'r> {
    scratch: &'r mut String,
}

impl Sink for One<'_> {
    type Stop = (JsonToken, usize, usize);

    #[inline(always)]
    fn scratch(&mut self) -> &mut String {
        self.scratch
    }

    #[inline(always)]
    fn take(&mut self, token: JsonToken, start: usize, end: usize) -> Result<(), Self::Stop> {
        Err((token, start, end))
    }
}

/// Hands every token to a builder.
struct Build<'r, 'l> {
    values: Values<'r>,
    scratch: &'r mut String,
    builder: &'r mut Builder<'l>,
}

impl Sink for Build<'_, '_> {
    type Stop = DecodeError;

    #[inline(always)]
    fn scratch(&mut self) -> &mut String {
        self.scratch
    }

    #[inline(always)]
    fn take(&mut self, token: JsonToken, start: usize, end: usize) -> Result<(), DecodeError> {
        let span = || Span::new(self.values.base + start, self.values.base + end);
        let is_taken = match token {
            JsonToken::Key(StringToken { start, end, escaped: false }) => {
                self.builder.source_key(start, end, span())
            }
            JsonToken::String(StringToken { start, end, escaped: false }) => {
                self.builder.source_string(start, end, span())?
            }
            _ => false,
        };
        if is_taken {
            return Ok(());
        }
        let (event, span) = self.values.event(token, start, end, self.scratch)?;
        Ok(self.builder.event(event, span)?)
    }
}

/// What it takes to say what the tokens of one window are worth.
#[derive(Clone, Copy)]
pub(super) struct Values<'r> {
    pub(super) window: Window<'r>,
    pub(super) numbers: NumberMode,
    /// Offset of the window in the input.
    pub(super) base: usize,
}

impl<'r> Values<'r> {
    /// The event a token stands for; `scratch` holds the text of a string with escapes.
    #[inline(always)]
    pub(super) fn event<'e>(
        self,
        token: JsonToken,
        start: usize,
        end: usize,
        scratch: &'e mut String,
    ) -> Result<(Event<'e>, Span), DecodeError>
    where
        'r: 'e,
    {
        let span = Span::new(self.base + start, self.base + end);
        let event = match token {
            JsonToken::Null => Event::Null,
            JsonToken::Bool(bool) => Event::Bool(bool),
            JsonToken::BeginArray => Event::BeginArray,
            JsonToken::EndArray => Event::EndArray,
            JsonToken::BeginObject => Event::BeginObject,
            JsonToken::EndObject => Event::EndObject,
            JsonToken::String(string) => Event::String(self.text(string, scratch)),
            JsonToken::Key(key) => Event::Key(self.text(key, scratch)),
            JsonToken::Number(number) => self.number(number, start, span)?,
        };
        Ok((event, span))
    }

    #[inline(always)]
    fn text<'e>(self, string: StringToken, scratch: &'e mut String) -> &'e str
    where
        'r: 'e,
    {
        if string.escaped {
            return scratch;
        }
        if let Some(text) = self.window.text(string.start, string.end) {
            return text;
        }
        scratch.clear();
        self.window.push_text(string.start, string.end, scratch);
        scratch
    }

    #[inline(always)]
    fn number(
        self,
        number: NumberToken,
        start: usize,
        span: Span,
    ) -> Result<Event<'r>, DecodeError> {
        match (self.numbers, number.value) {
            (NumberMode::Value | NumberMode::Exact, NumberValue::Int(int)) => Ok(Event::Int(int)),
            (NumberMode::Value, NumberValue::Float(float)) => Ok(Event::Float(float)),
            _ => self.number_text(self.window.text(start, number.end).unwrap_or_default(), span),
        }
    }

    #[cold]
    fn number_text(self, text: &'r str, span: Span) -> Result<Event<'r>, DecodeError> {
        match self.numbers {
            NumberMode::Text => return Ok(Event::Number(text)),
            NumberMode::Exact => return Ok(exact(text)),
            NumberMode::Value => {}
        }
        if let Ok(int) = text.parse() {
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
}
