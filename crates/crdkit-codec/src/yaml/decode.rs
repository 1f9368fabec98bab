//! Documents from YAML: the first, or all of a text.
//!
//! A document that cannot be read does not hide the ones behind it: reading goes on at the next `---` line, which
//! is always a boundary, because no value can hold such a line.

use std::borrow::Cow;
use std::collections::VecDeque;

use crdkit_issue::{Issue, Span, codes};
use crdkit_value::Document;
use memchr::memmem;

use super::chars::is_blank_or_end;
use super::compose::{Composed, Refusal, compose};
use super::error::{Failure, Problem};
use super::event::{Event, EventKind};
use super::input::Input;
use super::parse::Parser;
use super::scan::{Scanner, Surroundings};
use crate::{DecodeError, DecodeOptions, Decoded};

/// Decodes the first document of `bytes` and ignores what follows it, as Kubernetes does. Where there is none, it
/// is `null`.
///
/// # Errors
/// The finding, when the document is not YAML or does not convert to JSON.
pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
    let input = Input::new(bytes);
    let first = match &input.text {
        Cow::Borrowed(_) => Stream::new(bytes, input, options).next(),
        Cow::Owned(text) => Stream::over(text, &input, options).next(),
    };
    first.unwrap_or_else(|| Ok(Decoded { document: Document::null(), issues: Vec::new() }))
}

/// The documents of a text, each decoded when it is asked for.
pub struct Documents<'a, 'o>(Inner<'a, 'o>);

enum Inner<'a, 'o> {
    Stream(Box<Stream<'a, 'o>>),
    /// Documents of a text that had to be transcoded.
    Ready(VecDeque<Result<Decoded, Box<Issue>>>),
}

impl<'a, 'o> Documents<'a, 'o> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        let input = Input::new(bytes);
        Self(match &input.text {
            Cow::Borrowed(_) => Inner::Stream(Box::new(Stream::new(bytes, input, options))),
            Cow::Owned(text) => Inner::Ready(Stream::over(text, &input, options).collect()),
        })
    }
}

impl Iterator for Documents<'_, '_> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.0 {
            Inner::Stream(stream) => stream.next(),
            Inner::Ready(documents) => documents.pop_front(),
        };
        next.map(|outcome| outcome.map_err(DecodeError::from))
    }
}

/// Documents one after the other, with a new parser after each error.
struct Stream<'a, 'o> {
    /// All of the input.
    bytes: &'a [u8],
    options: &'o DecodeOptions,
    /// The part of the input that `parser` reads, and where it begins.
    text: &'a str,
    offset: usize,
    bad: Option<Failure>,
    ascii: bool,
    line_feeds_only: bool,
    parser: Parser<'a>,
    done: bool,
}

impl<'a, 'o> Stream<'a, 'o> {
    fn new(bytes: &'a [u8], input: Input<'a>, options: &'o DecodeOptions) -> Self {
        let text = match input.text {
            Cow::Borrowed(text) => text,
            Cow::Owned(_) => "",
        };
        let Input { offset, bad, ascii, line_feeds_only, .. } = input;
        let max_depth = options.limits.depth;
        let around = Surroundings { bad: bad.clone(), ascii, line_feeds_only, max_depth };
        let parser = Parser::new(Scanner::new(text, around));
        Self { bytes, options, text, offset, bad, ascii, line_feeds_only, parser, done: false }
    }

    /// The documents of transcoded text.
    fn over(text: &'a str, input: &Input<'_>, options: &'o DecodeOptions) -> Self {
        let input = Input {
            text: Cow::Borrowed(text),
            offset: 0,
            bad: input.bad.clone(),
            ascii: input.ascii,
            line_feeds_only: input.line_feeds_only,
        };
        Self::new(text.as_bytes(), input, options)
    }

    /// Goes on reading at `start`, a byte of the input.
    fn restart(&mut self, start: usize) {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let known_to_be_good =
            self.bad.is_none().then(|| self.text.get(start - self.offset..)).flatten();
        let input = match known_to_be_good {
            Some(text) => Input {
                text: Cow::Borrowed(text),
                offset: start,
                bad: None,
                ascii: self.ascii,
                line_feeds_only: self.line_feeds_only,
            },
            None => Input { offset: start, ..Input::utf8(rest, start) },
        };
        *self = Self::new(self.bytes, input, self.options);
    }

    /// The first `---` line at or after `from`, a byte of the input.
    fn next_marker(&self, from: usize) -> Option<usize> {
        let is_marker = |at: usize| {
            let line_start = at == 0 || matches!(self.bytes.get(at - 1), Some(b'\n' | b'\r'));
            line_start && is_blank_or_end(self.bytes, at + 3)
        };
        let rest = self.bytes.get(from..)?;
        memmem::find_iter(rest, "---").map(|at| from + at).find(|&at| is_marker(at))
    }

    /// Reads the document whose start event is `start`.
    fn document(&mut self, start: &Event<'_>) -> Result<Decoded, Refusal> {
        let content = self.offset + start.end;
        let end = self.next_marker(content).unwrap_or(self.bytes.len());
        let limit = self.options.limits.bytes;
        if end - content > limit {
            let issue = Issue::error(codes::decode::TOO_LARGE).with("limit", limit);
            return Err(Refusal::Limit(Box::new(issue.span(Span::at(content + limit)))));
        }
        let composed = compose(&mut self.parser, self.options, self.offset, end - content)?;
        let Composed { document, mut issues, typed_keys } = composed;
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
        let mut parser = Parser::new(Scanner::new(text, self.surroundings()));
        parser.next()?;
        let options = DecodeOptions { positions: true, ..self.options.clone() };
        let Composed { mut issues, mut typed_keys, .. } =
            compose(&mut parser, &options, self.offset + begin, 0)?;
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

    /// The finding about a failure, and a new start behind it.
    fn recover(&mut self, refusal: Refusal, content: Option<usize>) -> Box<Issue> {
        let (issue, noticed) = match refusal {
            Refusal::Limit(issue) => {
                let noticed = self.offset + self.parser.position();
                (issue, noticed)
            }
            Refusal::Failure(failure) => {
                // A bad character already has its place in the input.
                let failure = match failure.problem() {
                    Problem::Encoding(_) => failure,
                    _ => failure.moved(self.offset),
                };
                (failure.issue(self.bytes), failure.mark())
            }
        };
        let from = noticed.max(content.map_or(0, |content| self.offset + content));
        let mut marker = self.next_marker(from);
        if content.is_none() && self.bytes.get(noticed) == Some(&b'%') {
            // The marker ends the bad directives and belongs to the document that could not be read.
            marker = marker.and_then(|own| self.next_marker(own + 3));
        }
        match marker {
            Some(start) => self.restart(start),
            None => self.done = true,
        }
        issue
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
            Err(failure) => return Some(Err(self.recover(failure.into(), None))),
        };
        Some(self.document(&start).map_err(|refusal| self.recover(refusal, Some(start.end))))
    }
}
