//! The walk through a stream: which value comes next, and whether it is built, opened or passed over. `open` opens and ends arrays and
//! objects, `part` judges whole values.
//!
//! Takes bytes, gives [`StreamStep`]s in document order. Memory is bounded by the depth of what is open and by what
//! [`StreamOptions::strategy`] lets be held.

use super::StreamOptions;
use super::frame::{Child, ChildCheck, StreamFrame};
use super::input::StreamInput;
use super::step::{Part, Ready, StreamStep};
use super::text::NotText;
use crate::import::Unknown;
use crate::options::ParseOptions;
use crate::schema::Schema;
use crate::scope::Scope;
use crate::wire::number_mode;
use crdkit_codec::{DecodeError, Format};
use crdkit_issue::{FieldPath, Issue, Segment, Severity, codes};
use crdkit_value::{Builder, Document, Duplicates, Event};
use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::sync::Arc;

/// A document on its way through the checks.
pub struct Stream<'t, R> {
    pub(super) reader: StreamInput<R>,
    pub(super) schema: &'t Schema,
    pub(super) options: &'t StreamOptions,
    /// The array that is opened whatever its size.
    pub(super) opened: Option<FieldPath>,
    /// What is open, outermost first.
    pub(super) frames: Vec<StreamFrame<'t>>,
    pub(super) pending: Pending<'t>,
    /// What is to be given out.
    pub(super) ready: VecDeque<Ready>,
    /// The part given out last, whose memory the next one takes over.
    pub(super) last: Document,
    pub(super) n_errors: usize,
}

/// What the next bytes are for.
#[expect(clippy::large_enum_variant, reason = "there is one for a stream")]
pub(super) enum Pending<'t> {
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
pub(super) struct Filling<'t> {
    pub(super) builder: Builder<'t>,
    pub(super) check: ChildCheck,
    /// Where it began in the input.
    pub(super) start: usize,
    /// Up to where it is built before it is opened.
    pub(super) until: usize,
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
    pub(super) fn stop(&mut self, issue: Issue) {
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
    pub(super) fn how(&self) -> (&'t ParseOptions, Duplicates) {
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
    pub(super) fn begin(&mut self, check: ChildCheck) {
        if self.is_opened() {
            self.pending = Pending::Open(check);
            return;
        }
        let start = self.reader.offset();
        let until = start.saturating_add(self.options.strategy.threshold);
        let builder = self.builder(start);
        self.pending = Pending::Build(Filling { builder, check, start, until });
    }

    pub(super) fn builder(&mut self, start: usize) -> Builder<'t> {
        let options = self.options;
        let duplicates = self.reader.duplicates(options.parse.duplicates);
        let builder = Builder::new(&options.parse.limits, duplicates)
            .reporting_tolerated(options.parse.report_duplicates);
        let builder = builder.reusing(mem::take(&mut self.last));
        if options.positions { builder.keeping_positions(start) } else { builder }
    }

    /// The way to the innermost array or object that is open.
    pub(super) fn around(&self) -> Arc<[Segment]> {
        self.frames.last().map_or_else(|| [].into(), |frame| Arc::clone(&frame.path))
    }

    /// The same in the input, where findings are.
    pub(super) fn source(&self) -> Arc<[Segment]> {
        self.frames.last().map_or_else(|| [].into(), |frame| Arc::clone(&frame.source))
    }

    /// Where unknown members of the innermost object are gathered.
    pub(super) fn gathered(&self) -> Arc<[Segment]> {
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
    pub(super) fn here(&self) -> FieldPath {
        let child = self.frames.last().map(StreamFrame::child);
        self.around().iter().cloned().chain(child).collect()
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
