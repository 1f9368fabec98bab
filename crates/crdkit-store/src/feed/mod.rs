//! The ordered feed of changes and those who watch it.
//!
//! Goes in: changes in the order of their revisions, each once. Comes out: for every watcher the changes under its prefix, in order,
//! without gap or duplicate. A bounded ring holds the latest changes. Watchers of one prefix share a topic: a queue of references and one
//! list of those who wait. A watcher is a position in that queue, so a prefix where nothing happens wakes nobody, and
//! one that is passed by its queue is told so without cost for the others.

mod cursor;
mod topic;

pub(crate) use cursor::FeedCursor;

use crate::{Change, History, Millis, Revision, StoreError};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use topic::FeedTopic;

/// The feed of one store.
#[derive(Debug)]
pub(crate) struct Feed {
    state: Mutex<FeedState>,
    /// Every change up to here is in the ring and in the topics.
    published: AtomicU64,
}

#[derive(Debug)]
struct FeedState {
    history: History,
    ring: VecDeque<RetainedChange>,
    /// Every change after it is in the ring.
    floor: Revision,
    bytes: usize,
    topics: BTreeMap<Arc<str>, Arc<FeedTopic>>,
}

#[derive(Debug)]
struct RetainedChange {
    change: Arc<Change>,
    time: Millis,
}

/// A lock that another thread's panic leaves usable: every holder keeps its data whole at all times.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feed {
    /// An empty feed at a revision.
    pub(crate) fn new(history: History, current: Revision) -> Feed {
        Feed {
            state: Mutex::new(FeedState {
                history,
                ring: VecDeque::new(),
                floor: current,
                bytes: 0,
                topics: BTreeMap::new(),
            }),
            published: AtomicU64::new(current.0),
        }
    }

    /// The revision up to which everything is published.
    pub(crate) fn published(&self) -> Revision {
        Revision(self.published.load(Ordering::Acquire))
    }

    /// The oldest state that the ring can lead back to.
    pub(crate) fn floor(&self) -> Revision {
        lock(&self.state).floor
    }

    /// Gives out changes.
    pub(crate) fn publish(&self, changes: &[Arc<Change>], time: Millis) {
        let Some(last) = changes.last() else { return };
        let mut wakers = Vec::new();
        {
            let mut state = lock(&self.state);
            for change in changes {
                state.bytes += change.weight();
                state.ring.push_back(RetainedChange { change: Arc::clone(change), time });
                let history = state.history;
                for topic in state.topics_of(change.key()) {
                    topic.push(change, &history, &mut wakers);
                }
            }
            state.trim(time);
            self.published.store(last.revision.0, Ordering::Release);
        }
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// Forgets what is too old by now.
    pub(crate) fn trim(&self, now: Millis) {
        lock(&self.state).trim(now);
    }

    /// Forgets the changes up to a revision.
    pub(crate) fn compact(&self, at: Revision) {
        let mut state = lock(&self.state);
        while state.ring.front().is_some_and(|retained| retained.change.revision <= at) {
            state.forget_first();
        }
        state.floor = state.floor.max(at);
    }

    /// Forgets everything and ends all watches; the feed goes on at a revision.
    pub(crate) fn cut(&self, at: Revision) {
        {
            let mut state = lock(&self.state);
            state.ring.clear();
            state.bytes = 0;
            state.floor = at;
            self.published.store(at.0, Ordering::Release);
        }
        self.end(&StoreError::Compacted { at });
    }

    /// Ends all watches.
    pub(crate) fn end(&self, why: &StoreError) {
        let topics = std::mem::take(&mut lock(&self.state).topics);
        for topic in topics.into_values() {
            topic.end(why).into_iter().for_each(std::task::Waker::wake);
        }
    }

    /// Calls back for the changes after a revision, and says up to which one, if the ring reaches back that far.
    pub(crate) fn since(&self, after: Revision, mut each: impl FnMut(&Change)) -> Option<Revision> {
        let state = lock(&self.state);
        if after < state.floor {
            return None;
        }
        state.after(after).for_each(|change| each(change));
        Some(state.ring.back().map_or(state.floor, |last| last.change.revision).max(after))
    }

    /// A watcher of the changes after a revision, if the ring reaches back that far.
    pub(crate) fn join(self: &Arc<Self>, prefix: &str, after: Revision) -> Option<FeedCursor> {
        let mut state = lock(&self.state);
        if after < state.floor {
            return None;
        }
        let under = |change: &&Arc<Change>| change.key().starts_with(prefix);
        let backlog: VecDeque<_> = state.after(after).filter(under).cloned().collect();
        let topic = if let Some(topic) = state.topics.get(prefix) {
            Arc::clone(topic)
        } else {
            let topic = Arc::new(FeedTopic::new(prefix.into()));
            state.topics.insert(Arc::clone(topic.prefix()), Arc::clone(&topic));
            topic
        };
        Some(FeedCursor::new(Arc::clone(self), topic, after, backlog))
    }

    /// A watcher is gone.
    fn leave(&self, topic: &Arc<FeedTopic>) {
        let mut state = lock(&self.state);
        if topic.leave()
            && state.topics.get(topic.prefix()).is_some_and(|held| Arc::ptr_eq(held, topic))
        {
            state.topics.remove(topic.prefix());
        }
    }
}

impl FeedState {
    fn after(&self, revision: Revision) -> impl Iterator<Item = &Arc<Change>> {
        let start = self.ring.partition_point(|retained| retained.change.revision <= revision);
        self.ring.range(start..).map(|retained| &retained.change)
    }

    fn forget_first(&mut self) {
        if let Some(first) = self.ring.pop_front() {
            self.floor = first.change.revision;
            self.bytes = self.bytes.saturating_sub(first.change.weight());
        }
    }

    fn trim(&mut self, now: Millis) {
        let History { age, count, bytes } = self.history;
        while self.ring.front().is_some_and(|first| {
            self.ring.len() > count || self.bytes > bytes || first.time.plus(age) < now
        }) {
            self.forget_first();
        }
    }

    /// The topics whose prefix the key has: the greatest prefix that is not greater than the key either is one, or shows how
    /// long the next one can be at most.
    fn topics_of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Arc<FeedTopic>> {
        let mut bound = Some(Bound::Included(key));
        std::iter::from_fn(move || {
            loop {
                let upper = bound.take()?;
                let (prefix, topic) =
                    self.topics.range::<str, _>((Bound::Unbounded, upper)).next_back()?;
                if key.starts_with(&**prefix) {
                    bound = Some(Bound::Excluded(&**prefix));
                    return Some(topic);
                }
                let common = key.char_indices().zip(prefix.chars()).find(|((_, a), b)| a != b);
                bound = key.get(..common.map_or(0, |((at, _), _)| at)).map(Bound::Included);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_every_topic_that_is_a_prefix_of_it() {
        let feed = Arc::new(Feed::new(History::default(), Revision::FIRST));
        let prefixes = ["", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c", "/a/é", "/aa", "/b/", "/a/a/z"];
        let cursors: Vec<_> =
            prefixes.iter().map(|prefix| feed.join(prefix, Revision::FIRST).unwrap()).collect();
        for key in ["/a/b/c", "/a/b/d", "/a/éx", "/a/ë", "/b/", "/c", "", "/a"] {
            let state = lock(&feed.state);
            let mut found: Vec<_> = state.topics_of(key).map(|topic| &**topic.prefix()).collect();
            found.sort_unstable();
            let mut expected: Vec<_> =
                prefixes.into_iter().filter(|prefix| key.starts_with(prefix)).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{key}");
        }
        drop(cursors);
        assert!(lock(&feed.state).topics.is_empty());
    }
}
