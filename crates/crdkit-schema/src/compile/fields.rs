//! `properties`: names to schemas, found by hash.
//!
//! Entries are sorted by name. Beside them stands a small table of one byte per slot; a name's slot
//! comes from its first eight bytes, its last eight and its length, and collisions go to the next slot.
//! These bytes are all of most names, so that their text is not looked at. Objects with more properties
//! than a byte counts are searched by halves.

use super::table::{Id, Name, Table};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The properties of one schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    entries: Box<[Entry]>,
    /// Positions in `entries`; a power of two of them, at least one of them empty.
    slots: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    edges: Edges,
    name: Name,
    id: Id,
    required: bool,
}

/// A property that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its schema.
    pub schema: Id,
    /// Whether objects must have it.
    pub required: bool,
}

const EMPTY: u8 = u8::MAX;

/// From here on a byte cannot count the entries.
const MAX_SLOTTED: usize = 128;

impl Fields {
    /// The fields `entries`, which are sorted by name, each name once; those in `required` must be
    /// there.
    pub(crate) fn new(table: &Table, entries: Vec<(Name, Id)>, required: &[Name]) -> Self {
        let required: HashSet<Name, FixedState> = required.iter().copied().collect();
        let entry = |(name, id)| {
            let edges = Edges::of(table.name(name));
            Entry { edges, name, id, required: required.contains(&name) }
        };
        let entries: Box<[Entry]> = entries.into_iter().map(entry).collect();
        let mut slots = Vec::new();
        if !entries.is_empty() && entries.len() <= MAX_SLOTTED {
            let size = (entries.len() * 2).next_power_of_two();
            slots.resize(size, EMPTY);
            for (at, entry) in entries.iter().enumerate() {
                let mut slot = entry.edges.hash(entry.name.len as usize) & (size - 1);
                while slots.get(slot).is_some_and(|taken| *taken != EMPTY) {
                    slot = (slot + 1) & (size - 1);
                }
                if let Some(free) = slots.get_mut(slot) {
                    *free = u8::try_from(at).unwrap_or(EMPTY);
                }
            }
        }
        Self { entries, slots: slots.into() }
    }

    /// The schema of the property called `name`.
    #[inline]
    pub fn get(&self, table: &Table, name: &str) -> Option<Id> {
        self.find(table, name).map(|found| found.schema)
    }

    /// The property called `name`.
    #[inline]
    pub fn find(&self, table: &Table, name: &str) -> Option<Found> {
        if self.slots.is_empty() {
            return self.search(table, name);
        }
        let mask = self.slots.len() - 1;
        let edges = Edges::of(name);
        let mut slot = edges.hash(name.len()) & mask;
        loop {
            let entry = self.entries.get(usize::from(*self.slots.get(slot)?))?;
            if entry.edges == edges
                && entry.name.len as usize == name.len()
                && (name.len() <= 2 * EDGE || table.name(entry.name) == name)
            {
                return Some(entry.found());
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Names and schemas, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Name, Id)> + '_ {
        self.entries.iter().map(|entry| (entry.name, entry.id))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[cold]
    fn search(&self, table: &Table, name: &str) -> Option<Found> {
        let found = self.entries.binary_search_by(|it| table.name(it.name).cmp(name)).ok()?;
        self.entries.get(found).map(Entry::found)
    }
}

impl Entry {
    fn found(&self) -> Found {
        Found { schema: self.id, required: self.required }
    }
}

/// The first and the last eight bytes of a name as numbers, which may overlap; zeros stand in place of
/// bytes that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Edges {
    first: u64,
    last: u64,
}

const EDGE: usize = 8;

impl Edges {
    #[inline]
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        if let (Some(first), Some(last)) = (bytes.first_chunk::<EDGE>(), bytes.last_chunk::<EDGE>())
        {
            return Self { first: u64::from_le_bytes(*first), last: u64::from_le_bytes(*last) };
        }
        // Two overlapping pieces cover what is shorter; the same bytes in both do no harm.
        let first = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4))
            }
            _ => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        Self { first, last: 0 }
    }

    #[inline]
    fn hash(self, len: usize) -> usize {
        let mixed = self.first ^ self.last.rotate_left(29) ^ len as u64;
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_hold_the_first_and_the_last_eight_bytes() {
        for len in 0..20 {
            let name: String = ('a'..='z').take(len).collect();
            let mut bytes = [0; EDGE];
            for (to, from) in bytes.iter_mut().zip(name.bytes()) {
                *to = from;
            }
            let edges = Edges::of(&name);
            assert_eq!(edges.first, u64::from_le_bytes(bytes), "{name}");
            let last = name.as_bytes().last_chunk().map_or(0, |last| u64::from_le_bytes(*last));
            assert_eq!(edges.last, last, "{name}");
        }
    }
}
