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

/// A double as Go's `encoding/json` writes it: the shortest digits, those nearest to the double, and the even
/// ones where two are equally near.
pub(crate) fn float(float: f64) -> String {
    let sign = if float.is_sign_negative() { "-" } else { "" };
    if float == 0.0 {
        return format!("{sign}0");
    }
    if !(1e-6..1e21).contains(&float.abs()) {
        return exponent(float);
    }
    let (digits, point) = digits(float);
    match usize::try_from(point) {
        Ok(point) if point >= digits.len() => format!("{sign}{digits:0<point$}"),
        Ok(point) if point > 0 => {
            let (whole, fraction) = digits.split_at_checked(point).unwrap_or((&digits, ""));
            format!("{sign}{whole}.{fraction}")
        }
        _ => {
            let length = digits.len() + usize::try_from(-point).unwrap_or_default();
            format!("{sign}0.{digits:0>length$}")
        }
    }
}

/// The same with an exponent, whatever the size.
pub(crate) fn exponent(float: f64) -> String {
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let (digits, point) = digits(float);
    let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{dot}{rest}e{:+}", point - 1)
}

/// The shortest digits of a double that is not 0, and how many of them stand before the point.
fn digits(float: f64) -> (String, i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(float.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let all = format!("{whole}{fraction}");
    let leading = all.len() - all.trim_start_matches('0').len();
    let size = |n: usize| i32::try_from(n).unwrap_or_default();
    (all.trim_matches('0').to_owned(), size(whole.len()) + exponent - size(leading))
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
