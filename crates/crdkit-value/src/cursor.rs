//! A place in a document's table, for who goes through all of it at full speed.
//!
//! Most values have nothing inside, so the next sibling of most is in the next row, and so is the first child
//! of whatever was not changed. A cursor finds that out by a branch instead of following the link: a processor guesses the
//! branch right and does not wait for the link to be read.

use crate::node::Node;
use crate::value::kind;
use crate::{Document, Kind, NodeId, Piece, Value};

/// A value and the rows after it.
#[derive(Clone, Copy)]
pub struct Cursor<'d> {
    document: &'d Document,
    /// The rows of the document from that of the value on.
    rows: &'d [Node],
}

impl Document {
    /// A cursor at `id`, if there is such a value.
    #[inline]
    pub fn cursor(&self, id: NodeId) -> Option<Cursor<'_>> {
        let rows = self.nodes.get(id.index()..).filter(|rows| !rows.is_empty())?;
        Some(Cursor { document: self, rows })
    }
}

impl<'d> Cursor<'d> {
    /// The value's name inside its document.
    #[inline]
    pub fn id(self) -> NodeId {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "tables have fewer rows than there are ids"
        )]
        NodeId((self.document.nodes.len() - self.rows.len()) as u32)
    }

    /// The value.
    pub fn value(self) -> Value<'d> {
        self.document.value(self.id())
    }

    /// What the value is.
    #[inline(always)]
    pub fn kind(self) -> Kind<'d> {
        kind(self.document, self.node())
    }

    /// The bytes of a string; without meaning for any other value.
    #[inline]
    pub fn string(self) -> Piece<'d> {
        self.document.piece(self.node().text())
    }

    /// The bytes of the key of a member of an object; without meaning for any other value.
    #[inline]
    pub fn key(self) -> Piece<'d> {
        self.document.piece(self.node().key)
    }

    /// The key of a member of an object as text; without meaning for any other value.
    #[inline]
    pub fn key_text(self) -> &'d str {
        self.document.text(self.node().key)
    }

    /// The value after this one in the same array or object.
    #[inline]
    pub fn next_sibling(self) -> Option<Self> {
        self.go(self.node().next)
    }

    /// The first value in an array or object; without meaning for any other value.
    #[inline]
    pub fn first_child(self) -> Option<Self> {
        self.go(self.node().first_child())
    }

    #[inline(always)]
    fn node(self) -> &'d Node {
        match self.rows {
            [node, ..] => node,
            [] => Node::null(),
        }
    }

    /// The value at `id`, or the first of those after it in the same array or object that was not removed.
    #[inline(always)]
    fn go(self, id: NodeId) -> Option<Self> {
        let (mut at, mut id) = (self, id);
        loop {
            let [_, after @ ..] = at.rows else { return None };
            if id.index() + after.len() == self.document.nodes.len() {
                at.rows = after;
            } else {
                at = self.document.cursor(id)?;
            }
            let node = at.rows.first()?;
            if !node.removed {
                return Some(at);
            }
            id = node.next;
        }
    }
}
