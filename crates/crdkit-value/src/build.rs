//! Builds a document from events, and sees what a stream of events cannot: duplicate keys, depth, size.
//!
//! Events must nest properly, which decoders guarantee; a limit that is exceeded is an `Err` with the
//! finding, a duplicate key is a finding of [`Builder::finish`] or silent, as [`Duplicates`] says.

use crate::node::{Node, Tag, TextRef, to_u32};
use crate::positions::Positions;
use crate::source::SourceText;
use crate::{Document, Event, Limits, NodeId};
use crdkit_issue::{Issue, Severity, Span, codes};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;
use std::mem;

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
    source: SourceText<'l>,
    limits: &'l Limits,
    duplicates: Duplicates,
    reports_tolerated: bool,
    /// The arrays and objects that have begun and not ended. The first frame stands for what the root
    /// is in, which is nothing.
    pub(crate) open: Vec<BuildFrame>,
    /// The key whose value comes next.
    key: TextRef,
    key_bit: u64,
    key_span: Span,
    /// Where the text of the last key or string begins.
    text_start: u32,
    issues: Vec<Issue>,
}

/// An array or object being built.
pub(crate) struct BuildFrame {
    pub(crate) id: NodeId,
    last: NodeId,
    /// Children so far, and how many of them lost to one with the same key.
    n_children: u32,
    n_removed: u32,
    /// One bit per small hash of the keys so far: a key whose bit is clear is new. All are set when
    /// there is an index, which must be told every key.
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
pub(crate) const LINEAR_KEYS: usize = 32;

/// Few documents nest deeper; those that do pay for growth.
pub(crate) const USUAL_DEPTH: usize = 16;

/// Room for a few fields that are added to a document after it was read.
const SPARE_TEXT: usize = 128;
const SPARE_NODES: usize = 8;

impl<'l> Builder<'l> {
    /// A builder within `limits`.
    pub fn new(limits: &'l Limits, duplicates: Duplicates) -> Self {
        let mut open = Vec::with_capacity(USUAL_DEPTH);
        open.push(BuildFrame::new(NodeId::NONE));
        Self {
            document: Document::of_rows(Vec::new(), String::new()),
            source: SourceText::default(),
            limits,
            duplicates,
            reports_tolerated: false,
            open,
            key: TextRef::default(),
            key_bit: 0,
            key_span: Span::default(),
            text_start: 0,
            issues: Vec::new(),
        }
    }

    /// Keeps the position of every key and value, for a document that begins at `base`.
    #[must_use]
    pub fn keeping_positions(mut self, base: usize) -> Self {
        self.document.positions = Some(Positions::new(base, self.document.nodes.capacity()));
        self
    }

    /// Whether repeated keys that [`Duplicates`] tolerates are warnings of [`Builder::finish`].
    #[must_use]
    pub fn reporting_tolerated(mut self, yes: bool) -> Self {
        self.reports_tolerated = yes;
        self
    }

    /// Makes room for a document of about `bytes` bytes of source.
    #[must_use]
    pub fn with_capacity(mut self, bytes: usize) -> Self {
        self.document.text.reserve(bytes / 2);
        self.document.nodes.reserve(bytes / 24 + 1);
        self
    }

    /// Takes over the text of `source`, where the events' spans are, in large pieces: text of events
    /// that is a part of it is then referred to instead of copied. Worth it for a source that is
    /// mostly text, as documents are.
    #[must_use]
    pub fn over(mut self, source: &'l str) -> Self {
        self.document.text.reserve_exact(source.len() + SPARE_TEXT);
        self.document.nodes.reserve_exact(likely_nodes(source) + SPARE_NODES);
        self.source = SourceText::new(source);
        self
    }

    /// Takes the next event, which stands at `span`.
    ///
    /// # Errors
    /// The finding, when a limit is exceeded; the builder is of no use afterwards.
    #[inline(always)]
    pub fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Issue>> {
        match event {
            Event::Key(name) => {
                let text = self.text(name, span);
                self.set_key(text, key_bit(name.as_bytes()), span);
                Ok(())
            }
            Event::EndArray | Event::EndObject => {
                self.end(span);
                Ok(())
            }
            Event::Null => self.add_scalar(Tag::Null, 0, span),
            Event::Bool(false) => self.add_scalar(Tag::False, 0, span),
            Event::Bool(true) => self.add_scalar(Tag::True, 0, span),
            Event::Int(int) => self.add(Tag::Int, int.cast_unsigned(), span),
            Event::Float(float) => self.add_scalar(Tag::Float, float.to_bits(), span),
            Event::Number(text) => self.add_string(Tag::Number, text, span),
            Event::String(text) => self.add_string(Tag::String, text, span),
            Event::BeginArray => self.begin(Tag::Array, span),
            Event::BeginObject => self.begin(Tag::Object, span),
        }
    }

    /// Takes the next event, a key that stands at `span` and reads as the source of [`Builder::over`] does
    /// from `start` to `end`, where a character begins. False if that part of the source is not to be had.
    #[inline(always)]
    pub fn source_key(&mut self, start: usize, end: usize, span: Span) -> bool {
        let Some((text, bytes)) = self.source.piece(&self.document.text, start, end) else {
            return false;
        };
        let key_bit = key_bit(bytes);
        self.set_key(text, key_bit, span);
        true
    }

    /// The same for a string.
    ///
    /// # Errors
    /// The finding, when a limit is exceeded; the builder is of no use afterwards.
    #[inline(always)]
    pub fn source_string(
        &mut self,
        start: usize,
        end: usize,
        span: Span,
    ) -> Result<bool, Box<Issue>> {
        let Some((text, _)) = self.source.piece(&self.document.text, start, end) else {
            return Ok(false);
        };
        self.add_text(Tag::String, text, span)?;
        Ok(true)
    }

    /// Says what bytes the key or string of the last event stands for, when they are not UTF-8 and the
    /// event could only show them with U+FFFD.
    pub fn exact(&mut self, bytes: &[u8]) {
        self.document.keep_exact(self.text_start, bytes);
    }

    /// Whether one whole value has been built.
    pub fn is_complete(&self) -> bool {
        self.open.len() == 1 && !self.document.nodes.is_empty()
    }

    /// Whether an array or object has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open.len() > 1
    }

    /// Whether the value being built is an object rather than an array; none before it has begun, or for
    /// a scalar.
    pub fn is_object(&self) -> Option<bool> {
        match self.document.nodes.first()?.tag {
            Tag::Object => Some(true),
            Tag::Array => Some(false),
            _ => None,
        }
    }

    /// Takes the memory of `document`, which is no longer needed, for the one being built.
    #[must_use]
    pub fn reusing(mut self, document: Document) -> Self {
        let Document { mut nodes, mut text, .. } = document;
        nodes.clear();
        text.clear();
        self.document.nodes = nodes;
        self.document.text = text;
        self
    }

    /// The document and the duplicate keys found in it.
    pub fn finish(mut self) -> (Document, Vec<Issue>) {
        match self.document.nodes.first_mut() {
            Some(root) => root.next = NodeId::NONE,
            None => self.document = Document::null(),
        }
        self.source.copy_all(&mut self.document.text);
        (self.document, self.issues)
    }

    #[inline(always)]
    fn begin(&mut self, tag: Tag, span: Span) -> Result<(), Box<Issue>> {
        if self.open.len() > self.limits.depth {
            let limit = self.limits.depth;
            return Err(
                self.refuse(Issue::error(codes::decode::TOO_DEEP).with("limit", limit), span)
            );
        }
        let id = to_u32(self.document.nodes.len());
        // Children follow their parent.
        self.add(tag, u64::from(id + 1), span)?;
        self.open.push(BuildFrame::new(NodeId(id)));
        Ok(())
    }

    /// Ends the innermost array or object: says where its next sibling will be, and that its last
    /// child has none.
    #[inline(always)]
    pub(crate) fn end(&mut self, span: Span) {
        let Some(BuildFrame { id, last, n_children, n_removed, .. }) = self.open.pop() else {
            return;
        };
        let nodes = &mut self.document.nodes;
        let next = NodeId(to_u32(nodes.len()));
        if let Some(node) = nodes.get_mut(id.index()) {
            node.next = next;
            node.set_n_children(n_children - n_removed);
            if n_children == 0 {
                node.set_first_child(NodeId::NONE);
            }
        }
        if let Some(last) = nodes.get_mut(last.index()) {
            last.next = NodeId::NONE;
        }
        if let Some(positions) = &mut self.document.positions {
            positions.set_end(id, span.end);
        }
    }

    #[inline(always)]
    fn add_string(&mut self, tag: Tag, text: &str, span: Span) -> Result<(), Box<Issue>> {
        let text = self.text(text, span);
        self.add_text(tag, text, span)
    }

    #[inline(always)]
    fn add_text(&mut self, tag: Tag, text: TextRef, span: Span) -> Result<(), Box<Issue>> {
        self.text_start = text.start;
        self.add(tag, u64::from(text.start) | u64::from(text.len) << 32, span)
    }

    #[inline(always)]
    fn set_key(&mut self, text: TextRef, key_bit: u64, span: Span) {
        self.key = text;
        self.text_start = text.start;
        self.key_bit = key_bit;
        self.key_span = span;
    }

    /// Adds what is not text: once for all kinds, because they are few in most documents and the copies
    /// of [`Builder::add`] make decoders large.
    #[inline(never)]
    fn add_scalar(&mut self, tag: Tag, bits: u64, span: Span) -> Result<(), Box<Issue>> {
        self.add(tag, bits, span)
    }

    /// Where `text` stands in the document's text.
    #[inline(always)]
    fn text(&mut self, text: &str, span: Span) -> TextRef {
        match self.source.refer(&self.document.text, text) {
            Some(text) => text,
            None => self.source.replace(&mut self.document.text, text, span),
        }
    }

    /// Adds a row. Its next sibling is the next row, unless it turns out to be the last child or to
    /// have children of its own; [`Builder::end`] sees to both.
    #[inline(always)]
    fn add(&mut self, tag: Tag, bits: u64, span: Span) -> Result<(), Box<Issue>> {
        if self.document.nodes.len() >= self.limits.nodes {
            let limit = self.limits.nodes;
            let issue = Issue::error(codes::decode::TOO_MANY_NODES).with("limit", limit);
            return Err(self.refuse(issue, span));
        }
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        let id = to_u32(self.document.nodes.len());
        let mut node = Node::new(tag, self.key, frame.id).with_bits(bits);
        node.next = NodeId(id + 1);
        self.document.nodes.push(node);
        if let Some(positions) = &mut self.document.positions {
            positions.push(span, mem::take(&mut self.key_span));
        }
        frame.last = NodeId(id);
        frame.n_children += 1;
        // Items of arrays come without a key.
        let key_bit = mem::take(&mut self.key_bit);
        let is_known = frame.seen & key_bit != 0;
        frame.seen |= key_bit;
        if is_known {
            self.check_key(NodeId(id));
        }
        Ok(())
    }

    /// Looks for an earlier member of the innermost object with the key of its newest member, `id`.
    #[cold]
    fn check_key(&mut self, id: NodeId) {
        self.source.copy_through(&mut self.document.text, self.key);
        let Some(frame) = self.open.last_mut() else { return };
        let document = &self.document;
        let key_of = |id: NodeId| document.bytes(document.node(id).key);
        // The newest member's link leads nowhere yet.
        let members = document.value(frame.id).members();
        let mut earlier = members.take_while(|(_, member)| member.id() != id);
        if frame.n_children as usize > LINEAR_KEYS && frame.index.is_none() {
            let mut index = Box::<KeyIndex>::default();
            for (_, member) in earlier.by_ref() {
                index.insert(document, member.id(), false);
            }
            frame.index = Some(index);
            frame.seen = u64::MAX;
        }
        let earlier = match &mut frame.index {
            Some(index) => index.insert(document, id, self.duplicates != Duplicates::FirstWins),
            None => {
                earlier.map(|(_, member)| member.id()).find(|other| key_of(*other) == key_of(id))
            }
        };
        if let Some(earlier) = earlier {
            self.duplicate(earlier, id);
        }
    }

    fn duplicate(&mut self, earlier: NodeId, later: NodeId) {
        let is_error = self.duplicates == Duplicates::Error;
        if (is_error || self.reports_tolerated) && self.issues.len() < self.limits.issues {
            let key = self.document.text(self.document.node(later).key);
            let mut issue = Issue::error(codes::decode::DUPLICATE_KEY).with("key", key);
            if !is_error {
                issue.severity = Severity::Warning;
            }
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
    fn refuse(&mut self, issue: Issue, span: Span) -> Box<Issue> {
        self.source.copy_all(&mut self.document.text);
        let path = self.open.last().map(|frame| self.document.path(frame.id)).unwrap_or_default();
        Box::new(issue.at(path).span(span))
    }
}

/// About how many values `source` has: a table that has to grow takes twice its memory for a while, which matters in
/// large documents. There, windows all over it are looked at; every value but the first comes after one of three
/// characters.
fn likely_nodes(source: &str) -> usize {
    const LARGE: usize = 1 << 20;
    const WINDOWS: usize = 64;
    const WINDOW: usize = 1024;
    if source.len() < LARGE {
        return source.len() / 16;
    }
    let bytes = source.as_bytes();
    let starts = (0..WINDOWS).map(|at| (bytes.len() - WINDOW) / (WINDOWS - 1) * at);
    let windows = starts.filter_map(|start| bytes.get(start..start + WINDOW));
    let n_found: usize = windows
        .map(|window| window.iter().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count())
        .sum();
    // A little more, because what is seen in the windows is not the whole.
    let likely = bytes.len() / (WINDOWS * WINDOW) * n_found;
    (likely + likely / 16).min(bytes.len() / 2)
}

impl BuildFrame {
    fn new(id: NodeId) -> Self {
        Self { id, last: NodeId::NONE, n_children: 0, n_removed: 0, seen: 0, index: None }
    }
}

impl KeyIndex {
    /// Notes the key of `id`; gives the member that had it before, in whose place `id` is kept if
    /// `replace` says so.
    fn insert(&mut self, document: &Document, id: NodeId, replace: bool) -> Option<NodeId> {
        let key_of = |id: &NodeId| document.bytes(document.node(*id).key);
        let hasher = &self.hasher;
        let found = self.members.entry(
            hasher.hash_one(key_of(&id)),
            |other| key_of(other) == key_of(&id),
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
#[inline(always)]
pub(crate) fn key_bit(bytes: &[u8]) -> u64 {
    let (Some(first), Some(middle), Some(last)) =
        (bytes.first(), bytes.get(bytes.len() / 2), bytes.last())
    else {
        return 1;
    };
    let [first, middle, last] = [first, middle, last].map(|byte| usize::from(*byte));
    1 << ((first * 7 + middle * 31 + last * 3 + bytes.len() * 5) & 63)
}
