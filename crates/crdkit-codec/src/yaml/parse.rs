//! YAML tokens to events.
//!
//! A state machine over an explicit stack, as libyaml has it: each call of [`YamlParser::next`] gives one event. It
//! resolves tag handles, fills in values that were left out, and rejects tokens that do not fit.
//!
//! Upstream: `go.yaml.in/yaml/v2` `parserc.go`.

use std::borrow::Cow;
use std::collections::HashMap;

use super::error::{Failure, YamlProblem};
use super::event::{AnchorName, AnchorNames, CORE_TAGS, Event, EventKind, Scalar, Tag};
use super::scan::{Scanner, Surroundings, TokenKind, YamlToken};

/// Longer tags are none of those that have a meaning.
const LONGEST_TAG: usize = 64;

type EventResult<'a> = Result<Event<'a>, Failure>;

/// What the parser expects next.
#[derive(Clone, Copy, Debug)]
enum State {
    FirstDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequencePairKey,
    FlowSequencePairValue,
    FlowSequencePairEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node stands, which decides what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeContext {
    Block,
    /// A value of a block mapping, whose list may start at the mapping's own column.
    BlockOrIndentless,
    Flow,
}

/// Reads events from text.
#[derive(Clone, Debug)]
pub(super) struct YamlParser<'a> {
    scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    handles: HashMap<Cow<'a, str>, Box<str>>,
    anchors: AnchorNames,
}

impl<'a> YamlParser<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Self {
        Self {
            scanner,
            state: State::FirstDocumentStart,
            states: Vec::new(),
            handles: HashMap::new(),
            anchors: AnchorNames::default(),
        }
    }

    /// The same place in a text that begins some bytes later, and how many: what is before it is not needed any more.
    /// The names of anchors stay here.
    pub(super) fn detach(&self) -> (usize, YamlParser<'static>) {
        let (passed, scanner) = self.scanner.detach();
        let handles = self.handles.iter();
        let handles = handles.map(|(name, prefix)| (Cow::Owned(name.to_string()), prefix.clone()));
        let detached = YamlParser {
            scanner,
            state: self.state,
            states: self.states.clone(),
            handles: handles.collect(),
            anchors: AnchorNames::default(),
        };
        (passed, detached)
    }

    /// Goes on in `text`.
    pub(super) fn attach<'t>(self, text: &'t str, around: Surroundings) -> YamlParser<'t>
    where
        'a: 't,
    {
        YamlParser { scanner: self.scanner.attach(text, around), ..self }
    }

    /// The names of anchors so far.
    pub(super) fn anchors(&mut self) -> &mut AnchorNames {
        &mut self.anchors
    }

    fn anchor(&mut self) -> Option<AnchorName> {
        self.scanner.take().map(|token| self.anchors.number(&token.text))
    }

    /// How far the text has been read.
    pub(super) fn position(&self) -> usize {
        self.scanner.position()
    }

    /// The next event; [`EventKind::StreamEnd`] for ever at the end.
    pub(super) fn next(&mut self) -> EventResult<'a> {
        match self.state {
            State::FirstDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(NodeContext::Block),
            State::BlockSequenceFirstEntry => {
                self.scanner.take();
                self.block_sequence_entry()
            }
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => {
                self.scanner.take();
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequencePairKey => self.flow_sequence_pair_key(),
            State::FlowSequencePairValue => self.flow_sequence_pair_value(),
            State::FlowSequencePairEnd => {
                let (_, start, _) = self.scanner.peek()?;
                self.state = State::FlowSequenceEntry;
                Ok(event(EventKind::End, start, start))
            }
            State::FlowMappingFirstKey => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(false),
            State::FlowMappingEmptyValue => self.flow_mapping_value(true),
            State::End => Ok(event(EventKind::StreamEnd, self.position(), self.position())),
        }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Parses a node and comes back to `state` after it.
    fn node_then(&mut self, state: State, place: NodeContext) -> EventResult<'a> {
        self.states.push(state);
        self.node(place)
    }

    /// Gives the value that was left out at `at` and goes on with `state`.
    #[expect(clippy::unnecessary_wraps, reason = "every state ends in a `Parsed`")]
    fn empty_then(&mut self, state: State, at: usize) -> EventResult<'a> {
        self.state = state;
        Ok(event(EventKind::Scalar(Scalar::empty()), at, at))
    }

    /// Takes the token that ends a collection.
    #[expect(clippy::unnecessary_wraps, reason = "every state ends in a `Parsed`")]
    fn end_of_collection(&mut self, start: usize, end: usize) -> EventResult<'a> {
        self.scanner.take();
        self.pop_state();
        Ok(event(EventKind::End, start, end))
    }

    fn document_start(&mut self, first: bool) -> EventResult<'a> {
        let mut token = self.scanner.peek()?;
        while !first && token.0 == TokenKind::DocumentEnd {
            self.scanner.take();
            token = self.scanner.peek()?;
        }
        let (kind, start, end) = token;
        if kind == TokenKind::StreamEnd {
            self.state = State::End;
            return Ok(event(EventKind::StreamEnd, start, end));
        }
        let explicit = matches!(
            kind,
            TokenKind::VersionDirective { .. } | TokenKind::TagDirective | TokenKind::DocumentStart
        );
        self.directives()?;
        self.states.push(State::DocumentEnd);
        if first && !explicit {
            self.state = State::BlockNode;
            return Ok(event(EventKind::DocumentStart, start, start));
        }
        let (kind, marker_start, end) = self.scanner.peek()?;
        if kind != TokenKind::DocumentStart {
            return Err(error("did not find expected <document start>", marker_start, end));
        }
        self.scanner.take();
        self.state = State::DocumentContent;
        Ok(event(EventKind::DocumentStart, start, end))
    }

    fn document_content(&mut self) -> EventResult<'a> {
        match self.scanner.peek()? {
            (
                TokenKind::VersionDirective { .. }
                | TokenKind::TagDirective
                | TokenKind::DocumentStart
                | TokenKind::DocumentEnd
                | TokenKind::StreamEnd,
                start,
                _,
            ) => {
                self.pop_state();
                Ok(event(EventKind::Scalar(Scalar::empty()), start, start))
            }
            _ => self.node(NodeContext::Block),
        }
    }

    fn document_end(&mut self) -> EventResult<'a> {
        let (kind, start, end) = self.scanner.peek()?;
        if kind == TokenKind::DocumentEnd {
            self.scanner.take();
        }
        self.handles.clear();
        self.state = State::DocumentStart;
        Ok(event(EventKind::DocumentEnd, start, end))
    }

    /// Reads the directives before a document and adds the tag handles every document has.
    fn directives(&mut self) -> Result<(), Failure> {
        let mut has_version = false;
        loop {
            let (kind, start, end) = self.scanner.peek()?;
            match kind {
                TokenKind::VersionDirective { .. } if has_version => {
                    return Err(error("found duplicate %YAML directive", start, end));
                }
                TokenKind::VersionDirective { major: 1, minor: 1 } => has_version = true,
                TokenKind::VersionDirective { .. } => {
                    return Err(error("found incompatible YAML document", start, end));
                }
                TokenKind::TagDirective => {}
                _ => break,
            }
            let Some(token) = self.scanner.take() else { break };
            let Some(prefix) = token.suffix else { continue };
            if self.prefix(&token.text).is_some() {
                return Err(error("found duplicate %TAG directive", start, end));
            }
            self.handles.insert(token.text, prefix);
        }
        for (handle, prefix) in [("!", "!"), ("!!", CORE_TAGS)] {
            if self.prefix(handle).is_none() {
                self.handles.insert(Cow::Borrowed(handle), prefix.into());
            }
        }
        Ok(())
    }

    fn prefix(&self, handle: &str) -> Option<&str> {
        self.handles.get(handle).map(|prefix| &**prefix)
    }

    fn tag(&self, token: &YamlToken<'a>) -> Result<Tag, Failure> {
        let suffix = token.suffix.as_deref().unwrap_or_default();
        if token.text.is_empty() {
            return Ok(Tag::named(suffix));
        }
        match self.prefix(&token.text) {
            // No name that means anything is so long; a prefix may be, and stand before many tags.
            Some(prefix) if prefix.len() > LONGEST_TAG => Ok(Tag::Other),
            Some(prefix) if !prefix.is_empty() || !suffix.is_empty() => {
                Ok(Tag::named(&format!("{prefix}{suffix}")))
            }
            _ => Err(error("found undefined tag handle", token.start, token.end)),
        }
    }

    fn node(&mut self, place: NodeContext) -> EventResult<'a> {
        let (mut kind, mut start, mut end) = self.scanner.peek()?;
        if kind == TokenKind::Alias {
            self.pop_state();
            let name = self.anchor().unwrap_or_else(|| self.anchors.number(""));
            return Ok(event(EventKind::Alias(name), start, end));
        }
        let (mut anchor, mut tag) = (None, None);
        let (properties_start, mut properties_end) = (start, start);
        loop {
            match kind {
                TokenKind::Anchor if anchor.is_none() => {
                    anchor = self.anchor();
                }
                TokenKind::Tag if tag.is_none() => tag = self.scanner.take(),
                _ => break,
            }
            properties_end = end;
            (kind, start, end) = self.scanner.peek()?;
        }
        let tag = match tag {
            Some(token) => self.tag(&token)?,
            None => Tag::None,
        };

        let (kind, node_start, node_end) = match kind {
            TokenKind::BlockEntry if place == NodeContext::BlockOrIndentless => {
                self.state = State::IndentlessSequenceEntry;
                (EventKind::SequenceStart, start, start)
            }
            TokenKind::Scalar { plain } => {
                self.pop_state();
                let text = self.scanner.take().map(|token| token.text).unwrap_or_default();
                (EventKind::Scalar(Scalar { text, plain, tag }), start, end)
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirstEntry;
                (EventKind::SequenceStart, start, end)
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirstKey;
                (EventKind::MappingStart, start, end)
            }
            TokenKind::BlockSequenceStart if place != NodeContext::Flow => {
                self.state = State::BlockSequenceFirstEntry;
                (EventKind::SequenceStart, start, end)
            }
            TokenKind::BlockMappingStart | TokenKind::MappingWithKey
                if place != NodeContext::Flow =>
            {
                self.state = State::BlockMappingFirstKey;
                (EventKind::MappingStart, start, start)
            }
            _ if anchor.is_some() || tag != Tag::None => {
                self.pop_state();
                let scalar = Scalar { text: Cow::Borrowed(""), plain: true, tag };
                (EventKind::Scalar(scalar), properties_start, properties_end)
            }
            _ => return Err(error("did not find expected node content", start, end)),
        };
        Ok(Event { kind, anchor, start: node_start, end: node_end })
    }

    fn block_sequence_entry(&mut self) -> EventResult<'a> {
        match self.scanner.peek()? {
            (TokenKind::BlockEntry, _, entry_end) => {
                self.scanner.take();
                match self.scanner.peek()?.0 {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => {
                        self.empty_then(State::BlockSequenceEntry, entry_end)
                    }
                    _ => self.node_then(State::BlockSequenceEntry, NodeContext::Block),
                }
            }
            (TokenKind::BlockEnd, start, end) => self.end_of_collection(start, end),
            (_, start, end) => Err(error("did not find expected '-' indicator", start, end)),
        }
    }

    fn indentless_sequence_entry(&mut self) -> EventResult<'a> {
        match self.scanner.peek()? {
            (TokenKind::BlockEntry, _, entry_end) => {
                self.scanner.take();
                match self.scanner.peek()?.0 {
                    TokenKind::BlockEntry
                    | TokenKind::Key
                    | TokenKind::Value
                    | TokenKind::BlockEnd => {
                        self.empty_then(State::IndentlessSequenceEntry, entry_end)
                    }
                    _ => self.node_then(State::IndentlessSequenceEntry, NodeContext::Block),
                }
            }
            (_, start, _) => {
                self.pop_state();
                Ok(event(EventKind::End, start, start))
            }
        }
    }

    fn block_mapping_key(&mut self) -> EventResult<'a> {
        match self.scanner.peek()? {
            (TokenKind::Key, _, key_end) => {
                self.scanner.take();
                match self.scanner.peek()?.0 {
                    TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                        self.empty_then(State::BlockMappingValue, key_end)
                    }
                    _ => self.node_then(State::BlockMappingValue, NodeContext::BlockOrIndentless),
                }
            }
            (TokenKind::BlockEnd, start, end) => self.end_of_collection(start, end),
            (_, start, end) => Err(error("did not find expected key", start, end)),
        }
    }

    fn block_mapping_value(&mut self) -> EventResult<'a> {
        let (kind, start, value_end) = self.scanner.peek()?;
        if kind != TokenKind::Value {
            return self.empty_then(State::BlockMappingKey, start);
        }
        self.scanner.take();
        match self.scanner.peek()?.0 {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.empty_then(State::BlockMappingKey, value_end)
            }
            _ => self.node_then(State::BlockMappingKey, NodeContext::BlockOrIndentless),
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> EventResult<'a> {
        if first {
            self.scanner.take();
        }
        let (mut kind, mut start, mut end) = self.scanner.peek()?;
        if kind != TokenKind::FlowSequenceEnd && !first {
            if kind != TokenKind::FlowEntry {
                return Err(error("did not find expected ',' or ']'", start, end));
            }
            self.scanner.take();
            (kind, start, end) = self.scanner.peek()?;
        }
        match kind {
            TokenKind::FlowSequenceEnd => self.end_of_collection(start, end),
            TokenKind::Key => {
                self.scanner.take();
                self.state = State::FlowSequencePairKey;
                Ok(event(EventKind::MappingStart, start, end))
            }
            _ => self.node_then(State::FlowSequenceEntry, NodeContext::Flow),
        }
    }

    fn flow_sequence_pair_key(&mut self) -> EventResult<'a> {
        match self.scanner.peek()? {
            (TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd, _, end) => {
                // The token is skipped, as upstream does, so `[? : a]` is an error.
                self.scanner.take();
                self.empty_then(State::FlowSequencePairValue, end)
            }
            _ => self.node_then(State::FlowSequencePairValue, NodeContext::Flow),
        }
    }

    fn flow_sequence_pair_value(&mut self) -> EventResult<'a> {
        let (kind, start, _) = self.scanner.peek()?;
        if kind == TokenKind::Value {
            self.scanner.take();
            let (next, _, _) = self.scanner.peek()?;
            if !matches!(next, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                return self.node_then(State::FlowSequencePairEnd, NodeContext::Flow);
            }
        }
        self.empty_then(State::FlowSequencePairEnd, start)
    }

    fn flow_mapping_key(&mut self, first: bool) -> EventResult<'a> {
        if first {
            self.scanner.take();
        }
        let (mut kind, mut start, mut end) = self.scanner.peek()?;
        if kind != TokenKind::FlowMappingEnd && !first {
            if kind != TokenKind::FlowEntry {
                return Err(error("did not find expected ',' or '}'", start, end));
            }
            self.scanner.take();
            (kind, start, end) = self.scanner.peek()?;
        }
        match kind {
            TokenKind::FlowMappingEnd => self.end_of_collection(start, end),
            TokenKind::Key => {
                self.scanner.take();
                match self.scanner.peek()? {
                    (
                        TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd,
                        at,
                        _,
                    ) => self.empty_then(State::FlowMappingValue, at),
                    _ => self.node_then(State::FlowMappingValue, NodeContext::Flow),
                }
            }
            _ => self.node_then(State::FlowMappingEmptyValue, NodeContext::Flow),
        }
    }

    fn flow_mapping_value(&mut self, left_out: bool) -> EventResult<'a> {
        let (kind, mut start, _) = self.scanner.peek()?;
        if kind == TokenKind::Value && !left_out {
            self.scanner.take();
            let next = self.scanner.peek()?;
            if !matches!(next.0, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(State::FlowMappingKey, NodeContext::Flow);
            }
            start = next.1;
        }
        self.empty_then(State::FlowMappingKey, start)
    }
}

fn event(kind: EventKind<'_>, start: usize, end: usize) -> Event<'_> {
    Event { kind, anchor: None, start, end }
}

fn error(message: &'static str, start: usize, end: usize) -> Failure {
    Failure::new(YamlProblem::Parse(message), start, end)
}
