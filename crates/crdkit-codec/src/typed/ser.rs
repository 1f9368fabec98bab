//! What a type says, as events of a document.

use super::error::TypedError;
use super::key;
use crate::number;
use crate::serialize::{ListSink, MapSink, Serializer, Sink};
use crdkit_issue::{Segment, Span};
use crdkit_value::{Builder, Document, Duplicates, Event, Limits};
use serde::Serialize;

/// Owned events: a builder borrows its limits, and a type's text does not outlive the call.
#[derive(Default)]
pub(super) struct Events {
    list: Vec<Owned>,
    /// Whether a field without a value is left out.
    pub(super) omits_none: bool,
}

enum Owned {
    /// An option without a value.
    None,
    Plain(Event<'static>),
    Key(String),
    String(String),
    Number(String),
}

impl Events {
    pub(super) fn push(&mut self, event: Event<'static>) {
        self.list.push(Owned::Plain(event));
    }

    pub(super) fn push_text(&mut self, text: &str) {
        self.list.push(Owned::String(text.to_owned()));
    }

    pub(super) fn push_number(&mut self, digits: &str) {
        self.list.push(Owned::Number(digits.to_owned()));
    }

    pub(super) fn push_key(&mut self, key: &str) {
        self.list.push(Owned::Key(key.to_owned()));
    }

    pub(super) fn into_document(self) -> Document {
        let limits = Limits::new().depth(usize::MAX).nodes(usize::MAX);
        let mut builder = Builder::new(&limits, Duplicates::LastWins);
        for event in &self.list {
            let event = match event {
                Owned::None => Event::Null,
                Owned::Plain(event) => *event,
                Owned::Key(key) => Event::Key(key),
                Owned::String(text) => Event::String(text),
                Owned::Number(text) => number::exact(text),
            };
            // Without limits nothing is refused.
            let _ = builder.event(event, Span::default());
        }
        builder.finish().0
    }
}

/// Takes one value.
pub(super) struct TypedSerializer<'e> {
    events: &'e mut Events,
    depth: usize,
}

impl<'e> TypedSerializer<'e> {
    pub(super) fn new(events: &'e mut Events, depth: usize) -> Self {
        Self { events, depth }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the methods below give")]
    fn scalar(self, event: Owned) -> Result<(), TypedError> {
        self.events.list.push(event);
        Ok(())
    }

    /// Begins an array or object.
    fn begin(
        self,
        variant: Option<&str>,
        begin: Event<'static>,
        end: Event<'static>,
    ) -> Result<Compound<'e>, TypedError> {
        let depth = self.depth.checked_sub(1).ok_or_else(TypedError::too_deep)?;
        if let Some(variant) = variant {
            self.events.push(Event::BeginObject);
            self.events.list.push(Owned::Key(variant.to_owned()));
        }
        self.events.push(begin);
        Ok(Compound { events: self.events, depth, end, is_variant: variant.is_some() })
    }
}

impl<'e> Sink for TypedSerializer<'e> {
    type Error = TypedError;
    type List = Compound<'e>;
    type Map = Compound<'e>;

    fn null(self) -> Result<(), TypedError> {
        self.scalar(Owned::Plain(Event::Null))
    }

    fn none(self) -> Result<(), TypedError> {
        self.scalar(Owned::None)
    }

    fn bool(self, bool: bool) -> Result<(), TypedError> {
        self.scalar(Owned::Plain(Event::Bool(bool)))
    }

    fn int(self, int: i64) -> Result<(), TypedError> {
        self.scalar(Owned::Plain(Event::Int(int)))
    }

    fn unsigned(self, int: u64) -> Result<(), TypedError> {
        match i64::try_from(int) {
            Ok(int) => self.int(int),
            Err(_) => self.wide_unsigned(int.into()),
        }
    }

    fn wide_int(self, int: i128) -> Result<(), TypedError> {
        self.scalar(Owned::Number(int.to_string()))
    }

    fn wide_unsigned(self, int: u128) -> Result<(), TypedError> {
        self.scalar(Owned::Number(int.to_string()))
    }

    /// By its shortest text, so that `0.1` stays `0.1`.
    fn single(self, number: f32) -> Result<(), TypedError> {
        self.float(number.to_string().parse().unwrap_or_else(|_| number.into()))
    }

    fn float(self, number: f64) -> Result<(), TypedError> {
        self.scalar(Owned::Plain(Event::Float(number)))
    }

    fn text(self, text: &str) -> Result<(), TypedError> {
        self.scalar(Owned::String(text.to_owned()))
    }

    fn bytes(self, bytes: &[u8]) -> Result<(), TypedError> {
        let mut list = self.list(None, None)?;
        bytes.iter().try_for_each(|byte| list.item(byte))?;
        ListSink::finish(list)
    }

    fn list(self, variant: Option<&str>, _: Option<usize>) -> Result<Compound<'e>, TypedError> {
        self.begin(variant, Event::BeginArray, Event::EndArray)
    }

    fn map(self, variant: Option<&str>, _: Option<usize>) -> Result<Compound<'e>, TypedError> {
        self.begin(variant, Event::BeginObject, Event::EndObject)
    }
}

/// An array or object that has begun.
pub(super) struct Compound<'e> {
    events: &'e mut Events,
    depth: usize,
    end: Event<'static>,
    is_variant: bool,
}

impl Compound<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        value.serialize(Serializer(TypedSerializer::new(self.events, self.depth)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the methods below give")]
    fn end(self) -> Result<(), TypedError> {
        self.events.push(self.end);
        if self.is_variant {
            self.events.push(Event::EndObject);
        }
        Ok(())
    }
}

impl ListSink for Compound<'_> {
    type Error = TypedError;

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn finish(self) -> Result<(), TypedError> {
        self.end()
    }
}

impl MapSink for Compound<'_> {
    type Error = TypedError;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), TypedError> {
        let key = key::text(key)?;
        self.events.list.push(Owned::Key(key));
        Ok(())
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), TypedError> {
        self.events.list.push(Owned::Key(name.to_owned()));
        self.add(value).map_err(|error| error.below(Segment::named(name)))?;
        if self.events.omits_none && matches!(self.events.list.last(), Some(Owned::None)) {
            let before = self.events.list.len().saturating_sub(2);
            self.events.list.truncate(before);
        }
        Ok(())
    }

    fn finish(self) -> Result<(), TypedError> {
        self.end()
    }
}
