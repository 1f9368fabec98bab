//! What objects may be given as.

use crdkit_codec::{Decoded, Format};
use crdkit_value::Document;

/// An object: bytes, which are JSON unless they come with their format, or a document that was decoded before.
#[derive(Debug)]
pub enum Input<'a> {
    /// One document in a format. Findings get a place in it.
    Bytes(Format, &'a [u8]),
    /// A decoded document with what the decoder noticed. Findings get places if it kept positions.
    Decoded(Decoded),
}

impl<'a> Input<'a> {
    /// The bytes, as far as there are any.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Bytes(_, bytes) => bytes,
            Self::Decoded(_) => &[],
        }
    }
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Format::Json, bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Input<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(Format::Json, bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Input<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(Format::Json, bytes)
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::Bytes(Format::Json, text.as_bytes())
    }
}

impl<'a> From<(Format, &'a [u8])> for Input<'a> {
    fn from((format, bytes): (Format, &'a [u8])) -> Self {
        Self::Bytes(format, bytes)
    }
}

impl From<Decoded> for Input<'_> {
    fn from(decoded: Decoded) -> Self {
        Self::Decoded(decoded)
    }
}

impl From<Document> for Input<'_> {
    fn from(document: Document) -> Self {
        Self::Decoded(Decoded { document, issues: Vec::new() })
    }
}
