//! Which format bytes are in, told from how they begin.
//!
//! Kubernetes stores CBOR with the three bytes of tag 55799 in front, which begin neither JSON nor UTF-8
//! text. Bytes are CBOR exactly if they begin so, and then never tried as anything else; stored bytes
//! that do not are JSON.

use super::decode::decode;
use super::sequence::Frames;
use super::{Rules, SELF_DESCRIBED};
use crate::{DecodeError, DecodeOptions, Decoded, json};
use crdkit_issue::Issue;

/// A format that documents are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON text.
    Json,
    /// YAML text.
    Yaml,
    /// CBOR with tag 55799 in front.
    Cbor,
}

/// The format of `bytes`: CBOR by its prefix, JSON if an object or array begins behind white space, and
/// otherwise YAML, which takes in JSON's other values.
pub fn recognize(bytes: &[u8]) -> Format {
    if bytes.starts_with(&SELF_DESCRIBED) {
        return Format::Cbor;
    }
    match bytes.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
        Some(b'{' | b'[') => Format::Json,
        _ => Format::Yaml,
    }
}

/// Decodes a stored object, CBOR or JSON, and says which it was.
///
/// # Errors
/// The finding of the decoder for the recognized format.
pub fn decode_stored(
    bytes: &[u8],
    options: &DecodeOptions,
) -> Result<(Format, Decoded), Box<Issue>> {
    if bytes.starts_with(&SELF_DESCRIBED) {
        return Ok((Format::Cbor, decode(bytes, options)?));
    }
    Ok((Format::Json, json::decode(bytes, options)?))
}

/// The documents of a stream in which JSON and CBOR follow one another in any order; each CBOR document
/// begins with tag 55799. Nothing is read behind an error.
pub struct Mixed<'o, 'a> {
    rest: &'a [u8],
    /// Offset of `rest` in the input.
    base: usize,
    options: &'o DecodeOptions,
}

impl<'o, 'a> Mixed<'o, 'a> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        Self { rest: bytes, base: 0, options }
    }

    fn read(&mut self) -> Result<Option<(Format, Decoded)>, DecodeError> {
        let space =
            self.rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        self.advance(space.count());
        if self.rest.is_empty() {
            return Ok(None);
        }
        if self.rest.starts_with(&SELF_DESCRIBED) {
            let mut frames = Frames::from_slice(self.rest, Rules::frames(&self.options.limits));
            let end = match frames.next_frame()? {
                Some((frame, at)) => at + frame.len(),
                None => self.rest.len(),
            };
            let item = self.rest.get(..end).unwrap_or_default();
            let decoded = decode(item, self.options)?;
            self.advance(end);
            return Ok(Some((Format::Cbor, decoded)));
        }
        let mut reader =
            json::Reader::from_slice(self.rest, &self.options.limits, self.options.numbers);
        while reader.next_event()?.is_some() {}
        let end = reader.offset();
        let decoded = json::decode(self.rest.get(..end).unwrap_or_default(), self.options)?;
        self.advance(end);
        Ok(Some((Format::Json, decoded)))
    }

    fn advance(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
        self.base += n;
    }
}

impl Iterator for Mixed<'_, '_> {
    type Item = Result<(Format, Decoded), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let outcome = self.read();
        if let Err(DecodeError::Refused(_)) = &outcome {
            self.rest = &[];
        }
        let base = self.base;
        outcome
            .map_err(|error| match error {
                DecodeError::Refused(mut issue) => {
                    issue.span = issue.span.map(|span| span.shifted(base));
                    DecodeError::Refused(issue)
                }
                error @ DecodeError::Io(_) => error,
            })
            .transpose()
    }
}
