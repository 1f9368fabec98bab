//! A finding with all that outputs need: made of an issue and the source it is about.

use super::SourceText;
use crate::limits;
use crdkit_issue::{Arg, Code, ErrorType, Issue, Position, Severity, Span, codes};
use crdkit_schema::status;
use crdkit_value::Document;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One finding, as outputs need it.
pub(crate) struct ShownFinding {
    pub(crate) severity: Severity,
    pub(crate) code: Code,
    /// Where in the object, in the server's notation.
    pub(crate) path: String,
    /// The same as a JSON Pointer.
    pub(crate) pointer: String,
    pub(crate) message: String,
    /// The finding in the server's words.
    pub(crate) server: String,
    /// The rule that does not hold, and what it saw, where the finding is about a rule.
    pub(crate) rule: Option<String>,
    pub(crate) saw: Option<String>,
    /// The file of that position, where it is another one than that of the object.
    pub(crate) file: Option<Arc<str>>,
    pub(crate) start: Option<Position>,
    pub(crate) end: Option<Position>,
    /// The byte it begins at, in binary input.
    pub(crate) offset: Option<usize>,
    /// The source lines with a caret, where an output shows them.
    pub(crate) excerpt: String,
    /// What was expected against what came, line by line, where the finding is about a difference.
    pub(crate) diff: String,
    /// Whether there were too many like it before, so that it is only counted.
    pub(crate) left_out: AtomicBool,
    /// Why it does not count, if a comment in the source or an exception says so.
    pub(crate) suppressed: Option<String>,
    /// Other places with the same cause.
    pub(crate) places: Vec<String>,
    /// What was probably meant.
    pub(crate) suggestion: Option<String>,
    /// The change of the source that would mend it, where there is one that cannot be wrong.
    pub(crate) fix: Option<Fix>,
    /// What a comparison knows beyond that.
    pub(crate) compared: Option<Box<Compared>>,
}

/// A change of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// What a finding about a change of a CRD says.
pub(crate) struct Compared {
    pub(crate) question: &'static str,
    pub(crate) version: String,
    pub(crate) verdict: &'static str,
    /// What becomes of objects, or why that is not known.
    pub(crate) effect: String,
    pub(crate) affected: &'static str,
    pub(crate) advice: &'static str,
    /// Where the old CRD says otherwise.
    pub(crate) old: Option<(Arc<str>, Position)>,
    /// An object that shows it, and what it is changed to where that matters.
    pub(crate) witness: Option<Arc<Document>>,
    pub(crate) changed: Option<Document>,
}

/// The answer to one question about a change.
pub(crate) struct Answered {
    pub(crate) question: &'static str,
    pub(crate) text: &'static str,
    pub(crate) version: String,
    pub(crate) verdict: &'static str,
}

impl ShownFinding {
    /// What outputs need of `issue`, which is about a part of `source`.
    pub(crate) fn new(issue: &Issue, source: &SourceText<'_>, with_excerpt: bool) -> Self {
        let text = |name| issue.arg(name).map(Arg::to_string);
        let (start, end) = issue.span.and_then(|span| source.range(span)).unzip();
        let origin = issue.span.and_then(|span| source.origin(span));
        Self {
            severity: issue.severity,
            code: issue.code,
            path: issue.path.to_string(),
            pointer: issue.path.pointer(),
            message: cut(message(issue)),
            server: cut(in_server_words(issue)),
            rule: text("rule"),
            saw: text("saw"),
            file: origin.map(|it| Arc::clone(&it.file.name)).filter(|it| **it != *source.name()),
            start,
            end,
            offset: source.offset(issue),
            excerpt: if with_excerpt { source.excerpt(issue) } else { String::new() },
            diff: String::new(),
            left_out: AtomicBool::new(false),
            suppressed: None,
            places: Vec::new(),
            suggestion: text("suggestion"),
            fix: text("fix").zip(issue.span).map(|(text, span)| Fix { span, text }),
            compared: None,
        }
    }

    /// What settings and comments need of `issue` to decide about it, without anything to show.
    pub(crate) fn unshown(issue: &Issue, source: &SourceText<'_>) -> Self {
        let mut bare = Issue::error(issue.code);
        bare.severity = issue.severity;
        let start = issue.span.and_then(|span| source.position(span.start));
        Self { start, ..Self::new(&bare, source, false) }
    }

    /// Whether it is shown and counts.
    pub(crate) fn counts(&self) -> bool {
        self.suppressed.is_none()
    }

    /// How many other places have the same cause, and the first of them.
    pub(super) fn other_places(&self) -> String {
        const SHOWN: usize = 3;
        let shown: Vec<_> = self.places.iter().take(SHOWN).map(|place| shortened(place)).collect();
        let more = if self.places.len() > SHOWN { ", \u{2026}" } else { "" };
        match self.places.len() {
            0 => String::new(),
            1 => format!("; the same in one more place: {}", shown.join(", ")),
            n => format!("; the same in {n} more places: {}{more}", shown.join(", ")),
        }
    }

    /// What is wrong, and what was probably meant.
    pub(super) fn message_and_suggestion(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => format!("{}; did you mean `{suggestion}`?", self.message),
            None => self.message.clone(),
        }
    }

    /// The place and the message, and where the old one of two CRDs says otherwise.
    pub(super) fn text(&self) -> String {
        let old = self.compared.as_ref().and_then(|compared| compared.old.as_ref());
        let was = old.map(|(file, at)| format!(" (was {file}:{}:{})", at.line, at.column));
        let was = was.unwrap_or_default();
        let mut message = self.message_and_suggestion();
        message.push_str(&self.other_places());
        match self.path.as_str() {
            "" => format!("{message}{was}"),
            path => format!("{}: {message}{was}", shortened(path)),
        }
    }
}

/// The message, and the flag that allows more if it is about a limit.
fn message(issue: &Issue) -> String {
    match limits::flag(issue) {
        Some(flag) => {
            let limit = issue.arg("limit").map(Arg::to_string).unwrap_or_default();
            format!("{}; `{flag}` is {limit} and may be more", issue.message())
        }
        None => issue.message(),
    }
}

/// A message without its end if it is longer than anybody reads: it may repeat a whole enumeration.
fn cut(mut text: String) -> String {
    const LONGEST: usize = 32 << 10;
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('\u{2026}');
    }
    text
}

/// A path without its middle if it is longer than anybody reads.
fn shortened(path: &str) -> Cow<'_, str> {
    const LONGEST: usize = 400;
    const END: usize = 100;
    if path.len() <= LONGEST {
        return path.into();
    }
    let start = path.floor_char_boundary(END);
    let end = path.ceil_char_boundary(path.len() - END);
    let [start, end] = [path.get(..start), path.get(end..)].map(Option::unwrap_or_default);
    format!("{start}\u{2026}{end}").into()
}

/// A finding as the server words it, alone.
fn in_server_words(issue: &Issue) -> String {
    if issue.code == codes::object::DEPRECATED {
        // A warning of the server, which is no error about a field.
        return issue.message();
    }
    if let Some(text) = status::strict_text(issue) {
        return format!("strict decoding error: {text}");
    }
    match issue.code.info().error_type {
        ErrorType::Decode => issue.server_message(),
        _ => status::line(issue),
    }
}
