//! From a document to the wire.
//!
//! Everything is written from its end: fields by descending number, items from the last, so that nothing is copied.

use super::wire::Backwards;
use super::{MAGIC, MAX_DEPTH, ProtobufError, message_of, short};
use crate::data::{Message, MessageField, WireType, messages};
use crdkit_codec::json::{self, Layout};
use crdkit_text::base64::Base64;
use crdkit_text::duration;
use crdkit_text::quantity::Quantity;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// Writes an object with its envelope.
pub(super) fn body(object: Value<'_>) -> Result<Vec<u8>, ProtobufError> {
    let mut out = Backwards::default();
    write_body(object, &mut out)?;
    Ok(out.finish())
}

/// Writes an event of a watch with its length.
pub(super) fn event(kind: &str, object: Value<'_>) -> Result<Vec<u8>, ProtobufError> {
    let mut out = Backwards::default();
    let start = out.len();
    write_body(object, &mut out)?;
    out.close(1, start);
    out.close(2, start);
    out.bytes(1, kind.as_bytes());
    let length = u32::try_from(out.len()).unwrap_or(u32::MAX);
    out.raw(&length.to_be_bytes());
    Ok(out.finish())
}

fn write_body(object: Value<'_>, out: &mut Backwards) -> Result<(), ProtobufError> {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let message = message_of(api_version, kind).ok_or_else(|| ProtobufError::UnknownKind {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
    })?;
    out.bytes(4, b"");
    out.bytes(3, b"");
    let start = out.len();
    write_fields(message, Some(object), out)?;
    out.close(2, start);
    let start = out.len();
    out.bytes(2, kind.as_bytes());
    out.bytes(1, api_version.as_bytes());
    out.close(1, start);
    out.raw(&MAGIC);
    Ok(())
}

/// The fields of a message; without an object those that are always written.
fn write_fields(
    message: &Message,
    object: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    for field in message.fields.iter().rev() {
        if field.is_inline {
            if let Some(inner) = inner(field) {
                let start = out.len();
                write_fields(inner, object, out)?;
                out.close(field.number, start);
            }
            continue;
        }
        let value = object.and_then(|object| object.get(field.name));
        let value = value.filter(|value| !value.is_null());
        if field.is_map {
            write_map(field, value, out)?;
        } else if field.is_repeated {
            let items: Vec<Value<'_>> = value.into_iter().flat_map(Value::items).collect();
            for item in items.into_iter().rev() {
                write_value(field, field.number, Some(item), out)?;
            }
        } else if value.is_some() || !(field.is_pointer || field.of == WireType::Bytes) {
            write_value(field, field.number, value, out)?;
        }
    }
    Ok(())
}

fn inner(field: &MessageField) -> Option<&'static Message> {
    match field.of {
        WireType::Message(message) => messages().get(message),
        _ => None,
    }
}

fn write_map(
    field: &MessageField,
    value: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    let mut entries: Vec<(&str, Value<'_>)> = value.into_iter().flat_map(Value::members).collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in entries.into_iter().rev() {
        let start = out.len();
        write_value(field, 2, Some(value).filter(|value| !value.is_null()), out)?;
        out.bytes(1, key.as_bytes());
        out.close(field.number, start);
    }
    Ok(())
}

/// Writes one value under `number`; what is not there is empty.
fn write_value(
    field: &MessageField,
    number: u32,
    value: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    let misfit = || ProtobufError::Value { field: field.name.to_owned() };
    match field.of {
        WireType::String => {
            let text = value.map_or(Ok(""), |value| value.as_str().ok_or_else(misfit))?;
            out.bytes(number, text.as_bytes());
        }
        WireType::Bool => {
            let truth = value.map_or(Ok(false), |value| value.as_bool().ok_or_else(misfit))?;
            out.number(number, truth.into());
        }
        WireType::Int32 | WireType::Int64 => {
            let int = value.map_or(Ok(0), |value| value.as_i64().ok_or_else(misfit))?;
            out.number(number, int.cast_unsigned());
        }
        WireType::Double => {
            let float = value.map_or(Ok(0.0), |value| value.as_f64().ok_or_else(misfit))?;
            out.double(number, float);
        }
        WireType::Bytes => {
            let text = value.map_or(Ok(""), |value| value.as_str().ok_or_else(misfit))?;
            let bytes = Base64::Standard.decode(text).map_err(|_| misfit())?;
            out.bytes(number, &bytes);
        }
        WireType::Message(message) => {
            let message = messages().get(message).ok_or_else(misfit)?;
            let start = out.len();
            out.depth += 1;
            if out.depth > MAX_DEPTH {
                return Err(ProtobufError::Depth);
            }
            if message.is_special {
                write_special(message, value, out)?;
            } else {
                write_fields(message, value, out)?;
            }
            out.depth -= 1;
            out.close(number, start);
        }
    }
    Ok(())
}

/// The fields of a message whose JSON is not an object with them.
fn write_special(
    message: &Message,
    value: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    let name = short(message);
    let misfit = || ProtobufError::Value { field: name.to_owned() };
    let text = || value.map_or(Ok(""), |value| value.as_str().ok_or_else(misfit));
    match name {
        "Time" | "MicroTime" => {
            if value.is_some() {
                let time = Timestamp::parse_rfc3339(text()?).map_err(|_| misfit())?;
                let nanoseconds = time.nanoseconds / 1000 * 1000;
                out.number(2, if name == "Time" { 0 } else { nanoseconds.into() });
                out.number(1, time.seconds.cast_unsigned());
            }
        }
        "Quantity" => {
            let number = value.and_then(Value::as_i64).map(|number| number.to_string());
            let text = match &number {
                Some(number) => number,
                None if value.is_none() => "0",
                None => text()?,
            };
            let quantity = Quantity::parse(text).map_err(|_| misfit())?;
            out.bytes(1, quantity.to_string().as_bytes());
        }
        "IntOrString" => {
            let text = value.and_then(Value::as_str);
            let number = value.and_then(Value::as_i64).unwrap_or_default();
            out.bytes(3, text.unwrap_or_default().as_bytes());
            out.number(2, number.cast_unsigned());
            out.number(1, text.is_some().into());
        }
        "Duration" => {
            let nanoseconds = match value {
                Some(_) => duration::parse(text()?).map_err(|_| misfit())?,
                None => 0,
            };
            out.number(1, nanoseconds.cast_unsigned());
        }
        "RawExtension" | "FieldsV1" | "JSON" => {
            if let Some(value) = value {
                let mut text = Vec::new();
                json::write(value, Layout::Compact, &mut text);
                out.bytes(1, &text);
            }
        }
        "JSONSchemaPropsOrBool" => {
            let truth = value.and_then(Value::as_bool);
            if truth.is_none() && value.is_some() {
                write_choice(message, 2, value, out)?;
            }
            out.number(1, truth.unwrap_or(value.is_some()).into());
        }
        "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrStringArray" => {
            write_items(message, 2, value, out)?;
            if value.is_some_and(|value| value.as_object().is_some()) {
                write_choice(message, 1, value, out)?;
            }
        }
        _ => write_items(message, 1, value, out)?,
    }
    Ok(())
}

/// Writes one of the forms that a value can have.
fn write_choice(
    message: &Message,
    number: u32,
    value: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    match message.fields.iter().find(|field| field.number == number) {
        Some(field) => write_value(field, number, value, out),
        None => Ok(()),
    }
}

fn write_items(
    message: &Message,
    number: u32,
    value: Option<Value<'_>>,
    out: &mut Backwards,
) -> Result<(), ProtobufError> {
    let items: Vec<Value<'_>> = value.into_iter().flat_map(Value::items).collect();
    for item in items.into_iter().rev() {
        write_choice(message, number, Some(item), out)?;
    }
    Ok(())
}
