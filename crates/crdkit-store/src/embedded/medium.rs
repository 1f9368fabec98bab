//! Where the bytes of a store are, and the guard through which redb reaches them.
//!
//! The guard holds writes back until the file is known to be a store, so that a file which is refused stays as it was. It remembers what was
//! written since the last sync: where a sync fails the system may take pages for clean that never reached the disk, and only writing
//! them again makes them durable.

use crate::feed::lock;
use redb::{BackendError, StorageBackend};
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Something that a store can be opened on, again and again.
pub trait Medium: Send + Sync + 'static {
    /// Opens it. It exists.
    fn open(&self) -> io::Result<Box<dyn StorageBackend>>;
}

/// A file.
pub(super) struct FileMedium(pub(super) PathBuf);

impl Medium for FileMedium {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file: File = OpenOptions::new().read(true).write(true).open(&self.0)?;
        Ok(Box::new(redb::backends::FileBackend::new(file).map_err(io::Error::other)?))
    }
}

/// Ranges of a file: where they start and how long they are.
pub(super) type FileRanges = Vec<(u64, usize)>;

/// What redb is given.
#[derive(Clone, Debug)]
pub(super) struct StorageGuard(Arc<GuardState>);

#[derive(Debug)]
struct GuardState {
    inner: Box<dyn StorageBackend>,
    syncs: bool,
    pending: Mutex<PendingWrites>,
}

#[derive(Debug, Default)]
struct PendingWrites {
    /// Operations that wait for the file to be accepted.
    held: Option<Vec<HeldOperation>>,
    unsynced: FileRanges,
    sync_failed: bool,
}

#[derive(Debug)]
enum HeldOperation {
    Resize(u64),
    Sync,
    Write(u64, Vec<u8>),
}

impl StorageGuard {
    /// `holds`: whether writes wait for [`Self::accept`]. `syncs`: whether syncs reach the disk.
    pub(super) fn new(inner: Box<dyn StorageBackend>, holds: bool, syncs: bool) -> StorageGuard {
        let held = holds.then(Vec::new);
        let pending = Mutex::new(PendingWrites { held, ..PendingWrites::default() });
        StorageGuard(Arc::new(GuardState { inner, syncs, pending }))
    }

    /// Does what was held back, in its order, and holds nothing back from now on.
    pub(super) fn accept(&self) -> io::Result<()> {
        let held = lock(&self.0.pending).held.take();
        for operation in held.into_iter().flatten() {
            match operation {
                HeldOperation::Resize(length) => self.set_len(length)?,
                HeldOperation::Sync => self.sync_data()?,
                HeldOperation::Write(offset, data) => self.write(offset, &data)?,
            }
        }
        Ok(())
    }

    /// What a failed sync may have lost.
    pub(super) fn suspects(&self) -> FileRanges {
        let pending = lock(&self.0.pending);
        if pending.sync_failed { pending.unsynced.clone() } else { FileRanges::new() }
    }

    /// Writes what is read at these ranges once more, and syncs.
    pub(super) fn rewrite(&self, ranges: &FileRanges) -> io::Result<()> {
        if ranges.is_empty() {
            return Ok(());
        }
        let length = self.len()?;
        for &(offset, size) in ranges {
            let size = size.min(usize::try_from(length.saturating_sub(offset)).unwrap_or(size));
            let mut data = vec![0; size];
            self.0.inner.read(offset, &mut data)?;
            self.write(offset, &data)?;
        }
        self.sync_data()
    }
}

impl StorageBackend for StorageGuard {
    fn len(&self) -> io::Result<u64> {
        let resized = lock(&self.0.pending).held.iter().flatten().rev().find_map(|operation| {
            if let HeldOperation::Resize(length) = operation { Some(*length) } else { None }
        });
        resized.map_or_else(|| self.0.inner.len(), Ok)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let pending = lock(&self.0.pending);
        let Some(held) = pending.held.as_ref().filter(|held| !held.is_empty()) else {
            drop(pending);
            return self.0.inner.read(offset, out);
        };
        // What lies beyond the end of the file is zero until it is written.
        let there = self.0.inner.len()?.saturating_sub(offset);
        let there = usize::try_from(there).unwrap_or(usize::MAX).min(out.len());
        out.fill(0);
        if let Some(out) = out.get_mut(..there) {
            self.0.inner.read(offset, out)?;
        }
        let end = offset + out.len() as u64;
        for operation in held {
            match operation {
                HeldOperation::Write(at, data) => {
                    let from = (*at).max(offset);
                    let to = (at + data.len() as u64).min(end);
                    if from < to {
                        let index = |base: u64| {
                            let bound = |value: u64| usize::try_from(value - base).unwrap_or(0);
                            bound(from)..bound(to)
                        };
                        if let (Some(target), Some(source)) =
                            (out.get_mut(index(offset)), data.get(index(*at)))
                        {
                            target.copy_from_slice(source);
                        }
                    }
                }
                HeldOperation::Resize(length) if *length < end => {
                    let kept = usize::try_from(length.saturating_sub(offset)).unwrap_or(0);
                    if let Some(gone) = out.get_mut(kept..) {
                        gone.fill(0);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        if let Some(held) = &mut lock(&self.0.pending).held {
            held.push(HeldOperation::Resize(length));
            return Ok(());
        }
        self.0.inner.set_len(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        if let Some(held) = &mut lock(&self.0.pending).held {
            held.push(HeldOperation::Sync);
            return Ok(());
        }
        if !self.0.syncs {
            return Ok(());
        }
        let result = self.0.inner.sync_data();
        let mut pending = lock(&self.0.pending);
        match &result {
            Ok(()) => pending.unsynced.clear(),
            Err(_) => pending.sync_failed = true,
        }
        result
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        {
            let mut pending = lock(&self.0.pending);
            if let Some(held) = &mut pending.held {
                held.push(HeldOperation::Write(offset, data.to_vec()));
                return Ok(());
            }
            if self.0.syncs {
                pending.unsynced.push((offset, data.len()));
            }
        }
        self.0.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.query_lock_range(start, end)
    }
}
