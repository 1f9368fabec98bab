//! JSON text from values.
//!
//! Integers as they are, doubles in the shortest form that reads back exactly and always with a
//! fraction or an exponent, so that they stay doubles; strings with the escapes the grammar asks for
//! and no others.

use super::lex::skip_plain;
use crdkit_value::{Event, Value};

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// No white space.
    #[default]
    Compact,
    /// A line for each member and item, indented by two spaces.
    Pretty,
}

/// Appends `value` to `out`.
pub fn write(value: Value<'_>, layout: Layout, out: &mut Vec<u8>) {
    let mut depth = 0;
    // What came before decides about the comma and the line break in front of what comes next.
    let mut after = After::Key;
    for event in value.events() {
        if let Event::EndArray | Event::EndObject = event {
            depth -= 1;
            if after != After::Begin {
                line(layout, depth, out);
            }
        } else if after != After::Key {
            if after == After::Value {
                out.push(b',');
            }
            line(layout, depth, out);
        }
        after = After::Value;
        match event {
            Event::Null => out.extend_from_slice(b"null"),
            Event::Bool(true) => out.extend_from_slice(b"true"),
            Event::Bool(false) => out.extend_from_slice(b"false"),
            Event::Int(int) => out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
            Event::Float(float) => write_float(float, out),
            Event::Number(text) => out.extend_from_slice(text.as_bytes()),
            Event::String(text) => write_string(text, out),
            Event::Key(key) => {
                write_string(key, out);
                out.extend_from_slice(if layout == Layout::Pretty { b": " } else { b":" });
                after = After::Key;
            }
            Event::EndArray => out.push(b']'),
            Event::EndObject => out.push(b'}'),
            Event::BeginArray | Event::BeginObject => {
                out.push(if event == Event::BeginArray { b'[' } else { b'{' });
                depth += 1;
                after = After::Begin;
            }
        }
    }
}

/// Appends `text` in quotes.
#[inline]
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let plain = skip_plain(bytes, 0);
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if plain < bytes.len() {
        escape(bytes, plain, out);
    } else {
        out.extend_from_slice(bytes);
    }
    out.push(b'"');
}

/// Appends `bytes`, of which the first `plain` need no escape.
#[inline(never)]
fn escape(bytes: &[u8], plain: usize, out: &mut Vec<u8>) {
    let (mut plain, mut rest) = (plain, bytes);
    while let Some((head, tail)) = rest.split_at_checked(plain) {
        out.extend_from_slice(head);
        let Some((special, tail)) = tail.split_first() else { break };
        match special {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            control => {
                let digit =
                    |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
                out.extend_from_slice(b"\\u00");
                out.extend([digit(control >> 4), digit(control & 15)]);
            }
        }
        rest = tail;
        plain = skip_plain(rest, 0);
    }
}

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Begin,
    Key,
    Value,
}

fn write_float(float: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(zmij::Buffer::new().format(float).as_bytes());
}

fn line(layout: Layout, depth: usize, out: &mut Vec<u8>) {
    if layout == Layout::Pretty {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    }
}
