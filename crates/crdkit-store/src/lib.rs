//! Where a server keeps objects: keys and values with one global revision, and a feed of all changes.
//!
//! [`Store`] is the contract; [`MemoryStore`] and [`EmbeddedStore`] (one file, redb) keep it here, `crdkit-store-etcd` keeps
//! it over etcd. The `suite` feature has the contract as tests that every store passes. Values are bytes and are never
//! looked into. Keys are text, laid out as Kubernetes lays them out ([`KeyLayout`]).
//!
//! # Revisions
//!
//! - A store has one revision, which only grows. An empty store is at revision 1. Every change has a revision of its own, greater
//!   than all before it. No revision names two changes, not even across crashes and restores.
//! - An entry carries the revision that created it and the one that changed it last. A key that was deleted and written again
//!   was created anew.
//! - A write that changes nothing (a conflict, a failure) uses no revision.
//!
//! # Writes
//!
//! - A write names one key and what it expects there: nothing, an entry last changed at a revision, or anything at all.
//!   Where the expectation does not hold the store is left as it is, and [`StoreError::Conflict`] carries what is there.
//!   A deletion expects at least something.
//! - Writes are linearizable. When a write is answered, every read and watch that starts afterwards sees it.
//! - [`StoreError::Unavailable`] means that nothing was written. [`StoreError::Unknown`] means that the write may be there or
//!   may come to be there: read before writing again.
//!
//! # Reads
//!
//! - A read without a revision sees the latest state, whole: either all of a change or nothing of it.
//! - A read at a revision sees the state after the change with that revision, as long as it is retained. Pages of one range at the
//!   same revision fit together.
//! - Entries are ordered by key, bytewise.
//! - [`StoreError::Compacted`] answers a revision that is no longer retained and names the oldest that is.
//!   [`StoreError::FutureRevision`] answers one that does not exist yet.
//!
//! # Watch
//!
//! - A watch of a prefix after revision `n` gives every change under the prefix with a revision greater than `n`, in the order of
//!   revisions, each once, with the entry before and after it.
//! - `n` may lie in the future: changes up to `n` are left out.
//! - [`WatchEvent::Progress`] at `r`: every change up to `r` was delivered. It follows a request for it, as soon as the store knows.
//! - A watcher that does not keep up is told so ([`StoreError::Lagging`]) and costs the others nothing. It can watch
//!   again after the last revision it saw.
//!
//! # History
//!
//! - The state at revision `r` and the changes after it are retained until a compaction at a later revision, or until they are
//!   older, more or larger than the store's [`History`] allows.
//! - An entry written with a time to live is deleted by [`Store::maintain`] once that time is over, as an ordinary change.
//! - [`Store::restore`] replaces everything by a snapshot. Entries keep their revisions, the store's revision goes on from the
//!   greater of both, and every watch ends with [`StoreError::Compacted`]: what was watched does not lead to what is there now.
//!
//! # After a crash
//!
//! | Store | Process killed | Power cut |
//! |---|---|---|
//! | memory | everything is lost | everything is lost |
//! | embedded, [`Durability::Synced`] | every acknowledged write is there | every acknowledged write is there |
//! | embedded, [`Durability::Batched`] | a state at most one interval old, whole | a state at most one interval old, whole |
//! | embedded, [`Durability::Unsynced`] | every acknowledged write is there | the file may be damaged, and is then refused |
//! | etcd | every acknowledged write is there | as etcd is configured |
//!
//! A write that was not acknowledged is there or is not; it is never there in part. With [`Durability::Synced`] and etcd the
//! history that was retained before the crash is retained after it, so a watch goes on after the last revision it saw. With the others
//! the store goes on at a much later revision and without history, since revisions may have been seen that are lost.
//!
//! # Across processes
//!
//! A memory store belongs to one process. The file of an embedded store is opened by one process at a time; another is told
//! [`StoreError::Locked`]. An etcd is shared by as many processes as connect to it, other programs included.

mod clock;
mod entry;
mod error;
mod feed;
mod keys;
mod limits;
mod memory;
mod request;
mod snapshot;
mod store;
mod undo;

pub mod embedded;
#[cfg(feature = "suite")]
pub mod suite;

pub use clock::{Clock, ManualClock, Millis, SystemClock};
pub use embedded::{Durability, EmbeddedOptions, EmbeddedStore};
pub use entry::{Change, ChangeKind, Revision, StoreEntry};
pub use error::StoreError;
pub use keys::{KeyLayout, prefix_end};
pub use limits::{History, WriteLimits};
pub use memory::{MemoryOptions, MemoryStore};
pub use request::{Expect, RangePage, RangeRequest, Write, WriteAction};
pub use snapshot::{Snapshot, SnapshotEntry};
pub use store::{Store, StoreFuture, StoreHealth, Watch, WatchEvent, WatchSource};
