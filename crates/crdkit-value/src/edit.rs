//! Changes to a document: what pruning, defaulting and patches are made of.
//!
//! Removing a value hides its row; adding one appends rows. Ids stay valid throughout, so a stage may
//! collect ids first and change the document afterwards.

use crate::node::{Node, Tag, TextRef, to_u32};
use crate::{Builder, Document, Duplicates, Event, Kind, Limits, NodeId, Value, Walk};
use crdkit_issue::Span;

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
    }

    /// Adds a copy of `value`, which may be of another document, as the last member of `object`
    /// under `key`, in place of a member that has that key. Gives the copy's id, or none when
    /// `object` is not an object.
    pub fn insert(&mut self, object: NodeId, key: &str, value: Value<'_>) -> Option<NodeId> {
        let last = self.make_room(object, key)?;
        let key = self.add_text(key);
        Some(self.append(object, last, key, value.events()))
    }

    /// Adds a copy of `value` as the last member of `object`, which has none called `key`; `after` is what
    /// was added to it last, so that many can be added without looking for the end again. Gives the copy's
    /// id, or none when `object` is not an object.
    pub fn append_member(
        &mut self,
        object: NodeId,
        after: Option<NodeId>,
        key: &str,
        value: Value<'_>,
    ) -> Option<NodeId> {
        if self.node(object).tag != Tag::Object {
            return None;
        }
        let last = after.unwrap_or_else(|| self.last_child(object));
        let key = self.add_text(key);
        let new = |tag| Node::new(tag, key, object);
        let node = match value.kind() {
            Kind::Bool(true) => new(Tag::True),
            Kind::Bool(false) => new(Tag::False),
            Kind::Int(int) => new(Tag::Int).with_bits(int.cast_unsigned()),
            Kind::String(text) if value.document().exact.is_none() => {
                let text = self.add_text(text);
                new(Tag::String).with_text(text)
            }
            _ if value.id() == NodeId::ROOT && value.document().exact.is_none() => {
                return Some(self.graft(object, last, key, value.document()));
            }
            _ => return Some(self.append(object, last, key, value.events())),
        };
        Some(self.link(node, last))
    }

    /// Adds a copy of the whole of `other`, which has no exact texts, row by row.
    fn graft(&mut self, parent: NodeId, last: NodeId, key: TextRef, other: &Self) -> NodeId {
        let (rows, text) = (self.next_id(), to_u32(self.text.len()));
        self.text.push_str(&other.text);
        let mut copies = other.nodes.iter().map(|node| node.moved(rows, text));
        let mut root = copies.next().unwrap_or(Node::new(Tag::Null, key, parent));
        (root.key, root.parent) = (key, parent);
        let top = self.link(root, last);
        self.nodes.extend(copies);
        top
    }

    /// Makes the member `key` of `object` a string. Gives its id, or none when `object` is no object.
    pub fn insert_string(&mut self, object: NodeId, key: &str, text: &str) -> Option<NodeId> {
        let text = self.add_text(text);
        self.insert_scalar(object, key, |key| Node::new(Tag::String, key, object).with_text(text))
    }

    /// Makes the member `key` of `object` an integer. Gives its id, or none when `object` is no object.
    pub fn insert_int(&mut self, object: NodeId, key: &str, int: i64) -> Option<NodeId> {
        let bits = int.cast_unsigned();
        self.insert_scalar(object, key, |key| Node::new(Tag::Int, key, object).with_bits(bits))
    }

    fn insert_scalar(
        &mut self,
        object: NodeId,
        key: &str,
        make: impl FnOnce(TextRef) -> Node,
    ) -> Option<NodeId> {
        let last = self.make_room(object, key)?;
        let node = make(self.add_text(key));
        Some(self.link(node, last))
    }

    /// Removes the member `key` of `object`, if it has one. Gives the last child in the chain, removed
    /// ones included, because they still carry links; or none when `object` is not an object.
    fn make_room(&mut self, object: NodeId, key: &str) -> Option<NodeId> {
        if self.node(object).tag != Tag::Object {
            return None;
        }
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
        Some(last)
    }

    /// Adds a copy of `value` as the last item of `array`, or gives none when it is not an array.
    pub fn push(&mut self, array: NodeId, value: Value<'_>) -> Option<NodeId> {
        let is_array = self.node(array).tag == Tag::Array;
        is_array.then(|| {
            let last = self.last_child(array);
            self.append(array, last, TextRef::default(), value.events())
        })
    }

    /// Makes `id` a string; what it held before is gone.
    pub fn set_string(&mut self, id: NodeId, text: &str) {
        let text = self.add_text(text);
        self.replace(id, |node| Node::new(Tag::String, node.key, node.parent).with_text(text));
    }

    /// Makes `id` an integer; what it held before is gone.
    pub fn set_int(&mut self, id: NodeId, int: i64) {
        let bits = int.cast_unsigned();
        self.replace(id, |node| Node::new(Tag::Int, node.key, node.parent).with_bits(bits));
    }

    /// Makes `id` a copy of `value`, which is of another document; what it held before is gone.
    pub fn set(&mut self, id: NodeId, value: Value<'_>) {
        let top = self.append(NodeId::NONE, NodeId::NONE, TextRef::default(), value.events());
        let Some(new) = self.nodes.get(top.index()).copied() else { return };
        self.replace(id, |node| {
            let mut copy = new;
            (copy.key, copy.parent) = (node.key, node.parent);
            copy
        });
        let mut child = if new.is_container() { new.first_child() } else { NodeId::NONE };
        while let Some(node) = self.nodes.get_mut(child.index()) {
            node.parent = id;
            child = node.next;
        }
    }

    /// The document that `events`, which nest as a decoder's do, describe.
    pub fn of_events<'e>(events: impl IntoIterator<Item = Event<'e>>) -> Self {
        let limits = Limits { depth: usize::MAX, nodes: usize::MAX, ..Limits::default() };
        let mut builder = Builder::new(&limits, Duplicates::LastWins);
        // Without limits nothing can be refused but more values than ids can name.
        let _ = events.into_iter().try_for_each(|event| builder.event(event, Span::at(0)));
        builder.finish().0
    }

    /// A document of its own that holds a copy of `value`, without what was removed.
    pub fn copy_of(value: Value<'_>) -> Self {
        let mut document =
            Self { nodes: Vec::new(), text: String::new(), positions: None, exact: None };
        document.append(NodeId::NONE, NodeId::NONE, TextRef::default(), value.events());
        document
    }

    /// The same with the positions of what was copied, if they were kept.
    pub fn copy_with_positions(value: Value<'_>) -> Self {
        let positions = value.document.positions.as_ref();
        let positions = positions.map(|positions| positions.select(value.ids()));
        Self { positions, ..Self::copy_of(value) }
    }

    fn replace(&mut self, id: NodeId, make: impl FnOnce(&Node) -> Node) {
        if let Some(node) = self.nodes.get_mut(id.index()) {
            let mut new = make(node);
            (new.next, new.removed) = (node.next, node.removed);
            *node = new;
        }
    }

    /// Adds the value that `events` describe below `parent`, behind its child `last`; `key` is its key
    /// there.
    fn append(
        &mut self,
        parent: NodeId,
        last: NodeId,
        key: TextRef,
        mut events: Walk<'_>,
    ) -> NodeId {
        let top = NodeId(self.next_id());
        let (mut parent, mut last, mut key) = (parent, last, key);
        while let Some(event) = events.next() {
            let new = |tag| Node::new(tag, key, parent);
            let node = match event {
                Event::Key(name) => {
                    key = self.add_text(name);
                    if let Some(bytes) = events.exact() {
                        self.keep_exact(key.start, bytes);
                    }
                    continue;
                }
                Event::EndArray | Event::EndObject => {
                    last = parent;
                    parent = self.node(parent).parent;
                    continue;
                }
                Event::Null => new(Tag::Null),
                Event::Bool(false) => new(Tag::False),
                Event::Bool(true) => new(Tag::True),
                Event::Int(int) => new(Tag::Int).with_bits(int.cast_unsigned()),
                Event::Float(float) => new(Tag::Float).with_bits(float.to_bits()),
                Event::Number(text) => new(Tag::Number).with_text(self.add_text(text)),
                Event::String(text) => {
                    let text = self.add_text(text);
                    if let Some(bytes) = events.exact() {
                        self.keep_exact(text.start, bytes);
                    }
                    new(Tag::String).with_text(text)
                }
                Event::BeginArray => new(Tag::Array),
                Event::BeginObject => new(Tag::Object),
            };
            let id = self.link(node, last);
            (parent, last) = if node.is_container() { (id, NodeId::NONE) } else { (parent, id) };
            key = TextRef::default();
        }
        top
    }

    /// Appends a row behind its sibling `last`, or as the first child when there is none.
    pub(crate) fn link(&mut self, node: Node, last: NodeId) -> NodeId {
        let id = NodeId(self.next_id());
        let parent = node.parent;
        self.nodes.push(node);
        if let Some(parent) = self.nodes.get_mut(parent.index()) {
            parent.child_added();
            if last == NodeId::NONE {
                parent.set_first_child(id);
            }
        }
        if let Some(last) = self.nodes.get_mut(last.index()) {
            last.next = id;
        }
        id
    }

    pub(crate) fn add_text(&mut self, text: &str) -> TextRef {
        let start = self.text.len();
        self.text.push_str(text);
        TextRef::new(start, text.len())
    }

    /// The last child in the chain, removed ones included, because they still carry links.
    fn last_child(&self, parent: NodeId) -> NodeId {
        let mut last = NodeId::NONE;
        let mut next = self.node(parent).first_child();
        while next != NodeId::NONE {
            last = next;
            next = self.node(next).next;
        }
        last
    }

    fn next_id(&self) -> u32 {
        to_u32(self.nodes.len())
    }
}
