//! Standard input, in parts as it comes in.
//!
//! Threads read ahead a little and cut; a part is what has arrived, up to the last place where a document ends, or an
//! item of a list. What has no such place, as one large object, is held whole.

use super::items::Items;
use super::parts::{Seam, Start, seam_of};
use super::{Input, InputEntry, Role};
use anyhow::{Context as _, Result, bail};
use crdkit_codec::Format;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Bytes that are read at once, and how many times that is read ahead.
const CHUNK: usize = 64 << 10;
const AHEAD: usize = 32;
/// A part is about as large as this, if so much has arrived.
const SHARE: usize = 256 << 10;
/// All parts that are handed out together are no larger, however many there are.
const WINDOW: usize = 8 << 20;
/// A part of a list has at least this, or what is left.
const PIECE: usize = 128 << 10;
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
    within: Within,
    ended: bool,
}

/// Where what is pending begins.
enum Within {
    /// At a document.
    Documents,
    /// At an item of a list, which itself begins there.
    Items(Box<Items>, Start),
    /// After the items of such a list.
    Tail(Box<Items>, Start),
}

impl DocumentStream {
    /// Standard input, which is called `name`.
    pub(crate) fn stdin(name: &str) -> Self {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::spawn(move || {
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
        let within = Within::Documents;
        Self { name: name.into(), chunks, pending, start, format: None, within, ended: false }
    }

    /// All of it in windows of at most `most` parts, the next of which is got ready while one is worked on.
    pub(crate) fn windows(mut self, most: usize) -> Receiver<Result<Vec<Input>>> {
        let (sender, windows) = sync_channel(1);
        thread::spawn(move || {
            loop {
                let window = self.next(most);
                let (is_empty, failed) =
                    (window.as_ref().is_ok_and(Vec::is_empty), window.is_err());
                if is_empty || sender.send(window).is_err() || failed {
                    break;
                }
            }
        });
        windows
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
            let (format, seam) = self.seam();
            let new = self.pending.get(from..).unwrap_or_default();
            let is_first = from == 0;
            if seam(new).is_some_and(|at| from + at > 0) || is_first && self.begin_list(format) {
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
            let format = InputEntry::memory(name, Vec::new()).format_of(pending);
            (format, seam_of(format, pending))
        })
    }

    /// Whether a list begins, which is then taken apart.
    fn begin_list(&mut self, format: Format) -> bool {
        let Some((items, n_bytes)) = Items::begin(format, &self.pending, PIECE) else {
            return false;
        };
        self.within = Within::Items(Box::new(items), self.start);
        self.take(&[n_bytes]);
        true
    }

    /// What is pending up to each of `ends`, and where it begins. Each takes no more room than it needs.
    fn take(&mut self, ends: &[usize]) -> Vec<(Vec<u8>, Start)> {
        if *ends == [self.pending.len()] {
            let (bytes, start) = (std::mem::take(&mut self.pending), self.start);
            self.start.advance(&bytes);
            return vec![(bytes, start)];
        }
        let mut at = 0;
        let mut taken = Vec::with_capacity(ends.len());
        for end in ends {
            let bytes = self.pending.get(at..*end).unwrap_or_default().to_vec();
            let start = self.start;
            self.start.advance(&bytes);
            taken.push((bytes, start));
            at = *end;
        }
        self.pending.drain(..at.min(self.pending.len()));
        taken
    }

    /// What has arrived, in at most `most` parts; nothing at the end.
    ///
    /// # Errors
    /// When it cannot be read.
    fn next(&mut self, most: usize) -> Result<Vec<Input>> {
        let mut waits = self.pending.is_empty();
        // What was looked through already need not be again, but for a few bytes.
        let mut from = 0_usize;
        loop {
            while !self.ended && self.pending.len() < (most * SHARE).min(WINDOW) {
                if !self.receive(waits)? {
                    break;
                }
                waits = false;
            }
            let cut = match &self.within {
                Within::Documents if self.pending.is_empty() => return Ok(Vec::new()),
                Within::Documents => self.documents(&mut from, most),
                Within::Items(..) => self.items(),
                Within::Tail(..) => self.tail(),
            };
            match cut {
                Some(parts) if !parts.is_empty() => return Ok(parts),
                Some(_) => {}
                // More has to come, however much there is.
                None => {
                    self.receive(true)?;
                }
            }
        }
    }

    /// The documents that are complete; none if a list begins. Up to `from` there is no place to cut.
    fn documents(&mut self, from: &mut usize, most: usize) -> Option<Vec<Input>> {
        let (format, seam) = self.seam();
        if self.ended {
            return Some(self.cut(self.pending.len(), most, format, seam));
        }
        let new = self.pending.get(*from..).unwrap_or_default();
        let end = seam(new).map(|at| *from + at);
        if let Some(end) = end.filter(|end| *end > 0) {
            return Some(self.cut(end, most, format, seam));
        }
        let is_large = *from <= SMALL && self.pending.len() > SMALL;
        *from = self.pending.len().saturating_sub(8);
        (is_large && self.begin_list(format)).then(Vec::new)
    }

    /// The items that are complete.
    fn items(&mut self) -> Option<Vec<Input>> {
        let Within::Items(items, _) = &mut self.within else { return None };
        items.scan(&self.pending, self.ended);
        let (format, ends) = (items.format(), items.ends().to_vec());
        let item_kind = items.kind.clone();
        items.taken(ends.last().copied().unwrap_or_default());
        let is_over = items.is_over();
        let taken = self.take(&ends).into_iter();
        let taken = taken.filter(|(bytes, _)| !bytes.trim_ascii().is_empty());
        let parts: Vec<_> = taken
            .map(|(bytes, start)| Input {
                is_inside_list: true,
                item_kind: item_kind.clone(),
                ..self.input(bytes, format, start)
            })
            .collect();
        if is_over && let Within::Items(items, start) = self.documents_next() {
            self.within = Within::Tail(items, start);
        }
        (is_over || !parts.is_empty()).then_some(parts)
    }

    /// The list without its items, once its document is complete.
    fn tail(&mut self) -> Option<Vec<Input>> {
        let Within::Tail(items, _) = &self.within else { return None };
        let end = items.end_of_document(&self.pending, self.ended)?;
        let (tail, _) = self.take(&[end]).pop()?;
        let Within::Tail(items, start) = self.documents_next() else { return None };
        let (format, list) = items.around(&tail);
        Some(vec![self.input(list, format, start)])
    }

    /// Where it was, now that documents come next.
    fn documents_next(&mut self) -> Within {
        std::mem::replace(&mut self.within, Within::Documents)
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
        let target = end.div_ceil(most).max(CHUNK);
        let (mut ends, mut at) = (Vec::new(), 0);
        while end - at > target && ends.len() + 1 < most {
            // The last place before the target, or else the part is larger.
            let part = self.pending.get(at..at + target).unwrap_or_default();
            let Some(found) = seam(part).filter(|found| *found > 0) else { break };
            at += found;
            ends.push(at);
        }
        ends.push(end);
        let taken = self.take(&ends).into_iter();
        taken.map(|(bytes, start)| self.input(bytes, format, start)).collect()
    }

    fn input(&self, bytes: Vec<u8>, format: Format, start: Start) -> Input {
        let Start { line: first_line, column: first_column } = start;
        let entry = InputEntry { role: Role::Stream, ..InputEntry::memory(&self.name, Vec::new()) };
        let whole = entry.whole(Arc::clone(&self.name), format, bytes);
        Input { first_line, first_column, ..whole }
    }
}
