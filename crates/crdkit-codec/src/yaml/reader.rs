//! A pull reader over [`Read`]: the same events as every other format gives, of the first document.
//!
//! Aliases and merge keys are expanded on the way. What is wrong is refused where it stands: also a `null` key or an
//! infinite number that a later duplicate would replace, which [`super::decode()`] passes over. What an anchor names
//! is kept until the document ends, and how much of it is bounded by [`Limits::alias_bytes`].

use std::io::Read;

use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Builder, Event, Limits, NumberMode};

use super::chars::LineCounter;
use super::compose::{AliasRoom, Composer, DocumentSink, Refusal};
use super::event::EventKind;
use super::tape::ParserEvents;
use super::windows::Windows;
use crate::DecodeError;
use crate::fill::{Filled, give};

/// A pull parser: gives one event at a time.
pub struct Reader<R> {
    composer: Composer<'static, Windows<R>, Slot>,
    state: ReaderState,
    max_alias_bytes: usize,
    /// How far the input has been read.
    offset: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    Before,
    /// There is no document, which reads as `null`.
    Empty,
    Inside,
    After,
}

impl<R: Read> Reader<R> {
    /// Reads in chunks of a size that suits files and sockets.
    pub fn from_read(inner: R, limits: &Limits, numbers: NumberMode) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, limits, numbers)
    }

    /// Reads in chunks of `chunk` bytes.
    pub fn with_chunk_size(inner: R, chunk: usize, limits: &Limits, numbers: NumberMode) -> Self {
        let windows = Windows::new(inner, chunk, limits);
        let room = AliasRoom::new(limits.alias_bytes);
        Self {
            composer: Composer::new(windows, Slot::default(), numbers, room),
            state: ReaderState::Before,
            max_alias_bytes: limits.alias_bytes,
            offset: 0,
        }
    }

    /// The next event of the document, or none at its end.
    ///
    /// # Errors
    /// The finding, when the text is not YAML; or the reader's error, after which reading cannot go on.
    pub fn next_event(&mut self) -> Result<Option<(Event<'_>, Span)>, DecodeError> {
        self.composer.sink.taken = None;
        match self.state {
            ReaderState::Empty => {
                self.state = ReaderState::After;
                return Ok(Some((Event::Null, Span::at(self.offset))));
            }
            ReaderState::Inside => self.run()?,
            ReaderState::Before | ReaderState::After => {}
        }
        let Slot { taken, text } = &self.composer.sink;
        Ok(taken.map(|(taken, span)| (taken.event(text), span)))
    }

    /// Moves to the document; false when it has been read. What follows the first document does not count.
    ///
    /// # Errors
    /// The finding, when the text is not YAML; or the reader's error.
    pub fn next_document(&mut self) -> Result<bool, DecodeError> {
        if self.state == ReaderState::Before {
            let first = self.composer.source.parser.next().map_err(refused)?;
            let is_empty = matches!(first.kind, EventKind::StreamEnd);
            self.state = if is_empty { ReaderState::Empty } else { ReaderState::Inside };
            Ok(true)
        } else {
            while self.state == ReaderState::Inside {
                self.composer.sink.taken = None;
                self.run()?;
            }
            Ok(false)
        }
    }

    /// Gives the value that comes next to `builder`, as [`crate::json::Reader::fill`] does.
    ///
    /// # Errors
    /// The finding, when the text is not YAML or exceeds a limit; or the reader's error.
    pub fn fill(&mut self, builder: &mut Builder<'_>, until: usize) -> Result<Filled, DecodeError> {
        loop {
            let Some((event, span)) = self.next_event()? else { return Ok(Filled::Value) };
            let outcome = give(builder, event, span)?;
            if let Some(filled) = outcome {
                return Ok(filled);
            }
            if self.offset > until && !matches!(self.composer.sink.taken, Some((Taken::Key, _))) {
                return Ok(Filled::Part);
            }
        }
    }

    /// Offset in the input of the end of the last event.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Runs until there is an event or the document is over.
    fn run(&mut self) -> Result<(), DecodeError> {
        while self.composer.sink.taken.is_none() {
            if !self.composer.step().map_err(refused)? {
                self.state = ReaderState::After;
                break;
            }
            if let Some((_, failure)) = self.composer.deferred.first() {
                return Err(failure.issue(&[], &mut LineCounter::default()).into());
            }
            if self.composer.source.n_bytes() > self.max_alias_bytes {
                let issue = Issue::error(codes::decode::ALIASES_TOO_LARGE);
                let issue = issue.with("limit", self.max_alias_bytes).span(Span::at(self.offset));
                return Err(Box::new(issue).into());
            }
        }
        self.composer.typed_keys.clear();
        if let Some((_, span)) = self.composer.sink.taken {
            self.offset = self.offset.max(span.end);
        }
        Ok(())
    }
}

/// The event that the composer gave last.
#[derive(Default)]
struct Slot {
    taken: Option<(Taken, Span)>,
    /// Its text.
    text: String,
}

/// An event whose text is elsewhere.
#[derive(Clone, Copy)]
enum Taken {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Number,
    String,
    Key,
    BeginArray,
    EndArray,
    BeginObject,
    EndObject,
}

impl Taken {
    fn event(self, text: &str) -> Event<'_> {
        match self {
            Self::Null => Event::Null,
            Self::Bool(bool) => Event::Bool(bool),
            Self::Int(int) => Event::Int(int),
            Self::Float(float) => Event::Float(float),
            Self::Number => Event::Number(text),
            Self::String => Event::String(text),
            Self::Key => Event::Key(text),
            Self::BeginArray => Event::BeginArray,
            Self::EndArray => Event::EndArray,
            Self::BeginObject => Event::BeginObject,
            Self::EndObject => Event::EndObject,
        }
    }
}

impl DocumentSink for Slot {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Issue>> {
        let mut keep = |text: &str, taken| {
            self.text.clear();
            self.text.push_str(text);
            taken
        };
        let taken = match event {
            Event::Number(text) => keep(text, Taken::Number),
            Event::String(text) => keep(text, Taken::String),
            Event::Key(text) => keep(text, Taken::Key),
            Event::Null => Taken::Null,
            Event::Bool(bool) => Taken::Bool(bool),
            Event::Int(int) => Taken::Int(int),
            Event::Float(float) => Taken::Float(float),
            Event::BeginArray => Taken::BeginArray,
            Event::EndArray => Taken::EndArray,
            Event::BeginObject => Taken::BeginObject,
            Event::EndObject => Taken::EndObject,
        };
        self.taken = Some((taken, span));
        Ok(())
    }
}

fn refused(refusal: Refusal) -> DecodeError {
    match refusal {
        Refusal::Io(error) => DecodeError::Io(error),
        Refusal::Limit(issue) => DecodeError::Refused(issue),
        Refusal::Failure(failure) => {
            DecodeError::Refused(failure.issue(&[], &mut LineCounter::default()))
        }
    }
}
