//! Bytes on their way to a decoder, which would quietly replace what is not text: here that is an error.
//!
//! Takes bytes from a reader and hands them on; what may be completed by the bytes to come is judged with them.

use crate::wire::{judge_text, text_problem};
use crdkit_issue::Issue;
use std::fmt;
use std::io::{self, Read};

/// A reader whose bytes are text.
pub(super) struct TextReader<R> {
    inner: R,
    /// Bytes that were handed on and are not judged yet.
    open: Vec<u8>,
    /// How many bytes were judged.
    judged: usize,
}

/// Why bytes are not text.
#[derive(Debug)]
pub(super) struct NotText(pub(super) Box<Issue>);

impl<R> TextReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, open: Vec::new(), judged: 0 }
    }

    fn judge(&mut self, bytes: &[u8], at_end: bool) -> io::Result<()> {
        let held;
        let all = if self.open.is_empty() {
            bytes
        } else {
            held = [std::mem::take(&mut self.open).as_slice(), bytes].concat();
            &held
        };
        let good = judge_text(all, at_end).map_err(|(at, problem)| {
            io::Error::other(NotText(text_problem(self.judged + at, problem)))
        })?;
        self.judged += good;
        self.open = all.get(good..).unwrap_or_default().to_vec();
        Ok(())
    }
}

impl<R: Read> Read for TextReader<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.inner.read(room)?;
        let bytes = room.get(..n_bytes).unwrap_or_default();
        self.judge(bytes, n_bytes == 0 && !room.is_empty())?;
        Ok(n_bytes)
    }
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for NotText {}
