//! `properties`: names to schemas, found by hash.
//!
//! Entries are sorted by name. Beside them stands a small table of one byte per slot; a name's slot
//! comes from its first eight bytes, its last and its length, and collisions go to the next slot. The
//! first bytes and the length tell most names apart without looking at their text. Objects with more
//! properties than a byte counts are searched by halves.

use super::table::{Id, Name, Table};

/// The properties of one schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    entries: Box<[Entry]>,
    /// Positions in `entries`; a power of two of them, at least one of them empty.
    slots: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    prefix: u64,
    name: Name,
    id: Id,
}

const EMPTY: u8 = u8::MAX;

/// From here on a byte cannot count the entries.
const MAX_SLOTTED: usize = 128;

impl Fields {
    /// The fields `entries`, which are sorted by name, each name once.
    pub(crate) fn new(table: &Table, entries: Vec<(Name, Id)>) -> Self {
        let entry = |(name, id)| Entry { prefix: prefix(table.name(name)), name, id };
        let entries: Box<[Entry]> = entries.into_iter().map(entry).collect();
        let mut slots = Vec::new();
        if !entries.is_empty() && entries.len() <= MAX_SLOTTED {
            let size = (entries.len() * 2).next_power_of_two();
            slots.resize(size, EMPTY);
            for (at, entry) in entries.iter().enumerate() {
                let mut slot = hash(entry.prefix, table.name(entry.name)) & (size - 1);
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
        if self.slots.is_empty() {
            return self.search(table, name);
        }
        let mask = self.slots.len() - 1;
        let prefix = prefix(name);
        let mut slot = hash(prefix, name) & mask;
        loop {
            let entry = self.entries.get(usize::from(*self.slots.get(slot)?))?;
            if entry.prefix == prefix
                && entry.name.len as usize == name.len()
                && (name.len() <= 8 || table.name(entry.name) == name)
            {
                return Some(entry.id);
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
    fn search(&self, table: &Table, name: &str) -> Option<Id> {
        let found = self.entries.binary_search_by(|it| table.name(it.name).cmp(name)).ok()?;
        self.entries.get(found).map(|entry| entry.id)
    }
}

/// The first eight bytes as a number, zeros in place of those that are not there.
#[inline]
fn prefix(name: &str) -> u64 {
    let bytes = name.as_bytes();
    if let Some(first) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*first);
    }
    // Two overlapping pieces cover what is shorter; the same bytes in both do no harm.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4));
    }
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[inline]
fn hash(prefix: u64, name: &str) -> usize {
    let last = name.as_bytes().last().copied().map_or(0, u64::from);
    let mixed = (prefix ^ last << 32 ^ name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_holds_the_first_eight_bytes() {
        for len in 0..10 {
            let name: String = ('a'..='j').take(len).collect();
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(name.bytes()) {
                *to = from;
            }
            assert_eq!(prefix(&name), u64::from_le_bytes(bytes), "{name}");
        }
    }
}
