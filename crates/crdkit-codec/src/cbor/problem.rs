//! What can be wrong with CBOR, in words for people and in the words of Go's decoder, which the API
//! server shows.

use super::head::Major;
use crdkit_issue::{Code, FieldPath, Issue, Span, codes::decode as code};
use std::fmt::Write as _;

/// Something that is not allowed. The first group concerns the form of the bytes and wins over
/// everything else in the same input; the second what well-formed items mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Problem {
    Empty,
    Truncated,
    Trailing { bytes: usize },
    Depth { limit: usize },
    Items { limit: u64 },
    Pairs { limit: u64 },
    Length { major: Major, length: u64 },
    Reserved { major: Major, info: u8 },
    SimpleForm { value: u64 },
    Break,
    ChunkType { string: Major, chunk: Major },
    ChunkNested { string: Major },
    Indefinite { major: Major },
    Nan,
    Infinity,
    Bignum,

    Simple { value: u64 },
    Utf8,
    TagContent { tag: u64, found: Major },
    Integer { negative: bool, argument: u64 },
    KeyType { found: Major, too_small: Option<u64> },
    Duplicate { index: u64 },
    TimeSyntax,
    TimeYear,
    TimeZone,
    TimeOverflow { negative: bool, argument: u64 },
    TimeFloat { seconds: f64 },
}

/// A problem and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) problem: Problem,
    pub(crate) span: Span,
    /// The key that occurs again, or the text that is no time.
    pub(crate) text: Box<[u8]>,
}

impl Finding {
    pub(crate) fn new(problem: Problem, span: Span) -> Self {
        Self { problem, span, text: Box::default() }
    }

    #[cold]
    pub(crate) fn issue(&self, path: FieldPath) -> Box<Issue> {
        let issue = Issue::error(self.code())
            .with("problem", self.words())
            .with("server", self.go())
            .at(path);
        Box::new(issue.span(self.span))
    }

    fn code(&self) -> Code {
        match self.problem {
            Problem::Empty => code::CBOR_EMPTY,
            Problem::Truncated => code::CBOR_TRUNCATED,
            Problem::Trailing { .. } => code::CBOR_TRAILING_DATA,
            Problem::Depth { .. } => code::CBOR_TOO_DEEP,
            Problem::Items { .. } => code::CBOR_TOO_MANY_ITEMS,
            Problem::Pairs { .. } => code::CBOR_TOO_MANY_PAIRS,
            Problem::Length { .. } => code::CBOR_LENGTH,
            Problem::Reserved { .. } => code::CBOR_RESERVED,
            Problem::SimpleForm { .. } => code::CBOR_SIMPLE_FORM,
            Problem::Break => code::CBOR_BREAK,
            Problem::ChunkType { .. } => code::CBOR_CHUNK_TYPE,
            Problem::ChunkNested { .. } => code::CBOR_CHUNK_NESTED,
            Problem::Indefinite { .. } => code::CBOR_INDEFINITE,
            Problem::Nan => code::CBOR_NAN,
            Problem::Infinity => code::CBOR_INFINITY,
            Problem::Bignum => code::CBOR_BIGNUM,
            Problem::Simple { .. } => code::CBOR_SIMPLE,
            Problem::Utf8 => code::CBOR_UTF8,
            Problem::TagContent { .. } => code::CBOR_TAG_CONTENT,
            Problem::Integer { .. } => code::CBOR_INTEGER_RANGE,
            Problem::KeyType { .. } => code::CBOR_KEY_TYPE,
            Problem::Duplicate { .. } => code::CBOR_DUPLICATE_KEY,
            Problem::TimeSyntax => code::CBOR_TIME_SYNTAX,
            Problem::TimeYear | Problem::TimeZone => code::CBOR_TIME_RANGE,
            Problem::TimeOverflow { .. } | Problem::TimeFloat { .. } => code::CBOR_TIME_OVERFLOW,
        }
    }

    fn words(&self) -> String {
        let text = String::from_utf8_lossy(&self.text);
        match self.problem {
            Problem::Empty => "there is no CBOR item here".into(),
            Problem::Truncated => "the input ends in the middle of a CBOR item".into(),
            Problem::Trailing { bytes } => format!("{bytes} bytes follow the CBOR item"),
            Problem::Depth { limit } => format!("items nest deeper than the limit of {limit}"),
            Problem::Items { limit } => format!("an array has more than {limit} items"),
            Problem::Pairs { limit } => format!("a map has more than {limit} pairs"),
            Problem::Length { length, .. } => format!("the length {length} is too large"),
            Problem::Reserved { major, info } => {
                format!("{info} is not a valid argument for a {}", major.name())
            }
            Problem::SimpleForm { value } => {
                format!("the simple value {value} must not be written in two bytes")
            }
            Problem::Break => "nothing of indefinite length can end here".into(),
            Problem::ChunkType { string, chunk } => {
                format!("a {} of indefinite length cannot hold a {}", string.name(), chunk.name())
            }
            Problem::ChunkNested { string } => {
                format!("a part of a {} must have a definite length", string.name())
            }
            Problem::Indefinite { major } => {
                format!("a {} must have a definite length here", major.name())
            }
            Problem::Nan => "the number is NaN, which JSON cannot say".into(),
            Problem::Infinity => "the number is infinite, which JSON cannot say".into(),
            Problem::Bignum => "integers beyond 64 bits are not accepted".into(),
            Problem::Simple { value: 23 } => "`undefined` is not accepted".into(),
            Problem::Simple { value } => format!("the simple value {value} has no meaning"),
            Problem::Utf8 => "the text string is not valid UTF-8".into(),
            Problem::TagContent { tag, found } => {
                format!("tag {tag} holds a {}, expected {}", found.name(), tag_content(tag))
            }
            Problem::Integer { negative, argument } => {
                format!("the integer {} does not fit 64 bits", integer(negative, argument))
            }
            Problem::KeyType { found, .. } => {
                format!("the key is a {}, expected a string", found.name())
            }
            Problem::Duplicate { .. } => format!("`{text}` is given more than once"),
            Problem::TimeSyntax => format!("`{text}` is not an RFC 3339 time"),
            Problem::TimeYear => "the year of the time is not between 0 and 9999".into(),
            Problem::TimeZone => "the time is 24 hours or more away from UTC".into(),
            Problem::TimeOverflow { negative, argument } => {
                format!("{} is too large for a time", integer(negative, argument))
            }
            Problem::TimeFloat { seconds } => format!("{seconds} is too large for a time"),
        }
    }

    /// The words of Go's decoder.
    pub(crate) fn go(&self) -> String {
        const REFUSED: &str = "is not accepted by protocol:";
        let text = String::from_utf8_lossy(&self.text);
        match self.problem {
            Problem::Empty => "EOF".into(),
            Problem::Truncated => "unexpected EOF".into(),
            Problem::Trailing { bytes } => {
                let index = self.span.start;
                format!("cbor: {bytes} bytes of extraneous data starting at index {index}")
            }
            Problem::Depth { limit } => format!("cbor: exceeded max nested level {limit}"),
            Problem::Items { limit } => {
                format!("cbor: exceeded max number of elements {limit} for CBOR array")
            }
            Problem::Pairs { limit } => {
                format!("cbor: exceeded max number of key-value pairs {limit} for CBOR map")
            }
            Problem::Length { major: major @ (Major::Array | Major::Map), length } => format!(
                "cbor: {} length {length} is too large, it would cause integer overflow",
                major.name()
            ),
            Problem::Length { major, length } => format!(
                "cbor: {} length {length} is too large, causing integer overflow",
                major.name()
            ),
            Problem::Reserved { major, info } => {
                format!("cbor: invalid additional information {info} for type {}", major.name())
            }
            Problem::SimpleForm { value } => {
                format!("cbor: invalid simple value {value} for type primitives")
            }
            Problem::Break => "cbor: unexpected \"break\" code".into(),
            Problem::ChunkType { string, chunk } => {
                let (string, chunk) = (string.name(), chunk.name());
                format!("cbor: wrong element type {chunk} for indefinite-length {string}")
            }
            Problem::ChunkNested { string } => {
                format!("cbor: indefinite-length {} chunk is not definite-length", string.name())
            }
            Problem::Indefinite { major } => {
                format!("cbor: indefinite-length {} isn't allowed", major.name())
            }
            Problem::Nan => {
                format!("cbor: data item of cbor type primitives {REFUSED} floating-point NaN")
            }
            Problem::Infinity => {
                format!("cbor: data item of cbor type primitives {REFUSED} floating-point infinity")
            }
            Problem::Bignum => format!("cbor: data item of cbor type tag {REFUSED} bignum"),
            Problem::Simple { value } => format!(
                "cbor: data item of cbor type primitives {REFUSED} simple value {value} is not recognized"
            ),
            Problem::Utf8 => "cbor: invalid UTF-8 string".into(),
            Problem::TagContent { tag, found } => format!(
                "cbor: tag number {tag} must be followed by {}, got {}",
                tag_content(tag),
                found.name()
            ),
            Problem::Integer { negative, argument } => overflow("int64", negative, argument),
            Problem::KeyType { too_small: Some(argument), .. } => {
                overflow("string", true, argument)
            }
            Problem::KeyType { found, too_small: None } => {
                format!("cbor: cannot unmarshal {} into Go value of type string", found.name())
            }
            Problem::Duplicate { index } => format!(
                "cbor: found duplicate map key {} at map element index {index}",
                quoted(&self.text)
            ),
            Problem::TimeSyntax => {
                let reason = super::time::explain(&self.text);
                format!("cbor: cannot set {text} for time.Time: {reason}")
            }
            Problem::TimeYear => format!("{TIME_FORM} year outside of range [0,9999]"),
            Problem::TimeZone => format!("{TIME_FORM} timezone hour outside of range [0,23]"),
            Problem::TimeOverflow { negative, argument } => {
                overflow("time.Time", negative, argument)
            }
            Problem::TimeFloat { seconds } => format!(
                "cbor: cannot unmarshal primitives into Go value of type time.Time ({} overflows Go's int64)",
                crdkit_text::number::exponential(seconds)
            ),
        }
    }
}

const TIME_FORM: &str = "cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText:";

fn tag_content(tag: u64) -> &'static str {
    match tag {
        0 => "text string",
        1 => "integer or floating-point number",
        _ => "byte string",
    }
}

fn integer(negative: bool, argument: u64) -> String {
    if negative { format!("-{}", u128::from(argument) + 1) } else { argument.to_string() }
}

fn overflow(go_type: &str, negative: bool, argument: u64) -> String {
    let major = if negative { Major::Negative } else { Major::Unsigned }.name();
    let number = integer(negative, argument);
    format!(
        "cbor: cannot unmarshal {major} into Go value of type {go_type} ({number} overflows Go's int64)"
    )
}

/// Go's `%#v` of a string: quotes, with escapes for what does not print.
fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{7}' => out.push_str("\\a"),
                '\u{8}' => out.push_str("\\b"),
                '\u{B}' => out.push_str("\\v"),
                '\u{C}' => out.push_str("\\f"),
                '\u{0}'..='\u{1F}' | '\u{7F}' => {
                    let _ = write!(out, "\\x{:02x}", u32::from(c));
                }
                _ => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}
