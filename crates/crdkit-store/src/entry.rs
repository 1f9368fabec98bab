//! What a store holds and what happens to it. Plain data, shared by reference count, so that one change serves every watcher.

use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// A point in the history of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl Revision {
    /// Where an empty store starts.
    pub const FIRST: Revision = Revision(1);

    /// The one after this.
    #[must_use]
    pub fn next(self) -> Revision {
        Revision(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreEntry {
    /// Where it is.
    pub key: Arc<str>,
    /// What was written.
    pub value: Bytes,
    /// The change that wrote it last.
    pub revision: Revision,
    /// The change that created it.
    pub created: Revision,
}

/// One change of one key. At least one of the two entries is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in the order of all changes.
    pub revision: Revision,
    /// The entry afterwards; none after a deletion.
    pub current: Option<Arc<StoreEntry>>,
    /// The entry before; none for a creation.
    pub previous: Option<Arc<StoreEntry>>,
}

/// What a change did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// There was no entry before.
    Created,
    /// There is an entry before and after.
    Updated,
    /// There is no entry afterwards.
    Deleted,
}

impl Change {
    /// What it did.
    pub fn kind(&self) -> ChangeKind {
        match (&self.current, &self.previous) {
            (None, _) => ChangeKind::Deleted,
            (Some(_), None) => ChangeKind::Created,
            (Some(_), Some(_)) => ChangeKind::Updated,
        }
    }

    /// The key it is about.
    pub fn key(&self) -> &str {
        self.current.as_ref().or(self.previous.as_ref()).map_or("", |entry| &entry.key)
    }

    /// What keeping it costs: the entry that it brought, or the one that it took away.
    pub(crate) fn weight(&self) -> usize {
        let entry = self.current.as_ref().or(self.previous.as_ref());
        entry.map_or(0, |entry| entry.key.len() + entry.value.len()) + 200
    }
}
