//! Where bytes come from: a window onto the input, whole or in chunks.
//!
//! Over a slice the window is all of it; over [`std::io::Read`] it is a buffer that slides along and
//! grows only when a single token needs it.

use std::io::{self, Read};

/// Where bytes come from.
pub trait Source {
    /// The bytes at hand.
    fn window(&self) -> &[u8];

    /// The text between two offsets of the window, if it is valid UTF-8.
    fn text(&self, start: usize, end: usize) -> Option<&str> {
        str::from_utf8(self.window().get(start..end)?).ok()
    }

    /// Forgets the first `consumed` bytes and gets more; false when there are no more.
    ///
    /// # Errors
    /// When reading fails.
    fn refill(&mut self, consumed: usize) -> io::Result<bool>;
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

    /// The whole input, if it is valid UTF-8.
    pub(crate) fn whole_text(&self) -> Option<&'a str> {
        self.text
    }
}

impl Source for Slice<'_> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.bytes
    }

    #[inline]
    fn text(&self, start: usize, end: usize) -> Option<&str> {
        match self.text {
            Some(text) => text.get(start..end),
            None => str::from_utf8(self.bytes.get(start..end)?).ok(),
        }
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

impl<R: Read> Source for Chunks<R> {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.buffer
    }

    /// What is left of the window stays in front. A token longer than the chunk doubles what is read,
    /// so that trying it again costs no more than its length in all.
    fn refill(&mut self, consumed: usize) -> io::Result<bool> {
        self.buffer.drain(..consumed);
        let want = self.chunk.max(self.buffer.len());
        let mut limited = (&mut self.inner).take(want as u64);
        loop {
            match limited.read_to_end(&mut self.buffer) {
                Ok(read) => return Ok(read > 0),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
