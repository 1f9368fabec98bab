//! The contract itself. The crate's documentation says what it promises.

use crate::{Change, RangePage, RangeRequest, Revision, Snapshot, StoreEntry, StoreError, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// What every operation of a store gives.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keys and values with revisions.
pub trait Store: Send + Sync + 'static {
    /// The latest revision.
    fn current(&self) -> StoreFuture<'_, Revision>;

    /// One entry, the latest or as of a revision.
    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>>;

    /// Entries in order.
    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage>;

    /// Changes one key and gives the change.
    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>>;

    /// The changes under a prefix after a revision.
    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch>;

    /// Forgets what was before a revision. The state at it is kept.
    fn compact(&self, at: Revision) -> StoreFuture<'_, ()>;

    /// Everything at the latest revision.
    fn snapshot(&self) -> StoreFuture<'_, Snapshot>;

    /// Replaces everything, and gives the revision from which the store goes on.
    fn restore(&self, snapshot: Snapshot) -> StoreFuture<'_, Revision>;

    /// Does what is due: deletes what has expired, forgets what the history need not retain. Whoever owns the store calls it
    /// about once a second.
    fn maintain(&self) -> StoreFuture<'_, ()>;

    /// Whether it works, by trying.
    fn health(&self) -> StoreFuture<'_, StoreHealth>;
}

/// A store that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreHealth {
    /// The latest revision.
    pub current: Revision,
    /// The oldest revision that is known to be retained.
    pub oldest: Revision,
}

/// What a watch gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// A change.
    Change(Arc<Change>),
    /// Every change up to this revision was given.
    Progress(Revision),
}

/// Where the events of a [`Watch`] come from. An error is the end.
pub trait WatchSource: Send {
    /// The next event.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<WatchEvent, StoreError>>;

    /// Asks for [`WatchEvent::Progress`].
    fn request_progress(&mut self);
}

/// A watch under way. Dropping it ends it.
pub struct Watch(Box<dyn WatchSource>);

impl Watch {
    /// A watch of a source.
    pub fn new(source: impl WatchSource + 'static) -> Watch {
        Watch(Box::new(source))
    }

    /// The next event. An error is the end; the future may be dropped without losing an event.
    pub async fn next(&mut self) -> Result<WatchEvent, StoreError> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// The next event, for those who poll.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<WatchEvent, StoreError>> {
        self.0.poll_next(context)
    }

    /// Asks for [`WatchEvent::Progress`], which comes after all changes up to the revision that is the latest now.
    pub fn request_progress(&mut self) {
        self.0.request_progress();
    }
}
