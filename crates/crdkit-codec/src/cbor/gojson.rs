//! JSON text exactly as Go's `encoding/json` writes it: what Kubernetes stores and shows when CBOR has
//! to become JSON.
//!
//! Keys sorted by their bytes; `<`, `>`, `&`, U+2028 and U+2029 escaped; a byte that is not UTF-8
//! becomes `\ufffd`; doubles in their shortest digits, in plain decimals from 1e-6 up to 1e21, so that
//! a whole double reads back as an integer.

use crdkit_value::{Kind, Value};
use std::fmt::Write as _;

/// Appends `value` to `out`.
pub(crate) fn write(value: Value<'_>, out: &mut Vec<u8>) {
    enum Todo<'d> {
        Value(Value<'d>),
        Key(&'d [u8]),
        Byte(u8),
    }
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        let value = match next {
            Todo::Byte(byte) => {
                out.push(byte);
                continue;
            }
            Todo::Key(key) => {
                write_bytes(key, out);
                out.push(b':');
                continue;
            }
            Todo::Value(value) => value,
        };
        match value.kind() {
            Kind::Null => out.extend_from_slice(b"null"),
            Kind::Bool(bool) => out.extend_from_slice(if bool { b"true" } else { b"false" }),
            Kind::Int(int) => out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes()),
            Kind::Float(number) => out.extend_from_slice(float(number).as_bytes()),
            Kind::Number(text) => out.extend_from_slice(text.as_bytes()),
            Kind::String(_) => write_bytes(value.as_bytes().unwrap_or_default(), out),
            Kind::Array(items) => {
                out.push(b'[');
                todo.push(Todo::Byte(b']'));
                let begin = todo.len();
                for item in items {
                    if todo.len() > begin {
                        todo.push(Todo::Byte(b','));
                    }
                    todo.push(Todo::Value(item));
                }
                if let Some(pushed) = todo.get_mut(begin..) {
                    pushed.reverse();
                }
            }
            Kind::Object(members) => {
                out.push(b'{');
                todo.push(Todo::Byte(b'}'));
                let mut members: Vec<_> = members
                    .map(|(_, member)| (member.key_bytes().unwrap_or_default(), member))
                    .collect();
                members.sort_unstable_by_key(|(key, _)| *key);
                for (index, (key, member)) in members.into_iter().enumerate().rev() {
                    todo.push(Todo::Value(member));
                    todo.push(Todo::Key(key));
                    if index > 0 {
                        todo.push(Todo::Byte(b','));
                    }
                }
            }
        }
    }
}

/// A double as Go's `encoding/json` writes it.
pub(crate) fn float(float: f64) -> String {
    if float == 0.0 {
        return if float.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    if (1e-6..1e21).contains(&float.abs()) {
        return format!("{float}");
    }
    let text = format!("{float:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Appends `bytes` as a string in quotes.
fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(needs_escape) {
            let (plain, tail) = rest.split_at(at);
            out.extend_from_slice(plain.as_bytes());
            let mut chars = tail.chars();
            match chars.next() {
                Some('"') => out.extend_from_slice(b"\\\""),
                Some('\\') => out.extend_from_slice(b"\\\\"),
                Some('\n') => out.extend_from_slice(b"\\n"),
                Some('\r') => out.extend_from_slice(b"\\r"),
                Some('\t') => out.extend_from_slice(b"\\t"),
                Some('\u{8}') => out.extend_from_slice(b"\\b"),
                Some('\u{C}') => out.extend_from_slice(b"\\f"),
                Some(c) => {
                    let mut escape = String::new();
                    let _ = write!(escape, "\\u{:04x}", u32::from(c));
                    out.extend_from_slice(escape.as_bytes());
                }
                None => {}
            }
            rest = chars.as_str();
        }
        out.extend_from_slice(rest.as_bytes());
        for _ in chunk.invalid() {
            out.extend_from_slice(b"\\ufffd");
        }
    }
    out.push(b'"');
}

fn needs_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '<' | '>' | '&' | '\u{0}'..='\u{1F}' | '\u{2028}' | '\u{2029}')
}
