//! Shows findings and failures to people, and findings to programs.
//!
//! A finding is `name:line:column: severity[code]: message`, then the source line with a caret. Only a
//! window of lines around the finding is handed to the renderer, so that a large file costs no more
//! than a small one.

use crate::args::Report;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use crdkit::issue::{Issue, LineIndex, Position, Severity, Span};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;

/// The text that findings point into.
pub(crate) struct Source<'a> {
    name: &'a str,
    bytes: &'a [u8],
    lines: LineIndex,
}

impl<'a> Source<'a> {
    pub(crate) fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, bytes, lines: LineIndex::new(bytes) }
    }

    /// Shows one finding on standard error.
    pub(crate) fn show(&self, issue: &Issue) {
        let text = self.pretty(issue);
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }

    /// `name:line:column: severity[code]: message` without a line end.
    pub(crate) fn line(&self, issue: &Issue) -> String {
        let mut out = self.name.to_owned();
        if let Some(position) = self.position(issue) {
            let _ = write!(out, ":{}:{}", position.line, position.column);
        }
        let severity = match issue.severity {
            Severity::Error => "\u{1b}[1m\u{1b}[91merror",
            Severity::Warning => "\u{1b}[1m\u{1b}[33mwarning",
        };
        let _ = write!(out, ": {severity}[{}]\u{1b}[0m: {issue}", issue.code);
        out
    }

    /// Where a finding begins.
    pub(crate) fn position(&self, issue: &Issue) -> Option<Position> {
        Some(self.lines.position(self.bytes, issue.span?.start))
    }

    /// The line and the source excerpt below it.
    pub(crate) fn pretty(&self, issue: &Issue) -> String {
        let mut out = self.line(issue);
        out.push('\n');
        let level = match issue.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let Some(span) = issue.span else { return out };
        let mut group = Group::with_level(level);
        let places = std::iter::once((span, AnnotationKind::Primary, ""));
        let related = issue.related.iter();
        let related = related.map(|other| (other.span, AnnotationKind::Context, other.label));
        for window in Window::around(places.chain(related).collect(), self) {
            group = group.element(window.snippet());
        }
        let _ = writeln!(out, "{}", Renderer::styled().render(&[group]));
        out
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
        source: &Source<'_>,
    ) -> Vec<Self> {
        let first = places.iter().map(|(span, ..)| span.start).min().unwrap_or_default();
        let last = places.iter().map(|(span, ..)| span.start).max().unwrap_or_default();
        if last - first <= Self::NEAR {
            places.sort_by_key(|(span, ..)| span.start);
            return vec![Self::over(&places, source)];
        }
        places.iter().map(|place| Self::over(std::slice::from_ref(place), source)).collect()
    }

    /// The lines from the first of `places`, which are in order, to the last.
    fn over(places: &[(Span, AnnotationKind, &'static str)], source: &Source<'_>) -> Self {
        let len = source.bytes.len();
        let starts = || places.iter().map(|(span, ..)| span.start.min(len));
        let (first, last) = (starts().min().unwrap_or(len), starts().max().unwrap_or(len));
        let line = source.lines.position(source.bytes, first).line;
        let line_start = source.lines.line_start(line);
        // Of a very long line only the part around the place is shown.
        let from =
            if first - line_start > Self::LONGEST { first - Self::LONGEST / 2 } else { line_start };
        let rest = source.bytes.get(last..).unwrap_or_default();
        let line_end = rest.iter().position(|byte| *byte == b'\n').map_or(len, |feed| last + feed);
        let to = line_end.min(last + Self::LONGEST);
        // Bytes that are not UTF-8 take more room as text, so the text is put together from pieces.
        let mut text = String::new();
        let mut marks = Vec::new();
        let mut at = from;
        let piece = |range: Range<usize>| {
            String::from_utf8_lossy(source.bytes.get(range).unwrap_or_default()).into_owned()
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
        Self { text, line, marks }
    }

    fn snippet(self) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        let marks = self.marks.into_iter().map(|(range, kind, label)| {
            let annotation = kind.span(range);
            if label.is_empty() { annotation } else { annotation.label(label) }
        });
        Snippet::source(self.text).line_start(self.line).annotations(marks)
    }
}

/// Findings of a command that reports them, ready to print in input order.
pub(crate) struct Findings {
    format: Report,
    text: String,
    rows: Vec<Row>,
    n_errors: usize,
    n_warnings: usize,
}

/// One finding for programs.
#[derive(serde::Serialize)]
struct Row {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    severity: String,
    code: &'static str,
    path: String,
    message: String,
}

impl Findings {
    pub(crate) fn new(format: Report) -> Self {
        Self { format, text: String::new(), rows: Vec::new(), n_errors: 0, n_warnings: 0 }
    }

    /// Adds the findings of one source.
    pub(crate) fn add<'i>(
        &mut self,
        source: &Source<'_>,
        issues: impl IntoIterator<Item = &'i Issue>,
    ) {
        for issue in issues {
            match issue.severity {
                Severity::Error => self.n_errors += 1,
                Severity::Warning => self.n_warnings += 1,
            }
            match self.format {
                Report::Pretty => self.text.push_str(&source.pretty(issue)),
                Report::Text => {
                    self.text.push_str(&source.line(issue));
                    self.text.push('\n');
                }
                Report::Json => self.rows.push(Row::new(source, issue)),
            }
        }
    }

    /// Adds what another worker found, behind what is here.
    pub(crate) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.rows.extend(other.rows);
        self.n_errors += other.n_errors;
        self.n_warnings += other.n_warnings;
    }

    /// How many there are: errors and warnings.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.n_errors, self.n_warnings)
    }

    /// Prints everything to standard output.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let text = match self.format {
            Report::Json => serde_json::to_string_pretty(&self.rows)? + "\n",
            Report::Text | Report::Pretty => self.text.clone(),
        };
        print(&text)
    }
}

/// Prints to standard output. Nobody reading it is no failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

impl Row {
    fn new(source: &Source<'_>, issue: &Issue) -> Self {
        let position = source.position(issue);
        Self {
            file: source.name.to_owned(),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            severity: issue.severity.to_string(),
            code: issue.code.name(),
            path: issue.path.to_string(),
            message: issue.message(),
        }
    }
}

/// Says something about the run as a whole.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Shows why the work could not be done.
pub(crate) fn failure(error: &anyhow::Error) {
    let mut text = format!("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: {error}");
    for cause in error.chain().skip(1) {
        let _ = write!(text, ": {cause}");
    }
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
