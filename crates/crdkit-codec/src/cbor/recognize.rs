//! Which format bytes are in, told from how they begin.
//!
//! Kubernetes stores CBOR with the three bytes of tag 55799 in front, which begin neither JSON nor UTF-8
//! text. Bytes are CBOR exactly if they begin so, and then never tried as anything else; stored bytes
//! that do not are JSON.

use super::decode::decode;
use super::sequence::Frames;
use super::{Rules, SELF_DESCRIBED};
use crate::{DecodeError, DecodeOptions, Decoded, json, yaml};
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

/// The documents of a stream in which JSON, YAML and CBOR follow one another in any order.
///
/// Each CBOR document begins with tag 55799, which ends the text before it. A piece of text that begins with
/// an opening brace or bracket is JSON to the end of that document; any other is YAML up to the next CBOR.
/// Nothing is read behind an error.
pub struct Mixed<'o, 'a> {
    rest: &'a [u8],
    /// Offset of `rest` in the input.
    base: usize,
    /// Offset in the input of what the last document was decoded from.
    document_base: usize,
    /// The YAML that is being read.
    yaml: Option<yaml::Documents<'a, 'o>>,
    options: &'o DecodeOptions,
}

impl<'o, 'a> Mixed<'o, 'a> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        Self { rest: bytes, base: 0, document_base: 0, yaml: None, options }
    }

    fn read(&mut self) -> Result<Option<(Format, Decoded)>, DecodeError> {
        loop {
            if let Some(outcome) = self.yaml.as_mut().and_then(Iterator::next) {
                return outcome.map(|decoded| Some((Format::Yaml, decoded)));
            }
            self.yaml = None;
            let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let space = self.rest.iter().take_while(is_space).count();
            let format = recognize(self.rest);
            match format {
                _ if space == self.rest.len() => return Ok(None),
                Format::Cbor => {
                    self.document_base = self.base;
                    return self.cbor().map(|decoded| Some((format, decoded)));
                }
                Format::Json => {
                    self.take(space);
                    self.document_base = self.base;
                    return self.json().map(|decoded| Some((format, decoded)));
                }
                Format::Yaml => {
                    let end = memchr::memmem::find(self.rest, &SELF_DESCRIBED);
                    let end = end.unwrap_or(self.rest.len());
                    // White space in front of CBOR is no document.
                    if space == end {
                        self.take(end);
                        continue;
                    }
                    let text = self.rest.get(..end).unwrap_or_default();
                    self.document_base = self.base;
                    self.yaml = Some(yaml::Documents::from_slice(text, self.options));
                    self.take(end);
                }
            }
        }
    }

    fn cbor(&mut self) -> Result<Decoded, DecodeError> {
        let mut frames = Frames::from_slice(self.rest, Rules::frames(&self.options.limits));
        let end = match frames.next_frame()? {
            Some((frame, at)) => at + frame.len(),
            None => self.rest.len(),
        };
        let decoded = decode(self.rest.get(..end).unwrap_or_default(), self.options)?;
        self.take(end);
        Ok(decoded)
    }

    fn json(&mut self) -> Result<Decoded, DecodeError> {
        let limits = &self.options.limits;
        let mut reader = json::Reader::from_slice(self.rest, limits, self.options.numbers);
        while reader.next_event()?.is_some() {}
        let end = reader.offset();
        let decoded = json::decode(self.rest.get(..end).unwrap_or_default(), self.options)?;
        self.take(end);
        Ok(decoded)
    }

    fn take(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
        self.base += n;
    }
}

impl Iterator for Mixed<'_, '_> {
    type Item = Result<(Format, Decoded), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let outcome = self.read();
        let base = self.document_base;
        if outcome.is_err() {
            self.rest = &[];
            self.yaml = None;
        }
        let outcome = outcome.map(|found| {
            found.map(|(format, mut decoded)| {
                decoded.document.shift_places(base);
                decoded.issues.iter_mut().for_each(|issue| shift(issue, base));
                (format, decoded)
            })
        });
        let outcome = outcome.map_err(|mut error| {
            if let DecodeError::Refused(issue) = &mut error {
                shift(issue, base);
            }
            error
        });
        outcome.transpose()
    }
}

/// Says that a finding stands so much further on.
fn shift(issue: &mut Issue, offset: usize) {
    issue.span = issue.span.map(|span| span.shifted(offset));
    for related in &mut issue.related {
        related.span = related.span.shifted(offset);
    }
}
