//! Diagnostic notation (RFC 8949, section 8): CBOR for people.
//!
//! Shows the bytes as they are, tags and indefinite lengths included, without asking what they mean.
//! Byte strings that are UTF-8 are shown as text in single quotes, others in hexadecimal; everything
//! outside ASCII is escaped. This is what Kubernetes quotes in its messages.
//!
//! Upstream: `github.com/fxamacker/cbor/v2/diagnose.go` with the options of Kubernetes.

use super::Rules;
use super::head::{BREAK, Head, Major, head};
use super::problem::{CborFinding, CborProblem};
use super::text::Text;
use super::verdict::form;
use crdkit_issue::{FieldPath, Issue, Span};
use crdkit_text::number;
use crdkit_value::Limits;
use std::fmt::Write as _;

/// The notation of `bytes`, which must hold one well-formed item.
///
/// # Errors
/// The finding, when they do not, or when a text string is not UTF-8.
pub fn notation(bytes: &[u8]) -> Result<String, Box<Issue>> {
    show(bytes).map_err(|finding| finding.issue(FieldPath::root()))
}

/// The notations of the items of a sequence, each with the tags before it. An item that is not well formed is
/// the last.
pub fn notations(bytes: &[u8]) -> Vec<Result<String, Box<Issue>>> {
    let mut lines = Vec::new();
    let mut start = 0;
    while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
        let end = super::verdict::item_end(rest, &rules()).unwrap_or(rest.len());
        let line = notation(rest.get(..end).unwrap_or_default());
        lines.push(line.map_err(|mut issue| {
            issue.span = issue.span.map(|span| span.shifted(start));
            issue
        }));
        start += end;
    }
    lines
}

/// What is still to be shown of an open item.
struct DiagFrame {
    /// Items to come, or none when a break ends it.
    left: Option<u64>,
    /// Items shown so far.
    n: u64,
    is_map: bool,
    close: char,
}

fn rules() -> Rules {
    Rules::frames(&Limits::default())
}

pub(crate) fn show(bytes: &[u8]) -> Result<String, CborFinding> {
    form(bytes, &rules())?;
    let mut out = String::new();
    let mut open: Vec<DiagFrame> = Vec::new();
    let mut at = 0;
    loop {
        if let Some(frame) = open.last_mut() {
            let ends = match frame.left {
                Some(left) => left == 0,
                None => bytes.get(at) == Some(&BREAK),
            };
            if ends {
                at += usize::from(frame.left.is_none());
                out.push(frame.close);
                open.pop();
                if open.is_empty() {
                    return Ok(out);
                }
                continue;
            }
            if frame.n > 0 {
                out.push_str(if frame.is_map && frame.n % 2 == 1 { ": " } else { ", " });
            }
            frame.n += 1;
            frame.left = frame.left.map(|left| left - 1);
        }
        let start = at;
        let wrong = |problem| CborFinding::new(problem, Span::new(start, start + 1));
        let Ok(item) = head(bytes, at) else { return Err(wrong(CborProblem::Truncated)) };
        let begun = begin(bytes, item, &mut at, &mut out).map_err(wrong)?;
        open.extend(begun);
        if open.is_empty() {
            return Ok(out);
        }
    }
}

/// Shows the item whose head is `item`, or its beginning when something is inside it.
fn begin(
    bytes: &[u8],
    item: Head,
    at: &mut usize,
    out: &mut String,
) -> Result<Option<DiagFrame>, CborProblem> {
    let start = *at;
    *at = item.end;
    let argument = item.argument;
    match item.major {
        Major::Unsigned => {
            let _ = write!(out, "{argument}");
        }
        Major::Negative => {
            let _ = write!(out, "-{}", u128::from(argument) + 1);
        }
        Major::Simple => simple(item, out),
        Major::Bytes | Major::Text if item.is_indefinite() => {
            if bytes.get(item.end) == Some(&BREAK) {
                *at += 1;
                out.push_str(if item.major == Major::Bytes { "''_" } else { "\"\"_" });
                return Ok(None);
            }
            out.push_str("(_ ");
            return Ok(Some(DiagFrame { left: None, n: 0, is_map: false, close: ')' }));
        }
        Major::Bytes | Major::Text => {
            let text = text_of(item);
            *at = text.end;
            let content = text.content(bytes)?;
            string(&content, text.is_utf8, out);
        }
        Major::Array | Major::Map => {
            let is_map = item.major == Major::Map;
            out.push(if is_map { '{' } else { '[' });
            if item.is_indefinite() {
                out.push_str("_ ");
            }
            let n = if is_map { argument * 2 } else { argument };
            let left = (!item.is_indefinite()).then_some(n);
            return Ok(Some(DiagFrame {
                left,
                n: 0,
                is_map,
                close: if is_map { '}' } else { ']' },
            }));
        }
        Major::Tag if matches!(argument, 2 | 3) => {
            let content = head(bytes, item.end).map_err(|_| CborProblem::Truncated)?;
            if content.major != Major::Bytes {
                return Err(CborProblem::TagContent { tag: argument, found: content.major });
            }
            let end = super::verdict::item_end(bytes.get(start..).unwrap_or_default(), &rules());
            *at = start + end.unwrap_or_default();
            let text = Text { end: *at, is_chunked: content.is_indefinite(), ..text_of(content) };
            let magnitude = text.content(bytes)?;
            bignum(&magnitude, argument == 3, out);
        }
        Major::Tag => {
            let _ = write!(out, "{argument}(");
            return Ok(Some(DiagFrame { left: Some(1), n: 0, is_map: false, close: ')' }));
        }
    }
    Ok(None)
}

fn text_of(item: Head) -> Text {
    let length = usize::try_from(item.argument).unwrap_or_default();
    Text {
        start: item.end,
        end: item.end + length,
        is_utf8: item.major == Major::Text,
        ..Text::EMPTY
    }
}

fn simple(item: Head, out: &mut String) {
    let float = super::parse::float(item);
    match (float, item.argument) {
        (Some(float), _) if float.is_nan() => out.push_str("NaN"),
        (Some(f64::INFINITY), _) => out.push_str("Infinity"),
        (Some(f64::NEG_INFINITY), _) => out.push_str("-Infinity"),
        (Some(float), _) => {
            let text = number::json(float).unwrap_or_default();
            match text.split_once('e') {
                _ if text.contains('.') => out.push_str(&text),
                Some((digits, exponent)) => {
                    let _ = write!(out, "{digits}.0e{exponent}");
                }
                None => {
                    let _ = write!(out, "{text}.0");
                }
            }
        }
        (None, 20) => out.push_str("false"),
        (None, 21) => out.push_str("true"),
        (None, 22) => out.push_str("null"),
        (None, 23) => out.push_str("undefined"),
        (None, value) => {
            let _ = write!(out, "simple({value})");
        }
    }
}

fn string(content: &[u8], is_text: bool, out: &mut String) {
    let text = str::from_utf8(content).ok().filter(|text| is_text || !text.is_empty());
    let Some(text) = text else {
        out.push_str("h'");
        for byte in content {
            let _ = write!(out, "{byte:02x}");
        }
        out.push('\'');
        return;
    };
    let quote = if is_text { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if c == '\\' || c == quote => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push(quote);
}

/// Decimal digits of a number of any size, most significant byte first.
fn bignum(magnitude: &[u8], negative: bool, out: &mut String) {
    const LIMB: u64 = 1_000_000_000;
    let mut limbs: Vec<u64> = vec![0];
    let mut shift = |factor: u64, add: u64| {
        let mut carry = add;
        for limb in &mut limbs {
            let value = *limb * factor + carry;
            *limb = value % LIMB;
            carry = value / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    };
    for byte in magnitude {
        shift(256, u64::from(*byte));
    }
    if negative {
        shift(1, 1);
        out.push('-');
    }
    for (index, limb) in limbs.iter().rev().enumerate() {
        let _ = if index == 0 { write!(out, "{limb}") } else { write!(out, "{limb:09}") };
    }
}
