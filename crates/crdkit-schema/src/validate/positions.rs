//! The position of items in their lists, for paths.
//!
//! Children of a list are linked, so a position is found by counting. Where there are many items the count
//! is made once for all of them; otherwise as many findings as there are items would take quadratic time.

use crdkit_value::{NodeId, Value};
use foldhash::HashMap;
use std::cell::RefCell;

/// Up to here counting each time is faster than a table.
const FEW: usize = 16;

/// Positions by list, each counted when first asked for.
#[derive(Debug, Default)]
pub struct Positions(RefCell<HashMap<NodeId, HashMap<NodeId, usize>>>);

impl Positions {
    /// The position of `item` in `list`.
    pub fn of(&self, list: Value<'_>, item: Value<'_>) -> usize {
        if list.items().len() <= FEW {
            return list.items().take_while(|other| other.id() != item.id()).count();
        }
        let mut lists = self.0.borrow_mut();
        let count = || list.items().enumerate().map(|(at, item)| (item.id(), at)).collect();
        lists.entry(list.id()).or_insert_with(count).get(&item.id()).copied().unwrap_or_default()
    }
}
