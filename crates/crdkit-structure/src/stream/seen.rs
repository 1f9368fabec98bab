//! What has been seen in an open array or object, one hash for each key or item.
//!
//! Two hashes with random keys make 128 bits, so that no input can be made, or will happen, to collide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};

/// What has been seen so far, each with the place where it was first and how often it came.
#[derive(Debug, Default)]
pub(super) struct Seen {
    keys: [RandomState; 2],
    first: HashMap<u128, (usize, u32)>,
}

impl Seen {
    /// Notes `bytes` at `place`; gives the place where it was first, and how often it has come by now, if
    /// it was there before.
    pub(super) fn note(&mut self, bytes: &[u8], place: usize) -> Option<(usize, u32)> {
        let [high, low] = [0, 1].map(|at| self.keys.get(at).map_or(0, |key| key.hash_one(bytes)));
        match self.first.entry(u128::from(high) << 64 | u128::from(low)) {
            Entry::Vacant(entry) => {
                entry.insert((place, 1));
                None
            }
            Entry::Occupied(mut entry) => {
                let (first, times) = entry.get_mut();
                *times = times.saturating_add(1);
                Some((*first, *times))
            }
        }
    }
}
