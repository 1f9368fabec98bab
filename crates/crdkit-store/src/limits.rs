//! How much is kept and how large it may be. Passed in from the edge.

use crate::{StoreError, Write, WriteAction};
use std::time::Duration;

/// How much of the past is retained: whichever bound is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// No change older than this.
    pub age: Duration,
    /// No more changes than this.
    pub count: usize,
    /// No more bytes than this, keys and values together.
    pub bytes: usize,
}

impl Default for History {
    /// What fits into the memory of a small server: ten minutes, 100,000 changes, 64 MiB.
    fn default() -> Self {
        History { age: Duration::from_mins(10), count: 100_000, bytes: 64 << 20 }
    }
}

/// What a write may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLimits {
    /// Bytes of a key.
    pub key: usize,
    /// Bytes of a value.
    pub value: usize,
}

impl Default for WriteLimits {
    /// Somewhat more than etcd takes by default.
    fn default() -> Self {
        WriteLimits { key: 4 << 10, value: 3 << 20 }
    }
}

impl WriteLimits {
    /// An error where a write exceeds them.
    pub fn check(&self, write: &Write) -> Result<(), StoreError> {
        let check = |what, size, limit| {
            if size > limit { Err(StoreError::TooLarge { what, size, limit }) } else { Ok(()) }
        };
        check("key", write.key.len(), self.key)?;
        match &write.action {
            WriteAction::Put { value, .. } => check("value", value.len(), self.value),
            WriteAction::Delete => Ok(()),
        }
    }
}
