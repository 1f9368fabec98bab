//! Documents from JSON: one, or all of a stream.

use super::problem::Problem;
use super::reader::Reader;
use super::source::{Chunks, Slice, Source};
use crate::{DecodeError, DecodeOptions, Decoded};
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
            return Err(Problem::AfterDocument.issue(bytes.get(at).copied(), at).into());
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
    /// One after the other with or without white space; nothing is read behind an error.
    #[default]
    Concatenated,
    /// One to a line, so that reading goes on behind a line that is not JSON.
    Lines,
}

/// The documents of a stream, each decoded when it is asked for.
pub struct Documents<'o, S> {
    reader: Reader<S>,
    options: &'o DecodeOptions,
    framing: Framing,
    done: bool,
}

impl<'o, 'a> Documents<'o, Slice<'a>> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], framing: Framing, options: &'o DecodeOptions) -> Self {
        let reader = Reader::from_slice(bytes, &options.limits, options.numbers);
        Self { reader, options, framing, done: false }
    }
}

impl<'o, R: Read> Documents<'o, Chunks<R>> {
    /// The documents of a reader; no more than one is held at a time.
    pub fn from_read(inner: R, framing: Framing, options: &'o DecodeOptions) -> Self {
        let reader = Reader::from_read(inner, &options.limits, options.numbers);
        Self { reader, options, framing, done: false }
    }
}

impl<S: Source> Documents<'_, S> {
    fn read(&mut self) -> Result<Option<Decoded>, DecodeError> {
        if !self.reader.next_document()? {
            self.done = true;
            return Ok(None);
        }
        build(&mut self.reader, self.options, "").map(Some)
    }
}

impl<S: Source> Iterator for Documents<'_, S> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let outcome = self.read();
        if outcome.is_err() {
            let refused = matches!(outcome, Err(DecodeError::Refused(_)));
            self.done = !refused || self.framing != Framing::Lines;
            if !self.done
                && let Err(error) = self.reader.skip_line()
            {
                self.done = true;
                return Some(Err(error));
            }
        }
        outcome.transpose()
    }
}

fn build<S: Source>(
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
