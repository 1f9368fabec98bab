//! OpenAPI documents in their binary forms, which older clients ask for.
//!
//! Takes a document, gives it as the protobuf message that gnostic defines for its version. The messages are tables
//! (`v2`, `v3`): which member of the JSON object is which field, and of what `Shape`. What a message has no field
//! for is left out, and so is every value that is empty or zero, as in all messages of this kind.

mod v2;
mod v3;

use crdkit_codec::go_json;
use crdkit_codec::{DecodeOptions, json};
use crdkit_value::{Kind, Value};

/// A message.
#[derive(Debug)]
struct Message {
    /// Members by key, with the number of their field.
    fields: &'static [(&'static str, u32, FieldShape)],
    rest: Rest,
}

/// What becomes of members that are not among the fields.
#[derive(Debug)]
enum Rest {
    /// Those whose keys begin with `x-` are pairs of a name and any value in this field.
    Extensions(u32),
    /// All are pairs of a name and a value of this shape in this field.
    Pairs(u32, FieldShape),
    /// They are left out.
    Dropped,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
enum FieldShape {
    Text,
    Texts,
    Flag,
    Int,
    Double,
    /// Any value, as YAML in a message of its own.
    Any,
    /// Each item as [`FieldShape::Any`].
    Anys,
    Message(&'static Message),
    /// Each item as one of several messages.
    Choices(fn(Value<'_>) -> Choice),
    /// One of several messages or scalars.
    Choice(fn(Value<'_>) -> Choice),
}

/// Which of several forms a value has: the field of each message around it, and its shape.
struct Choice {
    around: &'static [u32],
    shape: FieldShape,
}

/// The message for a JSON document of version 2; what is not JSON is an empty one.
pub fn encode_v2(document: &[u8]) -> Vec<u8> {
    encode(document, &v2::DOCUMENT)
}

/// The message for a JSON document of version 3; what is not JSON is an empty one.
pub fn encode_v3(document: &[u8]) -> Vec<u8> {
    encode(document, &v3::DOCUMENT)
}

fn encode(document: &[u8], message: &Message) -> Vec<u8> {
    let mut out = Vec::with_capacity(document.len());
    if let Ok(decoded) = json::decode(document, &DecodeOptions::default()) {
        write_message(decoded.document.root(), message, &mut out);
    }
    out
}

fn write_message(value: Value<'_>, message: &Message, out: &mut Vec<u8>) {
    for (key, member) in value.members() {
        let field = message.fields.iter().find(|(name, ..)| *name == key);
        match (field, &message.rest) {
            (Some((_, number, shape)), _) => write_field(member, *number, *shape, out),
            (None, Rest::Pairs(number, shape)) => pair(key, member, *number, *shape, out),
            (None, Rest::Extensions(number)) if key.starts_with("x-") => {
                pair(key, member, *number, FieldShape::Any, out);
            }
            (None, Rest::Extensions(_) | Rest::Dropped) => {}
        }
    }
}

/// A name and a value.
fn pair(name: &str, value: Value<'_>, number: u32, shape: FieldShape, out: &mut Vec<u8>) {
    let mut inside = Vec::new();
    bytes(1, name.as_bytes(), &mut inside);
    write_field(value, 2, shape, &mut inside);
    bytes(number, &inside, out);
}

fn write_field(value: Value<'_>, number: u32, shape: FieldShape, out: &mut Vec<u8>) {
    match shape {
        FieldShape::Text => {
            if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
                bytes(number, text.as_bytes(), out);
            }
        }
        FieldShape::Texts => {
            for text in value.items().filter_map(Value::as_str) {
                bytes(number, text.as_bytes(), out);
            }
        }
        FieldShape::Flag => {
            if value.as_bool() == Some(true) {
                tag(number, 0, out);
                out.push(1);
            }
        }
        FieldShape::Int => {
            if let Some(int) = value.as_i64().filter(|int| *int != 0) {
                tag(number, 0, out);
                varint(int.cast_unsigned(), out);
            }
        }
        FieldShape::Double => {
            if let Some(double) = value.as_f64().filter(|double| *double != 0.0) {
                tag(number, 1, out);
                out.extend(double.to_le_bytes());
            }
        }
        FieldShape::Any => {
            // JSON is YAML.
            let mut yaml = go_json::value(value);
            yaml.push('\n');
            let mut inside = Vec::new();
            bytes(2, yaml.as_bytes(), &mut inside);
            bytes(number, &inside, out);
        }
        FieldShape::Anys => {
            value.items().for_each(|item| write_field(item, number, FieldShape::Any, out));
        }
        FieldShape::Message(message) => {
            let mut inside = Vec::new();
            write_message(value, message, &mut inside);
            bytes(number, &inside, out);
        }
        FieldShape::Choices(choose) => {
            value.items().for_each(|item| choice(item, number, &choose(item), out));
        }
        FieldShape::Choice(choose) => choice(value, number, &choose(value), out),
    }
}

fn choice(value: Value<'_>, number: u32, choice: &Choice, out: &mut Vec<u8>) {
    let Some((last, around)) = choice.around.split_last() else {
        return write_field(value, number, choice.shape, out);
    };
    let mut inside = Vec::new();
    write_field(value, *last, choice.shape, &mut inside);
    for field in around.iter().rev() {
        let mut outside = Vec::new();
        bytes(*field, &inside, &mut outside);
        inside = outside;
    }
    bytes(number, &inside, out);
}

/// Whether a value is an object with a reference.
fn is_reference(value: Value<'_>) -> bool {
    value.get("$ref").is_some()
}

/// Whether a value is true or false.
fn is_flag(value: Value<'_>) -> bool {
    matches!(value.kind(), Kind::Bool(_))
}

fn bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    tag(number, 2, out);
    varint(bytes.len() as u64, out);
    out.extend(bytes);
}

fn tag(number: u32, wire_type: u8, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | u64::from(wire_type), out);
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let low = u8::try_from(value & 0x7F).unwrap_or_default();
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}
