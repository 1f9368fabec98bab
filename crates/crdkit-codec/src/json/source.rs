//! Where bytes come from: a window onto the input, whole or in chunks.
//!
//! Over a slice the window is all of it; over [`std::io::Read`] it is a buffer that slides along and
//! grows only when a single token needs it.

use super::text;
use std::io::{self, Read};

/// Where bytes come from.
pub trait ByteSource {
    /// The bytes at hand.
    fn window(&self) -> &[u8];

    /// The same bytes as text, if they are known to be valid UTF-8.
    fn text(&self) -> Option<&str> {
        None
    }

    /// Forgets the first `consumed` bytes and gets more; false when there are no more.
    ///
    /// # Errors
    /// When reading fails.
    fn refill(&mut self, consumed: usize) -> io::Result<bool>;
}

/// What a source has at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'w> {
    pub(crate) bytes: &'w [u8],
    /// The same if it is known to be valid UTF-8, otherwise empty.
    text: &'w str,
}

impl<'w> Window<'w> {
    /// Nothing at hand.
    pub(crate) const EMPTY: Window<'static> = Window { bytes: &[], text: "" };

    pub(crate) fn of(source: &'w impl ByteSource) -> Self {
        Self { bytes: source.window(), text: source.text().unwrap_or_default() }
    }

    /// The text between two offsets, not both 0, if it is valid UTF-8.
    #[inline(always)]
    pub(crate) fn text(self, start: usize, end: usize) -> Option<&'w str> {
        self.text.get(start..end).or_else(|| self.check_text(start, end))
    }

    #[cold]
    fn check_text(self, start: usize, end: usize) -> Option<&'w str> {
        str::from_utf8(self.bytes.get(start..end)?).ok()
    }

    /// Appends the text between two offsets, with U+FFFD for each byte that is not part of valid UTF-8.
    #[inline(always)]
    pub(crate) fn push_text(self, start: usize, end: usize, out: &mut String) {
        match self.text.get(start..end) {
            Some(text) => out.push_str(text),
            None => text::push_lossy(self.bytes.get(start..end).unwrap_or_default(), out),
        }
    }
}

/// The whole input at once.
#[derive(Debug)]
pub struct Slice<'a> {
    bytes: &'a [u8],
    /// The same as text, checked once for all, if it is valid UTF-8.
    text: Option<&'a str>,
}

impl<'a> Slice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, text: str::from_utf8(bytes).ok() }
    }

    /// A slice that is not text.
    pub(crate) fn binary(bytes: &'a [u8]) -> Self {
        Self { bytes, text: None }
    }

    /// The whole input, if it is valid UTF-8.
    pub(crate) fn whole_text(&self) -> Option<&'a str> {
        self.text
    }
}

impl ByteSource for Slice<'_> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn text(&self) -> Option<&str> {
        self.text
    }

    fn refill(&mut self, consumed: usize) -> io::Result<bool> {
        self.bytes = self.bytes.get(consumed..).unwrap_or_default();
        self.text = self.text.and_then(|text| text.get(consumed..));
        Ok(false)
    }
}

/// Input in chunks from a reader.
#[derive(Debug)]
pub struct Chunks<R> {
    inner: R,
    buffer: Vec<u8>,
    chunk: usize,
}

impl<R> Chunks<R> {
    /// Chunks of `chunk` bytes.
    pub(crate) fn new(inner: R, chunk: usize) -> Self {
        Self { inner, buffer: Vec::new(), chunk: chunk.max(1) }
    }
}

impl<R: Read> ByteSource for Chunks<R> {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.buffer
    }

    /// What is left of the window stays in front. A token longer than the chunk doubles what is read,
    /// so that trying it again costs no more than its length in all.
    fn refill(&mut self, consumed: usize) -> io::Result<bool> {
        self.buffer.drain(..consumed);
        let left = self.buffer.len();
        self.buffer.resize(left + self.chunk.max(left), 0);
        let room = self.buffer.get_mut(left..).unwrap_or_default();
        // One read: a document that has arrived is not held up until the chunk is full.
        let outcome = loop {
            match self.inner.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        self.buffer.truncate(left + outcome.as_ref().copied().unwrap_or_default());
        outcome.map(|read| read > 0)
    }
}
