//! Changes to a document: what pruning, defaulting and patches are made of.
//!
//! Removing a value hides its row, adding one appends rows, moving one links its row elsewhere. Ids stay valid
//! throughout, so a stage may collect ids first and change the document afterwards; only
//! [`Document::compact`] gives out new ones. What was inside a value that is set to another is no longer in the
//! document.

use crate::node::{Node, Tag, TextRef};
use crate::{Document, Kind, NewValue, NodeId, Value};

/// Where a new value goes.
#[derive(Clone, Copy)]
enum Slot<'k> {
    /// In place of what a value holds.
    Content(NodeId),
    /// Last in an object, in place of a member with that key.
    Member(NodeId, &'k str),
    /// Last in an object that has no member with that key; after this row, if one is given.
    NewMember(NodeId, Option<NodeId>, &'k str),
    /// The item of an array at a position.
    Item(NodeId, usize),
    /// Last in an array.
    LastItem(NodeId),
}

impl Document {
    /// Removes `id` from the array or object it is in. The root cannot be removed.
    pub fn remove(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(id.index()) else { return };
        let parent = node.parent;
        if node.removed || parent == NodeId::NONE {
            return;
        }
        node.removed = true;
        if let Some(parent) = self.nodes.get_mut(parent.index()) {
            parent.child_removed();
        }
        self.items_change(parent);
    }

    /// Takes `id` out: gives it as a document of its own, with positions if they are kept. A root leaves
    /// `null`.
    #[must_use]
    pub fn take(&mut self, id: NodeId) -> Self {
        let taken = Self::copy_with_positions(self.value(id));
        if id == NodeId::ROOT {
            self.set(id, NewValue::Null);
        }
        self.remove(id);
        taken
    }

    /// Makes `id` what `value` says; its place and key stay, what it held before is gone. Gives `id`, or none
    /// if `value` would be moved into itself.
    pub fn set<'v>(&mut self, id: NodeId, value: impl Into<NewValue<'v>>) -> Option<NodeId> {
        self.put_rarely(Slot::Content(id), value.into())
    }

    /// Adds `value` as the last member of `object` under `key`, in place of a member that has that key. Gives
    /// its id, or none when `object` is not an object or `value` would be moved into itself.
    pub fn insert<'v>(
        &mut self,
        object: NodeId,
        key: &str,
        value: impl Into<NewValue<'v>>,
    ) -> Option<NodeId> {
        self.insert_value(object, key, value.into())
    }

    /// The same for an object that has no member called `key`, which is not checked; `after` is what was added
    /// to it last, if that is known.
    pub fn append_member<'v>(
        &mut self,
        object: NodeId,
        after: Option<NodeId>,
        key: &str,
        value: impl Into<NewValue<'v>>,
    ) -> Option<NodeId> {
        self.append_value(object, after, key, value.into())
    }

    /// Adds `value` as the last item of `array`. Gives its id, or none when `array` is not an array or `value`
    /// would be moved into itself.
    pub fn push<'v>(&mut self, array: NodeId, value: impl Into<NewValue<'v>>) -> Option<NodeId> {
        self.put_rarely(Slot::LastItem(array), value.into())
    }

    /// Makes `value` the item of `array` at `index`, which the items from there on make room for; that a value is
    /// moved away from the same array counts before. Gives its id, or none when there is no such place or
    /// `value` would be moved into itself.
    pub fn insert_item<'v>(
        &mut self,
        array: NodeId,
        index: usize,
        value: impl Into<NewValue<'v>>,
    ) -> Option<NodeId> {
        self.put_rarely(Slot::Item(array, index), value.into())
    }

    /// Gives the member `id` another key, in place of a member that has that key; its position stays. False if
    /// `id` is not a member of an object.
    pub fn rename(&mut self, id: NodeId, key: &str) -> bool {
        let Node { parent, removed, .. } = *self.node(id);
        if removed || self.node(parent).tag != Tag::Object {
            return false;
        }
        if let Some(other) = self.value(parent).get(key).map(Value::id).filter(|it| *it != id) {
            self.remove(other);
        }
        let key = self.add_text(key);
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.key = key;
        }
        true
    }

    /// Frees the rows and the text of what was removed. Positions are kept; ids are new, in document order.
    pub fn compact(&mut self) {
        *self = Self::copy_with_positions(self.root());
    }

    // The ones that requests spend time in: compiled for their slot, once for all types of values.

    fn insert_value(&mut self, object: NodeId, key: &str, value: NewValue<'_>) -> Option<NodeId> {
        self.put(Slot::Member(object, key), value)
    }

    fn append_value(
        &mut self,
        object: NodeId,
        after: Option<NodeId>,
        key: &str,
        value: NewValue<'_>,
    ) -> Option<NodeId> {
        self.put(Slot::NewMember(object, after, key), value)
    }

    /// All others.
    fn put_rarely(&mut self, slot: Slot<'_>, value: NewValue<'_>) -> Option<NodeId> {
        self.put(slot, value)
    }

    #[inline(always)]
    fn put(&mut self, slot: Slot<'_>, value: NewValue<'_>) -> Option<NodeId> {
        match value {
            NewValue::CopyOfId(id) => {
                // As it is before anything makes room for the copy.
                let copy = Self::copy_of(self.value(id));
                self.put_new(slot, NewValue::CopyOf(copy.root()))
            }
            NewValue::Moved(id) => self.put_moved(slot, id),
            value => self.put_new(slot, value),
        }
    }

    fn put_moved(&mut self, slot: Slot<'_>, id: NodeId) -> Option<NodeId> {
        if matches!(slot, Slot::Content(to) if to == id) {
            return self.nodes.get(id.index()).map(|_| id);
        }
        if !self.takes(slot) || !self.can_move(id, slot) {
            return None;
        }
        self.detach(id);
        self.put_new(slot, NewValue::Moved(id))
    }

    #[inline(always)]
    fn put_new(&mut self, slot: Slot<'_>, value: NewValue<'_>) -> Option<NodeId> {
        if !self.takes(slot) {
            return None;
        }
        let before = match slot {
            Slot::Content(id) => return Some(self.replace(id, value)),
            Slot::Member(object, key) => self.make_room(object, key),
            Slot::NewMember(object, Some(last), _) if self.is_last(last, object) => last,
            Slot::NewMember(parent, ..) | Slot::LastItem(parent) => self.last_child(parent),
            Slot::Item(array, index) => self.before_item(array, index)?,
        };
        let key = slot.key().map_or(TextRef::default(), |key| self.add_text(key));
        let id = self.make(slot.target(), key, value);
        self.attach(id, before);
        Some(id)
    }

    /// Whether the value that `slot` is about is there and may have what `slot` says.
    #[inline(always)]
    fn takes(&self, slot: Slot<'_>) -> bool {
        let target = self.nodes.get(slot.target().index());
        target.is_some_and(|node| slot.tag().is_none_or(|tag| node.tag == tag))
    }

    /// Whether the value `id` is in this document, not around `slot`, and leaves a place for itself.
    fn can_move(&self, id: NodeId, slot: Slot<'_>) -> bool {
        let parents = |id: &NodeId| self.node(*id).parent.get();
        let is_around = std::iter::successors(Some(slot.target()), parents).any(|it| it == id);
        let has_place = match slot {
            Slot::Item(array, index) => {
                let is_inside = self.node(id).parent == array && !self.node(id).removed;
                index + usize::from(is_inside) <= self.value(array).items().len()
            }
            _ => true,
        };
        !is_around && has_place && self.node(id).parent != NodeId::NONE
    }

    /// Removes the member `key` of `object`, if it has one. Gives the last row of the chain.
    #[inline(always)]
    fn make_room(&mut self, object: NodeId, key: &str) -> NodeId {
        let (mut last, mut old) = (NodeId::NONE, NodeId::NONE);
        let mut next = self.node(object).first_child();
        while next != NodeId::NONE {
            last = next;
            let child = self.node(next);
            if !child.removed && self.shown(child.key) == key.as_bytes() {
                old = next;
            }
            next = child.next;
        }
        self.remove(old);
        last
    }

    /// The row that an item of `array` at `index` is linked after, if there is such a place.
    fn before_item(&mut self, array: NodeId, index: usize) -> Option<NodeId> {
        let mut items = self.value(array).items();
        match index.checked_sub(1) {
            None => Some(NodeId::NONE),
            Some(_) if index == items.len() => Some(self.last_child(array)),
            Some(before) => items.nth(before).map(Value::id),
        }
    }

    /// A row for `value` with the parent `parent` and the key `key`, not linked there.
    #[inline(always)]
    fn make(&mut self, parent: NodeId, key: TextRef, value: NewValue<'_>) -> NodeId {
        if let Some(node) = self.single(Node::new(Tag::Null, key, parent), value) {
            let id = NodeId(self.next_id());
            self.nodes.push(node);
            return id;
        }
        match value {
            NewValue::CopyOf(value)
                if value.id() == NodeId::ROOT && value.document().exact.is_none() =>
            {
                self.copy_table(parent, key, value.document())
            }
            NewValue::CopyOf(value) => self.copy_rows(parent, key, value),
            NewValue::Moved(id) | NewValue::CopyOfId(id) => {
                if let Some(node) = self.nodes.get_mut(id.index()) {
                    (node.key, node.parent) = (key, parent);
                }
                id
            }
            _ => NodeId::NONE,
        }
    }

    /// `row` with `value` as its content, if that is one row.
    #[inline(always)]
    fn single(&mut self, row: Node, value: NewValue<'_>) -> Option<Node> {
        let tagged = |tag| row.with_content(&Node::new(tag, TextRef::default(), NodeId::NONE));
        Some(match value {
            NewValue::Null => tagged(Tag::Null),
            NewValue::Bool(false) => tagged(Tag::False),
            NewValue::Bool(true) => tagged(Tag::True),
            NewValue::Int(int) => tagged(Tag::Int).with_bits(int.cast_unsigned()),
            NewValue::Float(float) => tagged(Tag::Float).with_bits(float.to_bits()),
            NewValue::Number(text) => tagged(Tag::Number).with_text(self.add_text(text)),
            NewValue::String(text) => tagged(Tag::String).with_text(self.add_text(text)),
            NewValue::EmptyArray => tagged(Tag::Array),
            NewValue::EmptyObject => tagged(Tag::Object),
            NewValue::CopyOf(value) => match value.kind() {
                Kind::Null => tagged(Tag::Null),
                Kind::Bool(false) => tagged(Tag::False),
                Kind::Bool(true) => tagged(Tag::True),
                Kind::Int(int) => tagged(Tag::Int).with_bits(int.cast_unsigned()),
                Kind::String(text) if value.document().exact.is_none() => {
                    tagged(Tag::String).with_text(self.add_text(text))
                }
                _ => return None,
            },
            NewValue::CopyOfId(_) | NewValue::Moved(_) => return None,
        })
    }

    /// Gives the row `id` the content of `value`.
    fn replace(&mut self, id: NodeId, value: NewValue<'_>) -> NodeId {
        let row = Node::new(Tag::Null, TextRef::default(), NodeId::NONE);
        let content = self.single(row, value).unwrap_or_else(|| {
            let top = self.make(NodeId::NONE, TextRef::default(), value);
            self.forget_last_child(top);
            self.each_child(top, |child| child.parent = id);
            let content = *self.node(top);
            if let Some(emptied) = self.nodes.get_mut(top.index()) {
                *emptied = Node::new(Tag::Null, TextRef::default(), id);
                emptied.removed = true;
            }
            content
        });
        self.forget_last_child(id);
        self.items_change(id);
        self.each_child(id, |child| child.removed = true);
        if let Some(node) = self.nodes.get_mut(id.index()) {
            *node = node.with_content(&content);
        }
        self.items_change(id);
        id
    }

    fn each_child(&mut self, parent: NodeId, change: impl Fn(&mut Node)) {
        let mut next = self.chain(parent).next();
        while let Some(node) = next.and_then(|id| self.nodes.get_mut(id.index())) {
            next = node.next.get();
            change(node);
        }
    }
}

impl<'k> Slot<'k> {
    /// The value that is changed.
    fn target(self) -> NodeId {
        match self {
            Self::Content(id)
            | Self::Member(id, _)
            | Self::NewMember(id, ..)
            | Self::Item(id, _)
            | Self::LastItem(id) => id,
        }
    }

    /// What that value must be.
    fn tag(self) -> Option<Tag> {
        match self {
            Self::Content(_) => None,
            Self::Member(..) | Self::NewMember(..) => Some(Tag::Object),
            Self::Item(..) | Self::LastItem(_) => Some(Tag::Array),
        }
    }

    fn key(self) -> Option<&'k str> {
        match self {
            Self::Member(_, key) | Self::NewMember(_, _, key) => Some(key),
            _ => None,
        }
    }
}
