//! One value out of the middle of a JSON document, by the parser itself.

use super::parse::{JsonToken, Sink, Stop};
use super::reader::{Reader, Values};
use super::source::{ByteSource, Window};
use crate::{DecodeError, Filled};
use crdkit_value::Builder;

impl<S: ByteSource> Reader<S> {
    /// Gives the value that comes next to `builder`, up to the first token that ends after offset
    /// `until`. The reader must stand before an item of an array, the value of a member, or the
    /// document; or, with a builder that has a part of a value, after that part.
    ///
    /// # Errors
    /// The finding, when the bytes are not JSON or exceed a limit; or the reader's error, after which
    /// the same call can be made again.
    pub fn fill(&mut self, builder: &mut Builder<'_>, until: usize) -> Result<Filled, DecodeError> {
        loop {
            let (source, parser, at_end, values, scratch) = self.parts();
            let window = Window::of(source);
            let values = Values { window, ..values };
            let mut sink = Fill { values, scratch, builder, until };
            match parser.run(window, at_end, &mut sink) {
                // The value was the document.
                Ok(()) => return Ok(Filled::Value),
                Err(Stop::Sink(outcome)) => return outcome,
                Err(Stop::Miss(miss)) => self.recover(miss)?,
            }
        }
    }
}

/// Hands tokens to a builder until it has a value or enough of it.
struct Fill<'r, 'l> {
    values: Values<'r>,
    scratch: &'r mut String,
    builder: &'r mut Builder<'l>,
    until: usize,
}

impl Sink for Fill<'_, '_> {
    type Stop = Result<Filled, DecodeError>;

    #[inline(always)]
    fn scratch(&mut self) -> &mut String {
        self.scratch
    }

    #[inline(always)]
    fn take(&mut self, token: JsonToken, start: usize, end: usize) -> Result<(), Self::Stop> {
        if matches!(token, JsonToken::EndArray) && !self.builder.is_open() {
            return Err(Ok(Filled::EndArray));
        }
        let (event, span) = self.values.event(token, start, end, self.scratch).map_err(Err)?;
        self.builder.event(event, span).map_err(|issue| Err(issue.into()))?;
        match token {
            JsonToken::Key(_) | JsonToken::BeginArray | JsonToken::BeginObject => {}
            _ if self.builder.is_complete() => return Err(Ok(Filled::Value)),
            _ => {}
        }
        if span.end > self.until && !matches!(token, JsonToken::Key(_)) {
            return Err(Ok(Filled::Part));
        }
        Ok(())
    }
}
