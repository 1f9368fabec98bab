//! What a scalar means: null, boolean, number or text.
//!
//! Takes a scalar as written, with its tag; gives the value the Kubernetes YAML reader gives it, or says that the
//! text does not fit the tag. The rules are those of YAML 1.1 with Go's number syntax: `yes` and `on` are
//! booleans, `010` is eight, `1_000` is a thousand, `1:30` is text.
//!
//! Upstream: `go.yaml.in/yaml/v2` `resolve.go`, and `sigs.k8s.io/yaml` `yaml.go` for keys.

use std::borrow::Cow;

use super::error::YamlProblem;
use super::event::{Scalar, Tag};
use super::timestamp::is_timestamp;
use crdkit_text::base64::Base64;

/// The value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resolved<'s> {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above the range of `i64`.
    Unsigned(u64),
    Float(f64),
    Text(Cow<'s, str>),
}

impl Resolved<'_> {
    fn tag(&self) -> Tag {
        match self {
            Self::Null => Tag::Null,
            Self::Bool(_) => Tag::Bool,
            Self::Int(_) | Self::Unsigned(_) => Tag::Int,
            Self::Float(_) => Tag::Float,
            Self::Text(_) => Tag::Str,
        }
    }
}

/// The value of `scalar`.
#[inline]
pub(super) fn resolve<'s>(scalar: &'s Scalar<'_>) -> Result<Resolved<'s>, YamlProblem> {
    let text = &*scalar.text;
    match scalar.tag {
        Tag::None if scalar.plain => Ok(resolve_plain(text)),
        Tag::None | Tag::Str | Tag::NonSpecific | Tag::Merge | Tag::Other => Ok(string(text)),
        Tag::Binary => {
            let bytes = Base64::Standard.decode(text).map_err(|_| YamlProblem::InvalidBase64)?;
            Ok(Resolved::Text(Cow::Owned(lossy(&bytes))))
        }
        Tag::Timestamp if is_timestamp(text) => Ok(string(text)),
        wanted => {
            let resolved = resolve_plain(text);
            match (wanted, &resolved) {
                #[expect(clippy::cast_precision_loss, reason = "what `!!float` asks for")]
                (Tag::Float, Resolved::Int(int)) => Ok(Resolved::Float(*int as f64)),
                (wanted, resolved_as) if resolved_as.tag() == wanted => Ok(resolved),
                (wanted, resolved_as) => Err(YamlProblem::TagMismatch {
                    found: resolved_as.tag().short(),
                    text: text.chars().take(64).collect(),
                    wanted: wanted.short(),
                }),
            }
        }
    }
}

/// The value of a scalar without quotes or tag.
#[inline]
pub(super) fn resolve_plain(text: &str) -> Resolved<'_> {
    match text.as_bytes().first() {
        None => Resolved::Null,
        Some(b'0'..=b'9' | b'+' | b'-') => resolve_number(text),
        Some(b'.') => resolve_dotted(text),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            resolve_word(text)
        }
        _ => string(text),
    }
}

fn string(text: &str) -> Resolved<'_> {
    Resolved::Text(Cow::Borrowed(text))
}

fn resolve_word(text: &str) -> Resolved<'_> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ => string(text),
    }
}

/// Text that begins with a dot: a special number, or a fraction in Go's syntax.
fn resolve_dotted(text: &str) -> Resolved<'_> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
        _ if text.contains('_') && !underscores_separate_digits(text) => string(text),
        _ => match parse_decimal(&text.replace('_', "")) {
            Some(float) => Resolved::Float(float),
            None => string(text),
        },
    }
}

/// Text that begins with a digit or a sign.
fn resolve_number(text: &str) -> Resolved<'_> {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Resolved::Float(f64::NEG_INFINITY),
        // The common case: a short decimal integer.
        _ if text.len() < 19
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && !text.starts_with('0') =>
        {
            return text.parse().map_or(string(text), Resolved::Int);
        }
        // No number has characters after a letter that is none of its own.
        _ if !text.bytes().all(may_be_in_number) => return string(text),
        _ => {}
    }
    let plain =
        if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    let (sign, digits) = match plain.as_bytes().first() {
        Some(b'-') => (Some(Sign::Minus), plain.get(1..).unwrap_or_default()),
        Some(b'+') => (Some(Sign::Plus), plain.get(1..).unwrap_or_default()),
        _ => (None, &*plain),
    };
    if let Some(magnitude) = parse_integer(digits) {
        let int = match sign {
            Some(Sign::Minus) => 0_i64.checked_sub_unsigned(magnitude),
            _ => i64::try_from(magnitude).ok(),
        };
        match int {
            Some(int) => return Resolved::Int(int),
            None if sign.is_none() => return Resolved::Unsigned(magnitude),
            None => {}
        }
    }
    if let Some(float) = parse_decimal(&plain) {
        return Resolved::Float(float);
    }
    // A sign between the prefix and the digits is let through for binary numbers only.
    match plain.strip_prefix("0b").and_then(|rest| i64::from_str_radix(rest, 2).ok()) {
        Some(int) => Resolved::Int(int),
        None => string(text),
    }
}

#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

fn may_be_in_number(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
        || matches!(byte, b'x' | b'X' | b'o' | b'O' | b'_' | b'+' | b'-' | b'.')
}

/// An unsigned integer with Go's base prefixes; a leading zero alone means octal.
fn parse_integer(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (text.get(2..)?, 16),
        [b'0', b'o' | b'O', _, ..] => (text.get(2..)?, 8),
        [b'0', b'b' | b'B', _, ..] => (text.get(2..)?, 2),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    // A second sign is not a digit, though the parser below would take it.
    let well_formed = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if well_formed { u64::from_str_radix(digits, radix).ok() } else { None }
}

/// A finite decimal number: digits with an optional fraction and exponent.
fn parse_decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mantissa_end = unsigned.find(['e', 'E']).unwrap_or(unsigned.len());
    let (mantissa, exponent) = unsigned.split_at_checked(mantissa_end)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if let Some(exponent) = exponent.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if exponent.is_empty() || !digits(exponent) {
            return None;
        }
    }
    text.parse::<f64>().ok().filter(|float| float.is_finite())
}

/// Whether every underscore stands between two digits.
fn underscores_separate_digits(text: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'_').all(|(at, _)| {
        is_digit(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && is_digit(bytes.get(at + 1))
    })
}

/// `bytes` as text, with U+FFFD for each byte that is not part of a character, as Go's JSON encoder does.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
