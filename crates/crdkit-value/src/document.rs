//! A decoded document: rows of values, one string with all text, and optionally where values stood.
//!
//! There is always a root. Ids are rows, so an id means something only in the document that gave it out.

use crate::exact::Exact;
use crate::items::ItemTable;
use crate::links::LastChildren;
use crate::node::{Node, Tag, TextRef};
use crate::positions::{Positions, SourceSpans};
use crate::{NodeId, Value};
use crdkit_issue::{FieldPath, Segment};
use std::fmt;

/// One document: its values, its text, and where they stood.
///
/// There is always a root; a new document is `null`.
#[derive(Clone)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    pub(crate) text: String,
    pub(crate) positions: Option<Positions>,
    pub(crate) exact: Option<Box<Exact>>,
    pub(crate) last_children: Option<Box<LastChildren>>,
    pub(crate) items: ItemTable,
}

impl Document {
    /// The document `null`.
    pub fn null() -> Self {
        let root = Node::new(Tag::Null, TextRef::default(), NodeId::NONE);
        Self::of_rows(vec![root], String::new())
    }

    /// The document with these rows, whose text is `text`.
    pub(crate) fn of_rows(nodes: Vec<Node>, text: String) -> Self {
        let items = ItemTable::default();
        Self { nodes, text, positions: None, exact: None, last_children: None, items }
    }

    /// The whole document as a value.
    pub fn root(&self) -> Value<'_> {
        self.value(NodeId::ROOT)
    }

    /// The value called `id`, an id of this document.
    #[inline]
    pub fn value(&self, id: NodeId) -> Value<'_> {
        Value { document: self, id }
    }

    /// Where `id` stood in the source, if positions were kept and it came from there.
    pub fn place(&self, id: NodeId) -> Option<SourceSpans> {
        self.positions.as_ref()?.place(id)
    }

    /// Says that the source stands at `offset` of something larger, so that places are found there.
    pub fn shift_places(&mut self, offset: usize) {
        if let Some(positions) = &mut self.positions {
            positions.shift(offset);
        }
    }

    /// The path of `id`. Keys that do not read well after a dot are map entries; a stage that has a
    /// schema knows better and says so itself.
    pub fn path(&self, id: NodeId) -> FieldPath {
        let mut segments = Vec::new();
        let mut id = id;
        while let Some(parent) = self.node(id).parent.get() {
            segments.push(match self.node(parent).tag {
                Tag::Array => Segment::Index(self.item_index(parent, id)),
                _ => Segment::named(self.text(self.node(id).key)),
            });
            id = parent;
        }
        segments.into_iter().rev().collect()
    }

    /// How many rows the table has, removed values included: one more than the largest id.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many bytes of text there are, keys and what was removed included.
    pub fn n_text(&self) -> usize {
        self.text.len()
    }

    /// Bytes held in memory.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.text.capacity()
    }

    /// The row of `id`. An id of another document finds some other row, or a `null` one.
    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.index()).unwrap_or_else(|| Node::null())
    }

    #[inline]
    pub(crate) fn text(&self, text: TextRef) -> &str {
        let start = text.start as usize;
        self.text.get(start..start + text.len as usize).unwrap_or_default()
    }

    /// The text as bytes, for comparing.
    #[inline]
    pub(crate) fn shown(&self, text: TextRef) -> &[u8] {
        let start = text.start as usize;
        self.text.as_bytes().get(start..start + text.len as usize).unwrap_or_default()
    }
}

impl Default for Document {
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}
