//! Where things are in a file.
//!
//! | Offset | What |
//! |---|---|
//! | 0 | header: magic number, format, bytes of the journal, checksum |
//! | 1024, 2048 | two marks, written in turn |
//! | 8192 | journal |
//! | 8192 + bytes of the journal | database |
//!
//! The header is written once, when the file is made. Integers are little-endian; the checksum is the XXH3 of all before it. The database
//! is one of redb, whose tables `record` describes; `journal` describes the rest. A file of format 1 is a database alone.

use super::file::io_failure;
use crate::StoreError;
use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use twox_hash::XxHash3_64;

pub(super) const FORMAT: u32 = 2;
/// The format that is a database alone.
pub(super) const BARE_FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"crdkstor";
const BARE_MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
const HEADER: usize = 8 + 4 + 8 + 8;
const PAGE: u64 = 4096;
const JOURNAL: u64 = 2 * PAGE;

/// The layout of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileLayout {
    /// The bytes of the journal.
    pub(super) journal: u64,
}

impl FileLayout {
    /// With a journal of at least so many bytes.
    pub(super) fn new(journal: u64) -> FileLayout {
        FileLayout { journal: journal.clamp(PAGE, 1 << 40).next_multiple_of(PAGE) }
    }

    /// Where the journal begins.
    pub(super) fn journal_at() -> u64 {
        JOURNAL
    }

    /// Where the database begins.
    pub(super) fn database_at(self) -> u64 {
        JOURNAL + self.journal
    }

    /// Where the marks are. They are so far from each other and from the journal that no damage of one page reaches two of them.
    pub(super) fn marks_at() -> [u64; 2] {
        [1024, 2048]
    }

    /// Makes a file of an empty one, up to its database. The journal is written once, so that the file system has given it its room
    /// and a sync of it has nothing else to keep.
    pub(super) fn write(self, backend: &dyn StorageBackend) -> io::Result<()> {
        let mut header = MAGIC.to_vec();
        header.extend(FORMAT.to_le_bytes());
        header.extend(self.journal.to_le_bytes());
        header.extend(XxHash3_64::oneshot(&header).to_le_bytes());
        backend.set_len(self.database_at())?;
        backend.write(0, &header)?;
        let zeros = vec![0; 1 << 20];
        for at in (Self::journal_at()..self.database_at()).step_by(zeros.len()) {
            let length = usize::try_from(self.database_at() - at).unwrap_or(usize::MAX);
            backend.write(at, zeros.get(..length).unwrap_or(&zeros))?;
        }
        Ok(())
    }

    /// The layout of a file.
    pub(super) fn read(backend: &dyn StorageBackend) -> Result<FileLayout, StoreError> {
        let length = backend.len().map_err(|error| io_failure(&error))?;
        if length == 0 {
            return Err(StoreError::Damaged("the file is empty".to_owned()));
        }
        let foreign = || StoreError::Foreign("the file does not begin as a store does".to_owned());
        let mut header = [0; HEADER];
        if length < HEADER as u64 {
            return Err(foreign());
        }
        backend.read(0, &mut header).map_err(|error| io_failure(&error))?;
        let mut fields = Fields(&header);
        if fields.take::<8>() != Some(MAGIC) {
            return Err(foreign());
        }
        let damaged = || StoreError::Damaged("the header is not whole".to_owned());
        let format = u32::from_le_bytes(*fields.take().ok_or_else(damaged)?);
        if format > FORMAT {
            return Err(StoreError::Newer { format, supported: FORMAT });
        }
        let journal = u64::from_le_bytes(*fields.take().ok_or_else(damaged)?);
        let sum = u64::from_le_bytes(*fields.take().ok_or_else(damaged)?);
        let before = header.split_last_chunk::<8>().map_or(0, |(all, _)| XxHash3_64::oneshot(all));
        if format != FORMAT || sum != before {
            return Err(damaged());
        }
        let layout = FileLayout { journal };
        if length <= layout.database_at() {
            return Err(StoreError::Damaged("the file ends early".to_owned()));
        }
        Ok(layout)
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(taken)
    }
}

/// Whether a file begins as a database alone does.
pub(super) fn is_bare(backend: &dyn StorageBackend) -> io::Result<bool> {
    let mut start = [0; BARE_MAGIC.len()];
    if backend.len()? < start.len() as u64 {
        return Ok(false);
    }
    backend.read(0, &mut start)?;
    Ok(start == *BARE_MAGIC)
}

/// What begins at an offset of a backend. Locks are about the whole.
#[derive(Debug)]
pub(super) struct OffsetBackend<B> {
    pub(super) inner: B,
    pub(super) offset: u64,
}

impl<B: StorageBackend> StorageBackend for OffsetBackend<B> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.inner.len()?.saturating_sub(self.offset))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(self.place(offset)?, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.inner.set_len(self.place(length)?)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(self.place(offset)?, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}

impl<B> OffsetBackend<B> {
    fn place(&self, offset: u64) -> io::Result<u64> {
        offset.checked_add(self.offset).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}
