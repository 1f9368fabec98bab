//! The walk through a stream: which value comes next, and whether it is built, opened or passed over.
//!
//! Takes bytes, gives [`StreamStep`]s in document order. Memory is bounded by the depth of what is open and by what
//! [`StreamOptions::strategy`] lets be held.

use super::frame::{Child, StreamFrame};
use super::schema::Schemas;
use super::{Resolution, StreamOptions};
use crate::compiled::CompiledSchema;
use crate::stages;
use crdkit_codec::DecodeError;
use crdkit_codec::json::{ByteSource, Chunks, Filled, Reader};
use crdkit_issue::{FieldPath, Issue, Segment, Severity, Span, codes};
use crdkit_schema::compile::Id;
use crdkit_schema::spans;
use crdkit_value::{Builder, Document, Event, Kind, NodeId, NumberMode, Suspended};
use std::collections::VecDeque;
use std::io::Read;
use std::mem;

/// A document on its way through the checks.
pub struct Stream<'t, S> {
    reader: Reader<S>,
    schema: &'t CompiledSchema,
    options: &'t StreamOptions,
    /// The array that is opened whatever its size.
    opened: Option<FieldPath>,
    /// What is open, outermost first.
    frames: Vec<StreamFrame<'t>>,
    /// The way from the document to the innermost frame.
    path: Vec<Segment>,
    pending: Pending<'t>,
    /// What is to be given out; parts are children of the innermost frame.
    ready: VecDeque<Ready>,
    /// The part given out last, whose memory the next one takes over.
    last: Document,
    n_errors: usize,
}

/// What comes out of a stream.
#[derive(Debug)]
pub enum StreamStep<'a> {
    /// A whole value.
    Part(Part<'a>),
    /// Something wrong with the arrays and objects around the parts.
    Finding(Issue),
}

/// A whole value of a stream.
#[derive(Debug)]
pub struct Part<'a> {
    /// The value, projected.
    pub document: &'a mut Document,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
    around: &'a [Segment],
    step: Option<Segment>,
}

enum Ready {
    Part { step: Option<Segment>, document: Document, issues: Vec<Issue> },
    Finding(Issue),
}

/// What the next bytes are for.
#[expect(clippy::large_enum_variant, reason = "there is one of them")]
enum Pending<'t> {
    /// The document has not begun.
    Document,
    /// The next key, item or end of what is open.
    Next,
    /// A value that is being built.
    Build(Filling<'t>),
    /// A value that is opened when it begins.
    Open(Schemas, bool),
    /// A value that is passed over, with so many arrays and objects open in it.
    Skip(usize),
    /// The document is over.
    Done,
}

/// A value that is being built.
struct Filling<'t> {
    builder: Builder<'t>,
    schemas: Schemas,
    /// Whether what is unknown in it is preserved.
    keep: bool,
    /// Where it began in the input.
    start: usize,
    /// Up to where it is built before it is opened.
    until: usize,
}

impl<'t, R: Read> Stream<'t, Chunks<R>> {
    /// Reads a JSON document from `input` and holds it against `schema`.
    pub fn new(input: R, schema: &'t CompiledSchema, options: &'t StreamOptions) -> Self {
        let reader = Reader::from_read(input, &options.limits, NumberMode::Value);
        Self {
            reader,
            schema,
            options,
            opened: None,
            frames: Vec::new(),
            path: Vec::new(),
            pending: Pending::Document,
            ready: VecDeque::new(),
            last: Document::null(),
            n_errors: 0,
        }
    }
}

impl<'t, S: ByteSource> Stream<'t, S> {
    /// Opens the array at `path` whatever its size, so that its items are parts.
    #[must_use]
    pub fn opening(self, path: FieldPath) -> Self {
        Self { opened: Some(path), ..self }
    }

    /// The next part or finding; none at the end of the document.
    ///
    /// # Errors
    /// The finding, when the bytes are not JSON or a limit is exceeded; or the reader's error, after
    /// which the same call can be made again.
    pub fn step(&mut self) -> Result<Option<StreamStep<'_>>, DecodeError> {
        let ready = loop {
            match self.ready.pop_front() {
                Some(ready) => break ready,
                None if matches!(self.pending, Pending::Done) => return Ok(None),
                None => self.advance()?,
            }
        };
        match ready {
            Ready::Finding(issue) => {
                self.count(std::slice::from_ref(&issue));
                Ok(Some(StreamStep::Finding(issue)))
            }
            Ready::Part { step, document, issues } => {
                self.count(&issues);
                self.last = document;
                let around = &self.path;
                Ok(Some(StreamStep::Part(Part { document: &mut self.last, issues, around, step })))
            }
        }
    }

    /// Ends the stream when enough is wrong.
    fn count(&mut self, issues: &[Issue]) {
        let errors = issues.iter().filter(|issue| issue.severity == Severity::Error).count();
        let limit = self.options.limits.issues;
        let had_room = self.n_errors <= limit;
        self.n_errors += errors;
        if self.options.fail_fast && errors > 0 {
            self.ready.clear();
            self.pending = Pending::Done;
        } else if had_room && self.n_errors > limit {
            self.stop(Issue::error(codes::schema::TRUNCATED).with("limit", limit));
        }
    }

    /// Ends the stream with a last finding.
    fn stop(&mut self, issue: Issue) {
        self.ready.clear();
        self.ready.push_back(Ready::Finding(issue));
        self.pending = Pending::Done;
    }

    /// Goes one value, or a part of one, further.
    fn advance(&mut self) -> Result<(), DecodeError> {
        match &mut self.pending {
            Pending::Document => {
                if !self.reader.next_document()? {
                    return Err(self.wrong(codes::decode::EMPTY_INPUT));
                }
                self.begin([self.schema.root()].into(), false);
                Ok(())
            }
            Pending::Next => self.next_child(),
            Pending::Build(filling) => {
                let filled = self.reader.fill(&mut filling.builder, filling.until)?;
                self.filled(filled)
            }
            Pending::Open(..) => self.open_next(),
            Pending::Skip(depth) => {
                match self.reader.next_event()? {
                    Some((Event::BeginArray | Event::BeginObject, _)) => *depth += 1,
                    Some((Event::EndArray | Event::EndObject, _)) => *depth -= 1,
                    _ => {}
                }
                if *depth == 0 {
                    self.pending = Pending::Next;
                }
                Ok(())
            }
            Pending::Done => Ok(()),
        }
    }

    fn next_child(&mut self) -> Result<(), DecodeError> {
        let Some(frame) = self.frames.last_mut() else {
            if self.reader.next_document()? {
                return Err(self.wrong(codes::decode::TRAILING_DATA));
            }
            self.pending = Pending::Done;
            return Ok(());
        };
        if !frame.is_object() {
            if let Child::Check(schemas, keep) = frame.item(self.schema) {
                self.begin(schemas, keep);
            }
            return Ok(());
        }
        let mut found = Vec::new();
        let Some((Event::Key(key), span)) = self.reader.next_event()? else {
            self.close();
            return Ok(());
        };
        let child = frame.member(self.schema, key, self.options.duplicates, &mut found);
        self.report(found, span);
        match child {
            Child::Check(schemas, keep) => self.begin(schemas, keep),
            Child::Skip => self.pending = Pending::Skip(0),
        }
        Ok(())
    }

    /// Makes the next value the one to be built or opened.
    fn begin(&mut self, schemas: Schemas, keep: bool) {
        if self.is_opened() {
            self.pending = Pending::Open(schemas, keep);
            return;
        }
        let start = self.reader.offset();
        let until = start.saturating_add(self.options.strategy.threshold);
        let builder = self.builder(start);
        self.pending = Pending::Build(Filling { builder, schemas, keep, start, until });
    }

    fn builder(&mut self, start: usize) -> Builder<'t> {
        let options = self.options;
        let builder = Builder::new(&options.limits, options.duplicates);
        let builder = builder.reusing(mem::take(&mut self.last));
        if options.positions { builder.keeping_positions(start) } else { builder }
    }

    /// Whether the next value is the array to be opened, or around it.
    fn is_opened(&self) -> bool {
        let Some(opened) = &self.opened else { return false };
        let child = self.frames.last().map(StreamFrame::child);
        let mut wanted = opened.segments().iter();
        self.path.iter().chain(child.as_ref()).all(|step| wanted.next() == Some(step))
    }

    /// Opens the next value, or takes it as it is when it cannot be opened.
    fn open_next(&mut self) -> Result<(), DecodeError> {
        let start = self.reader.offset();
        let Some((event, span)) = self.reader.next_event()? else { return Ok(()) };
        let is_object = match event {
            Event::EndArray => {
                self.close();
                return Ok(());
            }
            Event::BeginArray => false,
            Event::BeginObject => true,
            event => {
                let mut builder = Builder::new(&self.options.limits, self.options.duplicates);
                builder.event(event, span)?;
                let (document, _) = builder.finish();
                let (schemas, keep) = self.take_schemas();
                self.part(&schemas, keep, document, Vec::new());
                return Ok(());
            }
        };
        let (schemas, keep) = self.take_schemas();
        if let Some(why) = StreamFrame::whole(self.schema, &schemas, self.frames.last()) {
            // Whoever asks for the items has said that the array is not to be held.
            self.undecided(why, start);
        }
        self.push_frame(&schemas, keep, is_object, start);
        Ok(())
    }

    fn take_schemas(&mut self) -> (Schemas, bool) {
        match mem::replace(&mut self.pending, Pending::Next) {
            Pending::Open(schemas, keep) => (schemas, keep),
            _ => (Schemas::default(), true),
        }
    }

    fn push_frame(&mut self, schemas: &[Id], keep: bool, is_object: bool, start: usize) {
        self.path.extend(self.frames.last().map(StreamFrame::child));
        let mut found = Vec::new();
        let mut frame = StreamFrame::open(self.schema, schemas, keep, is_object, start, &mut found);
        if let Some(parent) = self.frames.last() {
            frame.remember(self.schema, parent);
        }
        self.frames.push(frame);
        self.report(found, Span::at(start));
    }

    /// Takes what has been built.
    fn filled(&mut self, filled: Filled) -> Result<(), DecodeError> {
        if filled == Filled::Part {
            return self.split();
        }
        let Pending::Build(filling) = mem::replace(&mut self.pending, Pending::Next) else {
            return Ok(());
        };
        match filled {
            Filled::Value => {
                let (document, repeated) = filling.builder.finish();
                self.part(&filling.schemas, filling.keep, document, repeated);
            }
            Filled::EndArray | Filled::Part => self.close(),
        }
        Ok(())
    }

    /// Opens the value that is being built, because it is too large.
    fn split(&mut self) -> Result<(), DecodeError> {
        let at = self.reader.offset();
        let Pending::Build(mut filling) = mem::replace(&mut self.pending, Pending::Next) else {
            return Ok(());
        };
        let Some(is_object) = filling.builder.is_object() else { return Ok(()) };
        let whole = StreamFrame::whole(self.schema, &filling.schemas, self.frames.last());
        if let Some(why) = whole {
            let strategy = self.options.strategy;
            let limit = filling.start.saturating_add(strategy.max_buffered);
            match strategy.on_exceed {
                Resolution::FullBuffer if filling.until < limit => {
                    filling.until = limit;
                    self.pending = Pending::Build(filling);
                    return Ok(());
                }
                Resolution::FullBuffer | Resolution::FailFast => {
                    let issue = self.too_large(why, filling.start);
                    self.stop(issue);
                    return Ok(());
                }
                Resolution::BestEffort => self.undecided(why, filling.start),
            }
        }
        let Suspended { document, open, issues } = filling.builder.suspend(at);
        self.push_frame(&filling.schemas, filling.keep, is_object, filling.start);
        self.report_all(issues);
        self.give_children(&document, &open)
    }

    /// Makes parts of the children of a value that was built up to somewhere in the last of them; `open`
    /// are the value and what is open in it.
    fn give_children(&mut self, document: &Document, open: &[NodeId]) -> Result<(), DecodeError> {
        let (Some(value), last) = (open.first(), open.get(1)) else { return Ok(()) };
        let value = document.value(*value);
        let children: Vec<_> = match value.kind() {
            Kind::Object(members) => members.map(|(key, member)| (Some(key), member)).collect(),
            _ => value.items().map(|item| (None, item)).collect(),
        };
        for (key, child) in children {
            let Some(frame) = self.frames.last_mut() else { break };
            let mut found = Vec::new();
            let child_of = match key {
                // Repeated keys have been reported by the builder.
                Some(key) => frame.member(self.schema, key, self.options.duplicates, &mut found),
                None => frame.item(self.schema),
            };
            let place = document.place(child.id()).unwrap_or_default();
            self.report(found, place.key.unwrap_or(place.value));
            let is_last = last.is_some_and(|last| *last == child.id());
            match child_of {
                Child::Skip if is_last => self.pending = Pending::Skip(open.len() - 1),
                Child::Skip => {}
                Child::Check(schemas, keep) if is_last => {
                    let start = place.value.start.max(self.frames.last().map_or(0, |it| it.start));
                    let mut builder = self.builder(start);
                    builder.resume(child, open.len() - 1)?;
                    let until = self.reader.offset().max(start + self.options.strategy.threshold);
                    self.pending = Pending::Build(Filling { builder, schemas, keep, start, until });
                }
                Child::Check(schemas, keep) => {
                    self.part(&schemas, keep, Document::copy_with_positions(child), Vec::new());
                }
            }
        }
        Ok(())
    }

    /// Judges a whole value and gives it out.
    fn part(&mut self, schemas: &[Id], keep: bool, mut document: Document, mut issues: Vec<Issue>) {
        let step = self.frames.last().map(StreamFrame::child);
        let judged = stages::part(self.schema, schemas, keep, &mut document);
        let is_wrong = judged
            .iter()
            .any(|(id, issue)| *id == NodeId::ROOT && issue.code == codes::object::TYPE_MISMATCH);
        issues.extend(judged.into_iter().map(|(id, mut issue)| {
            issue.span = issue.span.or_else(|| spans::of(&document, &document, id, &issue));
            issue
        }));
        let mut found = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            let value = Some(document.root());
            frame.count_child(self.schema, &self.path, value, is_wrong, &mut found);
        }
        if !issues.is_empty() {
            let base: FieldPath = self.path.iter().cloned().chain(step.clone()).collect();
            for issue in &mut issues {
                prefix(&base, issue);
            }
        }
        let place = document.place(NodeId::ROOT).unwrap_or_default();
        self.ready.push_back(Ready::Part { step, document, issues });
        self.report(found, place.value);
    }

    /// Ends the innermost array or object.
    fn close(&mut self) {
        self.pending = Pending::Next;
        let mut found = Vec::new();
        if let Some(frame) = self.frames.last() {
            frame.close(self.schema, &mut found);
            let at = Span::at(frame.start);
            self.report(found, at);
        }
        self.path.pop();
        let Some(ended) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        let at = Span::at(ended.start);
        let mut found = Vec::new();
        let identity = ended.into_identity();
        let value = identity.as_ref().map(Document::root);
        parent.count_child(self.schema, &self.path, value, false, &mut found);
        self.report(found, at);
    }

    /// Gives out findings about the innermost array or object and its children, which stand at `span`.
    fn report(&mut self, found: Vec<Issue>, span: Span) {
        if found.is_empty() {
            return;
        }
        let spanned = found.into_iter().map(|issue| issue.span(span));
        self.report_all(spanned.collect());
    }

    fn report_all(&mut self, found: Vec<Issue>) {
        let base: FieldPath = self.path.iter().cloned().collect();
        for mut issue in found {
            prefix(&base, &mut issue);
            self.ready.push_back(Ready::Finding(issue));
        }
    }

    /// The next value, which is too large to be held whole.
    fn too_large(&self, why: &'static str, start: usize) -> Issue {
        let child = self.frames.last().map(StreamFrame::child);
        let path = self.path.iter().cloned().chain(child).collect();
        let limit = match self.options.strategy.on_exceed {
            Resolution::FullBuffer => self.options.strategy.max_buffered,
            Resolution::FailFast | Resolution::BestEffort => self.options.strategy.threshold,
        };
        Issue::error(codes::decode::BUFFER_EXCEEDED)
            .with("why", why)
            .with("limit", limit)
            .at(path)
            .span(Span::at(start))
    }

    fn undecided(&mut self, why: &'static str, start: usize) {
        let mut issue = self.too_large(why, start);
        issue.severity = Severity::Warning;
        self.ready.push_back(Ready::Finding(issue));
    }

    fn wrong(&self, code: crdkit_issue::Code) -> DecodeError {
        Box::new(Issue::error(code).with("server", "").span(Span::at(self.reader.offset()))).into()
    }
}

impl Part<'_> {
    /// Where the value stands.
    pub fn path(&self) -> FieldPath {
        self.around.iter().cloned().chain(self.step.clone()).collect()
    }

    /// Its place in the array at `array`, if it is an item of it.
    pub fn index_in(&self, array: &FieldPath) -> Option<usize> {
        match self.step {
            Some(Segment::Index(index)) if array.segments() == self.around => Some(index),
            _ => None,
        }
    }
}

/// Puts a finding about a part where the part stands.
fn prefix(base: &FieldPath, issue: &mut Issue) {
    if !base.is_root() {
        issue.path = issue.path.rebase(base);
    }
}
