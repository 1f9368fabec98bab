//! What is asked of a store, and the page that answers a range.

use crate::{Revision, StoreEntry};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// What a write expects to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No entry.
    Absent,
    /// An entry last changed at this revision.
    At(Revision),
    /// Anything; for a deletion, any entry.
    Any,
}

/// What a write does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteAction {
    /// Sets the value.
    Put {
        /// The value.
        value: Bytes,
        /// After which time the entry is deleted. A later write without one keeps the entry for good.
        ttl: Option<Duration>,
    },
    /// Removes the entry.
    Delete,
}

/// A write of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The key.
    pub key: Arc<str>,
    /// What has to be there.
    pub expect: Expect,
    /// What to do then.
    pub action: WriteAction,
}

impl Write {
    /// Sets a value where the expectation holds.
    pub fn put(key: &str, expect: Expect, value: impl Into<Bytes>) -> Write {
        Write {
            key: key.into(),
            expect,
            action: WriteAction::Put { value: value.into(), ttl: None },
        }
    }

    /// Sets a value where there is none.
    pub fn create(key: &str, value: impl Into<Bytes>) -> Write {
        Write::put(key, Expect::Absent, value)
    }

    /// Deletes an entry.
    pub fn delete(key: &str, expect: Expect) -> Write {
        Write { key: key.into(), expect, action: WriteAction::Delete }
    }

    /// The same write of an entry that is deleted after a time.
    #[must_use]
    pub fn with_ttl(mut self, after: Duration) -> Write {
        if let WriteAction::Put { ttl, .. } = &mut self.action {
            *ttl = Some(after);
        }
        self
    }

    /// Whether the expectation holds.
    pub(crate) fn allows(&self, current: Option<&StoreEntry>) -> bool {
        match (self.expect, current) {
            (Expect::Absent, current) => {
                current.is_none() && matches!(self.action, WriteAction::Put { .. })
            }
            (Expect::At(revision), current) => {
                current.is_some_and(|entry| entry.revision == revision)
            }
            (Expect::Any, None) => matches!(self.action, WriteAction::Put { .. }),
            (Expect::Any, Some(_)) => true,
        }
    }
}

/// Entries in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeRequest {
    /// How their keys begin. To stay below one directory it ends with `/`.
    pub prefix: String,
    /// The first key that may be given, the start of the prefix if empty.
    pub from: String,
    /// How many at most; no limit if 0.
    pub limit: usize,
    /// As of which revision; the latest if none.
    pub at: Option<Revision>,
    /// Whether to count the entries after the page.
    pub count: bool,
}

impl RangeRequest {
    /// All latest entries under a prefix.
    pub fn under(prefix: &str) -> RangeRequest {
        RangeRequest { prefix: prefix.to_owned(), ..RangeRequest::default() }
    }

    /// The page after a page of this range: same revision, later keys. None after the last one.
    pub fn after(&self, page: &RangePage) -> Option<RangeRequest> {
        let last = page.entries.last().filter(|_| page.more)?;
        Some(RangeRequest {
            from: format!("{}\0", last.key),
            at: Some(page.revision),
            ..self.clone()
        })
    }

    /// The first key of the range.
    pub fn start(&self) -> &str {
        self.from.as_str().max(&self.prefix)
    }
}

/// Part of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangePage {
    /// The state that it is of. A watch after it misses nothing.
    pub revision: Revision,
    /// The entries.
    pub entries: Vec<Arc<StoreEntry>>,
    /// Whether there are more after them.
    pub more: bool,
    /// How many, if that was asked for.
    pub remaining: Option<u64>,
}
