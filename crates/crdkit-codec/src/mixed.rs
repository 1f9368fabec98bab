//! Streams in which JSON, YAML and CBOR follow one another.
//!
//! The three bytes of tag 55799, with which Kubernetes begins CBOR, are not part of any UTF-8 text, so they end the
//! text before them. What comes out is one document after the other, with positions in the whole stream.

use crate::cbor::{self, Frames, Rules, SELF_DESCRIBED};
use crate::{DecodeError, DecodeOptions, Decoded, Format, json, not_read, yaml};
use crdkit_issue::Issue;

/// The documents of a stream in which JSON, YAML and CBOR follow one another in any order.
///
/// Each CBOR document begins with tag 55799, which ends the text before it. A piece of text that begins with
/// an opening brace or bracket is JSON to the end of that document; any other is YAML up to the next CBOR.
/// Nothing is read after an error; if CBOR follows it, the last finding says so.
pub struct Mixed<'o, 'a> {
    input: &'a [u8],
    rest: &'a [u8],
    /// Offset of `rest` in the input.
    base: usize,
    /// Offset in the input of what the last document was decoded from.
    document_base: usize,
    /// The YAML that is being read.
    yaml: Option<yaml::Documents<'a, 'o>>,
    /// What is said next, before the end.
    pending: Option<DecodeError>,
    options: &'o DecodeOptions,
}

impl<'o, 'a> Mixed<'o, 'a> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        Self {
            input: bytes,
            rest: bytes,
            base: 0,
            document_base: 0,
            yaml: None,
            pending: None,
            options,
        }
    }

    fn read(&mut self) -> Result<Option<(Format, Decoded)>, DecodeError> {
        loop {
            if let Some(outcome) = self.yaml.as_mut().and_then(Iterator::next) {
                return outcome.map(|decoded| Some((Format::Yaml, decoded)));
            }
            self.yaml = None;
            if self.rest.starts_with(&SELF_DESCRIBED) {
                self.document_base = self.base;
                return self.cbor().map(|decoded| Some((Format::Cbor, decoded)));
            }
            let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let space = self.rest.iter().take_while(is_space).count();
            match self.rest.get(space) {
                None => return Ok(None),
                Some(b'{' | b'[') => {
                    self.take(space);
                    self.document_base = self.base;
                    return self.json().map(|decoded| Some((Format::Json, decoded)));
                }
                Some(_) => {
                    let end = memchr::memmem::find(self.rest, &SELF_DESCRIBED);
                    let end = end.unwrap_or(self.rest.len());
                    // White space before CBOR is not a document.
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
        let decoded = cbor::decode(self.rest.get(..end).unwrap_or_default(), self.options)?;
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

    /// That the CBOR at or after `offset` of the input is not read, if there is any.
    fn cbor_after(&self, offset: usize) -> Option<DecodeError> {
        let rest = self.input.get(offset..)?;
        memchr::memmem::find(rest, &SELF_DESCRIBED).map(|at| not_read(offset + at))
    }

    fn take(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
        self.base += n;
    }
}

impl Iterator for Mixed<'_, '_> {
    type Item = Result<(Format, Decoded), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.pending.take() {
            return Some(Err(error));
        }
        let mut outcome = self.read();
        let base = self.document_base;
        match &mut outcome {
            Ok(Some((_, decoded))) => {
                decoded.document.shift_places(base);
                decoded.issues.iter_mut().for_each(|issue| shift(issue, base));
            }
            Ok(None) => {}
            Err(error) => {
                if let DecodeError::Refused(issue) = error {
                    shift(issue, base);
                    self.pending = issue.span.and_then(|span| self.cbor_after(span.end));
                }
                self.rest = &[];
                self.yaml = None;
            }
        }
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
