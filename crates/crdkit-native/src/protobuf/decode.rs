//! From the wire to a document.

use super::wire::{WireValue, fields};
use super::{MAGIC, MAX_DEPTH, ProtobufError, message_of, short};
use crate::data::{Message, MessageField, Omit, WireType, messages};
use crate::scalar;
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Span;
use crdkit_text::base64::Base64;
use crdkit_text::duration;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits};

/// Reads a body.
pub(super) fn document(body: &[u8], limits: &Limits) -> Result<Document, ProtobufError> {
    let builder = Builder::new(limits, Duplicates::LastWins);
    let mut reader = MessageReader { builder, limits, end: body.len(), depth: 0 };
    reader.body(body)?;
    Ok(reader.builder.finish().0)
}

/// Emits the events of messages.
struct MessageReader<'l> {
    builder: Builder<'l>,
    limits: &'l Limits,
    end: usize,
    depth: usize,
}

/// Objects of this kind say so even in lists.
const PARTIAL: &str = "PartialObjectMetadata";

/// The fields of one message on the wire.
type WireFields<'b> = [(u32, WireValue<'b>)];

/// The last value of a field.
fn last<'b>(fields: &WireFields<'b>, number: u32) -> Option<WireValue<'b>> {
    fields.iter().rev().find(|(found, _)| *found == number).map(|(_, field)| *field)
}

fn text<'b>(fields: &WireFields<'b>, number: u32) -> Result<&'b str, ProtobufError> {
    match last(fields, number) {
        Some(field) => std::str::from_utf8(field.bytes()?).map_err(|_| ProtobufError::Text),
        None => Ok(""),
    }
}

fn bytes<'b>(fields: &WireFields<'b>, number: u32) -> Result<&'b [u8], ProtobufError> {
    last(fields, number).map_or(Ok(&[][..]), WireValue::bytes)
}

fn number(fields: &WireFields<'_>, number: u32) -> Result<i64, ProtobufError> {
    Ok(last(fields, number).map_or(Ok(0), WireValue::number)?.cast_signed())
}

impl MessageReader<'_> {
    fn emit(&mut self, event: Event<'_>) -> Result<(), ProtobufError> {
        // There is no place in the source to speak of but its end.
        self.builder.event(event, Span::at(self.end)).map_err(ProtobufError::Limit)
    }

    /// A body with its envelope.
    fn body(&mut self, body: &[u8]) -> Result<(), ProtobufError> {
        let envelope = body.strip_prefix(&MAGIC).ok_or(ProtobufError::Magic)?;
        let envelope = fields(envelope)?;
        let kind = fields(bytes(&envelope, 1)?)?;
        let (api_version, kind) = (text(&kind, 1)?, text(&kind, 2)?);
        let message = message_of(api_version, kind).ok_or_else(|| ProtobufError::UnknownKind {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        })?;
        self.emit(Event::BeginObject)?;
        self.type_names(api_version, kind)?;
        self.members(message, &fields(bytes(&envelope, 2)?)?)?;
        self.emit(Event::EndObject)
    }

    fn type_names(&mut self, api_version: &str, kind: &str) -> Result<(), ProtobufError> {
        for (key, text) in [("kind", kind), ("apiVersion", api_version)] {
            if !text.is_empty() {
                self.emit(Event::Key(key))?;
                self.emit(Event::String(text))?;
            }
        }
        Ok(())
    }

    /// The members of an object, those of inline messages included.
    fn members(&mut self, message: &Message, found: &WireFields<'_>) -> Result<(), ProtobufError> {
        for field in &message.fields {
            self.member(field, found)?;
        }
        Ok(())
    }

    fn member(
        &mut self,
        field: &MessageField,
        found: &WireFields<'_>,
    ) -> Result<(), ProtobufError> {
        let of_field = || found.iter().filter(|(number, _)| *number == field.number);
        if field.is_inline {
            let WireType::Message(inner) = field.of else { return Ok(()) };
            let Some(inner) = messages().get(inner) else { return Ok(()) };
            return self.members(inner, &fields(bytes(found, field.number)?)?);
        }
        if field.is_map || field.is_repeated {
            if of_field().next().is_none() {
                return self.absent(field);
            }
            self.emit(Event::Key(field.name))?;
            if field.is_map {
                return self.map(field, of_field().map(|(_, entry)| *entry));
            }
            self.emit(Event::BeginArray)?;
            for (_, item) in of_field() {
                self.value(field.of, Some(*item))?;
            }
            return self.emit(Event::EndArray);
        }
        let value = last(found, field.number);
        if field.is_pointer {
            let Some(value) = value else { return self.absent(field) };
            self.emit(Event::Key(field.name))?;
            return self.value(field.of, Some(value));
        }
        if is_zero(field.of, value)? {
            match field.of {
                WireType::Message(_) if field.omit == Omit::Zero => return Ok(()),
                WireType::Message(_) => {}
                WireType::Bytes if value.is_none() => return self.absent(field),
                _ if field.omit != Omit::Never => return Ok(()),
                _ => {}
            }
        }
        self.emit(Event::Key(field.name))?;
        self.value(field.of, value)
    }

    /// A list, a map, bytes or a pointer that is not there.
    fn absent(&mut self, field: &MessageField) -> Result<(), ProtobufError> {
        if field.omit == Omit::Never {
            self.emit(Event::Key(field.name))?;
            self.emit(Event::Null)?;
        }
        Ok(())
    }

    fn map<'b>(
        &mut self,
        field: &MessageField,
        entries: impl Iterator<Item = WireValue<'b>>,
    ) -> Result<(), ProtobufError> {
        self.emit(Event::BeginObject)?;
        for entry in entries {
            let entry = fields(entry.bytes()?)?;
            self.emit(Event::Key(text(&entry, 1)?))?;
            self.value(field.of, last(&entry, 2))?;
        }
        self.emit(Event::EndObject)
    }

    /// A value; what is not there is empty.
    fn value(&mut self, of: WireType, found: Option<WireValue<'_>>) -> Result<(), ProtobufError> {
        let number = || found.map_or(Ok(0), WireValue::number);
        let bytes = || found.map_or(Ok(&[][..]), WireValue::bytes);
        match of {
            WireType::String => {
                let text = std::str::from_utf8(bytes()?).map_err(|_| ProtobufError::Text)?;
                self.emit(Event::String(text))
            }
            WireType::Bool => self.emit(Event::Bool(number()? != 0)),
            WireType::Int32 | WireType::Int64 => self.emit(Event::Int(number()?.cast_signed())),
            WireType::Double => self.double(f64::from_bits(number()?)),
            WireType::Bytes => self.emit(Event::String(&Base64::Standard.encode(bytes()?))),
            WireType::Message(message) => {
                let message = messages().get(message).ok_or(ProtobufError::Malformed)?;
                let found = fields(bytes()?)?;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(ProtobufError::Depth);
                }
                if message.is_special {
                    self.special(message, &found)?;
                } else {
                    self.emit(Event::BeginObject)?;
                    if short(message) == PARTIAL {
                        self.type_names("meta.k8s.io/v1", PARTIAL)?;
                    }
                    self.members(message, &found)?;
                    self.emit(Event::EndObject)?;
                }
                self.depth -= 1;
                Ok(())
            }
        }
    }

    /// A float; whole numbers are written without a fraction.
    fn double(&mut self, float: f64) -> Result<(), ProtobufError> {
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        if float.fract() == 0.0 && float.abs() < WHOLE {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
            return self.emit(Event::Int(float as i64));
        }
        self.emit(Event::Float(float))
    }

    /// A message whose JSON is not an object with its fields.
    fn special(&mut self, message: &Message, found: &WireFields<'_>) -> Result<(), ProtobufError> {
        match short(message) {
            "Time" | "MicroTime" if found.is_empty() => self.emit(Event::Null),
            "Time" => {
                let time = Timestamp { seconds: number(found, 1)?, nanoseconds: 0, offset: 0 };
                self.emit(Event::String(&scalar::seconds(&time)))
            }
            "MicroTime" => {
                let nanoseconds = u32::try_from(number(found, 2)?).unwrap_or_default();
                let time = Timestamp { seconds: number(found, 1)?, nanoseconds, offset: 0 };
                self.emit(Event::String(&scalar::microseconds(&time)))
            }
            "Quantity" => match text(found, 1)? {
                "" => self.emit(Event::String("0")),
                text => self.emit(Event::String(text)),
            },
            "IntOrString" if number(found, 1)? == 0 => self.emit(Event::Int(number(found, 2)?)),
            "IntOrString" => self.emit(Event::String(text(found, 3)?)),
            "Duration" => self.emit(Event::String(&duration::format(number(found, 1)?))),
            "RawExtension" | "FieldsV1" | "JSON" => self.raw(bytes(found, 1)?),
            "JSONSchemaPropsOrBool" => match last(found, 2) {
                Some(schema) => self.choice(message, 2, schema),
                None => self.emit(Event::Bool(number(found, 1)? != 0)),
            },
            "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrStringArray" => match last(found, 1) {
                Some(schema) => self.choice(message, 1, schema),
                None => self.items(message, 2, found),
            },
            _ => self.items(message, 1, found),
        }
    }

    /// One of the forms that a value can have.
    fn choice(
        &mut self,
        message: &Message,
        number: u32,
        found: WireValue<'_>,
    ) -> Result<(), ProtobufError> {
        let field = message.fields.iter().find(|field| field.number == number);
        self.value(field.ok_or(ProtobufError::Malformed)?.of, Some(found))
    }

    /// A list behind a name.
    fn items(
        &mut self,
        message: &Message,
        number: u32,
        found: &WireFields<'_>,
    ) -> Result<(), ProtobufError> {
        let mut items = found.iter().filter(|(at, _)| *at == number).peekable();
        if items.peek().is_none() {
            return self.emit(Event::Null);
        }
        self.emit(Event::BeginArray)?;
        for (_, item) in items {
            self.choice(message, number, *item)?;
        }
        self.emit(Event::EndArray)
    }

    /// JSON text, or another body.
    fn raw(&mut self, bytes: &[u8]) -> Result<(), ProtobufError> {
        if bytes.is_empty() {
            return self.emit(Event::Null);
        }
        if bytes.starts_with(&MAGIC) {
            return self.body(bytes);
        }
        let options = DecodeOptions::new().limits(self.limits.clone());
        let decoded = json::decode(bytes, &options).map_err(|_| ProtobufError::Text)?;
        for event in decoded.document.root().events() {
            self.emit(event)?;
        }
        Ok(())
    }
}

/// Whether a field holds what it would hold without having been set.
fn is_zero(of: WireType, found: Option<WireValue<'_>>) -> Result<bool, ProtobufError> {
    let Some(found) = found else { return Ok(true) };
    Ok(match of {
        WireType::String | WireType::Bytes | WireType::Message(_) => found.bytes()?.is_empty(),
        _ => found.number()? == 0,
    })
}
