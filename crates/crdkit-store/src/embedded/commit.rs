//! What a write transaction does: applies writes, deletes what has expired, forgets old history, restores a snapshot.
//!
//! Everything here happens inside one transaction of redb: it is kept as a whole or not at all.

use super::file::failure;
use super::journal::JournalBatch;
use super::overlay::OverlayChange;
use super::read::{applied, get_latest, horizon};
use super::record::{
    APPLIED_KEY, EXPIRY, EntryRecord, HORIZON_KEY, IN_USE_KEY, LATEST, LOG, LogRecord, META,
    decode_expiry, decode_log, encode_latest, encode_log, expiry_key, log_size,
};
use crate::{
    Change, Expect, History, Millis, Revision, Snapshot, StoreEntry, StoreError, Write, WriteAction,
};
use bytes::Bytes;
use redb::{ReadableTable, Table, WriteTransaction};
use std::sync::Arc;

/// Where the log begins and ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogExtent {
    /// The latest revision.
    pub(super) current: u64,
    /// The oldest revision that is retained.
    pub(super) horizon: u64,
    /// The revision of the first record; one more than the latest if there is none.
    first: u64,
    /// All bytes before the first record.
    before: u64,
    /// All bytes up to the last record.
    total: u64,
}

impl LogExtent {
    fn empty(horizon: u64) -> LogExtent {
        LogExtent { current: horizon, horizon, first: horizon + 1, before: 0, total: 0 }
    }
}

/// The tables of a transaction.
pub(super) struct CommitTables<'t> {
    transaction: &'t WriteTransaction,
    latest: Table<'t, &'static [u8], &'static [u8]>,
    log: Table<'t, u64, &'static [u8]>,
    pub(super) extent: LogExtent,
    now: Millis,
}

impl<'t> CommitTables<'t> {
    pub(super) fn open(
        transaction: &'t WriteTransaction,
        extent: LogExtent,
        now: Millis,
    ) -> Result<CommitTables<'t>, StoreError> {
        Ok(CommitTables {
            transaction,
            latest: transaction.open_table(LATEST).map_err(failure)?,
            log: transaction.open_table(LOG).map_err(failure)?,
            extent,
            now,
        })
    }

    /// What the file says of its log.
    pub(super) fn read_extent(&self) -> Result<LogExtent, StoreError> {
        let horizon = horizon(&self.transaction.open_table(META).map_err(failure)?)?.0;
        let end = |row: Option<(redb::AccessGuard<'_, u64>, redb::AccessGuard<'_, &[u8]>)>| {
            row.map(|(key, value)| {
                let revision = key.value();
                decode_log(revision, value.value()).map(|record| (revision, record))
            })
            .transpose()
        };
        let first = end(self.log.first().map_err(failure)?)?;
        let last = end(self.log.last().map_err(failure)?)?;
        let (Some((first, record)), Some((current, last))) = (first, last) else {
            return Ok(LogExtent::empty(horizon));
        };
        let before = record.total.saturating_sub(log_size(&record) as u64);
        Ok(LogExtent { current, horizon, first, before, total: last.total })
    }

    /// One write. The inner error is a conflict, which leaves the transaction as it was.
    pub(super) fn apply(
        &mut self,
        write: Write,
    ) -> Result<Result<Arc<Change>, StoreError>, StoreError> {
        let stored = get_latest(&self.latest, &write.key)?;
        let previous = stored.as_ref().map(|stored| Arc::clone(&stored.entry));
        if !write.allows(previous.as_deref()) {
            return Ok(Err(StoreError::Conflict { current: previous }));
        }
        let put = match write.action {
            WriteAction::Delete => None,
            WriteAction::Put { value, ttl } => Some((value, ttl.map(|ttl| self.now.plus(ttl)))),
        };
        self.change(write.key, put, stored, self.now).map(Ok)
    }

    /// The batches of a journal, as they happened.
    pub(super) fn replay(&mut self, batches: Vec<JournalBatch>) -> Result<(), StoreError> {
        for batch in batches {
            for write in batch.writes {
                let stored = get_latest(&self.latest, &write.key)?;
                self.change(write.key, write.put, stored, batch.time)?;
            }
        }
        Ok(())
    }

    /// The changes of an overlay, as they happened.
    pub(super) fn fold(&mut self, changes: &[OverlayChange]) -> Result<(), StoreError> {
        for OverlayChange { change, time, expires, due, .. } in changes {
            let Change { current, previous, revision } = &**change;
            let previous = previous
                .as_ref()
                .map(|entry| EntryRecord { entry: Arc::clone(entry), expires: *due });
            let Some(entry) = current.as_ref().or(previous.as_ref().map(|record| &record.entry))
            else {
                continue;
            };
            let key = Arc::clone(&entry.key);
            self.set(&key, current.as_deref(), *expires, *due)?;
            self.append(*revision, key, current.is_some(), previous, *time)?;
        }
        Ok(())
    }

    /// One change, of what is stored to what is put.
    fn change(
        &mut self,
        key: Arc<str>,
        put: Option<(Bytes, Option<Millis>)>,
        stored: Option<EntryRecord>,
        time: Millis,
    ) -> Result<Arc<Change>, StoreError> {
        let revision = Revision(self.extent.current + 1);
        let previous = stored.as_ref().map(|stored| Arc::clone(&stored.entry));
        let due = stored.as_ref().and_then(|stored| stored.expires);
        let expires = put.as_ref().and_then(|(_, expires)| *expires);
        let created = previous.as_ref().map_or(revision, |entry| entry.created);
        let current = put.map(|(value, _)| {
            Arc::new(StoreEntry { key: Arc::clone(&key), value, revision, created })
        });
        self.set(&key, current.as_deref(), expires, due)?;
        self.append(revision, key, current.is_some(), stored, time)?;
        Ok(Arc::new(Change { revision, current, previous }))
    }

    /// What is under a key from now on, and when it expires instead of when the one before was due.
    fn set(
        &mut self,
        key: &str,
        entry: Option<&StoreEntry>,
        expires: Option<Millis>,
        due: Option<Millis>,
    ) -> Result<(), StoreError> {
        match entry {
            Some(entry) => self.put(entry, expires)?,
            None => drop(self.latest.remove(key.as_bytes()).map_err(failure)?),
        }
        if let Some(due) = due.filter(|due| Some(*due) != expires) {
            let mut expiry = self.transaction.open_table(EXPIRY).map_err(failure)?;
            expiry.remove(&expiry_key(due, key)[..]).map_err(failure)?;
        }
        Ok(())
    }

    fn put(&mut self, entry: &StoreEntry, expires: Option<Millis>) -> Result<(), StoreError> {
        let record = encode_latest(entry, expires);
        self.latest.insert(entry.key.as_bytes(), &record[..]).map_err(failure)?;
        if let Some(expires) = expires {
            let mut expiry = self.transaction.open_table(EXPIRY).map_err(failure)?;
            expiry.insert(&expiry_key(expires, &entry.key)[..], ()).map_err(failure)?;
        }
        Ok(())
    }

    fn append(
        &mut self,
        revision: Revision,
        key: Arc<str>,
        put: bool,
        previous: Option<EntryRecord>,
        time: Millis,
    ) -> Result<(), StoreError> {
        let mut record = LogRecord { time, total: 0, put, key, previous };
        record.total = self.extent.total + log_size(&record) as u64;
        let bytes = encode_log(revision.0, &record);
        self.log.insert(revision.0, &bytes[..]).map_err(failure)?;
        if self.extent.first > self.extent.current {
            self.extent.first = revision.0;
            self.extent.before = self.extent.total;
        }
        self.extent.current = revision.0;
        self.extent.total = record.total;
        Ok(())
    }

    /// Deletes entries whose time is over, at most so many. Says whether there may be more.
    pub(super) fn expire(
        &mut self,
        at_most: usize,
    ) -> Result<(Vec<Arc<Change>>, bool), StoreError> {
        let mut due = Vec::new();
        {
            let mut expiry = self.transaction.open_table(EXPIRY).map_err(failure)?;
            let end = expiry_key(Millis(self.now.0.saturating_add(1)), "");
            for row in expiry.range::<&[u8]>(..&end[..]).map_err(failure)?.take(at_most) {
                due.push(row.map_err(failure)?.0.value().to_vec());
            }
            for row in &due {
                expiry.remove(&row[..]).map_err(failure)?;
            }
        }
        let mut changes = Vec::new();
        for row in &due {
            let (expires, key) = decode_expiry(row)?;
            let stored = get_latest(&self.latest, key)?;
            if let Some(stored) = stored.filter(|stored| stored.expires == Some(expires)) {
                let delete = Write::delete(key, Expect::At(stored.entry.revision));
                changes.extend(self.apply(delete)?);
            }
        }
        Ok((changes, due.len() == at_most))
    }

    /// Whether the log has grown so far beyond its bounds that a step of [`Self::trim`] pays.
    pub(super) fn needs_trim(&self, history: &History) -> bool {
        let LogExtent { current, horizon, first, before, total } = self.extent;
        let slack = |bound: usize, least: u64| bound as u64 + (bound as u64 / 16).max(least);
        (first <= horizon && first < current)
            || current - first.min(current) > slack(history.count, 256)
            || total - before > slack(history.bytes, 0)
    }

    /// Forgets the oldest records that need not be retained, at most so many. Says whether there may be more.
    pub(super) fn trim(&mut self, history: &History, at_most: usize) -> Result<bool, StoreError> {
        let mut forgotten = Vec::new();
        let mut extent = self.extent;
        for row in self.log.range(..self.extent.current).map_err(failure)?.take(at_most) {
            let (revision, record) = row.map_err(failure)?;
            let revision = revision.value();
            let record = decode_log(revision, record.value())?;
            let over = revision <= extent.horizon
                || extent.current - revision >= history.count as u64
                || extent.total - extent.before > history.bytes as u64
                || record.time.plus(history.age) < self.now;
            if !over {
                break;
            }
            forgotten.push(revision);
            extent.horizon = extent.horizon.max(revision);
            extent.before = record.total;
        }
        for revision in &forgotten {
            self.log.remove(revision).map_err(failure)?;
        }
        let first = self.log.first().map_err(failure)?.map(|(revision, _)| revision.value());
        extent.first = first.unwrap_or(extent.current + 1);
        self.extent = extent;
        if !forgotten.is_empty() {
            self.set_horizon(extent.horizon)?;
        }
        Ok(forgotten.len() == at_most)
    }

    /// Nothing before a revision is retained any more.
    pub(super) fn set_horizon(&mut self, horizon: u64) -> Result<(), StoreError> {
        self.extent.horizon = horizon;
        let mut meta = self.transaction.open_table(META).map_err(failure)?;
        meta.insert(HORIZON_KEY, &horizon.to_le_bytes()[..]).map_err(failure)?;
        Ok(())
    }

    /// The journal up to an epoch is in the tables.
    pub(super) fn set_applied(&mut self, epoch: u64) -> Result<(), StoreError> {
        let mut meta = self.transaction.open_table(META).map_err(failure)?;
        meta.insert(APPLIED_KEY, &epoch.to_le_bytes()[..]).map_err(failure)?;
        Ok(())
    }

    /// The last epoch of the journal that is in the tables.
    pub(super) fn applied(&self) -> Result<u64, StoreError> {
        applied(&self.transaction.open_table(META).map_err(failure)?)
    }

    /// Replaces everything.
    pub(super) fn restore(&mut self, snapshot: &Snapshot) -> Result<Revision, StoreError> {
        self.latest.retain(|_, _| false).map_err(failure)?;
        let mut expiry = self.transaction.open_table(EXPIRY).map_err(failure)?;
        expiry.retain(|_, ()| false).map_err(failure)?;
        drop(expiry);
        for stored in &snapshot.entries {
            self.put(&stored.entry, stored.expires)?;
        }
        let revision = Revision(self.extent.current).max(snapshot.revision).next();
        self.leap(revision.0)?;
        Ok(revision)
    }

    /// Goes on at a later revision without the history before it.
    pub(super) fn leap(&mut self, to: u64) -> Result<(), StoreError> {
        self.log.retain(|_, _| false).map_err(failure)?;
        self.set_horizon(to)?;
        self.extent = LogExtent::empty(to);
        Ok(())
    }

    /// Notes that the file is in use by a writer that does not sync every write, and gives whether that was noted before.
    pub(super) fn mark(&mut self, in_use: bool) -> Result<bool, StoreError> {
        let mut meta = self.transaction.open_table(META).map_err(failure)?;
        let marked = meta.remove(IN_USE_KEY).map_err(failure)?.is_some();
        if in_use {
            meta.insert(IN_USE_KEY, &[][..]).map_err(failure)?;
        }
        Ok(marked)
    }
}
