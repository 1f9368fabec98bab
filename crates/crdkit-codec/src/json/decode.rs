//! Documents from JSON: one, or all of a stream.

use super::problem::JsonProblem;
use super::reader::Reader;
use super::resume::Resumed;
use super::source::{ByteSource, Chunks, Slice};
use crate::{DecodeError, DecodeOptions, Decoded, not_read};
use crdkit_issue::{Issue, Span, codes};
use crdkit_value::Builder;
use std::io::Read;

/// Decodes `bytes`, which must hold exactly one document.
///
/// # Errors
/// The finding, when they do not.
pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
    if bytes.len() > options.limits.bytes {
        let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", options.limits.bytes);
        return Err(Box::new(issue.span(Span::at(options.limits.bytes))));
    }
    let mut reader = Reader::from_slice(bytes, &options.limits, options.numbers);
    let source = reader.source_text().unwrap_or_default();
    let outcome = build(&mut reader, options, source).and_then(|decoded| {
        let end = reader.offset();
        if reader.next_document()? {
            let at = reader.offset();
            return Err(JsonProblem::AfterDocument.issue(bytes.get(at).copied(), at).into());
        }
        debug_assert!(end <= bytes.len(), "a document ends within its input");
        Ok(decoded)
    });
    outcome.map_err(|error| match error {
        DecodeError::Refused(issue) => issue,
        DecodeError::Io(_) => Box::new(Issue::error(codes::decode::TRUNCATED)),
    })
}

/// How documents follow one another in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// One after the other with or without white space. Reading goes on after a document that is not JSON, as far
    /// as its end can be found; where it cannot, a finding says that the rest was not read.
    #[default]
    Concatenated,
    /// One to a line, which it ends with, so that reading goes on after a line that is not JSON.
    Lines,
    /// One after the other with commas between them, as in an array. Otherwise like [`Framing::Concatenated`].
    Items,
}

/// The documents of a stream, each decoded when it is asked for.
pub struct Documents<'o, S> {
    reader: Reader<S>,
    options: &'o DecodeOptions,
    framing: Framing,
    /// What is said next, before anything else is read.
    pending: Option<DecodeError>,
    done: bool,
}

impl<'o, 'a> Documents<'o, Slice<'a>> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], framing: Framing, options: &'o DecodeOptions) -> Self {
        Self::new(Reader::from_slice(bytes, &options.limits, options.numbers), framing, options)
    }
}

impl<'o, R: Read> Documents<'o, Chunks<R>> {
    /// The documents of a reader; no more than one is held at a time.
    pub fn from_read(inner: R, framing: Framing, options: &'o DecodeOptions) -> Self {
        Self::new(Reader::from_read(inner, &options.limits, options.numbers), framing, options)
    }
}

impl<'o, S: ByteSource> Documents<'o, S> {
    fn new(mut reader: Reader<S>, framing: Framing, options: &'o DecodeOptions) -> Self {
        if framing == Framing::Lines {
            reader.parser.read_by_line();
        }
        Self { reader, options, framing, pending: None, done: false }
    }

    fn read(&mut self) -> Result<Option<Decoded>, DecodeError> {
        let mut more = self.reader.next_document()?;
        if more && self.framing == Framing::Items && self.reader.skip_byte(b',') {
            more = self.reader.next_document()?;
        }
        if !more {
            self.done = true;
            return Ok(None);
        }
        build(&mut self.reader, self.options, "").map(Some)
    }

    /// Goes on after a document that was refused.
    fn resume(&mut self) -> Result<(), DecodeError> {
        match self.framing {
            Framing::Lines => self.reader.skip_line(),
            Framing::Concatenated | Framing::Items => match self.reader.skip_broken(0)? {
                Resumed::Found => Ok(()),
                Resumed::Lost(at) => Err(not_read(at)),
            },
        }
    }
}

impl<S: ByteSource> Iterator for Documents<'_, S> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.pending.take() {
            return Some(Err(error));
        }
        if self.done {
            return None;
        }
        let outcome = self.read();
        match &outcome {
            Err(DecodeError::Refused(_)) => {
                self.pending = self.resume().err();
                self.done = self.pending.is_some();
            }
            Err(DecodeError::Io(_)) => self.done = true,
            Ok(_) => {}
        }
        outcome.transpose()
    }
}

fn build<S: ByteSource>(
    reader: &mut Reader<S>,
    options: &DecodeOptions,
    source: &str,
) -> Result<Decoded, DecodeError> {
    let mut builder = Builder::new(&options.limits, options.duplicates)
        .over(source)
        .reporting_tolerated(options.report_duplicates);
    if options.positions {
        builder = builder.keeping_positions(reader.offset());
    }
    reader.build(&mut builder)?;
    let (document, issues) = builder.finish();
    Ok(Decoded { document, issues })
}
