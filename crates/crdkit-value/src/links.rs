//! The chains of children, and the tables that edits keep them with.
//!
//! A row is linked after a sibling or before all others, and taken out of its chain again. Rows that were
//! removed stay in their chain, because they carry links. Where the last child of an array or object is long to look for,
//! it is remembered, so that many children can be added without looking for the end again.

use crate::node::Node;
use crate::{Document, NodeId};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The last rows of long chains, by their parents.
pub(crate) type LastChildren = HashMap<NodeId, NodeId, RandomState>;

/// Up to here the end of a chain is looked for again.
const SHORT: usize = 32;

impl Document {
    /// Links the row `id`, which is in no chain, among the children of its parent: after `before`, or in
    /// front of all.
    #[inline(always)]
    pub(crate) fn attach(&mut self, id: NodeId, before: NodeId) {
        let parent_id = self.node(id).parent;
        self.items_change(parent_id);
        let next = match before {
            NodeId::NONE => self.node(parent_id).first_child(),
            _ => self.node(before).next,
        };
        if let Some(node) = self.nodes.get_mut(id.index()) {
            (node.next, node.removed) = (next, false);
        }
        if let Some(parent) = self.nodes.get_mut(parent_id.index()) {
            parent.child_added();
            if before == NodeId::NONE {
                parent.set_first_child(id);
            }
        }
        if let Some(before) = self.nodes.get_mut(before.index()) {
            before.next = id;
        }
        if next == NodeId::NONE
            && let Some(last) = self.last_children.as_mut().and_then(|it| it.get_mut(&parent_id))
        {
            *last = id;
        }
    }

    /// Takes the row `id` out of the chain it is in, removed or not.
    pub(crate) fn detach(&mut self, id: NodeId) {
        let Node { parent, next, removed, .. } = *self.node(id);
        self.items_change(parent);
        let before = self.chain(parent).take_while(|other| *other != id).last();
        // What was in an array or object before that was set to something else is in no chain.
        let is_linked = match before {
            Some(before) => self.node(before).next == id,
            None => self.chain(parent).next() == Some(id),
        };
        if !is_linked {
            return;
        }
        if let Some(parent) = self.nodes.get_mut(parent.index()) {
            if !removed {
                parent.child_removed();
            }
            if before.is_none() {
                parent.set_first_child(next);
            }
        }
        if let Some(before) = before.and_then(|before| self.nodes.get_mut(before.index())) {
            before.next = next;
        }
        if next == NodeId::NONE {
            self.forget_last_child(parent);
        }
    }

    /// The rows below `parent`, removed ones included; nothing unless it is an array or object.
    pub(crate) fn chain(&self, parent: NodeId) -> impl Iterator<Item = NodeId> {
        let parent = self.node(parent);
        let first = if parent.is_container() { parent.first_child() } else { NodeId::NONE };
        std::iter::successors(first.get(), |id| self.node(*id).next.get())
    }

    /// The last row below `parent`, an array or object, removed ones included.
    pub(crate) fn last_child(&mut self, parent: NodeId) -> NodeId {
        if let Some(last) = self.last_children.as_ref().and_then(|known| known.get(&parent)) {
            return *last;
        }
        let (n, last) = self.chain(parent).fold((0, NodeId::NONE), |(n, _), id| (n + 1, id));
        if n > SHORT {
            self.last_children.get_or_insert_default().insert(parent, last);
        }
        last
    }

    /// Whether `id` is known to be the last row below `parent`.
    pub(crate) fn is_last(&self, id: NodeId, parent: NodeId) -> bool {
        let node = self.node(id);
        node.parent == parent && node.next == NodeId::NONE && !node.removed
    }

    /// Forgets what was remembered about the end of the chain below `parent`.
    pub(crate) fn forget_last_child(&mut self, parent: NodeId) {
        if let Some(known) = &mut self.last_children {
            known.remove(&parent);
        }
    }
}
