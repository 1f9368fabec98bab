//! Values as Go's `encoding/json` writes them: keys sorted, `<`, `>` and `&` escaped.
//!
//! This is how the API server shows offending values that are not plain strings or numbers.
//! Nothing recurses on the value.

use crdkit_issue::Arg;
use crdkit_text::number;
use crdkit_value::{Kind, Value};
use std::fmt::Write as _;

/// `value` in compact form.
pub fn value(value: Value<'_>) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// Appends `value` in compact form.
pub fn write_value(value: Value<'_>, out: &mut String) {
    let mut open = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match value.kind() {
                Kind::Null => out.push_str("null"),
                Kind::Bool(bool) => out.push_str(if bool { "true" } else { "false" }),
                Kind::Int(int) => {
                    let _ = write!(out, "{int}");
                }
                Kind::Float(float) => out.push_str(&number::json(float).unwrap_or_default()),
                Kind::Number(text) => out.push_str(text),
                Kind::String(text) => write_string(text, out),
                Kind::Array(items) => {
                    out.push('[');
                    let items: Vec<_> = items.map(|item| (None, item)).collect();
                    open.push((items.into_iter(), ']', true));
                }
                Kind::Object(members) => {
                    out.push('{');
                    let mut members: Vec<_> =
                        members.map(|(key, member)| (Some(key), member)).collect();
                    members.sort_unstable_by_key(|(key, _)| *key);
                    open.push((members.into_iter(), '}', true));
                }
            }
        }
        let Some((rest, close, first)) = open.last_mut() else { return };
        if let Some((key, value)) = rest.next() {
            if !std::mem::replace(first, false) {
                out.push(',');
            }
            if let Some(key) = key {
                write_string(key, out);
                out.push(':');
            }
            next = Some(value);
        } else {
            out.push(*close);
            open.pop();
        }
    }
}

/// Appends `text` in quotes.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// A list of strings; `null` when there is none.
pub fn strings<'a>(list: impl IntoIterator<Item = &'a str>, nil: bool) -> String {
    let mut out = String::new();
    for text in list {
        out.push(if out.is_empty() { '[' } else { ',' });
        write_string(text, &mut out);
    }
    match out.as_str() {
        "" if nil => "null".into(),
        "" => "[]".into(),
        _ => out + "]",
    }
}

/// A string whose type has a name of its own, or that may be absent: such are shown as JSON.
pub(crate) fn named(text: &str) -> Arg {
    Arg::Literal(string(text).into())
}

/// One string in quotes.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    out
}
