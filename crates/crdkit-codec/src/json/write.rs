//! JSON text from values.
//!
//! Integers as they are, doubles in the shortest form that reads back exactly and always with a
//! fraction or an exponent, so that they stay doubles; strings with the escapes the grammar asks for
//! and no others.

use super::lex::skip_plain;
use crdkit_value::{Cursor, Kind, NodeId, Value};

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// No white space.
    #[default]
    Compact,
    /// A line for each member and item, indented by two spaces.
    Pretty,
}

/// Few documents nest deeper; those that do pay for growth.
const USUAL_DEPTH: usize = 16;

/// Appends `value` to `out`.
pub fn write(value: Value<'_>, layout: Layout, out: &mut Vec<u8>) {
    let document = value.document();
    let Some(mut at) = document.cursor(value.id()) else { return };
    if value.id() == NodeId::ROOT {
        out.reserve(document.n_text() + 4 * document.n_nodes());
    }
    // The arrays and objects around the current value, and whether each is an object.
    let mut outer: Vec<(Cursor<'_>, bool)> = Vec::with_capacity(USUAL_DEPTH);
    loop {
        let inside = match at.kind() {
            Kind::Array(_) => Some(false),
            Kind::Object(_) => Some(true),
            scalar => {
                write_scalar(&scalar, out);
                None
            }
        };
        if let Some(is_object) = inside {
            out.push(if is_object { b'{' } else { b'[' });
            if let Some(first) = at.first_child() {
                outer.push((at, is_object));
                begin(first, is_object, outer.len(), layout, out);
                at = first;
                continue;
            }
            out.push(if is_object { b'}' } else { b']' });
        }
        // What is complete ends, up to where something follows.
        loop {
            let Some((around, is_object)) = outer.last().copied() else { return };
            if let Some(next) = at.next_sibling() {
                out.push(b',');
                begin(next, is_object, outer.len(), layout, out);
                at = next;
                break;
            }
            outer.pop();
            line(layout, outer.len(), out);
            out.push(if is_object { b'}' } else { b']' });
            at = around;
        }
    }
}

/// Appends what stands in front of a member or item: its key, if it has one.
#[inline(always)]
fn begin(at: Cursor<'_>, is_keyed: bool, depth: usize, layout: Layout, out: &mut Vec<u8>) {
    line(layout, depth, out);
    if is_keyed {
        write_string(at.key_text(), out);
        out.extend_from_slice(if layout == Layout::Pretty { b": " } else { b":" });
    }
}

#[inline(always)]
fn write_scalar(scalar: &Kind<'_>, out: &mut Vec<u8>) {
    match scalar {
        Kind::Null | Kind::Array(_) | Kind::Object(_) => out.extend_from_slice(b"null"),
        Kind::Bool(true) => out.extend_from_slice(b"true"),
        Kind::Bool(false) => out.extend_from_slice(b"false"),
        Kind::Int(int) => out.extend_from_slice(itoa::Buffer::new().format(*int).as_bytes()),
        Kind::Float(float) => write_float(*float, out),
        Kind::Number(text) => out.extend_from_slice(text.as_bytes()),
        Kind::String(text) => write_string(text, out),
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

fn write_float(float: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(zmij::Buffer::new().format(float).as_bytes());
}

fn line(layout: Layout, depth: usize, out: &mut Vec<u8>) {
    if layout == Layout::Pretty {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    }
}
