//! What the journal has and the database does not: the changes of one epoch, in memory.
//!
//! Goes in: changes in the order of their revisions; they are shown when they are durable. Comes out: the entries of a key or a range after a
//! change, and the changes themselves. Every change knows the one of the same key before it, so that a reader sees the state of its
//! revision while later ones come.
//!
//! What must hold: the lock is held for a step at a time, never for a whole range and never for I/O of a write.

use super::record::EntryRecord;
use crate::{Change, Millis, Revision, StoreEntry};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The changes of one epoch.
#[derive(Debug)]
pub(super) struct Overlay {
    epoch: u64,
    base: u64,
    state: RwLock<OverlayState>,
}

#[derive(Debug, Default)]
pub(super) struct OverlayState {
    /// The last change of every key, by its place.
    latest: BTreeMap<Arc<str>, usize>,
    changes: Vec<OverlayChange>,
    /// How many changes may be seen.
    shown: usize,
}

/// A change and what the database needs besides.
#[derive(Clone, Debug)]
pub(super) struct OverlayChange {
    pub(super) change: Arc<Change>,
    pub(super) time: Millis,
    /// When the entry expires, and when the one before it would have.
    pub(super) expires: Option<Millis>,
    pub(super) due: Option<Millis>,
    /// The place of the change of the same key before it.
    earlier: Option<usize>,
}

impl OverlayChange {
    pub(super) fn new(
        change: Arc<Change>,
        time: Millis,
        expires: Option<Millis>,
        due: Option<Millis>,
    ) -> OverlayChange {
        OverlayChange { change, time, expires, due, earlier: None }
    }

    /// The entry afterwards.
    pub(super) fn entry(&self) -> Option<EntryRecord> {
        let entry = self.change.current.as_ref()?;
        Some(EntryRecord { entry: Arc::clone(entry), expires: self.expires })
    }

    pub(super) fn key(&self) -> Option<&Arc<str>> {
        let Change { current, previous, .. } = &*self.change;
        current.as_ref().or(previous.as_ref()).map(|entry: &Arc<StoreEntry>| &entry.key)
    }
}

impl Overlay {
    /// No changes yet; `base` is the revision of the database.
    pub(super) fn new(epoch: u64, base: u64) -> Overlay {
        Overlay { epoch, base, state: RwLock::default() }
    }

    /// The epoch of the journal that it belongs to.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The revision of the database.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    pub(super) fn state(&self) -> RwLockReadGuard<'_, OverlayState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, OverlayState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last revision, shown or not.
    pub(super) fn last(&self) -> u64 {
        self.base + self.state().changes.len() as u64
    }

    /// The last revision that is shown.
    pub(super) fn current(&self) -> u64 {
        self.base + self.state().shown as u64
    }

    /// Adds a change that is not shown yet.
    pub(super) fn push(&self, mut change: OverlayChange) {
        let mut state = self.change();
        let place = state.changes.len();
        if let Some(key) = change.key() {
            let key = Arc::clone(key);
            change.earlier = state.latest.insert(key, place);
        }
        state.changes.push(change);
    }

    /// Shows all changes.
    pub(super) fn show(&self) {
        let mut state = self.change();
        state.shown = state.changes.len();
    }
}

impl OverlayState {
    /// All changes in order.
    pub(super) fn changes(&self) -> &[OverlayChange] {
        &self.changes
    }

    /// The change that a place leads to among the first so many.
    fn at(&self, mut place: usize, count: usize) -> Option<&OverlayChange> {
        loop {
            let change = self.changes.get(place)?;
            if place < count {
                return Some(change);
            }
            place = change.earlier?;
        }
    }
}

/// An overlay up to a revision.
#[derive(Clone, Debug)]
pub(super) struct OverlayView {
    overlay: Arc<Overlay>,
    count: usize,
}

impl OverlayView {
    /// What is shown now.
    pub(super) fn shown(overlay: Arc<Overlay>) -> OverlayView {
        let count = overlay.state().shown;
        OverlayView { overlay, count }
    }

    /// Everything, also what is not shown.
    pub(super) fn all(overlay: Arc<Overlay>) -> OverlayView {
        OverlayView { overlay, count: usize::MAX }
    }

    /// The same at an earlier revision; none if that is before it.
    pub(super) fn at(&self, revision: Revision) -> Option<OverlayView> {
        let count = usize::try_from(revision.0.checked_sub(self.overlay.base)?).ok()?;
        Some(OverlayView { overlay: Arc::clone(&self.overlay), count: count.min(self.count) })
    }

    /// The epoch that it belongs to.
    pub(super) fn epoch(&self) -> u64 {
        self.overlay.epoch
    }

    /// The revision before it.
    pub(super) fn base(&self) -> Revision {
        Revision(self.overlay.base)
    }

    /// Its revision.
    pub(super) fn revision(&self) -> Revision {
        Revision(self.overlay.base + self.count as u64)
    }

    /// The last change of a key.
    pub(super) fn get(&self, key: &str) -> Option<OverlayChange> {
        let state = self.overlay.state();
        let place = *state.latest.get(key)?;
        state.at(place, self.count).cloned()
    }

    /// The changes after a revision whose key is wanted.
    pub(super) fn changes(
        &self,
        after: Revision,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<OverlayChange> {
        let state = self.overlay.state();
        let from = usize::try_from(after.0.saturating_sub(self.overlay.base));
        let to = self.count.min(state.changes.len());
        let changes = state.changes.get(from.unwrap_or(usize::MAX)..to).unwrap_or_default();
        changes.iter().filter(|change| wanted(change.change.key())).cloned().collect()
    }

    /// What it says of the keys with a prefix, in their order. The start is not before the prefix.
    pub(super) fn range(&self, start: Bound<&str>, prefix: &str) -> OverlayRange {
        OverlayRange {
            view: self.clone(),
            next: Some(start.map(Arc::from)),
            prefix: prefix.into(),
            found: Vec::new().into_iter(),
            step: 8,
        }
    }
}

/// Keys of an overlay with what it says of them.
pub(super) struct OverlayRange {
    view: OverlayView,
    /// Where the next step starts; none after the last.
    next: Option<Bound<Arc<str>>>,
    prefix: Arc<str>,
    found: std::vec::IntoIter<(Arc<str>, Option<EntryRecord>)>,
    step: usize,
}

impl OverlayRange {
    /// Looks at some more keys.
    fn step(&mut self) -> Option<()> {
        let next = self.next.take()?;
        let next = next.as_ref().map(|key| &**key);
        let state = self.view.overlay.state();
        let mut found = Vec::new();
        let mut last = None;
        let keys = state.latest.range::<str, _>((next, Bound::Unbounded)).take(self.step);
        for (key, place) in keys.take_while(|(key, _)| key.starts_with(&*self.prefix)) {
            last = Some(key);
            if let Some(change) = state.at(*place, self.view.count) {
                found.push((Arc::clone(key), change.entry()));
            }
        }
        self.next = last.map(|key| Bound::Excluded(Arc::clone(key)));
        self.found = found.into_iter();
        self.step = (self.step * 2).min(512);
        Some(())
    }
}

impl Iterator for OverlayRange {
    type Item = (Arc<str>, Option<EntryRecord>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(found) = self.found.next() {
                return Some(found);
            }
            self.step()?;
        }
    }
}
