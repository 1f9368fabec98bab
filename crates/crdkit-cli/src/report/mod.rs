//! What a run found: objects with their findings, counted, and handed to every output that was asked for.
//!
//! Workers turn issues into [`ShownFinding`]s, which own everything an output needs; [`Outputs`] gets
//! objects in input order and writes as they come. Equal input gives equal bytes.

pub(crate) mod escape;
mod excerpt;
mod format;
mod github;
mod gitlab;
mod json;
mod junit;
mod kubeconform;
mod markdown;
mod people;
mod sarif;
mod tap;
mod target;

pub(crate) use excerpt::SourceText;
pub(crate) use format::{ReportFormat, Spec};
pub(crate) use target::{Flow, Target};

use crate::objects::Identity;
use anyhow::Result;
use crdkit_issue::{Arg, Code, ErrorType, Issue, Meaning, Position, Severity, codes};
use crdkit_schema::status;
use crdkit_value::Document;
use std::borrow::Cow;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// What a comparison knows beyond that.
    pub(crate) compared: Option<Box<Compared>>,
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
    pub(crate) witness: Option<Document>,
    pub(crate) changed: Option<Document>,
}

/// The answer to one question about a change.
pub(crate) struct Answered {
    pub(crate) question: &'static str,
    pub(crate) text: &'static str,
    pub(crate) version: String,
    pub(crate) verdict: &'static str,
}

/// What a verdict is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Object(Identity),
    Case(Case),
}

/// One case of a suite.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) suite: String,
    pub(crate) name: String,
}

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It would be accepted.
    Valid,
    /// It would be refused.
    Invalid,
    /// Nothing can be said about it: it cannot be read, or nothing is known about its kind.
    Error,
    /// It was not looked at, as was asked for.
    Skipped,
}

/// One object or case, or one document that is none, and what was found.
pub(crate) struct Object {
    pub(crate) file: Arc<str>,
    pub(crate) subject: Option<Subject>,
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<ShownFinding>,
    /// What was asked about it, if it was compared.
    pub(crate) answers: Vec<Answered>,
}

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "all are counts, and counts are called so")]
pub(crate) struct Summary {
    pub(crate) n_files: usize,
    pub(crate) n_valid: usize,
    pub(crate) n_invalid: usize,
    pub(crate) n_errors: usize,
    pub(crate) n_skipped: usize,
    pub(crate) n_warnings: usize,
    pub(crate) n_suppressed: usize,
}

/// How outputs are written.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Style {
    /// Text, JSON and the like as kubeconform writes them.
    pub(crate) kubeconform: bool,
    /// Objects without findings are shown, too.
    pub(crate) verbose: bool,
    /// Counts are part of the output.
    pub(crate) summary: bool,
    /// Objects came from standard input alone.
    pub(crate) stdin: bool,
    /// Verdicts are about cases of suites.
    pub(crate) cases: bool,
}

/// One format. Text goes to `out` as soon as it is known.
trait Sink {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>);
    fn finish(&mut self, summary: &Summary, out: &mut Vec<u8>);
}

/// A format, where it goes, and what has not gone there yet.
struct Output {
    sink: Box<dyn Sink>,
    target: Target,
    pending: Vec<u8>,
}

/// Everything a run writes findings to.
pub(crate) struct Outputs {
    sinks: Vec<Output>,
    summary: Summary,
    /// Whether only objects are shown, and errors: kubeconform knows nothing else.
    only_objects: bool,
    /// The file whose objects are coming in, and how many findings of each kind it has.
    file: Option<Arc<str>>,
    counts: BTreeMap<&'static str, (Code, usize)>,
}

/// So many findings of one kind are shown of a file; the others are counted.
const MOST_ALIKE: usize = 1000;

impl ShownFinding {
    /// What outputs need of `issue`, which is about a part of `source`.
    pub(crate) fn new(issue: &Issue, source: &SourceText<'_>, with_excerpt: bool) -> Self {
        let text = |name| issue.arg(name).map(Arg::to_string);
        Self {
            severity: issue.severity,
            code: issue.code,
            path: issue.path.to_string(),
            pointer: issue.path.pointer(),
            message: cut(issue.message()),
            server: cut(in_server_words(issue)),
            rule: text("rule"),
            saw: text("saw"),
            start: issue.span.and_then(|span| source.position(span.start)),
            end: issue.span.and_then(|span| source.position(span.end.max(span.start))),
            offset: source.offset(issue),
            excerpt: if with_excerpt { source.excerpt(issue) } else { String::new() },
            diff: String::new(),
            left_out: AtomicBool::new(false),
            suppressed: None,
            compared: None,
        }
    }

    /// Whether it is shown and counts.
    pub(crate) fn counts(&self) -> bool {
        self.suppressed.is_none()
    }

    /// The place and the message, and where the old one of two CRDs says otherwise.
    fn text(&self) -> String {
        let old = self.compared.as_ref().and_then(|compared| compared.old.as_ref());
        let was = old.map(|(file, at)| format!(" (was {file}:{}:{})", at.line, at.column));
        let (message, was) = (&self.message, was.unwrap_or_default());
        match self.path.as_str() {
            "" => format!("{message}{was}"),
            path => format!("{}: {message}{was}", shortened(path)),
        }
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

impl Object {
    /// An object with findings; the verdict follows from them.
    pub(crate) fn judged(
        file: &Arc<str>,
        subject: Option<Subject>,
        findings: Vec<ShownFinding>,
    ) -> Self {
        let mut object = Self {
            file: Arc::clone(file),
            subject,
            verdict: Verdict::Valid,
            findings,
            answers: Vec::new(),
        };
        object.decide();
        object
    }

    /// Takes the verdict anew from the findings that count.
    pub(crate) fn decide(&mut self) {
        if self.verdict == Verdict::Skipped {
            return;
        }
        let is_judged = |finding: &ShownFinding| finding.code.info().meaning != Meaning::NotJudged;
        let errors =
            self.findings.iter().filter(|it| it.counts() && it.severity == Severity::Error);
        self.verdict = match errors.clone().count() {
            0 => Verdict::Valid,
            _ if self.subject.is_none() => Verdict::Error,
            _ if !errors.clone().any(is_judged) => Verdict::Error,
            _ => Verdict::Invalid,
        };
    }

    /// Whether it is an object; what is said about a file rather than an object in it is none, unless it is an error.
    fn counts(&self) -> bool {
        self.subject.is_some() || self.verdict != Verdict::Valid
    }

    /// What the object says about itself; nothing if it is none.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match &self.subject {
            Some(Subject::Object(identity)) => Some(identity),
            Some(Subject::Case(_)) | None => None,
        }
    }

    /// The findings that are shown.
    fn findings(&self) -> impl Iterator<Item = &ShownFinding> {
        self.findings
            .iter()
            .filter(|finding| finding.counts() && !finding.left_out.load(Ordering::Relaxed))
    }

    fn errors(&self) -> impl Iterator<Item = &ShownFinding> {
        self.findings().filter(|finding| finding.severity == Severity::Error)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(identity) => identity.fmt(f),
            Self::Case(Case { suite, name }) => write!(f, "{suite}: {name}"),
        }
    }
}

impl Summary {
    /// How many objects there were.
    pub(crate) fn n_objects(&self) -> usize {
        self.n_valid + self.n_invalid + self.n_errors + self.n_skipped
    }

    /// The counts of cases, for people.
    pub(crate) fn of_cases(&self) -> String {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (n_cases, n_files) = (self.n_objects(), self.n_files);
        let (s_cases, s_files) = (s(n_cases), s(n_files));
        let (n_passed, n_failed) = (self.n_valid, self.n_invalid);
        let mut out = format!(
            "{n_cases} case{s_cases} in {n_files} suite{s_files}: {n_passed} passed, {n_failed} failed"
        );
        let more = [(self.n_errors, "could not be run"), (self.n_skipped, "skipped")];
        for (n, what) in more.into_iter().filter(|(n, _)| *n > 0) {
            let _ = write!(out, ", {n} {what}");
        }
        out
    }

    /// The counts for people, and how many files and directories were left out.
    pub(crate) fn in_words(&self, n_left_out: usize) -> String {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (n_objects, n_files) = (self.n_objects(), self.n_files);
        let mut out = format!(
            "{n_objects} object{} in {n_files} file{}: {} valid, {} invalid",
            s(n_objects),
            s(n_files),
            self.n_valid,
            self.n_invalid,
        );
        let more = [
            (self.n_errors, "could not be judged", ""),
            (self.n_skipped, "skipped", ""),
            (self.n_warnings, "warning", s(self.n_warnings)),
            (self.n_suppressed, "ignored by comments", ""),
        ];
        for (n, what, s) in more.into_iter().filter(|(n, ..)| *n > 0) {
            let _ = write!(out, ", {n} {what}{s}");
        }
        if n_left_out > 0 {
            let _ = write!(out, "; {n_left_out} left out (kustomizations, templates and values)");
        }
        out
    }

    fn add(&mut self, object: &Object) {
        *match object.verdict {
            Verdict::Valid => &mut self.n_valid,
            Verdict::Invalid => &mut self.n_invalid,
            Verdict::Error => &mut self.n_errors,
            Verdict::Skipped => &mut self.n_skipped,
        } += usize::from(object.counts());
        self.n_suppressed += object.findings.len() - object.findings().count();
        self.n_warnings += object.findings().count() - object.errors().count();
    }
}

impl Outputs {
    /// Outputs as `specs` ask for them.
    pub(crate) fn new(specs: &[Spec], style: Style) -> Self {
        let sinks = specs
            .iter()
            .map(|spec| Output {
                sink: spec.format.sink(style),
                target: Target::new(spec.file.as_deref()),
                pending: Vec::new(),
            })
            .collect();
        let (file, counts) = (None, BTreeMap::new());
        let only_objects = style.kubeconform;
        Self { sinks, summary: Summary::default(), only_objects, file, counts }
    }

    /// Writes what became of `object`.
    pub(crate) fn add(&mut self, object: &Object) -> Result<Flow> {
        self.hold(object)?;
        self.flush()
    }

    /// Writes what became of `object` with the next ones, when [`Self::flush`] is called or there is much of it.
    pub(crate) fn hold(&mut self, object: &Object) -> Result<Flow> {
        const MUCH: usize = 64 << 10;
        if self.file.as_ref() != Some(&object.file) {
            self.end_file();
            self.file = Some(Arc::clone(&object.file));
        }
        self.summary.add(object);
        if self.only_objects && !object.counts() {
            return Ok(Flow::Open);
        }
        let mut n_left_out = 0;
        for finding in object.findings() {
            let code = finding.code;
            let (_, count) = self.counts.entry(code.name()).or_insert((code, 0));
            *count += 1;
            finding.left_out.store(*count > MOST_ALIKE, Ordering::Relaxed);
            n_left_out += usize::from(*count > MOST_ALIKE);
        }
        // A document that is no object and of which nothing is shown is not shown either.
        if n_left_out > 0 && object.subject.is_none() && object.findings().next().is_none() {
            return Ok(Flow::Open);
        }
        self.send(object);
        let is_much = self.sinks.iter().any(|output| output.pending.len() > MUCH);
        if is_much { self.flush() } else { Ok(Flow::Open) }
    }

    fn send(&mut self, object: &Object) {
        for Output { sink, pending, .. } in &mut self.sinks {
            sink.object(object, pending);
        }
    }

    /// Says how many findings of the file were not shown.
    fn end_file(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        let Some(file) = self.file.take().filter(|_| !self.only_objects) else { return };
        for (name, (_, count)) in counts {
            let Some(more @ 1..) = count.checked_sub(MOST_ALIKE) else { continue };
            let issue = Issue::warning(codes::domain::REPORT_TRUNCATED).with("limit", MOST_ALIKE);
            let source = SourceText::new(&file, b"", 1);
            let mut finding = ShownFinding::new(&issue, &source, false);
            finding.message = format!("{more} more findings of this kind: {name}");
            self.send(&Object::judged(&file, None, vec![finding]));
        }
    }

    /// Writes what is held.
    pub(crate) fn flush(&mut self) -> Result<Flow> {
        let mut flow = Flow::Open;
        for Output { target, pending, .. } in &mut self.sinks {
            if !pending.is_empty() && target.write(pending)? == Flow::Closed {
                flow = Flow::Closed;
            }
            pending.clear();
        }
        Ok(flow)
    }

    /// Writes what comes after all objects, and puts files in their place.
    pub(crate) fn finish(mut self, n_files: usize) -> Result<Summary> {
        self.end_file();
        self.summary.n_files = n_files;
        for Output { mut sink, mut target, mut pending } in self.sinks {
            sink.finish(&self.summary, &mut pending);
            target.write(&pending)?;
            target.finish()?;
        }
        Ok(self.summary)
    }
}

/// A finding as the server words it, alone.
fn in_server_words(issue: &Issue) -> String {
    if let Some(text) = status::strict_text(issue) {
        return format!("strict decoding error: {text}");
    }
    match issue.code.info().error_type {
        ErrorType::Decode => issue.server_message(),
        _ => status::line(issue),
    }
}

/// A number that tells findings apart and is the same on every run and machine: FNV-1a of the parts.
fn fingerprint(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain(std::iter::once(0)));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Says something about the run as a whole.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", escape::block(text));
}

/// Shows why the work could not be done.
pub(crate) fn failure(error: &anyhow::Error) {
    let mut problem = error.to_string();
    for cause in error.chain().skip(1) {
        let _ = write!(problem, ": {cause}");
    }
    let text = format!("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: {}", escape::block(&problem));
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
