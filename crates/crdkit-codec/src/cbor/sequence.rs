//! CBOR sequences (RFC 8742): items one after the other with nothing in between.
//!
//! [`Frames`] finds where each item ends without looking at what it means, and gives its bytes without
//! the tags 55799 in front. [`SequenceWriter`] writes one item per call.
//!
//! Upstream: `k8s.io/apimachinery/pkg/runtime/serializer/cbor/framer.go`.

use super::decode::too_large;
use super::emit::{write_bytes, write_head};
use super::head::{Major, head};
use super::list::WriteError;
use super::parse::{CborParser, CborToken};
use super::problem::{CborFinding, CborProblem};
use super::write::{Order, encode};
use super::{Rules, SELF_DESCRIBED};
use crate::DecodeError;
use crate::json::{ByteSource, Chunks, Slice};
use crdkit_issue::{FieldPath, Issue, Span, codes};
use crdkit_value::Value;
use std::io::{Read, Write};

/// The items of a sequence, as bytes.
pub struct Frames<S> {
    source: S,
    parser: CborParser,
    /// Offset of the window in the input.
    base: usize,
    max_bytes: usize,
    at_end: bool,
    /// What is wrong with the form of an item: nothing can be found after it.
    broken: Option<Box<Issue>>,
    /// Where the item begins that a reader's error came in the middle of.
    unfinished: Option<usize>,
}

impl<'a> Frames<Slice<'a>> {
    /// The items in a slice.
    pub fn from_slice(bytes: &'a [u8], rules: Rules) -> Self {
        Self { at_end: true, ..Self::new(Slice::binary(bytes), rules, usize::MAX) }
    }
}

impl<R: Read> Frames<Chunks<R>> {
    /// The items of a reader, none longer than `max_bytes`; no more than one is held at a time.
    pub fn from_read(inner: R, rules: Rules, max_bytes: usize) -> Self {
        Self::with_chunk_size(inner, 64 * 1024, rules, max_bytes)
    }

    /// The same, reading `chunk` bytes at a time.
    pub fn with_chunk_size(inner: R, chunk: usize, rules: Rules, max_bytes: usize) -> Self {
        Self::new(Chunks::new(inner, chunk), rules, max_bytes)
    }
}

impl<S: ByteSource> Frames<S> {
    fn new(source: S, rules: Rules, max_bytes: usize) -> Self {
        let parser = CborParser::new(rules);
        Self { source, parser, base: 0, max_bytes, at_end: false, broken: None, unfinished: None }
    }

    /// The next item and its offset in the input; none when the input is over.
    ///
    /// An item that is not well formed ends the sequence: asking again gives the same finding. One that
    /// is well formed, but has the wrong content for a tag 0 to 3 at its beginning, is passed over. After a
    /// reader's error, asking again goes on where it came.
    ///
    /// # Errors
    /// The finding, or the reader's error.
    pub fn next_frame(&mut self) -> Result<Option<(&[u8], usize)>, DecodeError> {
        if let Some(issue) = &self.broken {
            return Err(issue.clone().into());
        }
        let mut start = self.unfinished.take().unwrap_or_else(|| {
            self.parser.restart();
            self.parser.at
        });
        loop {
            match self.parser.next(self.source.window()) {
                CborToken::End => break,
                CborToken::More if !self.at_end => {
                    if self.source.window().len() - start > self.max_bytes {
                        return Err(self.too_large(start));
                    }
                    let outcome = self.source.refill(start);
                    self.base += start;
                    self.parser.at -= start;
                    start = 0;
                    if outcome.is_err() {
                        self.unfinished = Some(start);
                    }
                    self.at_end = !outcome.map_err(DecodeError::Io)?;
                }
                CborToken::More if self.source.window().len() == start => return Ok(None),
                CborToken::More => return Err(self.stop(CborProblem::Truncated, None)),
                CborToken::Wrong => {
                    let (problem, at) = self.parser.wrong;
                    return Err(self.stop(problem, Some(at)));
                }
                _ => {}
            }
        }
        let end = self.parser.at;
        if end - start > self.max_bytes {
            return Err(self.too_large(start));
        }
        let frame = self.source.window().get(start..end).unwrap_or_default();
        match without_self_described(frame) {
            Ok(frame) => Ok(Some((frame, self.base + end - frame.len()))),
            Err(problem) => {
                let span = Span::new(self.base + start, self.base + end);
                Err(CborFinding::new(problem, span).issue(FieldPath::root()).into())
            }
        }
    }

    /// Whether the sequence ended with an item that is not well formed or too long.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Where input follows that cannot be read because an item is not well formed.
    pub(crate) fn unread(&mut self) -> Option<usize> {
        let issue = self.broken.as_ref().filter(|issue| issue.code != codes::decode::TOO_LARGE);
        let end = issue?.span?.end;
        let window = self.source.window().len();
        let has_more =
            end < self.base + window || !self.at_end && matches!(self.source.refill(0), Ok(true));
        has_more.then_some(end)
    }

    #[cold]
    fn stop(&mut self, problem: CborProblem, at: Option<usize>) -> DecodeError {
        let end = self.base + self.source.window().len();
        let span = at.map_or(Span::at(end), |at| Span::new(self.base + at, self.base + at + 1));
        let issue = CborFinding::new(problem, span).issue(FieldPath::root());
        self.broken.insert(issue).clone().into()
    }

    #[cold]
    fn too_large(&mut self, start: usize) -> DecodeError {
        let issue = too_large(self.max_bytes, self.base + start + self.max_bytes);
        self.broken.insert(issue).clone().into()
    }
}

/// A well-formed item without the tags 55799 in front, and with the right content for the tags 0 to 3
/// that follow them.
pub(crate) fn without_self_described(item: &[u8]) -> Result<&[u8], CborProblem> {
    let mut rest = item;
    while let Ok(tag) = head(rest, 0) {
        if tag.major != Major::Tag || tag.argument != 55_799 {
            break;
        }
        rest = rest.get(tag.end..).unwrap_or_default();
    }
    let mut at = 0;
    while let Ok(tag) = head(rest, at) {
        let Some(next) = rest.get(tag.end).copied().filter(|_| tag.major == Major::Tag) else {
            break;
        };
        let found = Major::of(next);
        let right = match tag.argument {
            0 => found == Major::Text,
            1 => matches!(found, Major::Unsigned | Major::Negative) || matches!(next, 0xF9..=0xFB),
            2 | 3 => found == Major::Bytes,
            _ => true,
        };
        if !right {
            return Err(CborProblem::TagContent { tag: tag.argument, found });
        }
        at = tag.end;
    }
    Ok(rest)
}

/// Writes the items of a sequence, each with tag 55799 in front.
#[derive(Debug)]
pub struct SequenceWriter<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> SequenceWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, buffer: Vec::new() }
    }

    /// Writes one item, in one write, so that each is a frame or a message of its own.
    ///
    /// # Errors
    /// When the value cannot be encoded, in which case nothing is written, or writing fails.
    pub fn write(&mut self, value: Value<'_>, order: Order) -> Result<(), WriteError> {
        self.buffer.clear();
        encode(value, order, &mut self.buffer)?;
        self.out.write_all(&self.buffer)?;
        Ok(())
    }

    /// Writes one event of a watch, in one write: its type, and the object with a tag of its own, so that a
    /// reader can hand it on as it is.
    ///
    /// # Errors
    /// When the object cannot be encoded, in which case nothing is written, or writing fails.
    pub fn event(&mut self, kind: &str, object: Value<'_>, order: Order) -> Result<(), WriteError> {
        self.buffer.clear();
        self.buffer.extend_from_slice(&SELF_DESCRIBED);
        write_head(Major::Map, 2, &mut self.buffer);
        let object_first = matches!(order, Order::Rotated(seed) if seed & 1 == 1);
        for is_object in [object_first, !object_first] {
            if is_object {
                write_bytes(b"object", &mut self.buffer);
                encode(object, order, &mut self.buffer)?;
            } else {
                write_bytes(b"type", &mut self.buffer);
                write_bytes(kind.as_bytes(), &mut self.buffer);
            }
        }
        self.out.write_all(&self.buffer)?;
        Ok(())
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}
