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
    pub(crate) fn apply<I>(&self, latest: I) -> impl Iterator<Item = I::Item>
    where
        I: Iterator<Item = Result<Arc<StoreEntry>, StoreError>>,
    {
        let then = self.then.iter().map(|(key, then)| (Arc::clone(key), then.clone()));
        ReplacedEntries::new(latest, then)
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

/// Something with a key.
pub(crate) trait Keyed {
    /// The key.
    fn key(&self) -> &str;
}

impl Keyed for Arc<StoreEntry> {
    fn key(&self) -> &str {
        &self.key
    }
}

/// Entries in the order of keys, some of which are replaced, left out or added.
pub(crate) struct ReplacedEntries<I: Iterator, R: Iterator> {
    entries: Peekable<I>,
    replaced: Peekable<R>,
}

impl<I: Iterator, R: Iterator> ReplacedEntries<I, R> {
    /// `replaced` says what is there instead, by key.
    pub(crate) fn new(entries: I, replaced: R) -> ReplacedEntries<I, R> {
        ReplacedEntries { entries: entries.peekable(), replaced: replaced.peekable() }
    }
}

impl<T, I, R> Iterator for ReplacedEntries<I, R>
where
    T: Keyed,
    I: Iterator<Item = Result<T, StoreError>>,
    R: Iterator<Item = (Arc<str>, Option<T>)>,
{
    type Item = Result<T, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((key, _)) = self.replaced.peek() else { return self.entries.next() };
            match self.entries.peek() {
                Some(Err(_)) => return self.entries.next(),
                Some(Ok(entry)) if entry.key() < &**key => return self.entries.next(),
                Some(Ok(entry)) if entry.key() == &**key => {
                    self.entries.next();
                }
                _ => {}
            }
            if let Some((_, Some(entry))) = self.replaced.next() {
                return Some(Ok(entry));
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
