//! A store in memory: an ordered map of the latest entries and the feed's ring as its history.
//!
//! What is no longer in the ring is compacted. Nothing survives the process.

use crate::feed::{Feed, lock};
use crate::undo::{self, UndoView};
use crate::{
    Change, Clock, Expect, History, Millis, RangePage, RangeRequest, Revision, Snapshot,
    SnapshotEntry, Store, StoreEntry, StoreError, StoreFuture, StoreHealth, Watch, Write,
    WriteAction, WriteLimits,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex};

/// How a memory store is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryOptions {
    /// What is retained, and how far a watcher may fall back.
    pub history: History,
    /// What may be written.
    pub limits: WriteLimits,
}

/// Keys and values in memory.
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    feed: Arc<Feed>,
    limits: WriteLimits,
    clock: Arc<dyn Clock>,
}

struct MemoryState {
    entries: BTreeMap<Arc<str>, SnapshotEntry>,
    expiry: BTreeSet<(Millis, Arc<str>)>,
    current: Revision,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(options: MemoryOptions, clock: Arc<dyn Clock>) -> MemoryStore {
        let current = Revision::FIRST;
        MemoryStore {
            state: Mutex::new(MemoryState {
                entries: BTreeMap::new(),
                expiry: BTreeSet::new(),
                current,
            }),
            feed: Arc::new(Feed::new(options.history, current)),
            limits: options.limits,
            clock,
        }
    }

    /// What was different at a revision under a prefix.
    fn view(
        &self,
        state: &MemoryState,
        at: Option<Revision>,
        under: impl Fn(&str) -> bool,
    ) -> Result<(Revision, UndoView), StoreError> {
        let oldest = self.feed.floor();
        let at = undo::resolve(at, state.current, oldest)?;
        let mut view = UndoView::default();
        if at < state.current {
            let note = |change: &Change| {
                if under(change.key()) {
                    view.note_change(change);
                }
            };
            self.feed.since(at, note).ok_or(StoreError::Compacted { at: oldest })?;
        }
        Ok((at, view))
    }

    fn get_now(
        &self,
        key: &str,
        at: Option<Revision>,
    ) -> Result<Option<Arc<StoreEntry>>, StoreError> {
        let state = lock(&self.state);
        let (_, view) = self.view(&state, at, |changed| changed == key)?;
        Ok(match view.get(key) {
            Some(then) => then.clone(),
            None => state.entries.get(key).map(|held| Arc::clone(&held.entry)),
        })
    }

    fn range_now(&self, request: &RangeRequest) -> Result<RangePage, StoreError> {
        let state = lock(&self.state);
        let start = request.start();
        let inside = |key: &str| key >= start && key.starts_with(&request.prefix);
        let (at, view) = self.view(&state, request.at, inside)?;
        let latest = state.from(Bound::Included(start), &request.prefix);
        let latest = latest.map(|held| Ok(Arc::clone(&held.entry)));
        undo::page(request, at, view.apply(latest), |last| {
            let now = state.from(Bound::Excluded(last), &request.prefix).count() as u64;
            let difference =
                view.difference_after(last, |key| Ok(state.entries.contains_key(key)))?;
            Ok(now.saturating_add_signed(difference))
        })
    }

    fn publish(&self, state: &mut MemoryState, write: Write) -> Result<Arc<Change>, StoreError> {
        let now = self.clock.now();
        let change = state.apply(write, now)?;
        self.feed.publish(std::slice::from_ref(&change), now);
        Ok(change)
    }
}

impl MemoryState {
    fn from<'a>(
        &'a self,
        start: Bound<&str>,
        prefix: &'a str,
    ) -> impl Iterator<Item = &'a SnapshotEntry> + use<'a> {
        let range = self.entries.range::<str, _>((start, Bound::Unbounded));
        range.map(|(_, held)| held).take_while(move |held| held.entry.key.starts_with(prefix))
    }

    fn apply(&mut self, write: Write, now: Millis) -> Result<Arc<Change>, StoreError> {
        let held = self.entries.get(&write.key);
        let previous = held.map(|held| Arc::clone(&held.entry));
        if !write.allows(previous.as_deref()) {
            return Err(StoreError::Conflict { current: previous });
        }
        if let Some(expires) = held.and_then(|held| held.expires) {
            self.expiry.remove(&(expires, Arc::clone(&write.key)));
        }
        let revision = self.current.next();
        self.current = revision;
        // The key that is there already is shared, so that it is kept once however often it changes.
        let key = previous.as_ref().map_or(write.key, |entry| Arc::clone(&entry.key));
        let current = match write.action {
            WriteAction::Delete => {
                self.entries.remove(&key);
                None
            }
            WriteAction::Put { value, ttl } => {
                let created = previous.as_ref().map_or(revision, |entry| entry.created);
                let entry =
                    Arc::new(StoreEntry { key: Arc::clone(&key), value, revision, created });
                self.insert(SnapshotEntry {
                    entry: Arc::clone(&entry),
                    expires: ttl.map(|ttl| now.plus(ttl)),
                });
                Some(entry)
            }
        };
        Ok(Arc::new(Change { revision, current, previous }))
    }

    fn insert(&mut self, held: SnapshotEntry) {
        let key = Arc::clone(&held.entry.key);
        if let Some(expires) = held.expires {
            self.expiry.insert((expires, Arc::clone(&key)));
        }
        self.entries.insert(key, held);
    }
}

fn ready<'a, T: Send + 'a>(result: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(result))
}

impl Store for MemoryStore {
    fn current(&self) -> StoreFuture<'_, Revision> {
        ready(Ok(lock(&self.state).current))
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>> {
        ready(self.get_now(key, at))
    }

    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage> {
        ready(self.range_now(&request))
    }

    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>> {
        Box::pin(async move {
            self.limits.check(&write)?;
            self.publish(&mut lock(&self.state), write)
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch> {
        let compacted = || StoreError::Compacted { at: self.feed.floor() };
        ready(self.feed.join(prefix, after).map(Watch::new).ok_or_else(compacted))
    }

    fn compact(&self, at: Revision) -> StoreFuture<'_, ()> {
        let state = lock(&self.state);
        if at > state.current {
            return ready(Err(StoreError::FutureRevision { current: state.current }));
        }
        self.feed.compact(at);
        ready(Ok(()))
    }

    fn snapshot(&self) -> StoreFuture<'_, Snapshot> {
        let state = lock(&self.state);
        let entries = state.entries.values().cloned().collect();
        ready(Ok(Snapshot { revision: state.current, entries }))
    }

    fn restore(&self, snapshot: Snapshot) -> StoreFuture<'_, Revision> {
        Box::pin(async move {
            let mut state = lock(&self.state);
            state.entries.clear();
            state.expiry.clear();
            snapshot.entries.into_iter().for_each(|held| state.insert(held));
            state.current = state.current.max(snapshot.revision).next();
            self.feed.cut(state.current);
            Ok(state.current)
        })
    }

    fn maintain(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let now = self.clock.now();
            let mut state = lock(&self.state);
            while let Some((_, key)) = state.expiry.first().filter(|(expires, _)| *expires <= now) {
                let write = Write::delete(key, Expect::Any);
                self.publish(&mut state, write)?;
            }
            self.feed.trim(now);
            Ok(())
        })
    }

    fn health(&self) -> StoreFuture<'_, StoreHealth> {
        let current = lock(&self.state).current;
        ready(Ok(StoreHealth { current, oldest: self.feed.floor() }))
    }
}

impl Drop for MemoryStore {
    fn drop(&mut self) {
        self.feed.end(&StoreError::Closed);
    }
}
