//! The source lines of a finding, with a caret below.
//!
//! Only a window of lines around the finding is handed to the renderer, so that a large file costs no
//! more than a small one. In binary input the place is a byte offset, and the excerpt shows bytes.

use super::escape::block;
use crate::input::Input;
use crate::rendered::{Origin, SourceMap};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use crdkit_issue::{Issue, LineIndex, Position, Related, Severity, Span};
use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// The text that findings point into.
pub(crate) struct SourceText<'a> {
    name: &'a str,
    bytes: &'a [u8],
    lines: LineIndex,
    /// The number of its first line in the file it is of, and how much stands before it there.
    first_line: usize,
    first_column: usize,
    is_binary: bool,
    /// Where it comes from, if a program put it together.
    map: Option<&'a SourceMap>,
}

impl<'a> SourceText<'a> {
    pub(crate) fn new(name: &'a str, bytes: &'a [u8], first_line: usize) -> Self {
        let lines = LineIndex::new(bytes);
        Self { name, bytes, lines, first_line, first_column: 0, is_binary: false, map: None }
    }

    /// The source that `input` is.
    pub(crate) fn of(input: &'a Input) -> Self {
        let Input { name, bytes, first_line, first_column, format, .. } = input;
        let is_binary = format.is_binary();
        let (first_column, map) = (*first_column, input.map.as_deref());
        Self { first_column, is_binary, map, ..Self::new(name, bytes, *first_line) }
    }

    /// What the source is called.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// Shows one finding on standard error.
    pub(crate) fn show(&self, issue: &Issue) {
        self.show_about("", issue);
    }

    /// Shows one finding about the object called `subject` on standard error.
    pub(crate) fn show_about(&self, subject: &str, issue: &Issue) {
        let finding = super::ShownFinding::new(issue, self, true);
        let about = if subject.is_empty() { String::new() } else { format!("{subject}: ") };
        let text = super::people::pretty(self.name, &finding, &(about + &finding.text()));
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }

    /// The line and column of a byte, in text.
    pub(crate) fn position(&self, offset: usize) -> Option<Position> {
        self.range(Span::at(offset)).map(|(start, _)| start)
    }

    /// The lines and columns that `span` begins and ends at, in text.
    pub(super) fn range(&self, span: Span) -> Option<(Position, Position)> {
        if self.is_binary {
            return None;
        }
        if self.map.is_some() {
            let first = Position { line: 1, column: 1 };
            return Some(self.origin(span).map_or(
                (first, first),
                |Origin { file, span, .. }| {
                    let at = |offset| file.lines.position(file.text.as_bytes(), offset);
                    (at(span.start), at(span.end))
                },
            ));
        }
        let at = |offset| {
            let Position { line, mut column } = self.lines.position(self.bytes, offset);
            if line == 1 {
                column += self.first_column;
            }
            Position { line: line + self.first_line - 1, column }
        };
        Some((at(span.start), at(span.end.max(span.start))))
    }

    /// Where `span` comes from, if a program put the source together.
    pub(super) fn origin(&self, span: Span) -> Option<Origin> {
        self.map?.origin(self.bytes, span)
    }

    /// The lines of a finding in the files that the source was made of, and what became of them.
    fn excerpt_of_origin(&self, issue: &Issue, span: Span) -> String {
        let start = self.lines.line_start(self.lines.position(self.bytes, span.start).line);
        let line = self.bytes.get(start..).unwrap_or_default().split(|byte| *byte == b'\n').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
        let rendered = || format!("  = rendered: {}\n", block(line.trim()));
        let Some(Origin { file, span, is_exact }) = self.origin(span) else { return rendered() };
        let related = issue.related.iter().filter_map(|other| {
            let origin = self.origin(other.span)?;
            let is_there = origin.is_exact && Arc::ptr_eq(&origin.file, &file);
            is_there.then(|| Related { span: origin.span, ..other.clone() })
        });
        let mut there = issue.clone();
        (there.span, there.related) = (Some(span), related.collect());
        let excerpt = SourceText::new(&file.name, file.text.as_bytes(), 1).excerpt(&there);
        if is_exact { excerpt } else { excerpt + &rendered() }
    }

    /// Where a finding begins in binary input.
    pub(super) fn offset(&self, issue: &Issue) -> Option<usize> {
        issue.span.filter(|_| self.is_binary).map(|span| span.start)
    }

    /// The lines of a finding; nothing if it has no place.
    pub(super) fn excerpt(&self, issue: &Issue) -> String {
        let level = match issue.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let Some(span) = issue.span else { return String::new() };
        if self.map.is_some() {
            return self.excerpt_of_origin(issue, span);
        }
        let mut group = Group::with_level(level);
        let places = std::iter::once((span, AnnotationKind::Primary, ""));
        let related = issue.related.iter();
        let related = related.map(|other| (other.span, AnnotationKind::Context, other.label));
        for window in Window::around(places.chain(related).collect(), self) {
            group = group.element(window.snippet(self));
        }
        Renderer::styled().render(&[group]) + "\n"
    }
}

type Mark = (Range<usize>, AnnotationKind, &'static str);

/// A few lines of the source with marks in them.
struct Window {
    text: String,
    line: usize,
    marks: Vec<Mark>,
}

impl Window {
    /// More than this of one line helps nobody.
    const LONGEST: usize = 200;
    /// Places this close are shown together; the renderer leaves out lines between them.
    const NEAR: usize = 4096;

    /// One window for all places if they are near each other, otherwise one for each.
    fn around(
        mut places: Vec<(Span, AnnotationKind, &'static str)>,
        source: &SourceText<'_>,
    ) -> Vec<Self> {
        if source.is_binary {
            return places.into_iter().map(|place| Self::hex(place, source.bytes)).collect();
        }
        let first = places.iter().map(|(span, ..)| span.start).min().unwrap_or_default();
        let last = places.iter().map(|(span, ..)| span.start).max().unwrap_or_default();
        if last - first <= Self::NEAR {
            places.sort_by_key(|(span, ..)| span.start);
            return vec![Self::over(&places, source)];
        }
        places.iter().map(|place| Self::over(std::slice::from_ref(place), source)).collect()
    }

    /// A row of bytes around a place, with the offset of the first one for its number.
    fn hex((span, kind, label): (Span, AnnotationKind, &'static str), bytes: &[u8]) -> Self {
        const BEFORE: usize = 6;
        const ROW: usize = 16;
        /// Two digits and a space.
        const WIDTH: usize = 3;
        let start = span.start.min(bytes.len());
        let first = start.saturating_sub(BEFORE);
        let row = bytes.get(first..bytes.len().min(first + ROW)).unwrap_or_default();
        let text: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = text.join(" ");
        let from = ((start - first) * WIDTH).min(text.len());
        let n_marked = (span.end.max(start) - start).min(ROW);
        let to = (from + n_marked * WIDTH).saturating_sub(1).clamp(from, text.len().max(from));
        Self { text, line: first, marks: vec![(from..to, kind, label)] }
    }

    /// The lines from the first of `places`, which are in order, to the last.
    fn over(places: &[(Span, AnnotationKind, &'static str)], source: &SourceText<'_>) -> Self {
        let len = source.bytes.len();
        let starts = || places.iter().map(|(span, ..)| span.start.min(len));
        let (first, last) = (starts().min().unwrap_or(len), starts().max().unwrap_or(len));
        let line = source.lines.position(source.bytes, first).line;
        let line_start = source.lines.line_start(line);
        // Of a very long line only the part around the place is shown.
        let from =
            if first - line_start > Self::LONGEST { first - Self::LONGEST / 2 } else { line_start };
        let longest = len.min(last + Self::LONGEST);
        let rest = source.bytes.get(last..longest).unwrap_or_default();
        let to = rest.iter().position(|byte| *byte == b'\n').map_or(longest, |feed| last + feed);
        // Bytes that are not UTF-8 take more room as text, so the text is put together from pieces.
        let mut text = String::new();
        let mut marks = Vec::new();
        let mut at = from;
        let piece = |range: Range<usize>| {
            let text = String::from_utf8_lossy(source.bytes.get(range).unwrap_or_default());
            // Lines may end as on Windows.
            text.replace("\r\n", "\n")
        };
        for (span, kind, label) in places {
            let start = span.start.clamp(at, to);
            // A mark ends with its line at the latest.
            let rest = source.bytes.get(start..to).unwrap_or_default();
            let feed = rest.iter().position(|byte| *byte == b'\n').map_or(to, |feed| start + feed);
            let end = span.end.clamp(start, feed);
            text.push_str(&piece(at..start));
            let marked = piece(start..end);
            marks.push((text.len()..text.len() + marked.trim_end().len(), *kind, *label));
            text.push_str(&marked);
            at = end;
        }
        text.push_str(&piece(at..to));
        let n_bytes = text.strip_suffix('\r').map_or(text.len(), str::len);
        text.truncate(n_bytes);
        Self { text, line, marks }
    }

    fn snippet(
        self,
        source: &SourceText<'_>,
    ) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        // In bytes the number of a row is the offset of its first one.
        let number = if source.is_binary { self.line } else { self.line + source.first_line - 1 };
        let marks = self.marks.into_iter().map(|(range, kind, label)| {
            let annotation = kind.span(range);
            if label.is_empty() { annotation } else { annotation.label(label) }
        });
        Snippet::source(self.text).line_start(number).annotations(marks)
    }
}
