//! What can be wrong with CBOR, in words for people and in the words of Go's decoder, which the API
//! server shows.

use super::head::Major;
use crdkit_issue::{Code, FieldPath, Issue, Span, codes::decode as code};
use std::fmt::Write as _;

/// Something that is not allowed. The first group concerns the form of the bytes and wins over
/// everything else in the same input; the second what well-formed items mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CborProblem {
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
pub(crate) struct CborFinding {
    pub(crate) problem: CborProblem,
    pub(crate) span: Span,
    /// The key that occurs again, or the text that is not a time.
    pub(crate) text: Box<[u8]>,
}

impl CborFinding {
    pub(crate) fn new(problem: CborProblem, span: Span) -> Self {
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
            CborProblem::Empty => code::CBOR_EMPTY,
            CborProblem::Truncated => code::CBOR_TRUNCATED,
            CborProblem::Trailing { .. } => code::CBOR_TRAILING_DATA,
            CborProblem::Depth { .. } => code::CBOR_TOO_DEEP,
            CborProblem::Items { .. } => code::CBOR_TOO_MANY_ITEMS,
            CborProblem::Pairs { .. } => code::CBOR_TOO_MANY_PAIRS,
            CborProblem::Length { .. } => code::CBOR_LENGTH,
            CborProblem::Reserved { .. } => code::CBOR_RESERVED,
            CborProblem::SimpleForm { .. } => code::CBOR_SIMPLE_FORM,
            CborProblem::Break => code::CBOR_BREAK,
            CborProblem::ChunkType { .. } => code::CBOR_CHUNK_TYPE,
            CborProblem::ChunkNested { .. } => code::CBOR_CHUNK_NESTED,
            CborProblem::Indefinite { .. } => code::CBOR_INDEFINITE,
            CborProblem::Nan => code::CBOR_NAN,
            CborProblem::Infinity => code::CBOR_INFINITY,
            CborProblem::Bignum => code::CBOR_BIGNUM,
            CborProblem::Simple { .. } => code::CBOR_SIMPLE,
            CborProblem::Utf8 => code::CBOR_UTF8,
            CborProblem::TagContent { .. } => code::CBOR_TAG_CONTENT,
            CborProblem::Integer { .. } => code::CBOR_INTEGER_RANGE,
            CborProblem::KeyType { .. } => code::CBOR_KEY_TYPE,
            CborProblem::Duplicate { .. } => code::CBOR_DUPLICATE_KEY,
            CborProblem::TimeSyntax => code::CBOR_TIME_SYNTAX,
            CborProblem::TimeYear | CborProblem::TimeZone => code::CBOR_TIME_RANGE,
            CborProblem::TimeOverflow { .. } | CborProblem::TimeFloat { .. } => {
                code::CBOR_TIME_OVERFLOW
            }
        }
    }

    fn words(&self) -> String {
        let text = String::from_utf8_lossy(&self.text);
        match self.problem {
            CborProblem::Empty => "there is no CBOR item here".into(),
            CborProblem::Truncated => "the input ends in the middle of a CBOR item".into(),
            CborProblem::Trailing { bytes } => format!("{bytes} bytes follow the CBOR item"),
            CborProblem::Depth { limit } => format!("items nest deeper than the limit of {limit}"),
            CborProblem::Items { limit } => format!("an array has more than {limit} items"),
            CborProblem::Pairs { limit } => format!("a map has more than {limit} pairs"),
            CborProblem::Length { length, .. } => format!("the length {length} is too large"),
            CborProblem::Reserved { major, info } => {
                format!("{info} is not a valid argument for a {}", major.name())
            }
            CborProblem::SimpleForm { value } => {
                format!("the simple value {value} must not be written in two bytes")
            }
            CborProblem::Break => "nothing of indefinite length can end here".into(),
            CborProblem::ChunkType { string, chunk } => {
                format!("a {} of indefinite length cannot hold a {}", string.name(), chunk.name())
            }
            CborProblem::ChunkNested { string } => {
                format!("a part of a {} must have a definite length", string.name())
            }
            CborProblem::Indefinite { major } => {
                format!("a {} must have a definite length here", major.name())
            }
            CborProblem::Nan => "the number is NaN, which JSON cannot say".into(),
            CborProblem::Infinity => "the number is infinite, which JSON cannot say".into(),
            CborProblem::Bignum => "integers beyond 64 bits are not accepted".into(),
            CborProblem::Simple { value: 23 } => "`undefined` is not accepted".into(),
            CborProblem::Simple { value } => format!("the simple value {value} has no meaning"),
            CborProblem::Utf8 => "the text string is not valid UTF-8".into(),
            CborProblem::TagContent { tag, found } => {
                format!("tag {tag} holds a {}, expected {}", found.name(), tag_content(tag))
            }
            CborProblem::Integer { negative, argument } => {
                format!("the integer {} does not fit 64 bits", integer(negative, argument))
            }
            CborProblem::KeyType { found, .. } => {
                format!("the key is a {}, expected a string", found.name())
            }
            CborProblem::Duplicate { .. } => format!("`{text}` is given more than once"),
            CborProblem::TimeSyntax => format!("`{text}` is not an RFC 3339 time"),
            CborProblem::TimeYear => "the year of the time is not between 0 and 9999".into(),
            CborProblem::TimeZone => "the time is 24 hours or more away from UTC".into(),
            CborProblem::TimeOverflow { negative, argument } => {
                format!("{} is too large for a time", integer(negative, argument))
            }
            CborProblem::TimeFloat { seconds } => format!("{seconds} is too large for a time"),
        }
    }

    /// The words of Go's decoder.
    pub(crate) fn go(&self) -> String {
        const REFUSED: &str = "is not accepted by protocol:";
        let text = String::from_utf8_lossy(&self.text);
        match self.problem {
            CborProblem::Empty => "EOF".into(),
            CborProblem::Truncated => "unexpected EOF".into(),
            CborProblem::Trailing { bytes } => {
                let index = self.span.start;
                format!("cbor: {bytes} bytes of extraneous data starting at index {index}")
            }
            CborProblem::Depth { limit } => format!("cbor: exceeded max nested level {limit}"),
            CborProblem::Items { limit } => {
                format!("cbor: exceeded max number of elements {limit} for CBOR array")
            }
            CborProblem::Pairs { limit } => {
                format!("cbor: exceeded max number of key-value pairs {limit} for CBOR map")
            }
            CborProblem::Length { major: major @ (Major::Array | Major::Map), length } => format!(
                "cbor: {} length {length} is too large, it would cause integer overflow",
                major.name()
            ),
            CborProblem::Length { major, length } => format!(
                "cbor: {} length {length} is too large, causing integer overflow",
                major.name()
            ),
            CborProblem::Reserved { major, info } => {
                format!("cbor: invalid additional information {info} for type {}", major.name())
            }
            CborProblem::SimpleForm { value } => {
                format!("cbor: invalid simple value {value} for type primitives")
            }
            CborProblem::Break => "cbor: unexpected \"break\" code".into(),
            CborProblem::ChunkType { string, chunk } => {
                let (string, chunk) = (string.name(), chunk.name());
                format!("cbor: wrong element type {chunk} for indefinite-length {string}")
            }
            CborProblem::ChunkNested { string } => {
                format!("cbor: indefinite-length {} chunk is not definite-length", string.name())
            }
            CborProblem::Indefinite { major } => {
                format!("cbor: indefinite-length {} isn't allowed", major.name())
            }
            CborProblem::Nan => {
                format!("cbor: data item of cbor type primitives {REFUSED} floating-point NaN")
            }
            CborProblem::Infinity => {
                format!("cbor: data item of cbor type primitives {REFUSED} floating-point infinity")
            }
            CborProblem::Bignum => format!("cbor: data item of cbor type tag {REFUSED} bignum"),
            CborProblem::Simple { value } => format!(
                "cbor: data item of cbor type primitives {REFUSED} simple value {value} is not recognized"
            ),
            CborProblem::Utf8 => "cbor: invalid UTF-8 string".into(),
            CborProblem::TagContent { tag, found } => format!(
                "cbor: tag number {tag} must be followed by {}, got {}",
                tag_content(tag),
                found.name()
            ),
            CborProblem::Integer { negative, argument } => overflow("int64", negative, argument),
            CborProblem::KeyType { too_small: Some(argument), .. } => {
                overflow("string", true, argument)
            }
            CborProblem::KeyType { found, too_small: None } => {
                format!("cbor: cannot unmarshal {} into Go value of type string", found.name())
            }
            CborProblem::Duplicate { index } => format!(
                "cbor: found duplicate map key {} at map element index {index}",
                quoted(&self.text)
            ),
            CborProblem::TimeSyntax => {
                let reason = super::time::explain(&self.text);
                format!("cbor: cannot set {text} for time.Time: {reason}")
            }
            CborProblem::TimeYear => format!("{TIME_FORM} year outside of range [0,9999]"),
            CborProblem::TimeZone => format!("{TIME_FORM} timezone hour outside of range [0,23]"),
            CborProblem::TimeOverflow { negative, argument } => {
                overflow("time.Time", negative, argument)
            }
            CborProblem::TimeFloat { seconds } => format!(
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
