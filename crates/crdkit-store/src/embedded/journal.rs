//! The journal: batches of writes in front of the database, each durable with one short write and one sync.
//!
//! A checkpoint applies what the journal has to the database in one transaction, which also stores the epoch of the journal; the
//! journal then starts again at its beginning, in the next epoch. Batches start at multiples of 512 bytes.
//!
//! | Batch | Bytes |
//! |---|---|
//! | checksum | 8 |
//! | bytes of the writes; number of writes | 4, 4 |
//! | epoch; first revision; bytes of the journal that were synced before; time | 8, 8, 8, 8 |
//! | writes: flags, length of the key, length of the value, time when it expires, key, value | 17 and more each |
//!
//! | Mark | Bytes |
//! |---|---|
//! | checksum | 8 |
//! | epoch; bytes of the journal that were synced | 8, 8 |
//!
//! Integers are little-endian. A checksum is the XXH3 of all that follows it, seeded with the epoch and the place, so that what was there before
//! is not taken for what is there now. What must hold: the batches of the epoch after the database's count up to the first that is not
//! whole, which a power cut has torn. If anything, a later batch or a mark, says that it had been synced, or that the database once was
//! further, the file is damaged.

use super::layout::FileLayout;
use crate::{Millis, Revision, StoreError};
use bytes::Bytes;
use redb::StorageBackend;
use std::io;
use std::sync::Arc;
use twox_hash::XxHash3_64;

const SECTOR: usize = 512;
const HEADER: usize = 48;
const WRITE: usize = 1 + 4 + 4 + 8;
const MARK: usize = 24;
const PUT: u8 = 1;

/// A write as it happened: the entry afterwards, if there is one, and when it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JournalWrite {
    pub(super) key: Arc<str>,
    pub(super) put: Option<(Bytes, Option<Millis>)>,
}

/// Writes that were made durable together.
#[derive(Clone, Debug)]
pub(super) struct JournalBatch {
    /// The revision of the first write. The others have those after it.
    pub(super) first: u64,
    pub(super) time: Millis,
    pub(super) writes: Vec<JournalWrite>,
    synced: u64,
    size: usize,
}

fn seed(epoch: u64, place: u64) -> u64 {
    epoch.rotate_left(32) ^ place
}

/// The bytes of a batch, while writes are added to it.
pub(super) struct BatchWriter {
    bytes: Vec<u8>,
    count: u32,
}

impl BatchWriter {
    /// An empty batch, with room for so many bytes.
    pub(super) fn new(size: usize) -> BatchWriter {
        let mut bytes = Vec::with_capacity(size);
        bytes.resize(HEADER, 0);
        BatchWriter { bytes, count: 0 }
    }

    /// How many bytes a batch of writes takes at most, if each has this key and this value.
    pub(super) fn size<'a>(writes: impl Iterator<Item = (&'a str, usize)>) -> usize {
        let writes: usize = writes.map(|(key, value)| WRITE + key.len() + value).sum();
        (HEADER + writes).next_multiple_of(SECTOR)
    }

    /// Adds a write; no value means that the entry is deleted.
    pub(super) fn add(&mut self, key: &str, put: Option<(&[u8], Option<Millis>)>) {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        let (value, expires) = put.unwrap_or_default();
        self.bytes.push(if put.is_some() { PUT } else { 0 });
        self.bytes.extend(length(key.as_bytes()));
        self.bytes.extend(length(value));
        self.bytes.extend(expires.map_or(0, |expires| expires.0).to_le_bytes());
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.extend_from_slice(value);
        self.count += 1;
    }
}

/// What the journal of an open file is at.
#[derive(Debug)]
pub(super) struct Journal {
    layout: FileLayout,
    epoch: u64,
    /// Where the next batch comes.
    end: u64,
    synced: u64,
    marked: (u64, u64),
    marks: usize,
}

impl Journal {
    /// An empty journal.
    pub(super) fn new(layout: FileLayout, epoch: u64) -> Journal {
        Journal { layout, epoch, end: 0, synced: 0, marked: (0, 0), marks: 0 }
    }

    /// How many bytes there are.
    pub(super) fn capacity(&self) -> usize {
        usize::try_from(self.layout.journal).unwrap_or(usize::MAX)
    }

    /// How many bytes are left.
    pub(super) fn room(&self) -> usize {
        usize::try_from(self.layout.journal - self.end).unwrap_or(usize::MAX)
    }

    /// Starts again. The database has all that was there.
    pub(super) fn start(&mut self, epoch: u64) {
        (self.epoch, self.end, self.synced) = (epoch, 0, 0);
    }

    /// All batches are on disk.
    pub(super) fn note_sync(&mut self) {
        self.synced = self.end;
    }

    /// Writes a batch. It is durable after a sync, of which [`Self::note_sync`] is told.
    pub(super) fn append(
        &mut self,
        to: &dyn StorageBackend,
        batch: BatchWriter,
        first: u64,
        time: Millis,
    ) -> io::Result<()> {
        self.mark(to)?;
        let BatchWriter { mut bytes, count } = batch;
        let length = u32::try_from(bytes.len() - HEADER).map_err(io::Error::other)?;
        let mut header = Vec::with_capacity(HEADER);
        header.extend([0; 8]);
        header.extend(length.to_le_bytes());
        header.extend(count.to_le_bytes());
        for number in [self.epoch, first, self.synced, time.0] {
            header.extend(number.to_le_bytes());
        }
        if let Some(place) = bytes.get_mut(..HEADER) {
            place.copy_from_slice(&header);
        }
        if let Some((sum, rest)) = bytes.split_first_chunk_mut::<8>() {
            *sum = XxHash3_64::oneshot_with_seed(seed(self.epoch, self.end), rest).to_le_bytes();
        }
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        if bytes.len() > self.room() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        to.write(FileLayout::journal_at() + self.end, &bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Notes in the file how far the journal was synced, where that is not noted yet.
    pub(super) fn mark(&mut self, to: &dyn StorageBackend) -> io::Result<()> {
        let mark = (self.epoch, self.synced);
        if mark == self.marked {
            return Ok(());
        }
        let places = FileLayout::marks_at();
        let place = places.get(self.marks % places.len()).copied().unwrap_or_default();
        let mut bytes = vec![0; 8];
        bytes.extend(mark.0.to_le_bytes());
        bytes.extend(mark.1.to_le_bytes());
        if let Some((sum, rest)) = bytes.split_first_chunk_mut::<8>() {
            *sum = XxHash3_64::oneshot_with_seed(seed(0, place), rest).to_le_bytes();
        }
        bytes.resize(SECTOR, 0);
        to.write(place, &bytes)?;
        self.marked = mark;
        self.marks += 1;
        Ok(())
    }
}

/// What an opened file has that its database does not.
#[derive(Debug, Default)]
pub(super) struct JournalReplay {
    pub(super) batches: Vec<JournalBatch>,
    /// Whether there are batches after those that count, which later ones must not be mixed with.
    pub(super) torn: bool,
}

impl JournalReplay {
    /// An error where the batches do not go on after a revision.
    pub(super) fn follows(&self, base: Revision) -> Result<(), StoreError> {
        let mut next = base.next();
        for batch in &self.batches {
            if batch.first != next.0 {
                return Err(StoreError::Damaged(format!("revision {next} is missing")));
            }
            next = Revision(next.0 + batch.writes.len() as u64);
        }
        Ok(())
    }
}

/// Reads what a database that has applied an epoch does not have yet.
pub(super) fn replay(
    from: &dyn StorageBackend,
    layout: FileLayout,
    applied: u64,
) -> Result<JournalReplay, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let fail = |error: io::Error| super::file::io_failure(&error);
    let length = usize::try_from(layout.journal).map_err(|_| damaged("the journal is too long"))?;
    let mut bytes = vec![0; length];
    from.read(FileLayout::journal_at(), &mut bytes).map_err(fail)?;
    let epoch = applied + 1;
    let mut replay = JournalReplay::default();
    let mut end = 0;
    while let Some((found, batch)) = batch(&bytes, end)
        && found == epoch
    {
        end += batch.size;
        replay.batches.push(batch);
    }
    let missing = || damaged("a part of the journal is not whole");
    for place in (end..length).step_by(SECTOR) {
        // What an earlier epoch left does not count.
        let Some((found, batch)) = newer(&bytes, place, applied) else { continue };
        if found > epoch || batch.synced > end as u64 {
            return Err(missing());
        }
        replay.torn = true;
    }
    for place in FileLayout::marks_at() {
        let mut bytes = [0; MARK];
        from.read(place, &mut bytes).map_err(fail)?;
        let Some((marked, synced)) = mark(&bytes, place) else { continue };
        if marked > epoch || (marked == epoch && synced > end as u64) {
            return Err(missing());
        }
    }
    Ok(replay)
}

fn mark(bytes: &[u8; MARK], place: u64) -> Option<(u64, u64)> {
    let (sum, rest) = bytes.split_first_chunk()?;
    if u64::from_le_bytes(*sum) != XxHash3_64::oneshot_with_seed(seed(0, place), rest) {
        return None;
    }
    let mut reader = BatchReader(rest);
    Some((reader.number()?, reader.number()?))
}

/// The batch at a place if it is of a later epoch.
fn newer(bytes: &[u8], place: usize, applied: u64) -> Option<(u64, JournalBatch)> {
    let epoch = bytes.get(place + 16..)?.first_chunk()?;
    if u64::from_le_bytes(*epoch) > applied { batch(bytes, place) } else { None }
}

/// The batch at a place with its epoch, if it is whole.
fn batch(bytes: &[u8], place: usize) -> Option<(u64, JournalBatch)> {
    let mut reader = BatchReader(bytes.get(place..)?);
    let all = reader.0;
    let sum = reader.number()?;
    let (length, count) = (reader.length()?, reader.length()?);
    let (epoch, first, synced) = (reader.number()?, reader.number()?, reader.number()?);
    let time = Millis(reader.number()?);
    let size = HEADER.checked_add(length)?;
    let sealed = all.get(8..size)?;
    if sum != XxHash3_64::oneshot_with_seed(seed(epoch, place as u64), sealed) {
        return None;
    }
    reader.0 = all.get(HEADER..size)?;
    let mut writes = Vec::new();
    for _ in 0..count {
        let flags = *reader.take(1)?.first()?;
        let (key, value) = (reader.length()?, reader.length()?);
        let expires = Some(Millis(reader.number()?)).filter(|expires| expires.0 > 0);
        let key = std::str::from_utf8(reader.take(key)?).ok()?.into();
        let value = Bytes::copy_from_slice(reader.take(value)?);
        let put = (flags & PUT != 0).then_some((value, expires));
        writes.push(JournalWrite { key, put });
    }
    let size = size.next_multiple_of(SECTOR);
    Some((epoch, JournalBatch { first, time, writes, synced, size }))
}

struct BatchReader<'a>(&'a [u8]);

impl<'a> BatchReader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take(4)?.try_into().ok()?)).ok()
    }
}
