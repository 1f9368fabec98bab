//! Builds a document from a format that says how many values are inside one before they come, and whose
//! text stands in the source as it is: definite CBOR, as encoders write it.
//!
//! Rows refer to the source by offset, and the whole source becomes the document's text at the end, so a
//! value costs one row and nothing is copied piece by piece. The one stack here is all that a decoder
//! needs. This way is for input in which nothing is wrong: whatever a document must not have (a repeated
//! key, too many rows, too deep a nesting) makes a method say `false`, and [`crate::Builder`] is the one to
//! say why.

use crate::build::{LINEAR_KEYS, USUAL_DEPTH, key_bit};
use crate::node::{Node, Tag, TextRef, to_u32};
use crate::{Document, Limits, NodeId};
use foldhash::fast::RandomState;
use std::collections::HashSet;

/// The rows of a document in the making.
pub struct Rows {
    nodes: Vec<Node>,
    outer: Vec<CountedFrame>,
}

/// Fills [`Rows`]. It borrows them because a builder that owns no vectors stays in registers.
pub struct CountedBuilder<'r> {
    source: &'r [u8],
    nodes: &'r mut Vec<Node>,
    /// The innermost array or object that is not complete; at first what the root is in, and that again
    /// when the document is complete.
    inner: CountedFrame,
    /// Those around it.
    outer: &'r mut Vec<CountedFrame>,
    depth: usize,
    /// Rows that may still be announced.
    rows_left: usize,
    /// Whether a large object had a key twice.
    has_repeated: bool,
}

/// An array or object of which something is still to come.
#[derive(Clone, Copy)]
struct CountedFrame {
    id: NodeId,
    left: u32,
    is_object: bool,
    /// The last key, whose value comes next or has come.
    key: TextRef,
    /// One bit per small hash of the keys so far, once they turned out not to be in order; or [`LATER`].
    seen: u64,
}

/// Stands for the keys of an object with many of them that are in no order: they are looked at together
/// when it is complete. So many bits are never set by keys.
const LATER: u64 = u64::MAX;

impl Rows {
    /// No rows yet, with room for a document of about `bytes` bytes of source.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { nodes: Vec::with_capacity(bytes / 12 + 1), outer: Vec::with_capacity(USUAL_DEPTH) }
    }

    /// A builder for one document whose text stands in `source`.
    #[inline(always)]
    pub fn builder<'r>(&'r mut self, source: &'r [u8], limits: &Limits) -> CountedBuilder<'r> {
        CountedBuilder {
            source,
            nodes: &mut self.nodes,
            inner: CountedFrame::new(NodeId::NONE, 1, false),
            outer: &mut self.outer,
            depth: limits.depth,
            rows_left: limits.nodes.min(NodeId::NONE.index()),
            has_repeated: false,
        }
    }

    /// The document, with `text` at the places that were referred to.
    pub fn finish(self, text: String) -> Document {
        Document::of_rows(self.nodes, text)
    }
}

#[expect(clippy::inline_always, reason = "one loop in registers is the whole point")]
impl CountedBuilder<'_> {
    /// Whether nothing is to come any more.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.inner.left == 0
    }

    /// Whether a key that was taken turned out later to be one that its object has already.
    pub fn has_repeated_key(&self) -> bool {
        self.has_repeated
    }

    /// Whether a key comes next.
    #[inline(always)]
    pub fn wants_key(&self) -> bool {
        self.inner.is_object
    }

    /// Takes the key of the next value: `len` bytes at `start`. False if the object may have it already.
    #[inline(always)]
    pub fn key(&mut self, start: usize, len: usize) -> bool {
        let before = self.inner.key;
        self.inner.key = TextRef::new(start, len);
        // Keys that are in order, as Kubernetes writes them, are all different.
        if self.inner.seen == 0 && len > before.len as usize {
            return true;
        }
        let seen = seen_with(self.source, self.nodes, self.inner, before);
        self.inner.seen = seen.unwrap_or_default();
        seen.is_some()
    }

    /// Takes `null`.
    #[inline(always)]
    pub fn null(&mut self) {
        self.leaf(Tag::Null, u64::from(NodeId::NONE.0));
    }

    /// Takes a boolean.
    #[inline(always)]
    pub fn bool(&mut self, bool: bool) {
        self.leaf(if bool { Tag::True } else { Tag::False }, u64::from(NodeId::NONE.0));
    }

    /// Takes an integer.
    #[inline(always)]
    pub fn int(&mut self, int: i64) {
        self.leaf(Tag::Int, int.cast_unsigned());
    }

    /// Takes any other number.
    #[inline(always)]
    pub fn float(&mut self, float: f64) {
        self.leaf(Tag::Float, float.to_bits());
    }

    /// Takes a string: `len` bytes at `start`.
    #[inline(always)]
    pub fn string(&mut self, start: usize, len: usize) {
        self.leaf(Tag::String, u64::from(to_u32(start)) | u64::from(to_u32(len)) << 32);
    }

    /// Takes an array of `n` items, which come next. False if they are too many or too deep.
    #[inline(always)]
    pub fn begin_array(&mut self, n: usize) -> bool {
        self.begin(Tag::Array, n)
    }

    /// Takes an object of `n` members, which come next. False if they are too many or too deep.
    #[inline(always)]
    pub fn begin_object(&mut self, n: usize) -> bool {
        self.begin(Tag::Object, n)
    }

    #[inline(always)]
    fn leaf(&mut self, tag: Tag, bits: u64) {
        self.add(tag, bits);
        while self.inner.left == 0 {
            if self.inner.seen == LATER {
                self.has_repeated |= has_repeated(self.source, self.nodes, self.inner);
            }
            let Some(outer) = self.outer.pop() else { return };
            if outer.left > 0 {
                let next = NodeId(to_u32(self.nodes.len()));
                if let Some(node) = self.nodes.get_mut(self.inner.id.index()) {
                    node.next = next;
                }
            }
            self.inner = outer;
        }
    }

    #[inline(always)]
    fn begin(&mut self, tag: Tag, n: usize) -> bool {
        if self.outer.len() >= self.depth || n >= self.rows_left {
            return false;
        }
        if n == 0 {
            self.leaf(tag, u64::from(NodeId::NONE.0));
            return true;
        }
        self.rows_left -= n;
        let (id, n) = (to_u32(self.nodes.len()), to_u32(n));
        self.add(tag, u64::from(id + 1) | u64::from(n) << 32);
        self.outer.push(self.inner);
        self.inner = CountedFrame::new(NodeId(id), n, tag == Tag::Object);
        true
    }

    /// Adds a row. The last of its siblings has no next one; the next sibling of another is the next row,
    /// unless it has something inside, which is seen to when that is complete.
    #[inline(always)]
    fn add(&mut self, tag: Tag, bits: u64) {
        let frame = &mut self.inner;
        frame.left -= 1;
        let mut node = Node::new(tag, frame.key, frame.id).with_bits(bits);
        let next = to_u32(self.nodes.len()) + 1;
        node.next = if frame.left == 0 { NodeId::NONE } else { NodeId(next) };
        self.nodes.push(node);
    }
}

impl CountedFrame {
    #[inline(always)]
    fn new(id: NodeId, left: u32, is_object: bool) -> Self {
        Self { id, left, is_object, key: TextRef::default(), seen: 0 }
    }

    /// Where the first child is or will be.
    #[inline(always)]
    fn first_row(&self) -> usize {
        self.id.index() + 1
    }
}

/// [`CountedFrame::seen`] with the key just taken, unless the object may have that key already; `before` is the
/// key taken before it.
#[inline(never)]
fn seen_with(source: &[u8], nodes: &[Node], frame: CountedFrame, before: TextRef) -> Option<u64> {
    let key = bytes(source, frame.key);
    if frame.seen == LATER || nodes.len() == frame.first_row() {
        return Some(frame.seen);
    }
    let mut seen = frame.seen;
    if seen == 0 {
        if before.len == frame.key.len && bytes(source, before) < key {
            return Some(0);
        }
        if nodes.get(frame.id.index()).is_some_and(|object| object.n_children() > LINEAR_KEYS) {
            return Some(LATER);
        }
        seen = keys(source, nodes, frame).fold(0, |seen, key| seen | key_bit(key));
    }
    let bit = key_bit(key);
    let is_new = seen & bit == 0 || keys(source, nodes, frame).all(|earlier| earlier != key);
    is_new.then_some(seen | bit)
}

/// Whether two members of an object have the same key. The hash is seeded: keys cannot be chosen to collide.
#[cold]
fn has_repeated(source: &[u8], nodes: &[Node], frame: CountedFrame) -> bool {
    let n = nodes.get(frame.id.index()).map_or(0, Node::n_children);
    let mut seen = HashSet::with_capacity_and_hasher(n, RandomState::default());
    !keys(source, nodes, frame).all(|key| seen.insert(key))
}

/// The keys of the members that an object has so far.
fn keys<'s>(
    source: &'s [u8],
    nodes: &[Node],
    frame: CountedFrame,
) -> impl Iterator<Item = &'s [u8]> {
    let next = |node: &&Node| nodes.get(node.next.index());
    std::iter::successors(nodes.get(frame.first_row()), next).map(|node| bytes(source, node.key))
}

fn bytes(source: &[u8], text: TextRef) -> &[u8] {
    let start = text.start as usize;
    source.get(start..start + text.len as usize).unwrap_or_default()
}
