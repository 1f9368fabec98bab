//! JSON text to CBOR and back, by Kubernetes' rules for values it keeps as bytes.
//!
//! A JSON number that has no point or exponent and fits 64 bits is an integer, any other a float. CBOR
//! becomes the JSON that Go writes, in which a whole float is written like an integer.

use super::decode::decode;
use super::write::{NotFinite, Order, write};
use crate::{DecodeOptions, go_json, json};
use crdkit_issue::Issue;
use crdkit_value::Duplicates;
use std::fmt;

/// Why a value could not be turned into the other format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TranscodeError {
    /// The bytes are not a value of the format they are in.
    Refused(Box<Issue>),
    /// A number has no form in the other format.
    NotFinite(NotFinite),
}

/// The CBOR of JSON text, without tag 55799. The last of several equal keys counts.
///
/// # Errors
/// When `text` is not one JSON value, or a number is beyond a double.
pub fn from_json(text: &[u8]) -> Result<Vec<u8>, TranscodeError> {
    let options = DecodeOptions { duplicates: Duplicates::LastWins, ..DecodeOptions::default() };
    let decoded = json::decode(text, &options).map_err(TranscodeError::Refused)?;
    let mut out = Vec::with_capacity(text.len());
    write(decoded.document.root(), Order::Sorted, &mut out).map_err(TranscodeError::NotFinite)?;
    Ok(out)
}

/// The JSON text of CBOR, as Go writes it.
///
/// # Errors
/// When `bytes` are not one CBOR item that Kubernetes reads.
pub fn to_json(bytes: &[u8]) -> Result<Vec<u8>, TranscodeError> {
    let decoded = decode(bytes, &DecodeOptions::default()).map_err(TranscodeError::Refused)?;
    let mut out = Vec::with_capacity(bytes.len());
    go_json::write(decoded.document.root(), json::Layout::Compact, &mut out);
    Ok(out)
}

impl fmt::Display for TranscodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(issue) => issue.fmt(f),
            Self::NotFinite(number) => number.fmt(f),
        }
    }
}

impl std::error::Error for TranscodeError {}
