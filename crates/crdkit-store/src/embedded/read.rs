//! Reads of one state: the entries of the database with what the overlay says instead. A state before the overlay is that of the database with
//! what the feed or the log has undone.

use super::core::StoreCore;
use super::file::failure;
use super::overlay::OverlayView;
use super::record::{
    self, APPLIED_KEY, EntryRecord, HORIZON_KEY, LATEST, LOG, LogRecord, META, ValueBuffer,
    decode_latest, decode_verified,
};
use super::verified::VerifiedRecords;
use crate::undo::{self, ReplacedEntries, UndoView};
use crate::{
    Change, RangePage, RangeRequest, Revision, Snapshot, SnapshotEntry, StoreEntry, StoreError,
    prefix_end,
};
use bytes::Bytes;
use redb::{ReadOnlyTable, ReadTransaction, ReadableTable};
use std::ops::Bound;
use std::sync::Arc;

pub(super) type LatestTable = ReadOnlyTable<&'static [u8], &'static [u8]>;
pub(super) type LogTable = ReadOnlyTable<u64, &'static [u8]>;

/// One state.
pub(super) struct ReadView {
    transaction: ReadTransaction,
    verified: Arc<VerifiedRecords>,
    /// None where the database has all of it.
    overlay: Option<OverlayView>,
}

impl ReadView {
    pub(super) fn new(
        transaction: ReadTransaction,
        verified: Arc<VerifiedRecords>,
        overlay: Option<OverlayView>,
    ) -> Result<ReadView, StoreError> {
        let mut view = ReadView { transaction, verified, overlay };
        if let Some(overlay) = &view.overlay
            && overlay.epoch() <= view.applied()?
        {
            view.overlay = None;
        }
        Ok(view)
    }

    /// What there is beyond the database.
    pub(super) fn overlay(&self) -> Option<&OverlayView> {
        self.overlay.as_ref()
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

    /// The last epoch of the journal that the database has.
    pub(super) fn applied(&self) -> Result<u64, StoreError> {
        applied(&self.transaction.open_table(META).map_err(failure)?)
    }

    /// The revision of the database.
    pub(super) fn base(&self) -> Result<Revision, StoreError> {
        if let Some(overlay) = &self.overlay {
            return Ok(overlay.base());
        }
        match self.log()?.last().map_err(failure)? {
            Some((revision, _)) => Ok(Revision(revision.value())),
            None => self.horizon(),
        }
    }

    /// The latest revision.
    pub(super) fn current(&self) -> Result<Revision, StoreError> {
        self.overlay.as_ref().map_or_else(|| self.base(), |overlay| Ok(overlay.revision()))
    }

    /// What is under a key, with an overlay.
    pub(super) fn get(
        &self,
        key: &str,
        overlay: Option<&OverlayView>,
    ) -> Result<Option<EntryRecord>, StoreError> {
        self.get_in(&self.latest()?, key, overlay)
    }

    /// The same in a table that is open already.
    pub(super) fn get_in(
        &self,
        latest: &LatestTable,
        key: &str,
        overlay: Option<&OverlayView>,
    ) -> Result<Option<EntryRecord>, StoreError> {
        if let Some(found) = overlay.and_then(|overlay| overlay.get(key)) {
            return Ok(found.entry());
        }
        let record = latest.get(key.as_bytes()).map_err(failure)?;
        let copy = Bytes::copy_from_slice;
        let decode = |bytes: &[u8]| decode_verified(key.as_bytes(), bytes, &self.verified, copy);
        record.map(|record| decode(record.value())).transpose()
    }

    /// The entries from a key on that have a prefix, with an overlay.
    fn range(
        &self,
        latest: &LatestTable,
        overlay: Option<&OverlayView>,
        start: Bound<&str>,
        prefix: &str,
    ) -> Result<impl Iterator<Item = Result<EntryRecord, StoreError>> + use<>, StoreError> {
        let rows = bounds(start, prefix, |bounds| latest.range::<&[u8]>(bounds));
        let (verified, mut values) = (Arc::clone(&self.verified), ValueBuffer::default());
        let entries = rows.map_err(failure)?.map(move |row| {
            let (key, record) = row.map_err(failure)?;
            decode_verified(key.value(), record.value(), &verified, |it| values.copy(it))
        });
        let overlay = overlay.map(|overlay| overlay.range(start, prefix));
        Ok(ReplacedEntries::new(entries, overlay.into_iter().flatten()))
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let latest = self.latest()?;
        let stored = self.range(&latest, self.overlay(), Bound::Unbounded, "")?;
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
    number(meta, HORIZON_KEY).map(Revision)
}

/// The last epoch of the journal that is in the tables.
pub(super) fn applied(
    meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u64, StoreError> {
    number(meta, APPLIED_KEY)
}

fn number(
    meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
) -> Result<u64, StoreError> {
    let value = meta.get(key).map_err(failure)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    let missing = || StoreError::Damaged(format!("there is no {}", key.escape_ascii()));
    Ok(u64::from_le_bytes(bytes.ok_or_else(missing)?))
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
    /// What makes the state at a revision of a view's database: an overlay or what was different.
    fn state(
        &self,
        view: &ReadView,
        at: Option<Revision>,
        inside: impl Fn(&str) -> bool,
    ) -> Result<(Revision, Option<OverlayView>, UndoView), StoreError> {
        let current = view.current()?;
        let mut undo = UndoView::default();
        let Some(at) = at else { return Ok((current, view.overlay().cloned(), undo)) };
        let at = undo::resolve(Some(at), current, view.horizon()?)?;
        let overlay = view.overlay().and_then(|overlay| overlay.at(at));
        let base = view.base()?;
        if at >= base {
            return Ok((at, overlay, undo));
        }
        // The feed may be ahead of the database, or a little back, or not reach so far.
        let reached = self.feed.since(at, |change: &Change| {
            if change.revision <= base && inside(change.key()) {
                undo.note_change(change);
            }
        });
        let reached = reached.unwrap_or(at);
        if reached < base {
            let log = view.log()?;
            for row in log.range(reached.0 + 1..=base.0).map_err(failure)? {
                let (revision, record) = row.map_err(failure)?;
                let record = record::decode_log(revision.value(), record.value())?;
                if inside(&record.key) {
                    undo.note(&record.key, record.previous.map(|stored| stored.entry));
                }
            }
        }
        Ok((at, None, undo))
    }

    pub(super) fn get(
        &self,
        key: &str,
        at: Option<Revision>,
    ) -> Result<Option<Arc<StoreEntry>>, StoreError> {
        self.read(|view| {
            if at.is_none() {
                return Ok(view.get(key, view.overlay())?.map(|stored| stored.entry));
            }
            let (_, overlay, undo) = self.state(view, at, |changed| changed == key)?;
            if let Some(then) = undo.get(key) {
                return Ok(then.clone());
            }
            Ok(view.get(key, overlay.as_ref())?.map(|stored| stored.entry))
        })
    }

    pub(super) fn range(&self, request: &RangeRequest) -> Result<RangePage, StoreError> {
        let (start, prefix) = (request.start(), request.prefix.as_str());
        self.read(|view| {
            let inside = |key: &str| key >= start && key.starts_with(prefix);
            let (at, overlay, undo) = self.state(view, request.at, inside)?;
            let latest = view.latest()?;
            let entries = view.range(&latest, overlay.as_ref(), Bound::Included(start), prefix)?;
            let entries = undo.apply(entries.map(|stored| stored.map(|stored| stored.entry)));
            undo::page(request, at, entries, |last| {
                let rest = bounds(Bound::Excluded(last), prefix, |b| latest.range::<&[u8]>(b));
                let mut now = 0_u64;
                for row in rest.map_err(failure)? {
                    row.map_err(failure)?;
                    now += 1;
                }
                let exists = |key: &str| Ok(latest.get(key.as_bytes()).map_err(failure)?.is_some());
                let mut difference = undo.difference_after(last, exists)?;
                if let Some(overlay) = &overlay {
                    for (key, then) in overlay.range(Bound::Excluded(last), prefix) {
                        difference += i64::from(then.is_some()) - i64::from(exists(&key)?);
                    }
                }
                Ok(now.saturating_add_signed(difference))
            })
        })
    }
}
