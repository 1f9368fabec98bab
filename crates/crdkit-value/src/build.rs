//! Builds a document from events, and sees what a stream of events cannot: duplicate keys, depth, size.
//!
//! Events must nest properly, which decoders guarantee; a limit that is exceeded is an `Err` with the
//! finding, a duplicate key is a finding of [`Builder::finish`] or silent, as [`Duplicates`] says.

use crate::node::{Node, Tag, TextRef};
use crate::positions::Positions;
use crate::{Document, Event, Limits, NodeId};
use crdkit_issue::{Issue, Span, codes};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
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
    limits: &'l Limits,
    duplicates: Duplicates,
    /// The arrays and objects that have begun and not ended.
    open: Vec<Frame>,
    /// The key whose value comes next.
    key: TextRef,
    /// Where the text of the last key or string begins.
    text_start: u32,
    key_span: Option<Span>,
    issues: Vec<Issue>,
    hasher: RandomState,
}

/// An array or object being built.
struct Frame {
    id: NodeId,
    last: NodeId,
    /// One bit per small hash of the keys so far: a key whose bit is clear is new.
    seen: u64,
    /// All keys by hash, from [`LINEAR_KEYS`] keys on, so that no object takes quadratic time.
    index: Option<HashTable<NodeId>>,
}

/// Up to here comparing with every earlier key is faster than hashing.
const LINEAR_KEYS: usize = 32;

impl<'l> Builder<'l> {
    /// A builder within `limits`.
    pub fn new(limits: &'l Limits, duplicates: Duplicates) -> Self {
        Self {
            document: Document {
                nodes: Vec::new(),
                text: String::new(),
                positions: None,
                exact: None,
            },
            limits,
            duplicates,
            open: Vec::new(),
            key: TextRef::default(),
            text_start: 0,
            key_span: None,
            issues: Vec::new(),
            hasher: RandomState::default(),
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

    /// Takes the next event, which stands at `span`.
    ///
    /// # Errors
    /// The finding, when a limit is exceeded; the builder is of no use afterwards.
    #[inline]
    pub fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Issue>> {
        match event {
            Event::Key(name) => {
                self.key = self.document.add_text(name);
                self.text_start = self.key.start;
                self.key_span = Some(span);
                return Ok(());
            }
            Event::EndArray | Event::EndObject => {
                if let Some(frame) = self.open.pop()
                    && let Some(positions) = &mut self.document.positions
                {
                    positions.set_end(frame.id, span.end);
                }
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

    /// Says what bytes the key or string of the last event stands for, when they are not UTF-8 and the
    /// event could only show them with U+FFFD.
    pub fn exact(&mut self, bytes: &[u8]) {
        self.document.keep_exact(self.text_start, bytes);
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
        self.open.push(Frame { id, last: NodeId::NONE, seen: 0, index: None });
        Ok(())
    }

    fn add_string(&mut self, tag: Tag, text: &str, span: Span) -> Result<NodeId, Box<Issue>> {
        let text = self.document.add_text(text);
        self.text_start = text.start;
        self.add(tag, u64::from(text.start) | u64::from(text.len) << 32, span)
    }

    #[inline]
    fn add(&mut self, tag: Tag, bits: u64, span: Span) -> Result<NodeId, Box<Issue>> {
        if self.document.nodes.len() >= self.limits.nodes {
            let limit = self.limits.nodes;
            let issue = Issue::error(codes::decode::TOO_MANY_NODES).with("limit", limit);
            return Err(self.refuse(issue, span));
        }
        let (parent, last) =
            self.open.last().map_or((NodeId::NONE, NodeId::NONE), |frame| (frame.id, frame.last));
        let node = Node::new(tag, self.key, parent).with_bits(bits);
        let id = self.document.link(node, last);
        if let Some(positions) = &mut self.document.positions {
            positions.push(span, self.key_span.take());
        }
        let Some(frame) = self.open.last_mut() else { return Ok(id) };
        frame.last = id;
        if self.document.node(parent).tag == Tag::Object {
            let bit = 1 << small_hash(self.document.text(node.key));
            let maybe_seen = frame.seen & bit != 0;
            frame.seen |= bit;
            if maybe_seen || frame.index.is_some() {
                self.check_key(id);
            }
        }
        Ok(id)
    }

    /// Looks for an earlier member of the innermost object with the key of its newest member, `id`.
    fn check_key(&mut self, id: NodeId) {
        let Some(frame) = self.open.last_mut() else { return };
        let (document, hasher) = (&self.document, &self.hasher);
        let key = document.bytes(document.node(id).key);
        let rehash = |id: &NodeId| hasher.hash_one(document.bytes(document.node(*id).key));
        let n_members = document.node(frame.id).n_children();
        if n_members > LINEAR_KEYS && frame.index.is_none() {
            let mut index = HashTable::with_capacity(2 * n_members);
            for (_, member) in document.value(frame.id).members() {
                if member.id() != id {
                    index.insert_unique(rehash(&member.id()), member.id(), rehash);
                }
            }
            frame.index = Some(index);
        }
        let earlier = if let Some(index) = &mut frame.index {
            let same = |other: &NodeId| document.bytes(document.node(*other).key) == key;
            match index.entry(hasher.hash_one(key), same, rehash) {
                hashbrown::hash_table::Entry::Occupied(mut entry) => {
                    let earlier = *entry.get();
                    if self.duplicates != Duplicates::FirstWins {
                        *entry.get_mut() = id;
                    }
                    Some(earlier)
                }
                hashbrown::hash_table::Entry::Vacant(entry) => {
                    entry.insert(id);
                    None
                }
            }
        } else {
            let mut members = document.value(frame.id).members().map(|(_, member)| member.id());
            members.find(|other| *other != id && document.bytes(document.node(*other).key) == key)
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
        self.document.remove(loser);
    }

    #[cold]
    fn refuse(&self, issue: Issue, span: Span) -> Box<Issue> {
        let path = self.open.last().map(|frame| self.document.path(frame.id)).unwrap_or_default();
        Box::new(issue.at(path).span(span))
    }
}

/// A number below 64 that differs between most short keys.
#[inline]
fn small_hash(key: &str) -> u32 {
    let bytes = key.as_bytes();
    let first = bytes.first().copied().map_or(0, u32::from);
    let middle = bytes.get(bytes.len() / 2).copied().map_or(0, u32::from);
    let last = bytes.last().copied().map_or(0, u32::from);
    #[expect(clippy::cast_possible_truncation, reason = "any part of the length will do")]
    let len = bytes.len() as u32;
    (first * 7 + middle * 31 + last * 3 + len * 5) & 63
}
