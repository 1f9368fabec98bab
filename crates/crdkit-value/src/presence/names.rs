//! The names of members, each kept once.

use crate::node::to_u32;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Names by number.
#[derive(Clone, Default)]
pub(super) struct Names {
    text: NameText,
    table: HashTable<u32>,
    hasher: RandomState,
}

/// All names one after the other.
#[derive(Clone, Default)]
struct NameText {
    text: String,
    /// Where each name ends; it begins where the one before ends.
    ends: Vec<u32>,
}

impl Names {
    /// The name of that number.
    pub(super) fn text(&self, name: u32) -> &str {
        self.text.get(name)
    }

    /// The number of the name `text`.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let Self { text: known, table, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(name) = table.find(hash, |name| known.get(*name) == text) {
            return *name;
        }
        let name = known.push(text);
        table.insert_unique(hash, name, |other| hasher.hash_one(known.get(*other)));
        name
    }
}

impl NameText {
    fn get(&self, name: u32) -> &str {
        let name = name as usize;
        let start = name.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(name).copied().unwrap_or_default() as usize;
        self.text.get(start.unwrap_or_default() as usize..end).unwrap_or_default()
    }

    fn push(&mut self, text: &str) -> u32 {
        let name = to_u32(self.ends.len());
        self.text.push_str(text);
        self.ends.push(to_u32(self.text.len()));
        name
    }
}
