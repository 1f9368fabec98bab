//! Items of long arrays by their position, and the position of items.
//!
//! Children are a chain, so that both are a walk. Once so many steps were walked in a document that a table of its long
//! arrays costs no more, there is one: many findings about one array take no more time than about many.
//!
//! What must hold: whatever moves items forgets the table.

use crate::node::Tag;
use crate::{Document, NodeId, Value};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// In shorter arrays items are always walked to.
const LONG: usize = 64;

/// The long arrays of a document, if they are worth it.
#[derive(Default)]
pub(crate) struct ItemTable {
    n_walked: AtomicUsize,
    rows: OnceLock<Box<ItemRows>>,
}

struct ItemRows {
    /// Rows that came later are not in the table.
    n_nodes: usize,
    arrays: HashMap<NodeId, Box<[NodeId]>, RandomState>,
}

/// A copy walks on its own.
impl Clone for ItemTable {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Document {
    /// The item of `array` at `index`.
    pub(crate) fn item(&self, array: NodeId, index: usize) -> Option<NodeId> {
        match self.known_items(array, index) {
            Some(items) => items.get(index).copied(),
            None => self.value(array).items().nth(index).map(Value::id),
        }
    }

    /// The position of `item` in `array`.
    pub(crate) fn item_index(&self, array: NodeId, item: NodeId) -> usize {
        let n_steps = self.node(array).n_children();
        let known = self.known_items(array, n_steps).and_then(|items| {
            // Where nothing was moved, ids are in order.
            let found = items.binary_search(&item).ok();
            found.or_else(|| items.iter().position(|it| *it == item))
        });
        known.unwrap_or_else(|| {
            self.value(array).items().take_while(|other| other.id() != item).count()
        })
    }

    /// The items of `array`, if it is long and `n_steps` more steps are too many to walk.
    fn known_items(&self, array: NodeId, n_steps: usize) -> Option<&[NodeId]> {
        if n_steps < LONG || self.node(array).tag != Tag::Array {
            return None;
        }
        let n_walked = self.items.n_walked.fetch_add(n_steps, Ordering::Relaxed);
        if n_walked < self.nodes.len() {
            return None;
        }
        let rows = self.items.rows.get_or_init(|| Box::new(self.item_rows()));
        rows.arrays.get(&array).filter(|_| rows.n_nodes == self.nodes.len()).map(|items| &**items)
    }

    fn item_rows(&self) -> ItemRows {
        let ids = (0..self.next_id()).map(NodeId);
        let is_long = |id: &NodeId| {
            let node = self.node(*id);
            node.tag == Tag::Array && node.n_children() >= LONG
        };
        let items = |id| self.value(id).items().map(Value::id).collect();
        let arrays = ids.filter(is_long).map(|id| (id, items(id))).collect();
        ItemRows { n_nodes: self.nodes.len(), arrays }
    }

    /// Forgets where the items of `array` are, which is about to change.
    #[inline]
    pub(crate) fn items_change(&mut self, array: NodeId) {
        if self.node(array).tag == Tag::Array && *self.items.n_walked.get_mut() > 0 {
            self.items = ItemTable::default();
        }
    }
}
