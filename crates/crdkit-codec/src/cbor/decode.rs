//! Documents from CBOR: one, or all of a sequence.

use super::problem::CborProblem;
use super::reader::Reader;
use super::sequence::Frames;
use super::verdict::{path_at, verdict};
use super::{Rules, SELF_DESCRIBED, plain};
use crate::json::{ByteSource, Chunks, Slice};
use crate::{DecodeError, DecodeOptions, Decoded, Format, not_read};
use crdkit_issue::{Issue, Segment, Span, codes};
use crdkit_value::{Builder, Duplicates};
use std::io::Read;

/// Decodes `bytes`, which must hold exactly one item, with or without tag 55799 in front.
///
/// A key that occurs twice is refused whatever [`DecodeOptions::duplicates`] says: CBOR with duplicate
/// keys is not valid, and Kubernetes has no lenient mode for it. The issue list of the outcome is
/// therefore always empty. [`DecodeOptions::numbers`] has no meaning here.
///
/// # Errors
/// The finding that Kubernetes reports.
pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
    if bytes.len() > options.limits.bytes {
        return Err(too_large(options.limits.bytes, options.limits.bytes));
    }
    decode_at(bytes, 0, options)
}

/// Decodes a stored object, CBOR if it begins with tag 55799 and otherwise JSON, and says which it was.
///
/// # Errors
/// The finding of the decoder for that format.
pub fn decode_stored(
    bytes: &[u8],
    options: &DecodeOptions,
) -> Result<(Format, Decoded), Box<Issue>> {
    let is_cbor = bytes.starts_with(&SELF_DESCRIBED);
    let format = if is_cbor { Format::Cbor } else { Format::Json };
    Ok((format, format.decode(bytes, options)?))
}

/// Decodes an item that stands at `base` of its input.
fn decode_at(bytes: &[u8], base: usize, options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
    if !options.positions
        && let Some(document) = plain::decode(bytes, &options.limits)
    {
        return Ok(Decoded { document, issues: Vec::new() });
    }
    match build(bytes, base, options) {
        Ok(decoded) => Ok(decoded),
        Err(first) => {
            let rules = Rules::kubernetes(&options.limits);
            let Some(finding) = verdict(bytes, &rules) else { return Err(first) };
            let mut path = path_at(bytes, &rules, finding.span.start);
            if let CborProblem::Duplicate { .. } = finding.problem {
                path = path.join(Segment::named(&String::from_utf8_lossy(&finding.text)));
            }
            let mut issue = finding.issue(path);
            issue.span = Some(finding.span.shifted(base));
            Err(issue)
        }
    }
}

/// The document, or the first thing wrong on the way to it.
pub(crate) fn build(
    bytes: &[u8],
    base: usize,
    options: &DecodeOptions,
) -> Result<Decoded, Box<Issue>> {
    let mut reader = Reader::from_slice(bytes, &options.limits).starting_at(base);
    let mut builder = Builder::new(&options.limits, Duplicates::Error).with_capacity(bytes.len());
    if options.positions {
        builder = builder.keeping_positions(base);
    }
    while let Some((event, span)) = reader.next_event().map_err(issue)? {
        builder.event(event, span)?;
        if let Some(bytes) = reader.exact() {
            builder.exact(bytes);
        }
    }
    let (document, issues) = builder.finish();
    match issues.into_iter().next() {
        None if reader.offset() == base + bytes.len() => {
            Ok(Decoded { document, issues: Vec::new() })
        }
        None => Err(Box::new(Issue::error(codes::decode::CBOR_TRAILING_DATA))),
        Some(duplicate) => Err(Box::new(duplicate)),
    }
}

/// A slice cannot fail to be read.
fn issue(error: DecodeError) -> Box<Issue> {
    match error {
        DecodeError::Refused(issue) => issue,
        DecodeError::Io(_) => Box::new(Issue::error(codes::decode::CBOR_TRUNCATED)),
    }
}

#[cold]
pub(crate) fn too_large(limit: usize, at: usize) -> Box<Issue> {
    let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", limit);
    Box::new(issue.span(Span::at(at)))
}

/// The documents of a sequence, each decoded when it is asked for.
///
/// An item that is well formed but refused does not end the sequence. One that is not well formed does, and if anything
/// follows it, the last finding says that this was not read.
pub struct Documents<'o, S> {
    frames: Frames<S>,
    options: &'o DecodeOptions,
    /// Where the input begins that is not read; said next.
    unread: Option<usize>,
    done: bool,
}

impl<'o, 'a> Documents<'o, Slice<'a>> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        let frames = Frames::from_slice(bytes, Rules::frames(&options.limits));
        Self { frames, options, unread: None, done: false }
    }
}

impl<'o, R: Read> Documents<'o, Chunks<R>> {
    /// The documents of a reader; no more than one is held at a time.
    pub fn from_read(inner: R, options: &'o DecodeOptions) -> Self {
        let rules = Rules::frames(&options.limits);
        let frames = Frames::from_read(inner, rules, options.limits.bytes);
        Self { frames, options, unread: None, done: false }
    }
}

impl<S: ByteSource> Iterator for Documents<'_, S> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return self.unread.take().map(|at| Err(not_read(at)));
        }
        match self.frames.next_frame() {
            Ok(None) => {
                self.done = true;
                None
            }
            Ok(Some((frame, base))) => {
                Some(decode_at(frame, base, self.options).map_err(DecodeError::Refused))
            }
            Err(error) => {
                self.done = self.frames.is_broken() || matches!(error, DecodeError::Io(_));
                self.unread = self.frames.unread();
                Some(Err(error))
            }
        }
    }
}
