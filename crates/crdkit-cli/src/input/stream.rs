//! Standard input, in parts as it comes in.
//!
//! A thread reads ahead a little; a part is what has arrived, up to the last place where a document ends. What has
//! no such place, as one large document of JSON, is held whole.

use super::parts::{Seam, Start, seam_of};
use super::{Input, InputEntry, Role};
use anyhow::{Context as _, Result, bail};
use crdkit_codec::Format;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Bytes that are read at once, and how many times that is read ahead.
const CHUNK: usize = 64 << 10;
const AHEAD: usize = 32;
/// A part is about as large as this, if so much has arrived.
const SHARE: usize = 256 << 10;
/// What ends before this is known as a whole, with the CRDs that come last in it.
const SMALL: usize = 1 << 20;
/// What cannot be cut is held, as a file would be.
const LARGEST: usize = 1 << 30;

/// A stream of documents.
pub(crate) struct DocumentStream {
    name: Arc<str>,
    chunks: Receiver<io::Result<Vec<u8>>>,
    pending: Vec<u8>,
    /// Where what is pending begins.
    start: Start,
    format: Option<(Format, Seam)>,
    ended: bool,
}

impl DocumentStream {
    /// Standard input, which is called `name`.
    pub(crate) fn stdin(name: &str) -> Self {
        let (sender, chunks) = sync_channel(AHEAD);
        std::thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = stdin.read(&mut chunk);
                if matches!(&read, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
                    continue;
                }
                let is_last = !matches!(read, Ok(1..));
                let chunk = read.map(|n_bytes| {
                    chunk.truncate(n_bytes);
                    chunk
                });
                if sender.send(chunk).is_err() || is_last {
                    break;
                }
            }
        });
        let (pending, start) = (Vec::new(), Start::default());
        Self { name: name.into(), chunks, pending, start, format: None, ended: false }
    }

    /// All of it, if it ends soon or cannot be cut.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read_if_small(&mut self) -> Result<Option<InputEntry>> {
        let mut from = 0_usize;
        while !self.ended {
            self.receive(true)?;
            if self.pending.len() <= SMALL {
                continue;
            }
            let (_, seam) = self.seam();
            let new = self.pending.get(from..).unwrap_or_default();
            if seam(new).is_some_and(|at| from + at > 0) {
                return Ok(None);
            }
            from = self.pending.len().saturating_sub(8);
        }
        let bytes = std::mem::take(&mut self.pending);
        let entry = InputEntry::memory(&self.name, bytes);
        Ok(Some(InputEntry { role: Role::Stream, ..entry }))
    }

    /// The format, decided by how the stream begins, and how it is cut.
    fn seam(&mut self) -> (Format, Seam) {
        let (name, pending) = (&self.name, &self.pending);
        *self.format.get_or_insert_with(|| {
            let format = Format::detect(name.as_ref().as_ref(), pending);
            (format, seam_of(format, pending))
        })
    }

    /// What has arrived, in at most `most` parts; nothing at the end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn next(&mut self, most: usize) -> Result<Vec<Input>> {
        let mut waits = self.pending.is_empty();
        // What was looked through already need not be again, but for a few bytes.
        let mut from = 0_usize;
        loop {
            while !self.ended && self.pending.len() < most * SHARE {
                if !self.receive(waits)? {
                    break;
                }
                waits = false;
            }
            if self.pending.is_empty() {
                return Ok(Vec::new());
            }
            let (format, seam) = self.seam();
            if self.ended {
                return Ok(self.cut(self.pending.len(), most, format, seam));
            }
            let new = self.pending.get(from..).unwrap_or_default();
            let end = seam(new).map(|at| from + at);
            if let Some(end) = end.filter(|end| *end > 0) {
                return Ok(self.cut(end, most, format, seam));
            }
            from = self.pending.len().saturating_sub(8);
            // Nothing to cut yet: more has to come, however much there is.
            self.receive(true)?;
        }
    }

    /// Takes the next chunk, if there is one already or it `waits`.
    fn receive(&mut self, waits: bool) -> Result<bool> {
        let chunk = if waits { self.chunks.recv().ok() } else { self.chunks.try_recv().ok() };
        match chunk {
            None if waits => self.ended = true,
            None => return Ok(false),
            Some(chunk) => {
                let chunk = chunk.context("standard input cannot be read")?;
                self.ended = chunk.is_empty();
                self.pending.extend_from_slice(&chunk);
                if self.pending.len() > LARGEST {
                    bail!(
                        "standard input has a document of more than {} MiB, which is the limit",
                        LARGEST >> 20
                    );
                }
            }
        }
        Ok(true)
    }

    /// The first `end` bytes of what is pending, in at most `most` parts of about the same size.
    fn cut(&mut self, end: usize, most: usize, format: Format, seam: Seam) -> Vec<Input> {
        let rest = self.pending.split_off(end);
        let mut bytes = std::mem::replace(&mut self.pending, rest);
        let target = bytes.len().div_ceil(most).max(CHUNK);
        let mut parts = Vec::new();
        while bytes.len() > target {
            // The last place before the target, or else the part is larger.
            let at = seam(bytes.get(..target).unwrap_or_default());
            let Some(at) = at.filter(|at| *at > 0 && parts.len() + 1 < most) else { break };
            let rest = bytes.split_off(at);
            parts.push(std::mem::replace(&mut bytes, rest));
        }
        parts.push(bytes);
        parts.into_iter().map(|bytes| self.part(bytes, format)).collect()
    }

    fn part(&mut self, bytes: Vec<u8>, format: Format) -> Input {
        let Start { line: first_line, column: first_column } = self.start;
        self.start.advance(&bytes);
        let entry = InputEntry { role: Role::Stream, ..InputEntry::memory(&self.name, Vec::new()) };
        let whole = entry.whole(Arc::clone(&self.name), format, bytes);
        Input { first_line, first_column, ..whole }
    }
}
