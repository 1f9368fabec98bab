//! Finds a row of a table by its content.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Positions in a table by what stands there.
#[derive(Debug, Default)]
pub(crate) struct Index(HashTable<(u64, u32)>);

impl Index {
    /// The position of the row that equals `key`, as `same` decides.
    pub(crate) fn find<K: Hash + ?Sized>(
        &self,
        key: &K,
        same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let hash = FixedState::default().hash_one(key);
        self.0.find(hash, |(known, at)| *known == hash && same(*at)).map(|(_, at)| *at)
    }

    /// The position of the row that equals `key`, as `same` decides; `next` if there is none, which is
    /// then where the row has to be put.
    pub(crate) fn find_or_add<K: Hash + ?Sized>(
        &mut self,
        key: &K,
        next: usize,
        same: impl Fn(u32) -> bool,
    ) -> u32 {
        let hash = FixedState::default().hash_one(key);
        let next = u32::try_from(next).unwrap_or(u32::MAX);
        let entry =
            self.0.entry(hash, |(known, at)| *known == hash && same(*at), |(known, _)| *known);
        entry.or_insert((hash, next)).get().1
    }
}
