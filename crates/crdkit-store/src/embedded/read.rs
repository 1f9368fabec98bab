//! Reads of one committed state: the latest entries, and earlier ones by undoing what the feed or the log has.

use super::core::StoreCore;
use super::file::failure;
use super::record::{
    self, EntryRecord, HORIZON_KEY, LATEST, LOG, LogRecord, META, decode_latest, decode_verified,
};
use super::verified::VerifiedRecords;
use crate::undo::{self, UndoView};
use crate::{
    Change, RangePage, RangeRequest, Revision, Snapshot, SnapshotEntry, StoreEntry, StoreError,
    prefix_end,
};
use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};
use std::ops::Bound;
use std::sync::Arc;

pub(super) type LatestTable = ReadOnlyTable<&'static [u8], &'static [u8]>;
pub(super) type LogTable = ReadOnlyTable<u64, &'static [u8]>;

/// A committed state.
pub(super) struct ReadView {
    transaction: ReadTransaction,
    verified: Arc<VerifiedRecords>,
}

impl ReadView {
    pub(super) fn new(transaction: ReadTransaction, verified: Arc<VerifiedRecords>) -> ReadView {
        ReadView { transaction, verified }
    }

    pub(super) fn transaction(&self) -> &ReadTransaction {
        &self.transaction
    }

    pub(super) fn latest(&self) -> Result<LatestTable, StoreError> {
        self.transaction.open_table(LATEST).map_err(failure)
    }

    pub(super) fn log(&self) -> Result<LogTable, StoreError> {
        self.transaction.open_table(LOG).map_err(failure)
    }

    /// The oldest revision that is retained.
    pub(super) fn horizon(&self) -> Result<Revision, StoreError> {
        horizon(&self.transaction.open_table(META).map_err(failure)?)
    }

    /// The latest revision.
    pub(super) fn current(&self) -> Result<Revision, StoreError> {
        match self.log()?.last().map_err(failure)? {
            Some((revision, _)) => Ok(Revision(revision.value())),
            None => self.horizon(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Result<Option<EntryRecord>, StoreError> {
        let latest = self.latest()?;
        let record = latest.get(key.as_bytes()).map_err(failure)?;
        let decode = |bytes: &[u8]| decode_verified(key.as_bytes(), bytes, &self.verified);
        record.map(|record| decode(record.value())).transpose()
    }

    /// The entries from a key on that have a prefix.
    fn range(
        &self,
        latest: &LatestTable,
        start: Bound<&str>,
        prefix: &str,
    ) -> Result<impl Iterator<Item = Result<EntryRecord, StoreError>> + use<>, StoreError> {
        let rows = bounds(start, prefix, |bounds| latest.range::<&[u8]>(bounds));
        let verified = Arc::clone(&self.verified);
        Ok(rows.map_err(failure)?.map(move |row| {
            let (key, record) = row.map_err(failure)?;
            decode_verified(key.value(), record.value(), &verified)
        }))
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let latest = self.latest()?;
        let stored = self.range(&latest, Bound::Unbounded, "")?;
        let entries = stored.map(|stored| {
            stored.map(|EntryRecord { entry, expires }| SnapshotEntry { entry, expires })
        });
        Ok(Snapshot { revision: self.current()?, entries: entries.collect::<Result<_, _>>()? })
    }
}

/// The horizon in the meta table.
pub(super) fn horizon(
    meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<Revision, StoreError> {
    let value = meta.get(HORIZON_KEY).map_err(failure)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    let bytes = bytes.ok_or_else(|| StoreError::Damaged("there is no horizon".to_owned()))?;
    Ok(Revision(u64::from_le_bytes(bytes)))
}

/// The entry of a key.
pub(super) fn get_latest(
    latest: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &str,
) -> Result<Option<EntryRecord>, StoreError> {
    let record = latest.get(key.as_bytes()).map_err(failure)?;
    record.map(|record| decode_latest(key.as_bytes(), record.value())).transpose()
}

/// The record of a revision.
pub(super) fn get_log(
    log: &impl ReadableTable<u64, &'static [u8]>,
    revision: u64,
) -> Result<LogRecord, StoreError> {
    let record = log.get(revision).map_err(failure)?;
    let record =
        record.ok_or_else(|| StoreError::Damaged(format!("revision {revision} is missing")))?;
    record::decode_log(revision, record.value())
}

/// The bounds of the keys with a prefix.
fn bounds<T>(
    start: Bound<&str>,
    prefix: &str,
    with: impl FnOnce((Bound<&[u8]>, Bound<&[u8]>)) -> T,
) -> T {
    let end = prefix_end(prefix);
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let start = start.map(str::as_bytes);
    // The range may be empty, but its bounds may not be the wrong way round.
    if let (Bound::Included(from) | Bound::Excluded(from), Bound::Excluded(to)) = (start, end)
        && from >= to
    {
        return with((Bound::Included(to), Bound::Excluded(to)));
    }
    with((start, end))
}

impl StoreCore {
    /// What was different at a revision.
    fn undo(
        &self,
        view: &ReadView,
        at: Option<Revision>,
        inside: impl Fn(&str) -> bool,
    ) -> Result<(Revision, UndoView), StoreError> {
        let current = view.current()?;
        let mut undo = UndoView::default();
        let Some(at) = at else { return Ok((current, undo)) };
        let at = undo::resolve(Some(at), current, view.horizon()?)?;
        if at == current {
            return Ok((at, undo));
        }
        // The feed may be a little ahead of the view, or a little back, or not reach so far.
        let reached = self.feed.since(at, |change: &Change| {
            if change.revision <= current && inside(change.key()) {
                undo.note_change(change);
            }
        });
        let reached = reached.unwrap_or(at);
        if reached < current {
            let log = view.log()?;
            for row in log.range(reached.0 + 1..=current.0).map_err(failure)? {
                let (revision, record) = row.map_err(failure)?;
                let record = record::decode_log(revision.value(), record.value())?;
                if inside(&record.key) {
                    undo.note(&record.key, record.previous.map(|stored| stored.entry));
                }
            }
        }
        Ok((at, undo))
    }

    pub(super) fn get(
        &self,
        key: &str,
        at: Option<Revision>,
    ) -> Result<Option<Arc<StoreEntry>>, StoreError> {
        self.read(|view| {
            if at.is_some() {
                let (_, undo) = self.undo(view, at, |changed| changed == key)?;
                if let Some(then) = undo.get(key) {
                    return Ok(then.clone());
                }
            }
            Ok(view.get(key)?.map(|stored| stored.entry))
        })
    }

    pub(super) fn range(&self, request: &RangeRequest) -> Result<RangePage, StoreError> {
        let (start, prefix) = (request.start(), request.prefix.as_str());
        self.read(|view| {
            let inside = |key: &str| key >= start && key.starts_with(prefix);
            let (at, undo) = self.undo(view, request.at, inside)?;
            let latest = view.latest()?;
            let entries = view.range(&latest, Bound::Included(start), prefix)?;
            let entries = undo.apply(entries.map(|stored| stored.map(|stored| stored.entry)));
            undo::page(request, at, entries, |last| {
                let rest = bounds(Bound::Excluded(last), prefix, |b| latest.range::<&[u8]>(b));
                let mut now = 0_u64;
                for row in rest.map_err(failure)? {
                    row.map_err(failure)?;
                    now += 1;
                }
                let exists = |key: &str| Ok(latest.get(key.as_bytes()).map_err(failure)?.is_some());
                Ok(now.saturating_add_signed(undo.difference_after(last, exists)?))
            })
        })
    }
}
