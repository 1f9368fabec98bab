//! One row of a document's table.
//!
//! Children of an array or object are a list linked through `next`, in order; every node knows
//! its parent, so a path is found by climbing and never has to be carried along. A removed node
//! stays in the table and is passed over.

/// Names a value inside the [`crate::Document`] that made it.
///
/// Ids are given out in document order while decoding, so decoding the same bytes again, this time
/// keeping positions, gives the same ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document's root.
    pub const ROOT: Self = Self(0);
    /// Stands for "no node" in links.
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn get(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }

    /// The position of this id in tables with one row per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A piece of the document's text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextRef {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl TextRef {
    /// Sizes fit because [`crate::Limits`] keep documents below 4 GiB; beyond that text reads as empty
    /// instead of wrapping around.
    pub(crate) fn new(start: usize, len: usize) -> Self {
        Self { start: to_u32(start), len: to_u32(len) }
    }
}

pub(crate) fn to_u32(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// What a value is, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`.
    True,
    /// A number that is an `i64`; the payload of its node.
    Int,
    /// Any other number; the payload is an `f64`.
    Float,
    /// A number as it was written; the payload is its text.
    Number,
    /// A string; the payload is its text.
    String,
    /// An array; the payload is its first child and the number of children.
    Array,
    /// An object; the payload is its first child and the number of children.
    Object,
}

/// One value. The payload is two halves so that a node needs no padding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The key, when the parent is an object.
    pub(crate) key: TextRef,
    payload: [u32; 2],
    pub(crate) parent: NodeId,
    pub(crate) next: NodeId,
    pub(crate) tag: Tag,
    pub(crate) removed: bool,
}

impl Node {
    pub(crate) const fn new(tag: Tag, key: TextRef, parent: NodeId) -> Self {
        let payload = [NodeId::NONE.0, 0];
        Self { key, payload, parent, next: NodeId::NONE, tag, removed: false }
    }

    /// A row for ids that name nothing. Behind a call, so that finding a row stays a branch never taken.
    #[cold]
    pub(crate) fn null() -> &'static Self {
        static NULL: Node = Node::new(Tag::Null, TextRef { start: 0, len: 0 }, NodeId::NONE);
        &NULL
    }

    /// The same row with the content of `other`.
    pub(crate) fn with_content(self, other: &Self) -> Self {
        Self { tag: other.tag, payload: other.payload, ..self }
    }

    pub(crate) fn with_bits(self, bits: u64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of 64 bits")]
        let payload = [bits as u32, (bits >> 32) as u32];
        Self { payload, ..self }
    }

    pub(crate) fn with_text(self, text: TextRef) -> Self {
        Self { payload: [text.start, text.len], ..self }
    }

    pub(crate) fn bits(&self) -> u64 {
        let [low, high] = self.payload;
        u64::from(low) | u64::from(high) << 32
    }

    pub(crate) fn text(&self) -> TextRef {
        let [start, len] = self.payload;
        TextRef { start, len }
    }

    pub(crate) fn first_child(&self) -> NodeId {
        let [first, _] = self.payload;
        NodeId(first)
    }

    pub(crate) fn set_first_child(&mut self, id: NodeId) {
        let [first, _] = &mut self.payload;
        *first = id.0;
    }

    pub(crate) fn n_children(&self) -> usize {
        let [_, count] = self.payload;
        count as usize
    }

    pub(crate) fn set_n_children(&mut self, n_children: u32) {
        let [_, count] = &mut self.payload;
        *count = n_children;
    }

    pub(crate) fn child_added(&mut self) {
        let [_, count] = &mut self.payload;
        *count += 1;
    }

    pub(crate) fn child_removed(&mut self) {
        let [_, count] = &mut self.payload;
        *count = count.saturating_sub(1);
    }

    /// The same row in a table with so many rows before it and a text with so many bytes.
    pub(crate) fn moved(&self, rows: u32, text: u32) -> Self {
        let link = |id: NodeId| match id {
            NodeId::NONE => id,
            NodeId(id) => NodeId(id.saturating_add(rows)),
        };
        let shift = |part: TextRef| TextRef { start: part.start.saturating_add(text), ..part };
        let moved = Self {
            key: shift(self.key),
            parent: link(self.parent),
            next: link(self.next),
            ..*self
        };
        match self.tag {
            Tag::Number | Tag::String => moved.with_text(shift(self.text())),
            Tag::Array | Tag::Object => {
                let mut moved = moved;
                moved.set_first_child(link(self.first_child()));
                moved
            }
            Tag::Null | Tag::False | Tag::True | Tag::Int | Tag::Float => moved,
        }
    }

    pub(crate) fn is_container(&self) -> bool {
        matches!(self.tag, Tag::Array | Tag::Object)
    }
}
