//! How an embedded store is set up.

use crate::{History, WriteLimits};
use std::time::Duration;

/// When a write is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before it is acknowledged. Writes that come at the same time share a sync.
    #[default]
    Synced,
    /// At most this long afterwards.
    Batched(Duration),
    /// When the system gets to it. A power cut may leave a file that cannot be used.
    Unsynced,
}

/// The settings of an embedded store.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedOptions {
    /// When a write is on disk.
    pub durability: Durability,
    /// What is retained in the file.
    pub history: History,
    /// What is retained in memory as well, and how far a watcher may fall back.
    pub recent: History,
    /// What may be written.
    pub limits: WriteLimits,
    /// Files up to this many bytes are checked as a whole on opening. Larger ones are checked when they were not closed properly; apart
    /// from that every record is checked when it is read.
    pub check_up_to: u64,
    /// Bytes of the file that are kept in memory.
    pub cache: usize,
    /// Bytes of the journal of a new file: what is written to it before it is applied to the rest of the file in one go.
    pub journal: u64,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions {
            durability: Durability::default(),
            history: History { count: 1_000_000, bytes: 1 << 30, ..History::default() },
            recent: History::default(),
            limits: WriteLimits::default(),
            check_up_to: 64 << 20,
            cache: 128 << 20,
            journal: 16 << 20,
        }
    }
}
