//! From the objects of an input to what is reported about them.
//!
//! Objects are decoded without positions first; an input with findings, or with comments that silence
//! some, is gone through once more with them.

use crate::args::FieldValidation;
use crate::config::Config;
use crate::crds::{self, Crds, KnownSchema};
use crate::input::Input;
use crate::objects::{self, Identity};
use crate::openapi;
use crate::report::{Object, ShownFinding, SourceText, Subject, Verdict};
use crate::suppress::Suppressions;
use crdkit_codec::{DecodeOptions, Decoded, Format};
use crdkit_engine::{Crd, Outcome, RequestOptions};
use crdkit_issue::{Code, FieldPath, Issue, Meaning, Severity, Span, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_text::kind::GroupKind;
use crdkit_value::{Document, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// What is known about one object before it is reported.
pub(crate) struct Judged {
    pub(crate) identity: Option<Identity>,
    pub(crate) issues: Vec<Issue>,
    pub(crate) skipped: bool,
}

/// What was found out about an object.
enum Judgement {
    /// It is not to be judged; this was seen all the same.
    Skipped(Vec<Issue>),
    /// It was judged by other rules than those of a CRD or schema.
    Issues(Vec<Issue>),
    /// The server's verdict.
    Outcome {
        outcome: Box<Outcome>,
        /// Names of built-in kinds follow rules of their own.
        is_built_in: bool,
    },
}

impl Judgement {
    fn is_quiet(&self) -> bool {
        match self {
            Self::Skipped(issues) | Self::Issues(issues) => issues.is_empty(),
            Self::Outcome { outcome, .. } => outcome.issues.is_empty(),
        }
    }
}

/// How findings are presented.
#[derive(Clone, Copy)]
pub(crate) struct Presentation<'a> {
    pub(crate) config: &'a Config,
    /// Whether some output shows source lines.
    pub(crate) excerpts: bool,
}

impl Presentation<'_> {
    /// What is reported about the objects of `input`, which were decoded with positions.
    pub(crate) fn objects(
        &self,
        input: &Input,
        judged: impl IntoIterator<Item = Judged>,
    ) -> Vec<Object> {
        let source = SourceText::of(input);
        let mut comments = suppressions(input);
        let mut objects = Vec::new();
        for Judged { identity, mut issues, skipped } in judged {
            // That something was left out comes after everything that explains why.
            issues.sort_by_key(|issue| {
                (is_incomplete(issue.code), issue.span.map(|span| span.start))
            });
            // The server says some things twice.
            issues.dedup();
            let mut findings: Vec<_> = issues
                .iter()
                .map(|issue| ShownFinding::new(issue, &source, self.excerpts))
                .collect();
            self.config.adjust(&mut findings);
            comments.apply(&mut findings);
            excuse_incomplete(&mut findings);
            let subject = identity.map(Subject::Object);
            let mut object = Object::judged(&input.name, subject, findings);
            if skipped {
                object.verdict = Verdict::Skipped;
            }
            objects.push(object);
        }
        let mut findings = comments.findings(&source, self.excerpts);
        self.config.adjust(&mut findings);
        if !findings.is_empty() {
            objects.push(Object::judged(&input.name, None, findings));
        }
        objects
    }
}

fn is_incomplete(code: Code) -> bool {
    code.info().meaning == Meaning::Incomplete
}

/// That not everything was checked refuses no object whose other errors no longer count.
fn excuse_incomplete(findings: &mut [ShownFinding]) {
    let counts = |finding: &ShownFinding| finding.counts() && finding.severity == Severity::Error;
    if !findings.iter().any(|finding| counts(finding) && !is_incomplete(finding.code)) {
        for finding in findings.iter_mut().filter(|finding| is_incomplete(finding.code)) {
            finding.severity = Severity::Warning;
        }
    }
}

fn suppressions(input: &Input) -> Suppressions {
    match input.format {
        Format::Yaml => Suppressions::find(&input.bytes, input.first_line),
        Format::Json | Format::Ndjson | Format::Cbor | Format::CborSeq | Format::Mixed => {
            Suppressions::find(&[], 1)
        }
    }
}

/// What an object is called, whatever version it is written in.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct ObjectName {
    kind: GroupKind,
    namespace: String,
    name: String,
}

impl From<&Identity> for ObjectName {
    fn from(identity: &Identity) -> Self {
        let Identity { gvk, namespace, name } = identity;
        let namespace = match namespace.as_str() {
            "" => objects::DEFAULT_NAMESPACE,
            namespace => namespace,
        };
        Self { kind: gvk.group_kind(), namespace: namespace.to_owned(), name: name.clone() }
    }
}

/// What objects are judged by.
pub(crate) struct Judge<'a> {
    pub(crate) crds: Crds,
    pub(crate) old: HashMap<ObjectName, Document>,
    pub(crate) field_validation: FieldValidation,
    pub(crate) ignore_missing_schemas: bool,
    /// Whether native kinds are known.
    pub(crate) native: bool,
    pub(crate) skip: Vec<String>,
    pub(crate) reject: Vec<String>,
    pub(crate) presentation: Presentation<'a>,
}

impl Judge<'_> {
    /// What is reported about the objects of `input`, in their order.
    pub(crate) fn input(&self, input: &Input) -> Vec<Object> {
        let options = DecodeOptions::default();
        let invalid_utf8 = invalid_utf8(input);
        let has_comments = memchr::memmem::find(&input.bytes, b"crdkit-ignore").is_some();
        let (mut quiet, mut first) = (Vec::new(), None);
        if invalid_utf8.is_empty() && !has_comments {
            for decoded in objects::decode(input, &options) {
                let (identity, judgement) = self.object(decoded);
                if !judgement.is_quiet() {
                    first = Some((identity, judgement));
                    break;
                }
                quiet.push(judged(identity, judgement));
            }
            if first.is_none() {
                return quiet.into_iter().map(|judged| object(input, judged)).collect();
            }
        }
        let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
        let mut quiet = quiet.into_iter();
        let judged = objects::decode(input, &options).map(|decoded| {
            if let Some(judged) = quiet.next() {
                return judged;
            }
            match (first.take(), decoded) {
                (
                    Some((identity, Judgement::Outcome { mut outcome, is_built_in })),
                    Ok(decoded),
                ) => {
                    outcome.locate(&decoded);
                    judged(identity, Judgement::Outcome { outcome, is_built_in })
                }
                (_, decoded) => {
                    let (identity, judgement) = self.object(decoded);
                    judged(identity, judgement)
                }
            }
        });
        let around = Judged { identity: None, issues: invalid_utf8, skipped: false };
        let around = Some(around).filter(|it| !it.issues.is_empty());
        self.presentation.objects(input, around.into_iter().chain(judged))
    }

    fn object(&self, decoded: objects::ObjectOutcome) -> (Option<Identity>, Judgement) {
        let refused = |issues| (None, Judgement::Issues(issues));
        let decoded = match decoded {
            Ok(decoded) => decoded,
            Err(issues) => return refused(self.graded(issues)),
        };
        let identity = match objects::identify(&decoded.document) {
            Ok(identity) => identity,
            Err(issue) => return refused(self.with_decoded(*issue, &decoded)),
        };
        let judgement = self.judgement(decoded, &identity);
        (Some(identity), judgement)
    }

    /// The same findings, where a key that is given twice counts as much as was asked for.
    fn graded(&self, mut issues: Vec<Issue>) -> Vec<Issue> {
        let is_repeated = |issue: &Issue| issue.code == codes::decode::DUPLICATE_KEY;
        match self.field_validation {
            FieldValidation::Ignore => issues.retain(|issue| !is_repeated(issue)),
            FieldValidation::Warn => {
                let repeated = issues.iter_mut().filter(|issue| is_repeated(issue));
                repeated.for_each(|issue| issue.severity = Severity::Warning);
            }
            FieldValidation::Strict => {}
        }
        issues
    }

    /// What is wrong with an object.
    fn judgement(&self, decoded: Decoded, identity: &Identity) -> Judgement {
        let at = |issue, key| Judgement::Issues(self.at_value(issue, &decoded, key));
        if identity.is_among(&self.skip) {
            return Judgement::Skipped(Vec::new());
        }
        if identity.is_among(&self.reject) {
            let issue = Issue::error(codes::source::REJECTED_KIND);
            return at(issue.with("kind", identity.gvk.kind.as_str()), "kind");
        }
        let old = self.old.get(&ObjectName::from(identity));
        if identity.is_crd() {
            return Judgement::Issues(crds::issues(decoded, old));
        }
        match self.crds.get(identity) {
            KnownSchema::Crd(crd) => self.verdict(&crd, false, decoded, identity, old),
            KnownSchema::Schema(crd) => {
                self.verdict(&crd, identity.is_built_in(), decoded, identity, old)
            }
            KnownSchema::Nothing => {
                if let Some(kind) = self.native_kind(identity) {
                    return self.native_verdict(kind, decoded, identity, old);
                }
                if let Some(issue) = self.removed(identity) {
                    return at(issue, "apiVersion");
                }
                let document = &decoded.document;
                let problem = objects::list_problem(document);
                let is_ignored = self.ignore_missing_schemas && problem.is_none();
                match problem.or_else(|| objects::missing_group(document)) {
                    _ if is_ignored => Judgement::Skipped(self.graded(decoded.issues)),
                    Some(issue) => Judgement::Issues(self.with_decoded(issue, &decoded)),
                    None => at(objects::no_schema(identity, &hint(identity)), "kind"),
                }
            }
            KnownSchema::Unusable(problem) => {
                let issue = Issue::error(codes::source::UNUSABLE_SCHEMA)
                    .with("kind", identity.gvk.kind.as_str())
                    .with("problem", problem);
                at(issue, "kind")
            }
        }
    }

    /// The finding at the value of the root's member `key`, for which the object is not looked at any
    /// further, with what was noticed while decoding it.
    fn at_value(&self, mut issue: Issue, decoded: &Decoded, key: &str) -> Vec<Issue> {
        let document = &decoded.document;
        let place = document.root().get(key).and_then(|value| document.place(value.id()));
        issue.span = place.map(|place| place.value);
        self.with_decoded(issue, decoded)
    }

    fn with_decoded(&self, issue: Issue, decoded: &Decoded) -> Vec<Issue> {
        self.graded(std::iter::once(issue).chain(decoded.issues.iter().cloned()).collect())
    }

    fn native_kind(&self, identity: &Identity) -> Option<&'static NativeKind> {
        let gvk = &identity.gvk;
        if !self.native || !identity.is_built_in() {
            return None;
        }
        NativeKinds::latest().find(&gvk.group, &gvk.version, &gvk.kind)
    }

    /// That a kind is not served in this version any more.
    fn removed(&self, identity: &Identity) -> Option<Issue> {
        if !self.native {
            return None;
        }
        let removed = crdkit_native::removed(&identity.api_version(), &identity.gvk.kind)?;
        let replacement = match removed.replacement {
            "" => String::new(),
            replacement => format!("; use `{replacement}`"),
        };
        let issue = Issue::error(codes::native::REMOVED).with("kind", removed.kind);
        let issue = issue.with("version", removed.api_version).with("release", removed.release);
        Some(issue.with("replacement", replacement))
    }

    /// The API server's verdict on an object of a native kind.
    fn native_verdict(
        &self,
        kind: &'static NativeKind,
        decoded: Decoded,
        identity: &Identity,
        old: Option<&Document>,
    ) -> Judgement {
        let options = self.options(identity);
        let outcome = match old {
            Some(old) => {
                let (old, decoded) = objects::as_update(old, decoded, kind.namespaced);
                kind.update(&old, decoded, &options)
            }
            None => kind.create(decoded, &options),
        };
        Judgement::Outcome { outcome: Box::new(outcome), is_built_in: false }
    }

    /// A request for an object. The server stops at unknown fields in strict mode; people want to see everything at
    /// once.
    fn options(&self, identity: &Identity) -> RequestOptions {
        let mode = self.field_validation.into();
        let mut options = RequestOptions::new().field_validation(mode).report_all(true);
        if !identity.namespace.is_empty() {
            options.namespace = identity.namespace.as_str().into();
        }
        options
    }

    /// The API server's verdict.
    fn verdict(
        &self,
        crd: &Crd,
        is_built_in: bool,
        mut decoded: Decoded,
        identity: &Identity,
        old: Option<&Document>,
    ) -> Judgement {
        let Some(version) = crd.version(&identity.gvk.version) else {
            let versions = crd.compiled().versions().iter().filter(|version| version.served);
            let served: Vec<_> = versions.map(|version| format!("`{}`", version.name)).collect();
            let issue = Issue::error(codes::source::UNKNOWN_VERSION)
                .with("kind", identity.gvk.kind.as_str())
                .with("version", identity.gvk.version.as_str())
                .with("served", served.join(", "));
            return Judgement::Issues(self.at_value(issue, &decoded, "apiVersion"));
        };
        if identity.gvk.group.is_empty()
            && let Some(id) = decoded.document.root().get("apiVersion").map(Value::id)
        {
            let api_version = format!("{}/{}", openapi::group_name(""), identity.gvk.version);
            decoded.document.set(id, &api_version);
        }
        let options = self.options(identity);
        let outcome = match old {
            Some(old) => {
                let (old, decoded) =
                    objects::as_update(old, decoded, crd.compiled().is_namespaced());
                version.update(&old, decoded, &options)
            }
            None => version.create(decoded, &options),
        };
        Judgement::Outcome { outcome: Box::new(outcome), is_built_in }
    }
}

fn judged(identity: Option<Identity>, judgement: Judgement) -> Judged {
    let (issues, skipped) = match judgement {
        Judgement::Issues(issues) => (issues, false),
        Judgement::Skipped(issues) => {
            let skipped = issues.iter().all(|issue| issue.severity != Severity::Error);
            (issues, skipped)
        }
        Judgement::Outcome { outcome, is_built_in } => {
            let mut issues = outcome.issues;
            if is_built_in {
                let name = FieldPath::root().field("metadata").field("name");
                issues.retain(|issue| issue.path != name);
            }
            (issues, false)
        }
    };
    Judged { identity, issues, skipped }
}

/// The report on an object of `input` without findings.
fn object(input: &Input, judged: Judged) -> Object {
    let verdict = if judged.skipped { Verdict::Skipped } else { Verdict::Valid };
    let (file, subject) = (Arc::clone(&input.name), judged.identity.map(Subject::Object));
    Object { file, subject, verdict, findings: Vec::new(), answers: Vec::new() }
}

/// What to do about a kind that nothing is known about.
fn hint(identity: &Identity) -> String {
    if !identity.is_built_in() {
        return "name its file or directory with `--crds`".to_owned();
    }
    format!("name JSON Schemas with `--schema-location`, or `--skip {}`", identity.gvk.kind)
}

/// The places in JSON that are not UTF-8, which is read all the same.
fn invalid_utf8(input: &Input) -> Vec<Issue> {
    let is_json = matches!(input.format, Format::Json | Format::Ndjson);
    // UTF-16 is refused as a whole.
    let is_utf16 = matches!(*input.bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
    if !is_json || is_utf16 || std::str::from_utf8(&input.bytes).is_ok() {
        return Vec::new();
    }
    let mut issues: Vec<Issue> = Vec::new();
    let mut end = 0;
    for chunk in input.bytes.utf8_chunks() {
        let start = end + chunk.valid().len();
        end = start + chunk.invalid().len();
        let last = issues.last_mut().and_then(|issue| issue.span.as_mut());
        match last.filter(|last| last.end == start) {
            // Bytes side by side are one finding.
            Some(last) => last.end = end,
            None if end == start => {}
            None => {
                let issue = Issue::warning(codes::decode::INVALID_UTF8);
                issues.push(issue.span(Span::new(start, end)));
            }
        }
    }
    issues.truncate(DecodeOptions::default().limits.issues);
    issues
}
