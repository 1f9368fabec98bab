//! What objects may be given as.

use crdkit_codec::Decoded;
use crdkit_value::Document;

/// An object: JSON text, or a document that was decoded before.
#[derive(Debug)]
pub enum Input<'a> {
    /// JSON text. Findings get a place in it.
    Json(&'a [u8]),
    /// A decoded document with what the decoder noticed. Findings get places if it kept positions.
    Decoded(Decoded),
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Json(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Input<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Json(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Input<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Json(bytes)
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::Json(text.as_bytes())
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
