//! YAML events to a document.
//!
//! Resolves scalars, turns keys into strings, expands aliases, applies merge keys in the order they stand, and
//! leaves duplicate keys, depth and size to the builder.
//!
//! Some errors concern only values that stay: a null key or an infinite number in a value that a later duplicate
//! replaces is none, because the mirrored reader converts to JSON after duplicates are gone. They are kept until
//! the document is complete.
//!
//! Upstream: `go.yaml.in/yaml/v2` `decode.go` and `sigs.k8s.io/yaml` `yaml.go`.

use std::borrow::Cow;
use std::io;

use crdkit_issue::{Issue, Span, codes};
use crdkit_value::{Builder, Document, Event as Built, NumberMode};

use super::error::{Failure, YamlProblem};
use super::event::{Event, EventKind, Scalar};
use super::number;
use super::parse::YamlParser;
use super::resolve::{Resolved, resolve};
use super::tape::{EventSource, ParserEvents, Sourced};
use crate::DecodeOptions;
use crate::number::{exact, is_json};

/// Why a document could not be composed.
pub(super) enum Refusal {
    /// The YAML is wrong.
    Failure(Failure),
    /// A limit was exceeded, or what is wrong has been put into words already.
    Limit(Box<Issue>),
    /// The text could not be read.
    Io(io::Error),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Box<Issue>> for Refusal {
    fn from(issue: Box<Issue>) -> Self {
        Self::Limit(issue)
    }
}

/// A composed document.
pub(super) struct Composed {
    pub(super) document: Document,
    pub(super) issues: Vec<Issue>,
    /// The keys that were not strings before they became some, by where they stand.
    pub(super) typed_keys: Vec<(Span, KeyType)>,
    /// Where its last value ends in the text.
    pub(super) end: usize,
    /// How much text aliases repeat in it.
    pub(super) n_alias_bytes: usize,
}

/// What a key that became a string was before. Keys of different types are never duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum KeyType {
    Bool,
    Int,
    Float(f64),
}

/// How much text aliases may still repeat in a stream. Reading makes room again, a byte for each byte, so that
/// many documents together get no larger than one may, beyond what they are themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct AliasRoom {
    left: usize,
    limit: usize,
}

impl AliasRoom {
    pub(super) fn new(limit: usize) -> Self {
        Self { left: limit, limit }
    }

    /// What is left after a document of `size` bytes in which aliases repeat `n_repeated`.
    pub(super) fn after(self, n_repeated: usize, size: usize) -> Self {
        let left = self.left.saturating_sub(n_repeated).saturating_add(size);
        Self { left: left.min(self.limit), ..self }
    }
}

/// Reads the content of one document up to its end event. `offset` is added to all positions, `size` is about how
/// long the document is.
pub(super) fn compose(
    parser: &mut YamlParser<'_>,
    options: &DecodeOptions,
    offset: usize,
    size: usize,
    room: AliasRoom,
) -> Result<Composed, Refusal> {
    let mut builder = Builder::new(&options.limits, options.duplicates)
        .with_capacity(size)
        .reporting_tolerated(options.report_duplicates);
    if options.positions {
        builder = builder.keeping_positions(offset);
    }
    let mut composer = Composer::new(parser, builder, options.numbers, room);
    composer.offset = offset;
    while composer.step()? {}
    let Composer { sink, deferred, typed_keys, last_end, n_alias_bytes, .. } = composer;
    let (document, issues) = sink.finish();
    match first_that_stays(&document, deferred) {
        Some(failure) => Err(failure.into()),
        None => Ok(Composed { document, issues, typed_keys, end: last_end, n_alias_bytes }),
    }
}

/// A collection that has begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum YamlFrame {
    Sequence,
    /// Whether the next node is a value.
    Mapping {
        value: bool,
    },
    /// A mapping whose members go to the mapping around it.
    Merged {
        value: bool,
    },
    /// A list of mappings whose members go to the mapping around it, and how many are left.
    MergeList(usize),
}

/// What takes the events of the document.
pub(super) trait DocumentSink {
    fn event(&mut self, event: Built<'_>, span: Span) -> Result<(), Box<Issue>>;
}

impl DocumentSink for Builder<'_> {
    #[inline]
    fn event(&mut self, event: Built<'_>, span: Span) -> Result<(), Box<Issue>> {
        Builder::event(self, event, span)
    }
}

/// Makes the events of a document of those of a parser.
pub(super) struct Composer<'a, P, S> {
    pub(super) source: EventSource<'a, P>,
    pub(super) sink: S,
    numbers: NumberMode,
    /// Added to all positions.
    offset: usize,
    frames: Vec<YamlFrame>,
    /// Where the last value ended; block collections end there.
    last_end: usize,
    /// How many values the builder has.
    n_values: usize,
    /// How many nodes have been read, and how many of them through aliases.
    n_decodes: usize,
    n_alias_decodes: usize,
    /// How much text has been read through aliases, and how much may be.
    n_alias_bytes: usize,
    room: AliasRoom,
    /// Errors about the value of the given number that count only if it stays in the document.
    pub(super) deferred: Vec<(usize, Failure)>,
    pub(super) typed_keys: Vec<(Span, KeyType)>,
}

impl<'a, P: ParserEvents<'a>, S: DocumentSink> Composer<'a, P, S> {
    pub(super) fn new(parser: P, sink: S, numbers: NumberMode, room: AliasRoom) -> Self {
        Self {
            source: EventSource::new(parser),
            sink,
            numbers,
            offset: 0,
            frames: Vec::new(),
            last_end: 0,
            n_values: 0,
            n_decodes: 1,
            n_alias_decodes: 0,
            n_alias_bytes: 0,
            room,
            deferred: Vec::new(),
            typed_keys: Vec::new(),
        }
    }

    /// Takes one event of the parser, which gives at most one to the sink. False at the end of the document.
    #[inline]
    pub(super) fn step(&mut self) -> Result<bool, Refusal> {
        if let Some(alias_end) = self.source.finish_repeats() {
            self.last_end = alias_end;
        }
        if self.frames.last() == Some(&YamlFrame::MergeList(0)) {
            self.frames.pop();
            return Ok(true);
        }
        let Sourced { event, target } = self.source.next()?;
        if let EventKind::DocumentEnd | EventKind::StreamEnd = event.kind {
            return Ok(false);
        }
        if let EventKind::End = event.kind {
            self.end(&event)?;
            return Ok(true);
        }
        match self.frames.last_mut() {
            Some(YamlFrame::Mapping { value } | YamlFrame::Merged { value }) => {
                *value = !*value;
                if *value {
                    self.key(event, target)?;
                    return Ok(true);
                }
            }
            Some(YamlFrame::MergeList(_)) => {
                self.merge(&event, target)?;
                return Ok(true);
            }
            Some(YamlFrame::Sequence) | None => {}
        }
        self.value(event, target)?;
        Ok(true)
    }

    fn span(&self, event: &Event<'_>) -> Span {
        Span::new(event.start, event.end).shifted(self.offset)
    }

    /// Counts a node, and refuses a document most of which is repeated through aliases.
    #[inline]
    fn count(&mut self, span: Span) -> Result<(), Failure> {
        self.n_decodes += 1;
        if self.source.in_alias() {
            self.n_alias_decodes += 1;
        }
        if self.n_alias_decodes > 100
            && self.n_decodes > 1000
            && is_excessive(self.n_alias_decodes, self.n_decodes)
        {
            return Err(self.failure(YamlProblem::ExcessiveAliasing, span));
        }
        Ok(())
    }

    /// Counts the text of a scalar that is read through an alias.
    fn count_text(&mut self, scalar: &Scalar<'_>, span: Span) -> Result<(), Refusal> {
        self.n_alias_bytes += scalar.text.len();
        if self.n_alias_bytes <= self.room.left {
            return Ok(());
        }
        let issue = Issue::error(codes::decode::ALIASES_TOO_LARGE);
        Err(Refusal::Limit(Box::new(issue.with("limit", self.room.limit).span(span))))
    }

    fn build(&mut self, built: Built<'_>, span: Span) -> Result<(), Refusal> {
        self.n_values += 1;
        Ok(self.sink.event(built, span)?)
    }

    fn end(&mut self, event: &Event<'_>) -> Result<(), Refusal> {
        // The end of a block collection is where the next token begins.
        if event.end > event.start {
            self.last_end = event.end;
        }
        let span = Span::at(self.last_end + self.offset);
        match self.frames.pop() {
            Some(YamlFrame::Sequence) => self.sink.event(Built::EndArray, span)?,
            Some(YamlFrame::Mapping { .. }) => self.sink.event(Built::EndObject, span)?,
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, event: Event<'a>, target: usize) -> Result<(), Refusal> {
        let span = self.span(&event);
        self.count(span)?;
        self.last_end = event.end;
        match event.kind {
            EventKind::Scalar(scalar) => self.scalar(&scalar, span),
            EventKind::SequenceStart => {
                self.frames.push(YamlFrame::Sequence);
                self.build(Built::BeginArray, span)
            }
            EventKind::MappingStart => {
                self.frames.push(YamlFrame::Mapping { value: false });
                self.build(Built::BeginObject, span)
            }
            EventKind::Alias(_) => {
                // The value comes next, in the alias's place.
                if let Some(YamlFrame::Mapping { value } | YamlFrame::Merged { value }) =
                    self.frames.last_mut()
                {
                    *value = true;
                }
                self.source.repeat_alias(target, event.end);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: &Scalar<'_>, span: Span) -> Result<(), Refusal> {
        if self.source.in_alias() {
            self.count_text(scalar, span)?;
        }
        let resolved = resolve(scalar).map_err(|problem| self.failure(problem, span))?;
        let as_text = self.numbers == NumberMode::Text;
        let is_number =
            matches!(resolved, Resolved::Int(_) | Resolved::Unsigned(_) | Resolved::Float(_));
        if self.numbers == NumberMode::Exact && is_number && is_json(&scalar.text) {
            return self.build(exact(&scalar.text), span);
        }
        let built = match &resolved {
            Resolved::Null => Built::Null,
            Resolved::Bool(bool) => Built::Bool(*bool),
            Resolved::Text(text) => Built::String(text),
            Resolved::Float(float) if !float.is_finite() => {
                let problem = YamlProblem::UnsupportedNumber(if float.is_nan() {
                    "NaN"
                } else if *float > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                });
                self.deferred.push((self.n_values, self.failure(problem, span)));
                Built::Null
            }
            Resolved::Int(_) | Resolved::Unsigned(_) | Resolved::Float(_) if as_text => {
                let text = number::json_text(&resolved);
                return self.build(Built::Number(&text), span);
            }
            Resolved::Int(int) => Built::Int(*int),
            #[expect(clippy::cast_precision_loss, reason = "integers above `i64` are doubles")]
            Resolved::Unsigned(int) => Built::Float(*int as f64),
            Resolved::Float(float) => {
                number::whole(*float).map_or(Built::Float(*float), Built::Int)
            }
        };
        self.build(built, span)
    }

    fn key(&mut self, event: Event<'a>, target: usize) -> Result<(), Refusal> {
        let span = self.span(&event);
        let scalar = match event.kind {
            EventKind::Scalar(scalar) if scalar.is_merge() => return self.merge_key(),
            EventKind::Scalar(scalar) => {
                self.count(span)?;
                if self.source.in_alias() {
                    self.count_text(&scalar, span)?;
                }
                scalar
            }
            EventKind::Alias(_) => {
                self.count(span)?;
                match self.source.recorded(target).map(|event| event.kind.clone()) {
                    Some(EventKind::Scalar(scalar)) => {
                        self.n_decodes += 1;
                        self.n_alias_decodes += 1;
                        self.count_text(&scalar, span)?;
                        scalar
                    }
                    _ => return Err(self.failure(YamlProblem::CollectionKey, span).into()),
                }
            }
            _ => return Err(self.failure(YamlProblem::CollectionKey, span).into()),
        };
        self.last_end = event.end;
        let resolved = resolve(&scalar).map_err(|problem| self.failure(problem, span))?;
        let (text, key_type) = match resolved {
            Resolved::Text(text) => (text, None),
            Resolved::Bool(bool) => {
                (Cow::Borrowed(if bool { "true" } else { "false" }), Some(KeyType::Bool))
            }
            Resolved::Int(int) => (Cow::Owned(int.to_string()), Some(KeyType::Int)),
            Resolved::Float(float) => {
                (Cow::Owned(number::key_text(float)), Some(KeyType::Float(float)))
            }
            // The NUL keeps what stands for an impossible key apart from every likely one.
            Resolved::Null => {
                self.defer_key(YamlProblem::UnsupportedKey("null"), span);
                (Cow::Borrowed("\0null"), None)
            }
            Resolved::Unsigned(int) => {
                self.defer_key(YamlProblem::UnsupportedKey("uint64"), span);
                (Cow::Owned(format!("\0{int}")), None)
            }
        };
        if let Some(key_type) = key_type {
            self.typed_keys.push((span, key_type));
        }
        Ok(self.sink.event(Built::Key(&text), span)?)
    }

    fn defer_key(&mut self, problem: YamlProblem, span: Span) {
        self.deferred.push((self.n_values, self.failure(problem, span)));
    }

    /// Reads the value of a `<<` key.
    fn merge_key(&mut self) -> Result<(), Refusal> {
        // The value belongs to the merge, so the mapping around it expects a key next.
        if let Some(YamlFrame::Mapping { value } | YamlFrame::Merged { value }) =
            self.frames.last_mut()
        {
            *value = false;
        }
        let Sourced { event, target } = self.source.next()?;
        if let EventKind::SequenceStart = event.kind {
            let n_items = self.source.repeat_items_backwards(event)?;
            self.frames.push(YamlFrame::MergeList(n_items));
            return Ok(());
        }
        self.merge(&event, target)
    }

    /// Begins to merge a mapping, or what an alias stands for.
    fn merge(&mut self, event: &Event<'a>, target: usize) -> Result<(), Refusal> {
        let mapping = match event.kind {
            EventKind::Alias(_) => self.source.recorded(target),
            _ => Some(event),
        };
        let span = self.span(event);
        if !matches!(mapping, Some(Event { kind: EventKind::MappingStart, .. })) {
            return Err(self.failure(YamlProblem::MergeNotMapping, span).into());
        }
        self.count(span)?;
        if let Some(YamlFrame::MergeList(left)) = self.frames.last_mut() {
            *left -= 1;
        }
        if let EventKind::Alias(_) = event.kind {
            self.last_end = event.end;
            self.source.repeat_alias(target, event.end);
            self.source.next()?;
            self.count(span)?;
        }
        self.frames.push(YamlFrame::Merged { value: false });
        Ok(())
    }

    fn failure(&self, problem: YamlProblem, span: Span) -> Failure {
        Failure::new(problem, span.start - self.offset, span.end - self.offset)
    }
}

/// Whether `n_alias` of `n_all` nodes are too many to come from aliases: up to 99 % in small documents, down to
/// 10 % in large ones.
fn is_excessive(n_alias: usize, n_all: usize) -> bool {
    const SMALL: f64 = 400_000.0;
    const LARGE: f64 = 4_000_000.0;
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let (n_alias, n_all) = (n_alias as f64, n_all as f64);
    let allowed = if n_all <= SMALL {
        0.99
    } else if n_all >= LARGE {
        0.10
    } else {
        0.99 - 0.89 * ((n_all - SMALL) / (LARGE - SMALL))
    };
    n_alias / n_all > allowed
}

/// The first of the errors whose value is still in the document.
fn first_that_stays(document: &Document, deferred: Vec<(usize, Failure)>) -> Option<Failure> {
    if deferred.is_empty() {
        return None;
    }
    let mut stays = vec![false; document.n_nodes()];
    let mut open = vec![document.root()];
    while let Some(value) = open.pop() {
        if let Some(slot) = stays.get_mut(value.id().index()) {
            *slot = true;
        }
        open.extend(value.items());
        open.extend(value.members().map(|(_, member)| member));
    }
    deferred
        .into_iter()
        .find(|(number, _)| stays.get(*number).copied().unwrap_or_default())
        .map(|(_, failure)| failure)
}
