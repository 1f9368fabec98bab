//! A reader cut into pieces of one document each, so that a long stream is never held whole.
//!
//! A piece ends before a `---` line, unless all there is before it is blank lines, comments and directives, which
//! belong to the document after the line. UTF-16 is one piece.

use std::io::Read;

use crdkit_issue::{Issue, Span, codes};

use super::chars::{break_length, ends_word, next_marker};
use crate::DecodeError;

/// How much is read at once.
const READ_SIZE: usize = 64 * 1024;

/// The text of one document and where it begins in what was read.
pub(super) struct Piece<'p> {
    pub(super) bytes: &'p [u8],
    pub(super) base: usize,
    /// Whether a `---` line follows.
    pub(super) goes_on: bool,
}

/// Cuts what `inner` gives into pieces.
pub(super) struct Pieces<R> {
    inner: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the next piece begins in the buffer, and where the buffer begins in what was read.
    start: usize,
    base: usize,
    /// No marker begins between `start` and here.
    searched: usize,
    ended: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(inner: R, limit: usize) -> Self {
        Self { inner, limit, buffer: Vec::new(), start: 0, base: 0, searched: 0, ended: false }
    }

    /// The next piece; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Piece<'_>>, DecodeError> {
        let (end, goes_on) = loop {
            if let Some(end) = self.piece_end() {
                break (end, true);
            }
            if self.ended {
                break (self.buffer.len(), false);
            }
            if self.buffer.len() - self.start > self.limit {
                let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", self.limit);
                let at = Span::at(self.base + self.start + self.limit);
                return Err(DecodeError::Refused(Box::new(issue.span(at))));
            }
            self.fill().map_err(DecodeError::Io)?;
        };
        let start = self.start;
        self.start = end;
        self.searched = end;
        let bytes = self.buffer.get(start..end).unwrap_or_default();
        Ok((!bytes.is_empty()).then_some(Piece { bytes, base: self.base + start, goes_on }))
    }

    /// Makes the last `length` bytes of the piece that was given the beginning of the next one.
    pub(super) fn give_back(&mut self, length: usize) {
        self.start = self.start.saturating_sub(length);
    }

    /// The end of the piece that begins at `start`, if its marker has been read.
    fn piece_end(&mut self) -> Option<usize> {
        if self.base == 0 && matches!(*self.buffer, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
            return None;
        }
        while let Some(marker) = next_marker(&self.buffer, self.searched) {
            if marker + 4 > self.buffer.len() && !self.ended {
                self.searched = marker;
                return None;
            }
            self.searched = marker + 3;
            let piece = self.buffer.get(self.start..marker)?;
            if !is_prologue(piece) {
                return Some(self.start + document_length(piece));
            }
        }
        // The last bytes may be the beginning of a marker.
        self.searched = self.searched.max(self.buffer.len().saturating_sub(3));
        None
    }

    /// Reads more, and forgets the pieces that were given.
    fn fill(&mut self) -> std::io::Result<()> {
        self.buffer.drain(..self.start);
        self.base += self.start;
        self.searched -= self.start;
        self.start = 0;
        let read = self.inner.by_ref().take(READ_SIZE as u64).read_to_end(&mut self.buffer)?;
        self.ended = read == 0;
        Ok(())
    }
}

/// Whether `bytes` hold nothing but blank lines, comments and directives. Lines that end in anything but carriage
/// returns and line feeds are taken for content, which is what they may hide.
pub(super) fn is_prologue(bytes: &[u8]) -> bool {
    bytes.split(|byte| is_line_end(*byte)).all(|line| {
        let content = line.trim_ascii_start();
        (line.first() == Some(&b'%') || content.is_empty() || content.starts_with(b"#"))
            && memchr::memchr2_iter(0xC2, 0xE2, line).all(|at| break_length(line, at) == 0)
    })
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// How much of `piece` belongs to its document: what is after a `...` line may belong to the next.
fn document_length(piece: &[u8]) -> usize {
    let end_marker = memchr::memmem::rfind(piece, b"\n...").filter(|at| ends_word(piece, at + 4));
    match end_marker.and_then(|at| Some((at + 4, piece.get(at + 4..)?))) {
        Some((length, rest)) if is_prologue(rest) => length,
        _ => piece.len(),
    }
}
