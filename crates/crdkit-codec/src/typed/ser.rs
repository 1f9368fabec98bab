//! What a type says, as events of a document.

use super::error::TypedError;
use super::key;
use crate::number;
use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits};
use serde::ser::{self, Serialize};

/// Owned events: a builder borrows its limits, and a type's text does not outlive the call.
#[derive(Default)]
pub(super) struct Events(Vec<Owned>);

enum Owned {
    Plain(Event<'static>),
    Key(String),
    String(String),
    Number(String),
}

impl Events {
    fn push(&mut self, event: Event<'static>) {
        self.0.push(Owned::Plain(event));
    }

    pub(super) fn into_document(self) -> Document {
        let limits = Limits { depth: usize::MAX, nodes: usize::MAX, ..Limits::default() };
        let mut builder = Builder::new(&limits, Duplicates::LastWins);
        for event in &self.0 {
            let event = match event {
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
pub(super) struct Serializer<'e> {
    events: &'e mut Events,
    depth: usize,
}

impl<'e> Serializer<'e> {
    pub(super) fn new(events: &'e mut Events, depth: usize) -> Self {
        Self { events, depth }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what serde's methods give")]
    fn scalar(self, event: Event<'static>) -> Result<(), TypedError> {
        self.events.push(event);
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "what serde's methods give")]
    fn big(self, number: String) -> Result<(), TypedError> {
        self.events.0.push(Owned::Number(number));
        Ok(())
    }

    /// Begins an array or object. A variant is an object with one member, which holds the content.
    fn begin(
        self,
        variant: Option<&'static str>,
        begin: Event<'static>,
        end: Event<'static>,
    ) -> Result<Compound<'e>, TypedError> {
        let depth = self.depth.checked_sub(1).ok_or_else(TypedError::too_deep)?;
        if let Some(variant) = variant {
            self.events.push(Event::BeginObject);
            self.events.push(Event::Key(variant));
        }
        self.events.push(begin);
        Ok(Compound { events: self.events, depth, end, is_variant: variant.is_some() })
    }

    fn array(self, variant: Option<&'static str>) -> Result<Compound<'e>, TypedError> {
        self.begin(variant, Event::BeginArray, Event::EndArray)
    }

    fn object(self, variant: Option<&'static str>) -> Result<Compound<'e>, TypedError> {
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
        value.serialize(Serializer::new(self.events, self.depth))
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: String, value: &T) -> Result<(), TypedError> {
        let step = crdkit_issue::Segment::named(&key);
        self.events.0.push(Owned::Key(key));
        self.add(value).map_err(|error| error.below(step))
    }

    #[expect(clippy::unnecessary_wraps, reason = "what serde's methods give")]
    fn finish(self) -> Result<(), TypedError> {
        self.events.push(self.end);
        if self.is_variant {
            self.events.push(Event::EndObject);
        }
        Ok(())
    }
}

impl<'e> ser::Serializer for Serializer<'e> {
    type Ok = ();
    type Error = TypedError;
    type SerializeSeq = Compound<'e>;
    type SerializeTuple = Compound<'e>;
    type SerializeTupleStruct = Compound<'e>;
    type SerializeTupleVariant = Compound<'e>;
    type SerializeMap = Compound<'e>;
    type SerializeStruct = Compound<'e>;
    type SerializeStructVariant = Compound<'e>;

    fn serialize_bool(self, value: bool) -> Result<(), TypedError> {
        self.scalar(Event::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), TypedError> {
        self.scalar(Event::Int(value))
    }

    fn serialize_i128(self, value: i128) -> Result<(), TypedError> {
        self.big(value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), TypedError> {
        self.serialize_i64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), TypedError> {
        match i64::try_from(value) {
            Ok(int) => self.scalar(Event::Int(int)),
            Err(_) => self.big(value.to_string()),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<(), TypedError> {
        self.big(value.to_string())
    }

    fn serialize_f32(self, value: f32) -> Result<(), TypedError> {
        // By its shortest text, so that `0.1` stays `0.1`.
        self.serialize_f64(value.to_string().parse().unwrap_or_else(|_| value.into()))
    }

    fn serialize_f64(self, value: f64) -> Result<(), TypedError> {
        self.scalar(Event::Float(value))
    }

    fn serialize_char(self, value: char) -> Result<(), TypedError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), TypedError> {
        self.events.0.push(Owned::String(value.to_owned()));
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), TypedError> {
        let mut list = self.array(None)?;
        value.iter().try_for_each(|byte| list.add(byte))?;
        list.finish()
    }

    fn serialize_none(self) -> Result<(), TypedError> {
        self.scalar(Event::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), TypedError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), TypedError> {
        self.scalar(Event::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), TypedError> {
        self.scalar(Event::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), TypedError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        let mut object = self.object(None)?;
        object.member(variant.to_owned(), value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'e>, TypedError> {
        self.array(None)
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'e>, TypedError> {
        self.array(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'e>, TypedError> {
        self.array(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'e>, TypedError> {
        self.array(Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'e>, TypedError> {
        self.object(None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'e>, TypedError> {
        self.object(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'e>, TypedError> {
        self.object(Some(variant))
    }
}

impl ser::SerializeSeq for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeTuple for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), TypedError> {
        let key = key::text(key)?;
        self.events.0.push(Owned::Key(key));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedError> {
        self.add(value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeStruct for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        self.member(key.to_owned(), value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Compound<'_> {
    type Ok = ();
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), TypedError> {
        self.member(key.to_owned(), value)
    }

    fn end(self) -> Result<(), TypedError> {
        self.finish()
    }
}
