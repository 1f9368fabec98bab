//! The walk through a stream: which value comes next, and whether it is built, opened or passed over.
//!
//! Takes bytes, gives [`StreamStep`]s in document order. Memory is bounded by the depth of what is open and by what
//! [`StreamOptions::strategy`] lets be held.

use super::frame::{Child, ChildCheck, StreamFrame};
use super::input::StreamInput;
use super::issue::placed;
use super::text::NotText;
use super::{Resolution, StreamOptions};
use crate::import::{DefaultMode, Nulls, Unknown};
use crate::options::ParseOptions;
use crate::said::Said;
use crate::schema::Schema;
use crate::scope::{Ids, Scope};
use crate::stages::{self, Found, ValuePlace};
use crate::wire::number_mode;
use crdkit_codec::{DecodeError, Filled, Format};
use crdkit_issue::{FieldPath, Issue, Segment, Severity, Span, codes};
use crdkit_schema::spans;
use crdkit_value::{
    Builder, Collected, Document, Duplicates, Event, Kind, NodeId, Presence, PresenceFilter,
    PresenceMap, Suspended, Value,
};
use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::sync::Arc;

/// A document on its way through the checks.
pub struct Stream<'t, R> {
    reader: StreamInput<R>,
    schema: &'t Schema,
    options: &'t StreamOptions,
    /// The array that is opened whatever its size.
    opened: Option<FieldPath>,
    /// What is open, outermost first.
    frames: Vec<StreamFrame<'t>>,
    pending: Pending<'t>,
    /// What is to be given out.
    ready: VecDeque<Ready>,
    /// The part given out last, whose memory the next one takes over.
    last: Document,
    n_errors: usize,
}

/// What comes out of a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamStep<'a> {
    /// A whole value.
    Part(Part<'a>),
    /// Something wrong with the arrays and objects around the parts.
    Finding(Issue),
    /// An array or object that is too large to be a part begins; what is in it follows.
    Opened {
        /// Where it stands.
        path: FieldPath,
        /// Whether it is an object.
        is_object: bool,
    },
    /// An array or object that was opened ends.
    Closed {
        /// Where it stands.
        path: FieldPath,
        /// What is known about members that are no parts: those that were removed, and defaults that are only noted.
        /// Paths are relative to it.
        presence: PresenceMap,
    },
}

/// A whole value of a stream.
#[derive(Debug)]
pub struct Part<'a> {
    /// The value, as the program works with it.
    pub document: &'a mut Document,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
    /// Which of its places the input had; paths are relative to it.
    pub presence: PresenceMap,
    around: Arc<[Segment]>,
    step: Option<Segment>,
}

enum Ready {
    Part {
        around: Arc<[Segment]>,
        step: Option<Segment>,
        document: Document,
        issues: Vec<Issue>,
        presence: PresenceMap,
    },
    Finding(Issue),
    Opened(Arc<[Segment]>, bool),
    Closed(Arc<[Segment]>, PresenceMap),
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Input,
    /// It is the schema's default for a place that the input does not have.
    Default,
}

/// What the next bytes are for.
#[expect(clippy::large_enum_variant, reason = "there is one for a stream")]
enum Pending<'t> {
    /// The document has not begun.
    Document,
    /// The next key, item or end of what is open.
    Next,
    /// A value that is being built.
    Build(Filling<'t>),
    /// A value that is opened when it begins.
    Open(ChildCheck),
    /// A value that is passed over, with so many arrays and objects open in it.
    Skip(usize),
    /// The document is over.
    Done,
}

/// A value that is being built.
struct Filling<'t> {
    builder: Builder<'t>,
    check: ChildCheck,
    /// Where it began in the input.
    start: usize,
    /// Up to where it is built before it is opened.
    until: usize,
}

impl<'t, R: Read> Stream<'t, R> {
    /// Reads a JSON document from `input` and holds it against `schema`.
    pub fn new(input: R, schema: &'t Schema, options: &'t StreamOptions) -> Self {
        Self::in_format(Format::Json, input, schema, options)
    }

    /// Reads a document in any format; of YAML, the first one.
    ///
    /// After an error of `input`, reading YAML cannot go on.
    pub fn in_format(
        format: Format,
        input: R,
        schema: &'t Schema,
        options: &'t StreamOptions,
    ) -> Self {
        let numbers = number_mode(schema.compiled().settings().numbers);
        let mut ready = VecDeque::new();
        if options.parse.converted {
            ready.push_back(Ready::Finding(Issue::warning(codes::domain::DUPLICATES_UNKNOWN)));
        }
        Self {
            reader: StreamInput::new(format, input, options, numbers),
            schema,
            options,
            opened: None,
            frames: Vec::new(),
            pending: Pending::Document,
            ready,
            last: Document::null(),
            n_errors: 0,
        }
    }

    /// Opens the array at `path` whatever its size, so that its items are parts.
    #[must_use]
    pub fn opening(self, path: FieldPath) -> Self {
        Self { opened: Some(path), ..self }
    }

    /// The next part or finding; none at the end of the document.
    ///
    /// # Errors
    /// The finding, when the bytes are not a document or a limit is exceeded; or the reader's error, after
    /// which the same call can be made again, unless they are YAML.
    pub fn step(&mut self) -> Result<Option<StreamStep<'_>>, DecodeError> {
        let ready = loop {
            match self.ready.pop_front() {
                Some(ready) => break ready,
                None if matches!(self.pending, Pending::Done) => return Ok(None),
                None => self.advance().map_err(refused)?,
            }
        };
        let path = |path: Arc<[Segment]>| path.iter().cloned().collect();
        Ok(Some(match ready {
            Ready::Finding(issue) => {
                self.count(std::slice::from_ref(&issue));
                StreamStep::Finding(issue)
            }
            Ready::Opened(at, is_object) => StreamStep::Opened { path: path(at), is_object },
            Ready::Closed(at, presence) => StreamStep::Closed { path: path(at), presence },
            Ready::Part { around, step, document, issues, presence } => {
                self.count(&issues);
                self.last = document;
                let document = &mut self.last;
                StreamStep::Part(Part { document, issues, presence, around, step })
            }
        }))
    }

    /// Ends the stream when enough is wrong.
    fn count(&mut self, issues: &[Issue]) {
        let errors = issues.iter().filter(|issue| issue.severity == Severity::Error).count();
        let limit = self.options.parse.limits.issues;
        let had_room = self.n_errors <= limit;
        self.n_errors += errors;
        if self.options.parse.fail_fast && errors > 0 {
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
                self.reader.begin()?;
                let check = self.root();
                self.begin(check);
                Ok(())
            }
            Pending::Next => self.next_child(),
            Pending::Build(filling) => {
                let filled = self.reader.fill(&mut filling.builder, filling.until)?;
                self.filled(filled)
            }
            Pending::Open(..) => self.open_next(),
            Pending::Skip(depth) => {
                let event = self.reader.next_event()?.map(|(event, _)| event);
                if matches!(event, Some(Event::Null))
                    && *depth == 0
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.removed_null();
                }
                match event {
                    Some(Event::BeginArray | Event::BeginObject) => *depth += 1,
                    Some(Event::EndArray | Event::EndObject) => *depth -= 1,
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

    /// How keys are taken.
    fn how(&self) -> (&'t ParseOptions, Duplicates) {
        let parse = &self.options.parse;
        (parse, self.reader.duplicates(parse.duplicates))
    }

    fn root(&self) -> ChildCheck {
        let ids = Scope::new(self.schema.compiled()).root();
        ChildCheck { ids, keep: false, projects: true, gathers: false }
    }

    fn next_child(&mut self) -> Result<(), DecodeError> {
        let how = self.how();
        let Some(frame) = self.frames.last_mut() else {
            self.reader.end()?;
            self.pending = Pending::Done;
            return Ok(());
        };
        if !frame.is_object() {
            let check = frame.item();
            self.begin(check);
            return Ok(());
        }
        let mut found = Vec::new();
        let Some((Event::Key(key), span)) = self.reader.next_event()? else {
            self.close();
            return Ok(());
        };
        let child = frame.member(self.schema, key, how, &mut found);
        self.refuse_repeated(&found, span)?;
        self.report(found, span);
        match child {
            Child::Check(check) => self.begin(check),
            Child::Skip => self.pending = Pending::Skip(0),
        }
        Ok(())
    }

    /// Makes the next value the one to be built or opened.
    fn begin(&mut self, check: ChildCheck) {
        if self.is_opened() {
            self.pending = Pending::Open(check);
            return;
        }
        let start = self.reader.offset();
        let until = start.saturating_add(self.options.strategy.threshold);
        let builder = self.builder(start);
        self.pending = Pending::Build(Filling { builder, check, start, until });
    }

    fn builder(&mut self, start: usize) -> Builder<'t> {
        let options = self.options;
        let duplicates = self.reader.duplicates(options.parse.duplicates);
        let builder = Builder::new(&options.parse.limits, duplicates)
            .reporting_tolerated(options.parse.report_duplicates);
        let builder = builder.reusing(mem::take(&mut self.last));
        if options.positions { builder.keeping_positions(start) } else { builder }
    }

    /// The way to the innermost array or object that is open.
    fn around(&self) -> Arc<[Segment]> {
        self.frames.last().map_or_else(|| [].into(), |frame| Arc::clone(&frame.path))
    }

    /// The same in the input, where findings are.
    fn source(&self) -> Arc<[Segment]> {
        self.frames.last().map_or_else(|| [].into(), |frame| Arc::clone(&frame.source))
    }

    /// Where unknown members of the innermost object are gathered.
    fn gathered(&self) -> Arc<[Segment]> {
        let around = self.around();
        match &self.schema.compiled().settings().unknown {
            Unknown::Passthrough { target } => {
                let target: FieldPath = target.parse().unwrap_or_default();
                around.iter().chain(target.segments()).cloned().collect()
            }
            _ => around,
        }
    }

    /// The way to the next value.
    fn here(&self) -> FieldPath {
        let child = self.frames.last().map(StreamFrame::child);
        self.around().iter().cloned().chain(child).collect()
    }

    /// Whether the next value is the array to be opened, or around it.
    fn is_opened(&self) -> bool {
        let Some(opened) = &self.opened else { return false };
        let child = self.frames.last().map(StreamFrame::child);
        let around = self.frames.last().map_or(&[][..], |frame| &frame.path);
        let mut wanted = opened.segments().iter();
        around.iter().chain(child.as_ref()).all(|step| wanted.next() == Some(step))
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
                let parse = &self.options.parse;
                let mut builder = Builder::new(&parse.limits, parse.duplicates);
                builder.event(event, span)?;
                let (document, _) = builder.finish();
                if let Pending::Open(check) = mem::replace(&mut self.pending, Pending::Next) {
                    self.part(&check, document, Vec::new(), Origin::Input);
                }
                return Ok(());
            }
        };
        if let Pending::Open(check) = mem::replace(&mut self.pending, Pending::Next) {
            self.open(&check, is_object, start);
        }
        Ok(())
    }

    /// Opens a value because whoever asks for the items has said that the array is not to be held.
    fn open(&mut self, check: &ChildCheck, is_object: bool, start: usize) {
        let whole = self.whole(&check.ids);
        if let Some(why) = whole {
            self.undecided(why, start);
        }
        self.push_frame(check, is_object, whole.is_some(), start);
    }

    /// Why the next value must be held whole, if it must.
    fn whole(&self, ids: &Ids) -> Option<&'static str> {
        let asked = (ids, self.options.parse.old.is_some());
        StreamFrame::whole(self.schema, asked, self.frames.last(), || self.here())
    }

    fn push_frame(&mut self, check: &ChildCheck, is_object: bool, expands: bool, start: usize) {
        let child = self.frames.last().map(StreamFrame::child);
        let below = |around: &[Segment]| -> Arc<[Segment]> {
            around.iter().cloned().chain(child.clone()).collect()
        };
        let source = below(&self.source());
        let path = match self.frames.last() {
            _ if check.gathers => below(&self.gathered()),
            Some(frame) if frame.path != frame.source => below(&frame.path),
            _ => Arc::clone(&source),
        };
        let mut found = Vec::new();
        let kind = (is_object, expands);
        let at = (start, Arc::clone(&path), source);
        let ids = (&check.ids, check.keep);
        let mut frame = StreamFrame::open(self.schema, ids, kind, at, self.old(None), &mut found);
        if let Some(parent) = self.frames.last() {
            frame.remember(self.schema.compiled(), parent);
        }
        self.ready.push_back(Ready::Opened(path, is_object));
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
                self.refuse_repeated(&repeated, Span::at(filling.start))?;
                self.part(&filling.check, document, repeated, Origin::Input);
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
        let whole = self.whole(&filling.check.ids);
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
        self.refuse_repeated(&issues, Span::at(filling.start))?;
        self.push_frame(&filling.check, is_object, whole.is_some(), filling.start);
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
        let how = self.how();
        for (key, child) in children {
            let Some(frame) = self.frames.last_mut() else { break };
            let mut found = Vec::new();
            let child_of = match key {
                // Repeated keys have been reported by the builder.
                Some(key) => frame.member(self.schema, key, how, &mut found),
                None => Child::Check(frame.item()),
            };
            if matches!(child_of, Child::Skip) && child.is_null() {
                frame.removed_null();
            }
            let place = document.place(child.id()).unwrap_or_default();
            self.report(found, place.key.unwrap_or(place.value));
            let is_last = last.is_some_and(|last| *last == child.id());
            match child_of {
                Child::Skip if is_last => self.pending = Pending::Skip(open.len() - 1),
                Child::Skip => {}
                Child::Check(check) if is_last => {
                    let start = place.value.start.max(self.frames.last().map_or(0, |it| it.start));
                    let mut builder = self.builder(start);
                    builder.resume(child, open.len() - 1)?;
                    let until = self.reader.offset().max(start + self.options.strategy.threshold);
                    self.pending = Pending::Build(Filling { builder, check, start, until });
                }
                Child::Check(check) => {
                    let document = Document::copy_with_positions(child);
                    self.part(&check, document, Vec::new(), Origin::Input);
                }
            }
        }
        Ok(())
    }

    /// Judges a whole value and gives it out.
    fn part(
        &mut self,
        check: &ChildCheck,
        document: Document,
        mut issues: Vec<Issue>,
        origin: Origin,
    ) {
        let (schema, parse) = (self.schema, &self.options.parse);
        let step = self.frames.last().map(StreamFrame::child);
        let mut document = document;
        let mut presence = parse.presence.as_ref().map(|_| match origin {
            Origin::Input => Collected::of(&document, &PresenceFilter::all()),
            Origin::Default => Collected::filled(&document),
        });
        if self.null(&check.ids, &mut document, presence.as_mut()) {
            return;
        }
        let frame = self.frames.last();
        let path = || self.here();
        let old = self.old(Some(document.root()));
        let old_here = parse.old.as_deref().and_then(|old| old.root().find(&path()));
        let place = ValuePlace {
            ids: Ids::clone(&check.ids),
            keep: check.keep,
            projects: check.projects,
            is_whole: frame.is_none(),
            path: &path,
            old,
            old_here,
            is_compared: frame.is_some_and(StreamFrame::compares),
        };
        let mut judged = Found::new();
        self.taken(check, step.as_ref(), &document, &mut judged);
        let passed = stages::through(schema, &place, &mut document, presence, &mut judged, parse);
        if check.ids.len() > 1 {
            let mut said = Said::default();
            judged.retain(|(_, issue)| said.is_new(issue));
        }
        let is_wrong = judged
            .iter()
            .any(|(id, issue)| *id == NodeId::ROOT && issue.code == codes::object::TYPE_MISMATCH);
        issues.extend(judged.into_iter().map(|(id, mut issue)| {
            issue.span = issue.span.or_else(|| spans::of(&document, &document, id, &issue));
            issue
        }));
        let mut found = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            let value = passed.compared.as_ref().unwrap_or(&document).root();
            let how = (is_wrong, parse.fail_fast);
            frame.count_child(schema.compiled(), Some(value), how, &mut found);
        }
        let around = self.around();
        if !issues.is_empty() {
            let base: FieldPath = self.source().iter().cloned().chain(step.clone()).collect();
            issues =
                issues.into_iter().map(|issue| placed(schema.compiled(), &base, issue)).collect();
        }
        let span = document.place(NodeId::ROOT).unwrap_or_default().value;
        let around = if check.gathers { self.gathered() } else { around };
        let presence = self.filtered(&around, step.as_ref(), passed.presence);
        self.ready.push_back(Ready::Part { around, step, document, issues, presence });
        self.report(found, span);
    }

    /// What the next value, which is `value` if it is not opened, replaces.
    fn old(&self, value: Option<Value<'_>>) -> Option<Value<'t>> {
        match self.frames.last() {
            Some(frame) => frame.old_child(self.schema.compiled(), value),
            None => self.options.parse.old.as_deref().map(Document::root),
        }
    }

    /// Replaces a `null` that may not be there by its default. Gives whether it is not there at all.
    fn null(
        &mut self,
        ids: &Ids,
        document: &mut Document,
        presence: Option<&mut Collected>,
    ) -> bool {
        let compiled = self.schema.compiled();
        let (scope, settings) = (Scope::new(compiled), compiled.settings());
        let Some(frame) = self.frames.last_mut() else { return false };
        let stays = settings.nulls == Nulls::Reject || !document.root().is_null();
        if stays || ids.is_empty() || scope.takes_null(ids) {
            return false;
        }
        let default = scope.default(ids);
        if let Some(value) = default.and_then(|default| compiled.table().default_value(default))
            && settings.defaults == DefaultMode::Apply
        {
            document.set(NodeId::ROOT, value);
            if let Some(presence) = presence {
                presence.add(NodeId::ROOT, Presence::DEFAULT_APPLIED);
            }
            return false;
        }
        // An item is never dropped, because that would move those after it.
        if frame.is_object() {
            frame.drop_null(compiled, default);
        }
        frame.is_object()
    }

    /// Notes that a member that the schema knows stands where unknown ones of its object are gathered.
    fn taken(
        &self,
        check: &ChildCheck,
        step: Option<&Segment>,
        document: &Document,
        found: &mut Found,
    ) {
        let Unknown::Passthrough { target } = &self.schema.compiled().settings().unknown else {
            return;
        };
        let target: FieldPath = target.parse().unwrap_or_default();
        let Some((first, rest)) = target.segments().split_first() else { return };
        if check.gathers || step.map(Segment::text) != Some(first.text()) {
            return;
        }
        let mut here = document.root();
        for step in rest {
            match here.get(&step.text()) {
                Some(below) if here.as_object().is_some() => here = below,
                _ => break,
            }
        }
        let is_there = here.path().segments().len() == rest.len();
        let is_object = here.as_object().is_some();
        if !is_object || is_there && here.members().len() > 0 {
            let issue = Issue::error(codes::domain::PASSTHROUGH_COLLISION).at(here.path());
            found.push((here.id(), issue));
        }
    }

    /// What of the presence of a part is asked for.
    fn filtered(
        &self,
        around: &[Segment],
        step: Option<&Segment>,
        presence: PresenceMap,
    ) -> PresenceMap {
        let filter = self.options.parse.presence.as_ref();
        let Some(filter) = filter.filter(|filter| **filter != PresenceFilter::all()) else {
            return presence;
        };
        let base: FieldPath = around.iter().chain(step).cloned().collect();
        let mut kept = PresenceMap::new();
        for (path, known) in &presence {
            if filter.takes(&path.rebase(&base)) {
                kept.insert(&path, known);
            }
        }
        kept
    }

    /// Ends the innermost array or object.
    fn close(&mut self) {
        self.pending = Pending::Next;
        let compiled = self.schema.compiled();
        let how = self.how();
        let defaults = self.frames.last_mut().map(|frame| frame.take_defaults(compiled));
        for (name, default) in defaults.unwrap_or_default() {
            let Some(value) = compiled.table().default_value(default) else { continue };
            let Some(frame) = self.frames.last_mut() else { continue };
            let mut found = Vec::new();
            let child = frame.member(self.schema, name, how, &mut found);
            let at = Span::at(frame.start);
            self.report(found, at);
            if let Child::Check(check) = child {
                self.part(&check, Document::copy_of(value), Vec::new(), Origin::Default);
            }
        }
        let mut found = Vec::new();
        let Some(frame) = self.frames.last_mut() else { return };
        frame.close(compiled, &mut found);
        let (at, path, notes) =
            (Span::at(frame.start), Arc::clone(&frame.path), frame.take_notes());
        self.report(found, at);
        let notes = match self.options.parse.presence {
            Some(_) => self.filtered(&path, None, notes),
            None => PresenceMap::new(),
        };
        self.ready.push_back(Ready::Closed(path, notes));
        let Some(ended) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        let mut found = Vec::new();
        let identity = ended.into_identity();
        let value = identity.as_ref().map(Document::root);
        parent.count_child(compiled, value, (false, self.options.parse.fail_fast), &mut found);
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
        let base: FieldPath = self.source().iter().cloned().collect();
        for issue in found {
            let issue = placed(self.schema.compiled(), &base, issue);
            self.ready.push_back(Ready::Finding(issue));
        }
    }

    /// The next value, which is too large to be held whole.
    fn too_large(&self, why: &'static str, start: usize) -> Issue {
        let path = self.here();
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

    /// Ends reading where a key is repeated and the format does not allow it.
    fn refuse_repeated(&self, found: &[Issue], span: Span) -> Result<(), DecodeError> {
        let mut found = found.iter().filter(|_| self.reader.refuses_duplicates());
        match found.find(|issue| issue.code == codes::decode::DUPLICATE_KEY) {
            None => Ok(()),
            Some(issue) => {
                let mut issue = issue.clone();
                issue.span = issue.span.or(Some(span));
                let base = self.source().iter().cloned().collect();
                Err(Box::new(placed(self.schema.compiled(), &base, issue)).into())
            }
        }
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
            Some(Segment::Index(index)) if array.segments() == &*self.around => Some(index),
            _ => None,
        }
    }
}

/// Bytes that are not text are a finding, not a failure of the reader.
fn refused(error: DecodeError) -> DecodeError {
    match error {
        DecodeError::Io(error) => match error.downcast::<NotText>() {
            Ok(NotText(issue)) => DecodeError::Refused(issue),
            Err(error) => DecodeError::Io(error),
        },
        error @ DecodeError::Refused(_) => error,
    }
}
