//! An earlier state: the latest one with later changes undone.
//!
//! Goes in: the changes after a revision in their order, then the latest entries in the order of keys. Comes out: the entries as they were
//! at that revision, in the same order.

use crate::{Change, RangePage, RangeRequest, Revision, StoreEntry, StoreError};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

type EntriesThen = BTreeMap<Arc<str>, Option<Arc<StoreEntry>>>;

/// What was different at an earlier revision.
#[derive(Debug, Default)]
pub(crate) struct UndoView {
    then: EntriesThen,
}

impl UndoView {
    /// A change after the revision; changes come in their order.
    pub(crate) fn note(&mut self, key: &Arc<str>, previous: Option<Arc<StoreEntry>>) {
        if !self.then.contains_key(key) {
            self.then.insert(Arc::clone(key), previous);
        }
    }

    /// The same for a change at hand.
    pub(crate) fn note_change(&mut self, change: &Change) {
        if let Some(entry) = change.current.as_ref().or(change.previous.as_ref()) {
            self.note(&entry.key, change.previous.clone());
        }
    }

    /// What was there under a key, if that is known to differ.
    pub(crate) fn get(&self, key: &str) -> Option<&Option<Arc<StoreEntry>>> {
        self.then.get(key)
    }

    /// Takes later changes back from latest entries, which come in the order of keys.
    pub(crate) fn apply<I>(&self, latest: I) -> UndoneEntries<'_, I>
    where
        I: Iterator<Item = Result<Arc<StoreEntry>, StoreError>>,
    {
        UndoneEntries { latest: latest.peekable(), then: self.then.iter().peekable() }
    }

    /// How many entries more there were then than are now after a key. `exists` says whether a key exists now.
    pub(crate) fn difference_after(
        &self,
        last: &str,
        exists: impl Fn(&str) -> Result<bool, StoreError>,
    ) -> Result<i64, StoreError> {
        let mut difference = 0;
        for (key, then) in self.then.iter().filter(|(key, _)| &***key > last) {
            difference += i64::from(then.is_some()) - i64::from(exists(key)?);
        }
        Ok(difference)
    }
}

/// The entries as they were.
pub(crate) struct UndoneEntries<'a, I: Iterator<Item = Result<Arc<StoreEntry>, StoreError>>> {
    latest: Peekable<I>,
    then: Peekable<std::collections::btree_map::Iter<'a, Arc<str>, Option<Arc<StoreEntry>>>>,
}

impl<I: Iterator<Item = Result<Arc<StoreEntry>, StoreError>>> Iterator for UndoneEntries<'_, I> {
    type Item = Result<Arc<StoreEntry>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((key, _)) = self.then.peek() else { return self.latest.next() };
            match self.latest.peek() {
                Some(Err(_)) => return self.latest.next(),
                Some(Ok(entry)) if entry.key < **key => return self.latest.next(),
                Some(Ok(entry)) if entry.key == **key => {
                    self.latest.next();
                }
                _ => {}
            }
            if let Some((_, Some(entry))) = self.then.next() {
                return Some(Ok(Arc::clone(entry)));
            }
        }
    }
}

/// The revision that a read is of.
pub(crate) fn resolve(
    at: Option<Revision>,
    current: Revision,
    oldest: Revision,
) -> Result<Revision, StoreError> {
    match at {
        None => Ok(current),
        Some(at) if at > current => Err(StoreError::FutureRevision { current }),
        Some(at) if at < oldest => Err(StoreError::Compacted { at: oldest }),
        Some(at) => Ok(at),
    }
}

/// A page of entries that come in order. `rest` counts those of the latest state after a key.
pub(crate) fn page(
    request: &RangeRequest,
    revision: Revision,
    mut entries: impl Iterator<Item = Result<Arc<StoreEntry>, StoreError>>,
    rest: impl FnOnce(&str) -> Result<u64, StoreError>,
) -> Result<RangePage, StoreError> {
    let limit = if request.limit == 0 { usize::MAX } else { request.limit };
    let mut page = RangePage { revision, entries: Vec::new(), more: false, remaining: None };
    for entry in entries.by_ref().take(limit) {
        page.entries.push(entry?);
    }
    if page.entries.len() == limit {
        page.more = entries.next().transpose()?.is_some();
    }
    if request.count {
        page.remaining = Some(match page.entries.last() {
            Some(last) if page.more => rest(&last.key)?,
            _ => 0,
        });
    }
    Ok(page)
}
