//! The position of items in their lists, for paths.
//!
//! Children of a list are linked, so a position is found by counting. Where there are many items the count
//! is made once for all of them; otherwise as many findings as there are items would take quadratic time.

use crate::compile::Id;
use crdkit_value::{NodeId, Value};
use foldhash::HashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Up to here counting each time is faster than a table.
const FEW: usize = 16;

/// Positions by list, each counted when first asked for.
#[derive(Debug, Default)]
pub struct Positions {
    lists: RefCell<HashMap<NodeId, HashMap<NodeId, usize>>>,
    /// What enumerations list, for messages that repeat it.
    listed: RefCell<HashMap<Id, Arc<str>>>,
}

impl Positions {
    /// The position of `item` in `list`.
    pub fn of(&self, list: Value<'_>, item: Value<'_>) -> usize {
        if list.items().len() <= FEW {
            return list.items().take_while(|other| other.id() != item.id()).count();
        }
        let mut lists = self.lists.borrow_mut();
        let count = || list.items().enumerate().map(|(at, item)| (item.id(), at)).collect();
        lists.entry(list.id()).or_insert_with(count).get(&item.id()).copied().unwrap_or_default()
    }

    /// What the enumeration of a schema lists, which `make` puts together once.
    pub(super) fn listed(&self, schema: Id, make: impl FnOnce() -> String) -> Arc<str> {
        let mut listed = self.listed.borrow_mut();
        Arc::clone(listed.entry(schema).or_insert_with(|| make().into()))
    }
}
