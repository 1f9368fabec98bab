//! `properties`: names to schemas, found by hash.
//!
//! Entries are sorted by name. Beside them stands a small table of one byte per slot; a name's slot
//! comes from its first eight bytes, its last eight and its length, and collisions go to the next slot.
//! These bytes are all of most names, so that their text is not looked at. Objects with more properties
//! than a byte counts are searched by halves.
//!
//! Every stage looks up every key of an object, so the common case is kept small enough for registers.

use super::plain::Plain;
use super::table::{Id, Name, Table};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The properties of one schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    entries: Box<[Field]>,
    /// Positions in `entries`; a power of two of them, at least one of them empty.
    slots: Box<[u8]>,
}

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    edges: Edges,
    /// What it is called.
    pub name: Name,
    /// Its schema.
    pub schema: Id,
    /// What that accepts without a further look.
    pub plain: Plain,
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
        let entry = |(name, schema)| {
            let edges = Edges::of(table.name(name));
            let plain = Plain::of(table.node(schema));
            Field { edges, name, schema, plain, required: required.contains(&name) }
        };
        let entries: Box<[Field]> = entries.into_iter().map(entry).collect();
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
        self.find(table, name).map(|field| field.schema)
    }

    /// The property called `name`.
    #[inline]
    pub fn find(&self, table: &Table, name: &str) -> Option<&Field> {
        if self.slots.is_empty() || name.len() > 2 * EDGE {
            return self.find_long(table, name);
        }
        self.find_where(name, |_| true)
    }

    /// The same for names of which more than the edges must be looked at, and for many fields.
    #[inline(never)]
    fn find_long(&self, table: &Table, name: &str) -> Option<&Field> {
        if self.slots.is_empty() {
            let found = self.entries.binary_search_by(|it| table.name(it.name).cmp(name)).ok()?;
            return self.entries.get(found);
        }
        self.find_where(name, |field| table.name(field.name) == name)
    }

    /// The property with the edges and the length of `name` that is the `same`.
    #[inline(always)]
    fn find_where(&self, name: &str, same: impl Fn(&Field) -> bool) -> Option<&Field> {
        let mask = self.slots.len() - 1;
        let edges = Edges::of(name);
        let mut slot = edges.hash(name.len()) & mask;
        loop {
            let field = self.entries.get(usize::from(*self.slots.get(slot)?))?;
            if field.edges == edges && field.name.len as usize == name.len() && same(field) {
                return Some(field);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Names and schemas, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Name, Id)> + '_ {
        self.entries.iter().map(|field| (field.name, field.schema))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
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

    #[test]
    fn fields_of_every_length_are_found_and_no_others() {
        for n_fields in [0, 1, 5, MAX_SLOTTED, MAX_SLOTTED + 1] {
            // Long names that differ in the middle only have equal edges.
            let names: Vec<String> = (0..n_fields)
                .map(|at| match at % 3 {
                    0 => format!("{at:03}"),
                    1 => format!("field{at:03}"),
                    _ => format!("beginning{at:03}ending"),
                })
                .collect();
            let mut table = Table::new();
            let mut sorted = names.clone();
            sorted.sort_unstable();
            let entries = sorted.iter().zip(0..).map(|(name, at)| {
                let start = u32::try_from(table.text.len()).unwrap_or_default();
                table.text.push_str(name);
                (Name { start, len: u32::try_from(name.len()).unwrap_or_default() }, Id(at))
            });
            let entries: Vec<_> = entries.collect();
            let fields = Fields::new(&table, entries, &[]);
            for (name, at) in sorted.iter().zip(0..) {
                assert_eq!(fields.get(&table, name), Some(Id(at)), "{name} of {n_fields}");
            }
            for name in ["", "0", "field", "field0000", "beginningXXXending"] {
                assert_eq!(fields.get(&table, name), None, "{name} of {n_fields}");
            }
        }
    }
}
