//! Builds a document from events, and sees what a stream of events cannot: duplicate keys, depth, size.
//!
//! Events must nest properly, which decoders guarantee; a limit that is exceeded is an `Err` with the
//! finding, a duplicate key is a finding of [`Builder::finish`] or silent, as [`Duplicates`] says.

use crate::node::{Node, Tag, TextRef, to_u32};
use crate::positions::Positions;
use crate::{Document, Event, Limits, NodeId};
use crdkit_issue::{Issue, Span, codes};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

/// What happens to a key that an object has more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// A finding for each repetition; the last value stays, as in the API server's strict mode.
    #[default]
    Error,
    /// The last value stays.
    LastWins,
    /// The first value stays.
    FirstWins,
}

/// Turns events into a document.
pub struct Builder<'l> {
    document: Document,
    /// What the document's text begins with.
    source: &'l str,
    limits: &'l Limits,
    duplicates: Duplicates,
    /// The arrays and objects that have begun and not ended.
    open: Vec<Frame>,
    /// The key whose value comes next.
    key: TextRef,
    key_bit: u64,
    key_span: Option<Span>,
    issues: Vec<Issue>,
}

/// An array or object being built.
struct Frame {
    id: NodeId,
    is_object: bool,
    last: NodeId,
    /// Children so far, and how many of them lost to one with the same key.
    n_children: u32,
    n_removed: u32,
    /// One bit per small hash of the keys so far: a key whose bit is clear is new.
    seen: u64,
    /// All keys by hash, from [`LINEAR_KEYS`] keys on, so that no object takes quadratic time.
    index: Option<Box<KeyIndex>>,
}

/// The members of one object by the hash of their keys.
#[derive(Default)]
struct KeyIndex {
    hasher: RandomState,
    members: HashTable<NodeId>,
}

/// Up to here comparing with every earlier key is faster than hashing.
const LINEAR_KEYS: u32 = 32;

/// Few documents nest deeper; those that do pay for growth.
const USUAL_DEPTH: usize = 16;

impl<'l> Builder<'l> {
    /// A builder within `limits`.
    pub fn new(limits: &'l Limits, duplicates: Duplicates) -> Self {
        Self {
            document: Document { nodes: Vec::new(), text: String::new(), positions: None },
            source: "",
            limits,
            duplicates,
            open: Vec::with_capacity(USUAL_DEPTH),
            key: TextRef::default(),
            key_bit: 0,
            key_span: None,
            issues: Vec::new(),
        }
    }

    /// Keeps the position of every key and value, for a document that begins at `base`.
    #[must_use]
    pub fn keeping_positions(mut self, base: usize) -> Self {
        self.document.positions = Some(Positions::new(base));
        self
    }

    /// Makes room for a document of about `bytes` bytes of source.
    #[must_use]
    pub fn with_capacity(mut self, bytes: usize) -> Self {
        self.document.text.reserve(bytes / 2);
        self.document.nodes.reserve(bytes / 24 + 1);
        self
    }

    /// Takes over the text of `source` in one piece: text of events that is a part of it is then
    /// referred to instead of copied. Worth it for a source that is mostly text, as documents are.
    #[must_use]
    pub fn over(mut self, source: &'l str) -> Self {
        self.document.text.clear();
        self.document.text.push_str(source);
        self.document.nodes.reserve(source.len() / 12 + 1);
        self.source = source;
        self
    }

    /// Takes the next event, which stands at `span`.
    ///
    /// # Errors
    /// The finding, when a limit is exceeded; the builder is of no use afterwards.
    #[inline]
    pub fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Issue>> {
        match event {
            Event::Key(name) => {
                self.key = self.text(name);
                self.key_bit = key_bit(name);
                self.key_span = Some(span);
                return Ok(());
            }
            Event::EndArray | Event::EndObject => {
                self.end(span);
                return Ok(());
            }
            Event::Null => self.add(Tag::Null, 0, span)?,
            Event::Bool(false) => self.add(Tag::False, 0, span)?,
            Event::Bool(true) => self.add(Tag::True, 0, span)?,
            Event::Int(int) => self.add(Tag::Int, int.cast_unsigned(), span)?,
            Event::Float(float) => self.add(Tag::Float, float.to_bits(), span)?,
            Event::Number(text) => self.add_string(Tag::Number, text, span)?,
            Event::String(text) => self.add_string(Tag::String, text, span)?,
            Event::BeginArray => return self.begin(Tag::Array, span),
            Event::BeginObject => return self.begin(Tag::Object, span),
        };
        Ok(())
    }

    /// Whether one whole value has been built.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && !self.document.nodes.is_empty()
    }

    /// The document and the duplicate keys found in it.
    pub fn finish(mut self) -> (Document, Vec<Issue>) {
        if self.document.nodes.is_empty() {
            self.document = Document::null();
        }
        (self.document, self.issues)
    }

    fn begin(&mut self, tag: Tag, span: Span) -> Result<(), Box<Issue>> {
        if self.open.len() >= self.limits.depth {
            let limit = self.limits.depth;
            return Err(
                self.refuse(Issue::error(codes::decode::TOO_DEEP).with("limit", limit), span)
            );
        }
        let empty = u64::from(NodeId::NONE.0);
        let id = self.add(tag, empty, span)?;
        let is_object = tag == Tag::Object;
        let last = NodeId::NONE;
        self.open.push(Frame {
            id,
            is_object,
            last,
            n_children: 0,
            n_removed: 0,
            seen: 0,
            index: None,
        });
        Ok(())
    }

    fn end(&mut self, span: Span) {
        let Some(frame) = self.open.pop() else { return };
        if let Some(node) = self.document.nodes.get_mut(frame.id.index()) {
            node.set_n_children(frame.n_children - frame.n_removed);
        }
        if let Some(positions) = &mut self.document.positions {
            positions.set_end(frame.id, span.end);
        }
    }

    fn add_string(&mut self, tag: Tag, text: &str, span: Span) -> Result<NodeId, Box<Issue>> {
        let text = self.text(text);
        self.add(tag, u64::from(text.start) | u64::from(text.len) << 32, span)
    }

    /// Where `text` stands in the document's text; it is added only if it is not a part of the source.
    #[inline]
    fn text(&mut self, text: &str) -> TextRef {
        let offset = text.as_ptr().addr().wrapping_sub(self.source.as_ptr().addr());
        if offset < self.source.len() && text.len() <= self.source.len() - offset {
            return TextRef::new(offset, text.len());
        }
        self.document.add_text(text)
    }

    #[inline]
    fn add(&mut self, tag: Tag, bits: u64, span: Span) -> Result<NodeId, Box<Issue>> {
        if self.document.nodes.len() >= self.limits.nodes {
            let limit = self.limits.nodes;
            let issue = Issue::error(codes::decode::TOO_MANY_NODES).with("limit", limit);
            return Err(self.refuse(issue, span));
        }
        let id = NodeId(to_u32(self.document.nodes.len()));
        let Some(frame) = self.open.last_mut() else {
            self.document.nodes.push(Node::new(tag, self.key, NodeId::NONE).with_bits(bits));
            self.place(span);
            return Ok(id);
        };
        let before = if frame.last == NodeId::NONE { frame.id } else { frame.last };
        if let Some(before) = self.document.nodes.get_mut(before.index()) {
            if frame.last == NodeId::NONE {
                before.set_first_child(id);
            } else {
                before.next = id;
            }
        }
        frame.last = id;
        frame.n_children += 1;
        self.document.nodes.push(Node::new(tag, self.key, frame.id).with_bits(bits));
        if frame.is_object {
            let check = frame.seen & self.key_bit != 0 || frame.index.is_some();
            frame.seen |= self.key_bit;
            self.place(span);
            if check {
                self.check_key(id);
            }
        } else {
            self.place(span);
        }
        Ok(id)
    }

    #[inline]
    fn place(&mut self, span: Span) {
        if let Some(positions) = &mut self.document.positions {
            positions.push(span, self.key_span.take());
        }
    }

    /// Looks for an earlier member of the innermost object with the key of its newest member, `id`.
    fn check_key(&mut self, id: NodeId) {
        let Some(frame) = self.open.last_mut() else { return };
        let document = &self.document;
        let key = document.text(document.node(id).key);
        if frame.n_children > LINEAR_KEYS && frame.index.is_none() {
            let mut index = Box::<KeyIndex>::default();
            for (key, member) in document.value(frame.id).members() {
                if member.id() != id {
                    index.insert(document, key, member.id(), false);
                }
            }
            frame.index = Some(index);
        }
        let earlier = match &mut frame.index {
            Some(index) => {
                index.insert(document, key, id, self.duplicates != Duplicates::FirstWins)
            }
            None => document
                .value(frame.id)
                .get(key)
                .map(crate::Value::id)
                .filter(|earlier| *earlier != id),
        };
        if let Some(earlier) = earlier {
            self.duplicate(earlier, id);
        }
    }

    fn duplicate(&mut self, earlier: NodeId, later: NodeId) {
        if self.duplicates == Duplicates::Error && self.issues.len() < self.limits.issues {
            let key = self.document.text(self.document.node(later).key);
            let mut issue = Issue::error(codes::decode::DUPLICATE_KEY).with("key", key);
            let key_of = |id| self.document.place(id).and_then(|place| place.key);
            issue.span = key_of(later);
            if let Some(first) = key_of(earlier) {
                issue = issue.related(first, "first given here");
            }
            self.issues.push(issue.at(self.document.path(later)));
        }
        let loser = if self.duplicates == Duplicates::FirstWins { later } else { earlier };
        if let Some(node) = self.document.nodes.get_mut(loser.index()) {
            node.removed = true;
        }
        if let Some(frame) = self.open.last_mut() {
            frame.n_removed += 1;
        }
    }

    #[cold]
    fn refuse(&self, issue: Issue, span: Span) -> Box<Issue> {
        let path = self.open.last().map(|frame| self.document.path(frame.id)).unwrap_or_default();
        Box::new(issue.at(path).span(span))
    }
}

impl KeyIndex {
    /// Notes that `id` has `key`; gives the member that had it before, in whose place `id` is kept
    /// if `replace` says so.
    fn insert(
        &mut self,
        document: &Document,
        key: &str,
        id: NodeId,
        replace: bool,
    ) -> Option<NodeId> {
        let key_of = |id: &NodeId| document.text(document.node(*id).key);
        let hasher = &self.hasher;
        let found = self.members.entry(
            hasher.hash_one(key),
            |other| key_of(other) == key,
            |other| hasher.hash_one(key_of(other)),
        );
        match found {
            Entry::Occupied(mut entry) => {
                let earlier = *entry.get();
                if replace {
                    *entry.get_mut() = id;
                }
                Some(earlier)
            }
            Entry::Vacant(entry) => {
                entry.insert(id);
                None
            }
        }
    }
}

/// One of 64 bits, different for most short keys of one object.
#[inline]
fn key_bit(key: &str) -> u64 {
    let bytes = key.as_bytes();
    let first = bytes.first().copied().map_or(0, usize::from);
    let middle = bytes.get(bytes.len() / 2).copied().map_or(0, usize::from);
    let last = bytes.last().copied().map_or(0, usize::from);
    1 << ((first * 7 + middle * 31 + last * 3 + bytes.len() * 5) & 63)
}
