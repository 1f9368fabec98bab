//! What a run found: objects with their findings, counted, and handed to every output that was asked for.
//!
//! Workers turn issues into [`ShownFinding`]s, which own everything an output needs; [`Outputs`] gets
//! objects in input order and writes as they come. Equal input gives equal bytes.

mod comparison;
pub(crate) mod escape;
mod excerpt;
mod finding;
mod format;
mod github;
mod gitlab;
mod json;
mod junit;
mod kubeconform;
mod markdown;
mod people;
mod sarif;
mod summary;
mod tally;
mod tap;
mod target;

pub(crate) use comparison::{AnswerCounts, Comparison, ObjectCounts, counted};
pub(crate) use excerpt::SourceText;
pub(crate) use finding::{Answered, Compared, Fix, ShownFinding};
pub(crate) use format::{ReportFormat, Spec};
pub(crate) use summary::Summary;
pub(crate) use tally::Tally;
pub(crate) use target::{Flow, Target};

use crate::commands::cost::ExpressionCost;
use crate::judge::Partly;
use crate::objects::Identity;
use anyhow::Result;
use crdkit_issue::{Code, Meaning, Severity};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
    /// It is no object, and not meant to be one.
    LeftOut(LeftOut),
}

/// Why something that was named or found is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeftOut {
    /// It has no Kubernetes objects.
    NoObjects,
    /// It tells kustomize what to do.
    Kustomization,
    /// A part of a chart that is neither a template nor a CRD.
    ChartFile,
    /// It becomes YAML only when its chart is rendered.
    Template,
    /// A list of operations rather than an object.
    JsonPatch,
    /// A kustomization or a chart that was rendered has it.
    Rendered,
}

impl LeftOut {
    /// What `n` of them are called.
    fn in_words(self, n: usize) -> &'static str {
        let one = n == 1;
        match self {
            Self::NoObjects if one => "file without Kubernetes objects",
            Self::NoObjects => "files without Kubernetes objects",
            Self::Kustomization if one => "kustomization",
            Self::Kustomization => "kustomizations",
            Self::ChartFile if one => "part of a chart",
            Self::ChartFile => "parts of charts",
            Self::Template if one => "template",
            Self::Template => "templates",
            Self::JsonPatch if one => "JSON patch",
            Self::JsonPatch => "JSON patches",
            Self::Rendered if one => "file that was rendered with others",
            Self::Rendered => "files that were rendered with others",
        }
    }
}

/// One object or case, or one document that is none, and what was found.
pub(crate) struct Object {
    pub(crate) file: Arc<str>,
    pub(crate) subject: Option<Subject>,
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<ShownFinding>,
    /// The file it was made of, where the one it stands in was put together by a program.
    pub(crate) origin: Option<Arc<str>>,
    /// Why not all of it was judged, if so.
    pub(crate) partly: Option<Partly>,
    /// Findings that are only counted, because there were many like them before.
    pub(crate) unshown: Vec<(Code, Severity)>,
    /// How many documents after this one are reported with it: they have its verdict, and nothing to show.
    pub(crate) n_alike: usize,
    /// What was asked about it, if it was compared.
    pub(crate) answers: Vec<Answered>,
    /// What its expressions can cost, if that was asked for.
    pub(crate) costs: Vec<ExpressionCost>,
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
    /// What a comparison comes to, before its findings.
    fn comparison(&mut self, _: &Comparison, _: &mut Vec<u8>) {}
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
    tally: Tally,
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
            origin: None,
            partly: None,
            unshown: Vec::new(),
            n_alike: 0,
            answers: Vec::new(),
            costs: Vec::new(),
        };
        object.decide();
        object
    }

    /// The same with findings that are only counted.
    pub(crate) fn with_unshown(mut self, unshown: Vec<(Code, Severity)>) -> Self {
        self.unshown = unshown;
        self.decide();
        self
    }

    /// Takes the verdict anew from the findings that count.
    pub(crate) fn decide(&mut self) {
        if matches!(self.verdict, Verdict::Skipped | Verdict::LeftOut(_)) {
            return;
        }
        let shown = self.findings.iter().filter(|finding| finding.counts());
        let all = shown.map(|it| (it.code, it.severity)).chain(self.unshown.iter().copied());
        let mut errors = all.filter(|(_, severity)| *severity == Severity::Error).peekable();
        let is_judged = |(code, _): (Code, _)| code.info().meaning != Meaning::NotJudged;
        self.verdict = if errors.peek().is_none() {
            Verdict::Valid
        } else if self.subject.is_some() && errors.any(is_judged) {
            Verdict::Invalid
        } else {
            Verdict::Error
        };
    }

    /// Whether it is an object; what is said about a file rather than an object in it is none, unless it is an error.
    fn counts(&self) -> bool {
        self.subject.is_some() || self.verdict != Verdict::Valid
    }

    /// Whether it is no object and has nothing to show.
    pub(crate) fn is_silent(&self) -> bool {
        self.subject.is_none() && self.findings().next().is_none()
    }

    /// What the object says about itself; nothing if it is none.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match &self.subject {
            Some(Subject::Object(identity)) => Some(identity),
            Some(Subject::Case(_)) | None => None,
        }
    }

    /// What is left out rather than judged.
    pub(crate) fn left_out(file: &Arc<str>, reason: LeftOut) -> Self {
        let mut object = Self::judged(file, None, Vec::new());
        object.verdict = Verdict::LeftOut(reason);
        object
    }

    /// A finding of this object in one line or paragraph: the object, the place in it, what is wrong.
    fn text(&self, finding: &ShownFinding) -> String {
        let text = finding.text();
        match (self.identity().map(Identity::short), &self.origin) {
            (None, None) => text,
            (None, Some(origin)) => format!("({origin}): {text}"),
            (Some(name), None) => format!("{name}: {text}"),
            (Some(name), Some(origin)) => format!("{name} ({origin}): {text}"),
        }
    }

    /// The file that a finding of this object stands in.
    fn file_of<'o>(&'o self, finding: &'o ShownFinding) -> &'o str {
        finding.file.as_deref().unwrap_or(&self.file)
    }

    /// How many errors it has.
    pub(crate) fn n_errors(&self) -> usize {
        self.errors().count()
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
        let (file, tally) = (None, Tally::default());
        let only_objects = style.kubeconform;
        Self { sinks, summary: Summary::default(), only_objects, file, tally }
    }

    /// Writes what a comparison comes to, where that belongs before its findings.
    pub(crate) fn compared(&mut self, comparison: Comparison) {
        for Output { sink, pending, .. } in &mut self.sinks {
            sink.comparison(&comparison, pending);
        }
        self.summary.comparison = Some(comparison);
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
        if matches!(object.verdict, Verdict::LeftOut(_)) {
            return Ok(Flow::Open);
        }
        if self.only_objects && !object.counts() {
            return Ok(Flow::Open);
        }
        let mut leaves_out = !object.unshown.is_empty();
        for finding in object.findings() {
            let is_shown = self.tally.admits(finding.code);
            finding.left_out.store(!is_shown, Ordering::Relaxed);
            leaves_out |= !is_shown;
        }
        for (code, _) in &object.unshown {
            self.tally.add(*code, 1);
        }
        // A document that is no object and of which nothing is shown is not shown either.
        if leaves_out && object.is_silent() {
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
        let tally = std::mem::take(&mut self.tally);
        let Some(file) = self.file.take().filter(|_| !self.only_objects) else { return };
        for finding in tally.left_out(&file) {
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
