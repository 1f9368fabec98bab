//! Events of a text that is never held whole.
//!
//! Takes bytes from a reader; gives the events of the first document in them. The parser runs over what is at hand, and
//! from time to time it is noted how far it has come. What it says close to the end of that may change with the bytes
//! that follow: then more is read, and the parser goes on from where it was noted last. No more is held than is read at
//! once, or than the longest scalar takes.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;

use crdkit_issue::{Issue, Span, codes};
use crdkit_value::Limits;

use super::chars::LineCounter;
use super::compose::Refusal;
use super::error::YamlProblem;
use super::event::{AnchorName, Event, EventKind};
use super::input::{LookAhead, YamlInput};
use super::parse::YamlParser;
use super::scan::{Scanner, Surroundings};
use super::tape::ParserEvents;

/// The scanner never looks further ahead than this, in bytes.
const FORESIGHT: usize = 16;

/// The events of what a reader gives.
pub(super) struct Windows<R> {
    inner: R,
    /// How much is read at once, and after how much it is noted how far the parser is.
    chunk: usize,
    stride: usize,
    max_bytes: usize,
    max_depth: usize,
    /// What is at hand, where it begins in the input, and how many lines end before it.
    buffer: Vec<u8>,
    base: usize,
    lines: LineCounter,
    has_begun: bool,
    at_end: bool,
    /// The parser as it was when it had passed all that is not at hand any more.
    parser: YamlParser<'static>,
    /// Events that no further byte changes.
    ready: VecDeque<Event<'static>>,
    /// What is wrong after those.
    refused: Option<Refusal>,
    /// Where the content of the document begins.
    content: usize,
    is_over: bool,
}

impl<R: Read> Windows<R> {
    pub(super) fn new(inner: R, chunk: usize, limits: &Limits) -> Self {
        let around =
            Surroundings { bad: None, ascii: true, line_feeds_only: true, max_depth: limits.depth };
        Self {
            inner,
            chunk: chunk.max(1),
            stride: chunk / 32,
            max_bytes: limits.bytes,
            max_depth: limits.depth,
            buffer: Vec::new(),
            base: 0,
            lines: LineCounter::default(),
            has_begun: false,
            at_end: false,
            parser: YamlParser::new(Scanner::new("", around)),
            ready: VecDeque::new(),
            refused: None,
            content: 0,
            is_over: false,
        }
    }

    /// Makes at least one event ready, or says why there is none.
    fn advance(&mut self) -> Result<(), Refusal> {
        while self.ready.is_empty() && self.refused.is_none() {
            if self.has_begun {
                self.parse();
            } else {
                self.begin()?;
            }
            if self.ready.is_empty() && self.refused.is_none() {
                if self.buffer.len() > self.max_bytes {
                    return Err(self.too_large());
                }
                self.read().map_err(Refusal::Io)?;
            }
        }
        Ok(())
    }

    /// Reads at least as much again as is at hand, so that looking at it once more costs no more than its length in all.
    fn read(&mut self) -> io::Result<()> {
        let wanted = 2 * self.buffer.len() + 1;
        while self.buffer.len() < wanted && !self.at_end {
            let length = self.buffer.len();
            self.buffer.resize(length + self.chunk.max(wanted - length), 0);
            let outcome = self.inner.read(self.buffer.get_mut(length..).unwrap_or_default());
            self.buffer.truncate(length + outcome.as_ref().copied().unwrap_or_default());
            match outcome {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => self.at_end = outcome? == 0,
            }
        }
        Ok(())
    }

    /// Takes the byte order mark away, once enough is at hand to see it. Text in UTF-16 is read to its end and becomes
    /// UTF-8.
    fn begin(&mut self) -> Result<(), Refusal> {
        match *self.buffer {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                while !self.at_end && self.buffer.len() <= self.max_bytes {
                    self.read().map_err(Refusal::Io)?;
                }
                let input = YamlInput::new(&self.buffer, LookAhead::Document);
                let refused = input.bad.map(|bad| bad.issue(&[], &mut LineCounter::default()));
                self.buffer = input.text.into_owned().into_bytes();
                self.refused = refused.map(Refusal::Limit);
            }
            [0xEF, 0xBB, 0xBF, ..] => {
                self.buffer.drain(..3);
                self.base = 3;
            }
            _ if self.buffer.len() < 3 && !self.at_end => return Ok(()),
            _ => {}
        }
        self.has_begun = true;
        Ok(())
    }

    /// Runs the parser over what is at hand, and makes ready what is certain.
    fn parse(&mut self) {
        let whole = if self.at_end { self.buffer.len() } else { complete_length(&self.buffer) };
        let bytes = self.buffer.get(..whole).unwrap_or_default();
        let input = YamlInput::utf8(bytes, self.base, LookAhead::Document);
        let text: &str = &input.text;
        // Nothing after a bad character is ever read.
        let is_last = self.at_end || input.bad.is_some();
        let around = Surroundings {
            bad: input.bad.clone(),
            ascii: input.ascii,
            line_feeds_only: input.line_feeds_only,
            max_depth: self.max_depth,
        };
        let anchors = mem::take(self.parser.anchors());
        let mut parser = self.parser.clone().attach(text, around);
        *parser.anchors() = anchors;
        let mut certain = None;
        let mut noted = 0;
        let mut events = Vec::new();
        let failure = loop {
            let outcome = parser.next();
            let position = parser.position();
            if !is_last && position + FORESIGHT > text.len() {
                break None;
            }
            match outcome {
                // The line that it is about may go on.
                Err(failure) if !is_last && failure.end() >= text.len() => break None,
                Err(failure) => {
                    certain = None;
                    noted = events.len();
                    break Some(failure);
                }
                Ok(event) => {
                    let is_end =
                        matches!(event.kind, EventKind::DocumentEnd | EventKind::StreamEnd);
                    events.push(event.detached(self.base));
                    if is_end || is_last {
                        noted = events.len();
                    }
                    if is_end {
                        self.is_over = true;
                        break None;
                    }
                }
            }
            let last = certain.as_ref().map_or(0, |(place, ..): &(usize, _, _)| *place);
            if !is_last && position > last + self.stride {
                let (passed, parser) = parser.detach();
                certain = Some((position, passed, parser));
                noted = events.len();
            }
        };
        let anchors = mem::take(parser.anchors());
        events.truncate(noted);
        self.ready.extend(events);
        if let Some(failure) = failure {
            let failure = match failure.problem() {
                YamlProblem::Encoding(_) => failure.moved_back(self.base),
                _ => failure,
            };
            let mut issue = failure.issue(bytes, &mut self.lines.clone());
            issue.span = issue.span.map(|span| span.shifted(self.base));
            self.refused = Some(Refusal::Limit(issue));
        }
        if let Some((_, passed, parser)) = certain {
            self.lines = LineCounter::after(self.lines.lines_before(bytes, passed));
            self.parser = parser;
            self.buffer.drain(..passed);
            self.base += passed;
        }
        *self.parser.anchors() = anchors;
    }

    fn too_large(&self) -> Refusal {
        let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", self.max_bytes);
        Refusal::Limit(Box::new(issue.span(Span::at(self.content + self.max_bytes))))
    }
}

impl<R: Read> ParserEvents<'static> for Windows<R> {
    fn next(&mut self) -> Result<Event<'static>, Refusal> {
        if self.ready.is_empty() && !self.is_over {
            self.advance()?;
        }
        let Some(event) = self.ready.pop_front() else {
            return if let Some(refusal) = self.refused.take() {
                Err(refusal)
            } else {
                let (start, end) = (self.base, self.base);
                Ok(Event { kind: EventKind::StreamEnd, anchor: None, start, end })
            };
        };
        if let EventKind::DocumentStart = event.kind {
            self.content = event.end;
        }
        if event.end.saturating_sub(self.content) > self.max_bytes {
            return Err(self.too_large());
        }
        Ok(event)
    }

    fn anchor_name(&mut self, anchor: AnchorName) -> &str {
        self.parser.anchors().name(anchor)
    }
}

/// How many of `bytes` are there without a character at the end that is cut off.
fn complete_length(bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take(3).position(|byte| byte & 0xC0 != 0x80);
    let Some(back) = tail else { return bytes.len() };
    let lead = bytes.len() - back - 1;
    let width = match bytes.get(lead) {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => 1,
    };
    if back + 1 < width { lead } else { bytes.len() }
}
