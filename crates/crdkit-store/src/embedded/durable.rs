//! What is durable, and how changes become so: the journal first, the database at a checkpoint. Where that fails, `recovery` goes on.

use super::commit::{CommitTables, LogExtent};
use super::core::StoreCore;
use super::file::{OpenedFile, caught, failure, io_failure};
use super::journal::{BatchWriter, Journal, JournalReplay};
use super::medium::FileRanges;
use super::options::Durability;
use super::overlay::{Overlay, OverlayChange, OverlayView};
use super::read::{LatestTable, ReadView};
use crate::{Change, Millis, Revision, StoreEntry, StoreError, Write, WriteAction};
use redb::StorageBackend;
use std::sync::Arc;

/// More revisions than can be given out between two syncs.
const UNSYNCED: u64 = 1 << 20;
/// How many records a step of housekeeping deletes at most, so that writes do not wait long for it.
pub(super) const HOUSEKEEPING: usize = 256;

pub(super) type WriteResult = Result<Arc<Change>, StoreError>;

pub(super) struct DurableState {
    pub(super) core: Arc<StoreCore>,
    pub(super) journal: Journal,
    /// That of the database.
    pub(super) extent: LogExtent,
    /// What a failed sync may have lost; the file has to be opened again if there is some.
    pub(super) suspects: FileRanges,
    pub(super) broken: bool,
    /// When the first change was written that is not yet synced, and its revision.
    unsynced: Option<(Millis, u64)>,
}

/// The bytes of a write in a batch.
pub(super) fn size(write: &Write) -> (&str, usize) {
    let value = match &write.action {
        WriteAction::Put { value, .. } => value.len(),
        WriteAction::Delete => 0,
    };
    (&write.key, value)
}

impl DurableState {
    /// Goes on where the file ended.
    pub(super) fn new(
        core: Arc<StoreCore>,
        replay: JournalReplay,
    ) -> Result<DurableState, StoreError> {
        let journal = Journal::new(core.layout, 0);
        let mut state = DurableState {
            core,
            journal,
            extent: LogExtent::default(),
            suspects: FileRanges::new(),
            broken: false,
            unsynced: None,
        };
        state.reread()?;
        let lazy = state.core.options.durability != Durability::Synced;
        state.transact(|tables| {
            let replayed = replay.torn || !replay.batches.is_empty();
            tables.replay(replay.batches)?;
            // Without a proper end, revisions may have been given out that are not in the file.
            let ended = !tables.mark(lazy)?;
            if !ended {
                tables.leap(tables.extent.current + UNSYNCED)?;
            }
            Ok(((), lazy || !ended || replayed))
        })?;
        state.core.feed.cut(state.current());
        Ok(state)
    }

    /// The latest revision.
    pub(super) fn current(&self) -> Revision {
        Revision(self.core.overlay().current())
    }

    /// The oldest revision that is retained.
    pub(super) fn horizon(&self) -> Revision {
        Revision(self.extent.horizon)
    }

    /// How many bytes of writes a batch may bring.
    pub(super) fn batch(&self) -> usize {
        self.journal.capacity() / 4
    }

    /// Whether something is not on disk yet.
    pub(super) fn is_unsynced(&self) -> bool {
        self.unsynced.is_some()
    }

    /// Does writes, in their order, and publishes the changes.
    pub(super) fn write(&mut self, writes: Vec<Write>) -> Vec<WriteResult> {
        let count = writes.len();
        let size = BatchWriter::size(writes.iter().map(size));
        let room = self.ready().and_then(|()| self.make_room(size));
        match room {
            Err(error) => vec![Err(error); count],
            Ok(true) => self.append(writes, size),
            Ok(false) => self.write_through(writes),
        }
    }

    /// Whether the journal has room for a batch, after a checkpoint if that helps.
    fn make_room(&mut self, size: usize) -> Result<bool, StoreError> {
        if size > self.journal.capacity() {
            return Ok(false);
        }
        if size > self.journal.room() {
            let checkpoint = self.settled(|_| Ok(((), true)));
            // What failed may have been made good.
            if self.broken {
                checkpoint?;
            }
        }
        Ok(true)
    }

    /// Writes to the journal.
    fn append(&mut self, writes: Vec<Write>, size: usize) -> Vec<WriteResult> {
        let count = writes.len();
        let now = self.core.clock.now();
        let overlay = self.core.overlay();
        let view = caught(|| {
            let view = self.core.view_with(OverlayView::all(Arc::clone(&overlay)))?;
            let latest = view.latest()?;
            Ok((view, latest))
        });
        let view = match view {
            Ok(view) => view,
            Err(error) => return vec![Err(error); count],
        };
        let first = overlay.last() + 1;
        let mut batch = BatchWriter::new(size);
        let stage = |write| caught(|| stage(&view, &overlay, write, now, &mut batch));
        let results: Vec<_> = writes.into_iter().map(stage).collect();
        let changes: Vec<_> = results.iter().flatten().cloned().collect();
        if changes.is_empty() {
            return results;
        }
        if let Err(error) = self.append_batch(batch, first, now) {
            return self.settle(&error, results);
        }
        overlay.show();
        self.core.feed.publish(&changes, now);
        results
    }

    fn append_batch(
        &mut self,
        batch: BatchWriter,
        first: u64,
        now: Millis,
    ) -> Result<(), StoreError> {
        let opened = self.core.opened();
        let guard = &opened.as_ref().ok_or_else(not_opened)?.guard;
        self.journal.append(guard, batch, first, now).map_err(|error| io_failure(&error))?;
        let due = match self.core.options.durability {
            Durability::Synced => true,
            Durability::Batched(interval) => {
                let (since, revision) = *self.unsynced.get_or_insert((now, first));
                since.plus(interval) <= now || first - revision >= UNSYNCED / 2
            }
            Durability::Unsynced => false,
        };
        if due {
            guard.sync_data().map_err(|error| io_failure(&error))?;
            self.journal.note_sync();
            self.unsynced = None;
        }
        Ok(())
    }

    /// Writes that the journal is too short for.
    fn write_through(&mut self, writes: Vec<Write>) -> Vec<WriteResult> {
        let count = writes.len();
        let mut results = Vec::with_capacity(count);
        let committed = self.transact(|tables| {
            for write in writes {
                results.push(tables.apply(write)?);
            }
            Ok(((), results.iter().any(Result::is_ok)))
        });
        match committed {
            Ok(()) => {
                let changes: Vec<_> = results.iter().flatten().cloned().collect();
                self.core.feed.publish(&changes, self.core.clock.now());
            }
            Err(error) => {
                results = self.settle(&error, results);
                results.resize(count, Err(error));
            }
        }
        results
    }

    /// A transaction that is followed by recovery where it fails.
    pub(super) fn settled<T>(
        &mut self,
        work: impl FnOnce(&mut CommitTables<'_>) -> Result<(T, bool), StoreError>,
    ) -> Result<T, StoreError> {
        self.transact(work).inspect_err(|_| {
            let _ = self.recover();
        })
    }

    /// A checkpoint, and work after it in the same transaction. Without changes in the journal the work says whether there is something to
    /// commit.
    pub(super) fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut CommitTables<'_>) -> Result<(T, bool), StoreError>,
    ) -> Result<T, StoreError> {
        let now = self.core.clock.now();
        let (extent, history) = (self.extent, self.core.options.history);
        let overlay = self.core.overlay();
        let opened = self.core.opened();
        let OpenedFile { database, guard, .. } = opened.as_ref().ok_or_else(not_opened)?;
        let (value, extent, dirty) = caught(|| {
            let transaction = database.begin_write().map_err(failure)?;
            let mut tables = CommitTables::open(&transaction, extent, now)?;
            let folded = {
                let state = overlay.state();
                tables.fold(state.changes())?;
                state.changes().len()
            };
            let (value, changed) = work(&mut tables)?;
            let dirty = changed || folded > 0;
            if dirty {
                if tables.needs_trim(&history) {
                    tables.trim(&history, HOUSEKEEPING.max(2 * folded))?;
                }
                tables.set_applied(overlay.epoch())?;
            }
            let extent = tables.extent;
            drop(tables);
            if dirty {
                transaction.commit().map_err(failure)?;
            } else {
                transaction.abort().map_err(failure)?;
            }
            Ok((value, extent, dirty))
        })?;
        if dirty {
            self.extent = extent;
            self.unsynced = None;
            self.journal.start(overlay.epoch() + 1);
            self.core.set_overlay(Overlay::new(overlay.epoch() + 1, extent.current));
            // If it cannot be written now, it is with the next batch.
            let _ = self.journal.mark(guard);
        }
        Ok(value)
    }

    /// Makes what was written durable.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        if self.unsynced.is_none() || self.broken {
            return Ok(());
        }
        let synced = {
            let opened = self.core.opened();
            opened.as_ref().ok_or_else(not_opened)?.guard.sync_data()
        };
        if synced.is_err() {
            return self.recover();
        }
        self.journal.note_sync();
        self.unsynced = None;
        Ok(())
    }

    /// Ends properly.
    pub(super) fn close(&mut self) {
        if !self.broken {
            let lazy = self.core.options.durability != Durability::Synced;
            let _ = self.transact(|tables| Ok((tables.mark(false)?, lazy)));
        }
        let opened = self.core.exclusive().take();
        let _ = caught(|| {
            drop(opened);
            Ok(())
        });
    }
}

pub(super) fn not_opened() -> StoreError {
    StoreError::Unavailable("the file could not be opened again".to_owned())
}

/// One write: it is added to the batch and to the overlay, where it is not shown yet.
fn stage(
    (view, latest): &(ReadView, LatestTable),
    overlay: &Overlay,
    write: Write,
    now: Millis,
    batch: &mut BatchWriter,
) -> WriteResult {
    let stored = view.get_in(latest, &write.key, view.overlay())?;
    let previous = stored.as_ref().map(|stored| Arc::clone(&stored.entry));
    if !write.allows(previous.as_deref()) {
        return Err(StoreError::Conflict { current: previous });
    }
    let revision = Revision(overlay.last() + 1);
    // The key that is there already is shared, so that it is kept once however often it changes.
    let key = previous.as_ref().map_or(write.key, |entry| Arc::clone(&entry.key));
    let (current, expires) = match write.action {
        WriteAction::Delete => {
            batch.add(&key, None);
            (None, None)
        }
        WriteAction::Put { value, ttl } => {
            let created = previous.as_ref().map_or(revision, |entry| entry.created);
            let expires = ttl.map(|ttl| now.plus(ttl));
            batch.add(&key, Some((&value, expires)));
            (Some(Arc::new(StoreEntry { key, value, revision, created })), expires)
        }
    };
    let change = Arc::new(Change { revision, current, previous });
    let due = stored.and_then(|stored| stored.expires);
    overlay.push(OverlayChange::new(Arc::clone(&change), now, expires, due));
    Ok(change)
}
