//! Copies of values, as documents of their own or as rows of another.
//!
//! A copy equals what was copied and has its exact texts; what was removed is left out.

use crate::node::{Node, Tag, TextRef, to_u32};
use crate::{Builder, Document, Duplicates, Event, Limits, NodeId, Value};
use crdkit_issue::Span;

impl Document {
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
        let mut document = Self::of_rows(Vec::new(), String::new());
        document.copy_rows(NodeId::NONE, TextRef::default(), value);
        document
    }

    /// The same with the positions of what was copied, if they were kept.
    pub fn copy_with_positions(value: Value<'_>) -> Self {
        let positions = value.document.positions.as_ref();
        let positions = positions.map(|positions| positions.select(value.ids()));
        Self { positions, ..Self::copy_of(value) }
    }

    /// Adds rows with a copy of `value`, of which the first has the parent `parent` and the key `key` but is
    /// not yet linked there.
    pub(crate) fn copy_rows(&mut self, parent: NodeId, key: TextRef, value: Value<'_>) -> NodeId {
        let top = NodeId(self.next_id());
        let mut events = value.events();
        let (mut parent, mut last, mut key) = (parent, NodeId::NONE, key);
        while let Some(event) = events.next() {
            let new = |tag| Node::new(tag, key, parent);
            let node = match event {
                Event::Key(name) => {
                    key = self.add_exact(name, events.exact());
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
                    new(Tag::String).with_text(self.add_exact(text, events.exact()))
                }
                Event::BeginArray => new(Tag::Array),
                Event::BeginObject => new(Tag::Object),
            };
            let id = NodeId(self.next_id());
            self.nodes.push(node);
            if id != top {
                self.link_last(id, parent, last);
            }
            (parent, last) = if node.is_container() { (id, NodeId::NONE) } else { (parent, id) };
            key = TextRef::default();
        }
        top
    }

    /// The same for the whole of `other`, which has no exact texts, row by row.
    pub(crate) fn copy_table(&mut self, parent: NodeId, key: TextRef, other: &Self) -> NodeId {
        let (rows, text) = (self.next_id(), to_u32(self.text.len()));
        self.text.push_str(&other.text);
        self.nodes.extend(other.nodes.iter().map(|node| node.moved(rows, text)));
        if let Some(root) = self.nodes.get_mut(rows as usize) {
            (root.key, root.parent) = (key, parent);
        }
        NodeId(rows)
    }

    /// Links a row that has just been added below `parent` after its last child.
    fn link_last(&mut self, id: NodeId, parent: NodeId, last: NodeId) {
        if let Some(parent) = self.nodes.get_mut(parent.index()) {
            parent.child_added();
            if last == NodeId::NONE {
                parent.set_first_child(id);
            }
        }
        if let Some(last) = self.nodes.get_mut(last.index()) {
            last.next = id;
        }
    }

    pub(crate) fn add_text(&mut self, text: &str) -> TextRef {
        let start = self.text.len();
        self.text.push_str(text);
        TextRef::new(start, text.len())
    }

    /// Adds text that stands for `exact`, if those bytes are not the text itself.
    fn add_exact(&mut self, text: &str, exact: Option<&[u8]>) -> TextRef {
        let text = self.add_text(text);
        if let Some(bytes) = exact {
            self.keep_exact(text.start, bytes);
        }
        text
    }

    pub(crate) fn next_id(&self) -> u32 {
        to_u32(self.nodes.len())
    }
}
