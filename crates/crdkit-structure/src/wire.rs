//! What is read: text in one of the formats, or a document that somebody has decoded already.

use super::options::ParseOptions;
use crate::import::Numbers;
use crdkit_codec::{DecodeOptions, Decoded, cbor, json, yaml};
use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Document, NumberMode};

/// The form a value arrives in.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Wire<'a> {
    /// JSON text.
    Json(&'a [u8]),
    /// YAML text; its first document.
    Yaml(&'a [u8]),
    /// CBOR, as Kubernetes writes it.
    Cbor(&'a [u8]),
    /// A document. What its source had twice cannot be known any more.
    Document(&'a Document),
}

impl Wire<'_> {
    /// Decodes it.
    ///
    /// # Errors
    /// Why it is not a document.
    pub(super) fn decode(
        self,
        numbers: Numbers,
        options: &ParseOptions,
        positions: bool,
    ) -> Result<Decoded, Box<Issue>> {
        let decode_options = DecodeOptions::new()
            .limits(options.limits.clone())
            .duplicates(options.duplicates)
            .report_duplicates(options.report_duplicates)
            .numbers(number_mode(numbers))
            .positions(positions);
        match self {
            Self::Json(bytes) => {
                check_text(bytes)?;
                json::decode(bytes, &decode_options)
            }
            Self::Yaml(bytes) => yaml::decode(bytes, &decode_options),
            Self::Cbor(bytes) => cbor::decode(bytes, &decode_options),
            Self::Document(document) => {
                let document = Document::copy_with_positions(document.root());
                Ok(Decoded { document, issues: Vec::new() })
            }
        }
    }

    /// The bytes that positions are in, if they are text.
    pub(super) fn source(&self) -> Option<&[u8]> {
        match self {
            Self::Json(bytes) | Self::Yaml(bytes) => Some(bytes),
            Self::Cbor(_) | Self::Document(_) => None,
        }
    }
}

/// What a decoder has to keep of numbers so that nothing is lost before it is looked at.
pub(super) fn number_mode(numbers: Numbers) -> NumberMode {
    match numbers {
        Numbers::Kubernetes => NumberMode::Value,
        Numbers::Decimal { keep_scale: true } => NumberMode::Text,
        _ => NumberMode::Exact,
    }
}

/// Refuses what decoding would quietly replace: bytes that are not UTF-8, and halves of surrogate pairs.
fn check_text(bytes: &[u8]) -> Result<(), Box<Issue>> {
    judge_text(bytes, true).map(drop).map_err(|(at, problem)| text_problem(at, problem))
}

/// The finding about text that is not what it has to be.
pub(super) fn text_problem(at: usize, problem: &str) -> Box<Issue> {
    let issue = Issue::error(codes::decode::JSON_SYNTAX).with("problem", problem);
    Box::new(issue.with("server", problem).span(Span::new(at, at + 1)))
}

/// How many of `bytes` are known to be right: all of them, but for a beginning of something at the end that more bytes
/// may complete, unless these are the last.
pub(super) fn judge_text(bytes: &[u8], at_end: bool) -> Result<usize, (usize, &'static str)> {
    let (valid, wrong) = match std::str::from_utf8(bytes) {
        Ok(_) => (bytes.len(), false),
        Err(error) => (error.valid_up_to(), at_end || error.error_len().is_some()),
    };
    let text = bytes.get(..valid).unwrap_or_default();
    let mut at = 0;
    let alone = "half of a surrogate pair stands alone";
    while let Some(next) = memchr(text.get(at..).unwrap_or_default()) {
        at += next;
        let escape = text.get(at..).unwrap_or_default();
        let length = match hex(escape) {
            Some(0xD800..0xDC00) => match hex(escape.get(6..).unwrap_or_default()) {
                Some(0xDC00..0xE000) => 12,
                _ if !at_end && !wrong && escape.len() < 12 => return Ok(at),
                _ => return Err((at, alone)),
            },
            Some(0xDC00..0xE000) => return Err((at, alone)),
            None if !at_end && !wrong && escape.len() < 6 => return Ok(at),
            _ => 2,
        };
        at += length;
    }
    if wrong { Err((valid, "the text is not UTF-8")) } else { Ok(valid) }
}

/// Where the next backslash is.
fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\\')
}

/// The number of the `\u` escape that `text` begins with.
fn hex(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl<'a> From<&'a [u8]> for Wire<'a> {
    fn from(json: &'a [u8]) -> Self {
        Self::Json(json)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Wire<'a> {
    fn from(json: &'a [u8; N]) -> Self {
        Self::Json(json)
    }
}

impl<'a> From<&'a Vec<u8>> for Wire<'a> {
    fn from(json: &'a Vec<u8>) -> Self {
        Self::Json(json)
    }
}

impl<'a> From<&'a str> for Wire<'a> {
    fn from(json: &'a str) -> Self {
        Self::Json(json.as_bytes())
    }
}

impl<'a> From<&'a String> for Wire<'a> {
    fn from(json: &'a String) -> Self {
        Self::Json(json.as_bytes())
    }
}

impl<'a> From<&'a Document> for Wire<'a> {
    fn from(document: &'a Document) -> Self {
        Self::Document(document)
    }
}
