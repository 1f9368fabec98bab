//! What can go wrong with a store. Each variant asks for another reaction, and texts are for people only.

use crate::{Revision, StoreEntry};
use std::sync::Arc;
use thiserror::Error;

/// Why a store did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The expectation of a write does not hold.
    #[error("{}", match current {
        Some(entry) => format!("the entry was last changed at revision {}", entry.revision),
        None => "there is no such entry".to_owned(),
    })]
    Conflict {
        /// What is there.
        current: Option<Arc<StoreEntry>>,
    },
    /// The revision is no longer retained.
    #[error("revisions before {at} are no longer retained")]
    Compacted {
        /// The oldest revision that is.
        at: Revision,
    },
    /// The revision does not exist yet.
    #[error("the store is at revision {current} only")]
    FutureRevision {
        /// The latest one.
        current: Revision,
    },
    /// The watcher did not keep up.
    #[error("the watcher fell too far back after revision {delivered}")]
    Lagging {
        /// Every change up to this revision was delivered.
        delivered: Revision,
    },
    /// A key or a value exceeds the limit.
    #[error("a {what} of {size} bytes exceeds the limit of {limit}")]
    TooLarge {
        /// `key` or `value`.
        what: &'static str,
        /// Its bytes.
        size: usize,
        /// The allowed bytes.
        limit: usize,
    },
    /// It cannot be done now, and nothing was done.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// It cannot be said whether the write happened.
    #[error("the outcome of the write is unknown: {0}")]
    Unknown(String),
    /// The stored data is not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The file is not a store.
    #[error("not a store: {0}")]
    Foreign(String),
    /// The file was written by a later version.
    #[error("the store has format {format}, which is newer than {supported}")]
    Newer {
        /// The format of the file.
        format: u32,
        /// The latest one that is understood.
        supported: u32,
    },
    /// Another process has the file open.
    #[error("the store is open in another process")]
    Locked,
    /// This store cannot do this.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}
