//! One document after the other out of one text.
//!
//! A document that cannot be read does not hide the ones after it: reading goes on, with a new parser, at the next
//! `---` line, which is always a boundary, because no value can hold such a line.

use std::borrow::Cow;

use crdkit_issue::{Issue, Span, codes};

use super::chars::{LineCounter, next_marker};
use super::compose::{AliasRoom, Composed, Refusal, compose};
use super::error::{Failure, YamlProblem};
use super::event::{Event, EventKind};
use super::input::YamlInput;
use super::parse::YamlParser;
use super::pieces::{is_line_end, is_prologue};
use super::scan::{Scanner, Surroundings};
use crate::{DecodeOptions, Decoded};

/// Documents one after the other, with a new parser after each error.
pub(super) struct Stream<'a, 'o> {
    /// All of the input, and where it stands in what the caller reads.
    bytes: &'a [u8],
    base: usize,
    options: &'o DecodeOptions,
    /// The part of the input that `parser` reads, and where it begins.
    text: &'a str,
    offset: usize,
    bad: Option<Failure>,
    ascii: bool,
    line_feeds_only: bool,
    parser: YamlParser<'a>,
    /// Counts lines of the whole input for messages.
    line_counter: LineCounter,
    /// The first `---` line after some document before, or the end; streams without any are not searched again and again.
    marker: usize,
    room: AliasRoom,
    /// How much of the input belongs to the document after the `---` line that follows it, if one does.
    n_left: Option<usize>,
    /// Where the content of the last document ends.
    content_end: usize,
    done: bool,
}

impl<'a, 'o> Stream<'a, 'o> {
    /// The documents of `bytes`, whose checked text is `input`.
    pub(super) fn new(
        bytes: &'a [u8],
        base: usize,
        input: YamlInput<'a>,
        options: &'o DecodeOptions,
        room: AliasRoom,
    ) -> Self {
        let text = match input.text {
            Cow::Borrowed(text) => text,
            Cow::Owned(_) => "",
        };
        let YamlInput { offset, bad, ascii, line_feeds_only, .. } = input;
        let max_depth = options.limits.depth;
        let around = Surroundings { bad: bad.clone(), ascii, line_feeds_only, max_depth };
        let parser = YamlParser::new(Scanner::new(text, around));
        let line_counter = LineCounter::default();
        Self {
            bytes,
            base,
            options,
            text,
            offset,
            bad,
            ascii,
            line_feeds_only,
            parser,
            line_counter,
            marker: 0,
            room,
            n_left: None,
            content_end: 0,
            done: false,
        }
    }

    /// The documents of a text that a `---` line follows.
    pub(super) fn before_marker(self) -> Self {
        Self { n_left: Some(0), ..self }
    }

    /// How much at the end of the input is directives of the document after it.
    pub(super) fn n_left(&self) -> usize {
        self.n_left.unwrap_or_default()
    }

    /// What aliases may still repeat in what follows.
    pub(super) fn room(&self) -> AliasRoom {
        self.room
    }

    /// The documents of transcoded text.
    pub(super) fn over(
        text: &'a str,
        input: &YamlInput<'_>,
        options: &'o DecodeOptions,
        room: AliasRoom,
    ) -> Self {
        let input = YamlInput {
            text: Cow::Borrowed(text),
            offset: 0,
            bad: input.bad.clone(),
            ascii: input.ascii,
            line_feeds_only: input.line_feeds_only,
        };
        Self::new(text.as_bytes(), 0, input, options, room)
    }

    /// Goes on reading at `start`, a byte of the input.
    fn restart(&mut self, start: usize) {
        // Up to the first bad character the text is known already.
        let input = match self.text.get(start - self.offset..) {
            Some(text) => YamlInput {
                text: Cow::Borrowed(text),
                offset: start,
                bad: self.bad.clone(),
                ascii: self.ascii,
                line_feeds_only: self.line_feeds_only,
            },
            None => YamlInput::after_bad(self.bytes.get(start..).unwrap_or_default(), start),
        };
        let line_counter = self.line_counter;
        *self = Self {
            line_counter,
            n_left: self.n_left,
            content_end: start,
            ..Self::new(self.bytes, self.base, input, self.options, self.room)
        };
    }

    /// Reads the document whose start event is `start`.
    fn document(&mut self, start: &Event<'_>) -> Result<Decoded, Refusal> {
        let content = self.offset + start.end;
        if self.marker <= content {
            self.marker = next_marker(self.bytes, content).unwrap_or(self.bytes.len());
        }
        let end = self.marker;
        let limit = self.options.limits.bytes;
        if end - content > limit {
            let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", limit);
            return Err(Refusal::Limit(Box::new(
                issue.span(Span::at(self.base + content + limit)),
            )));
        }
        let composed = {
            let offset = self.base + self.offset;
            compose(&mut self.parser, self.options, offset, end - content, self.room)?
        };
        let Composed { document, mut issues, typed_keys, end, n_alias_bytes } = composed;
        self.room = self.room.after(n_alias_bytes, end.saturating_sub(start.end));
        self.content_end = self.offset + end;
        if !issues.is_empty() && !typed_keys.is_empty() {
            // A document without a marker begins where the text does.
            let begin = if start.start < start.end { start.start } else { 0 };
            issues = self.duplicates_of_one_type(begin)?;
        }
        Ok(Decoded { document, issues })
    }

    /// The duplicate keys of the document that begins at `begin` of the text, without those that only became equal
    /// when keys became strings, such as `1` and `"1"`.
    fn duplicates_of_one_type(&self, begin: usize) -> Result<Vec<Issue>, Refusal> {
        let text = self.text.get(begin..).unwrap_or_default();
        let mut parser = YamlParser::new(Scanner::new(text, self.surroundings()));
        parser.next()?;
        let options = DecodeOptions { positions: true, ..self.options.clone() };
        let room = AliasRoom::new(options.limits.alias_bytes);
        let Composed { mut issues, mut typed_keys, .. } =
            compose(&mut parser, &options, self.base + self.offset + begin, 0, room)?;
        typed_keys.sort_by_key(|(span, _)| *span);
        let type_at = |span: Span| {
            let found = typed_keys.binary_search_by_key(&span, |(span, _)| *span).ok()?;
            typed_keys.get(found).map(|(_, key_type)| *key_type)
        };
        issues.retain(|issue| {
            let first = issue.related.first().map(|first| first.span);
            issue.span.and_then(type_at) == first.and_then(type_at)
        });
        if !self.options.positions {
            for issue in &mut issues {
                issue.span = None;
                issue.related.clear();
            }
        }
        Ok(issues)
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            bad: self.bad.clone(),
            ascii: self.ascii,
            line_feeds_only: self.line_feeds_only,
            max_depth: self.options.limits.depth,
        }
    }

    /// The finding about a failure, and a new start at the first marker after its place.
    fn recover(&mut self, refusal: Refusal, content: Option<usize>) -> Box<Issue> {
        let issue = match refusal {
            Refusal::Limit(issue) => issue,
            // A text that is at hand is not read from anywhere.
            Refusal::Io(_) => Box::new(Issue::error(codes::decode::NOT_READ)),
            Refusal::Failure(failure) => {
                // A bad character already has its place in the input.
                let failure = match failure.problem() {
                    YamlProblem::Encoding(_) => failure,
                    _ => failure.moved(self.offset),
                };
                let mut issue = failure.issue(self.bytes, &mut self.line_counter);
                issue.span = issue.span.map(|span| span.shifted(self.base));
                issue
            }
        };
        let place = issue.span.map_or(self.base, |span| span.start) - self.base;
        let from = place.max(self.offset + content.unwrap_or_default());
        let mut marker = next_marker(self.bytes, from);
        if let (None, Some(own)) = (content, marker)
            && self.ends_directives(place, own)
        {
            // The marker belongs to the document that could not be read.
            marker = next_marker(self.bytes, own + 3);
        }
        match marker {
            Some(start) => self.restart(start),
            None => self.done = true,
        }
        issue
    }
}

impl Stream<'_, '_> {
    /// Whether the marker at `marker` ends the directives one of which is on the line of `place`.
    fn ends_directives(&self, place: usize, marker: usize) -> bool {
        let before = self.bytes.get(..place).unwrap_or_default();
        let line_start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
        let lines = self.bytes.get(line_start..marker).unwrap_or_default();
        lines.starts_with(b"%") && is_prologue(lines)
    }

    /// What comes after the last document, where it is directives of the document after the input.
    fn left(&self) -> Option<&[u8]> {
        let is_after_document = self.n_left.is_some() && self.content_end > 0;
        let rest = self.bytes.get(self.content_end..).filter(|_| is_after_document)?;
        let has_directive = rest.split(|byte| is_line_end(*byte)).any(|it| it.starts_with(b"%"));
        (has_directive && is_prologue(rest)).then_some(rest)
    }
}

impl Iterator for Stream<'_, '_> {
    type Item = Result<Decoded, Box<Issue>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let start = match self.parser.next() {
            Ok(Event { kind: EventKind::StreamEnd, .. }) => {
                self.done = true;
                return None;
            }
            Ok(start) => start,
            Err(failure) => {
                if let Some(left) = self.left() {
                    (self.n_left, self.done) = (Some(left.len()), true);
                    return None;
                }
                return Some(Err(self.recover(failure.into(), None)));
            }
        };
        Some(self.document(&start).map_err(|refusal| self.recover(refusal, Some(start.end))))
    }
}
