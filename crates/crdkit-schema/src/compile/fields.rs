//! `properties`: names to schemas, found by hash.
//!
//! Entries are sorted by name. Beside them stands a small table of one byte per slot; a name's slot
//! comes from its length and a few of its bytes, and collisions go to the next slot. Objects with
//! more properties than a byte counts are searched by halves.

use super::table::{Id, Name, Table};

/// The properties of one schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    entries: Box<[(Name, Id)]>,
    /// Positions in `entries`; a power of two of them, at least one of them empty.
    slots: Box<[u8]>,
}

const EMPTY: u8 = u8::MAX;

/// From here on a byte cannot count the entries.
const MAX_SLOTTED: usize = 128;

impl Fields {
    /// The fields `entries`, which are sorted by name, each name once.
    pub(crate) fn new(table: &Table, entries: Vec<(Name, Id)>) -> Self {
        let mut slots = Vec::new();
        if !entries.is_empty() && entries.len() <= MAX_SLOTTED {
            let size = (entries.len() * 2).next_power_of_two();
            slots.resize(size, EMPTY);
            for (at, (name, _)) in entries.iter().enumerate() {
                let mut slot = hash(table.name(*name)) & (size - 1);
                while slots.get(slot).is_some_and(|taken| *taken != EMPTY) {
                    slot = (slot + 1) & (size - 1);
                }
                if let Some(free) = slots.get_mut(slot) {
                    *free = u8::try_from(at).unwrap_or(EMPTY);
                }
            }
        }
        Self { entries: entries.into(), slots: slots.into() }
    }

    /// The schema of the property called `name`.
    #[inline]
    pub fn get(&self, table: &Table, name: &str) -> Option<Id> {
        if self.slots.is_empty() {
            return self.search(table, name);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(name) & mask;
        loop {
            let (known, id) = self.entries.get(usize::from(*self.slots.get(slot)?))?;
            if table.name(*known) == name {
                return Some(*id);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Names and schemas, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Name, Id)> + '_ {
        self.entries.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[cold]
    fn search(&self, table: &Table, name: &str) -> Option<Id> {
        let found =
            self.entries.binary_search_by(|(known, _)| table.name(*known).cmp(name)).ok()?;
        self.entries.get(found).map(|(_, id)| *id)
    }
}

#[inline]
fn hash(name: &str) -> usize {
    let bytes = name.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
    let len = bytes.len();
    let mixed = byte(0) + byte(len / 2) * 31 + byte(len.wrapping_sub(1)) * 7 + byte(len / 3) * 131;
    mixed + len * 17
}
