//! Makes the requests of a case, without a server, and says where what came differs from what was expected.

use super::compare::{self, Line};
use super::crds::with_one_version;
use super::{Before, Case, CaseRequest, Errors, Expect, Patterns, Suite, Variants, native, steps};
use crate::limits;
use crate::policies::Policies;
use crate::write::KindRules;
use crate::{crds, objects};
use crdkit_codec::Decoded;
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions, Version};
use crdkit_issue::{Issue, Meaning, Severity, Span, codes};
use crdkit_patch::{PatchLimits, json};
use crdkit_schema::set::CrdDefinition;
use crdkit_schema::status::{Cause, Status};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, NodeId, Value};

/// A difference between a case and what came of it.
pub(crate) struct Failure {
    pub(crate) issue: Issue,
    pub(crate) diff: String,
}

/// What became of a case.
#[derive(Default)]
pub(crate) struct CaseResult {
    pub(crate) failures: Vec<Failure>,
    /// What would be stored, if the request was accepted.
    pub(super) stored: Option<Document>,
    /// Why it was refused, and what it was warned about, line by line.
    pub(super) errors: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// Runs `case` under the CRD `variant`; `earlier` are the CRDs that the object was created under before.
pub(crate) fn run(
    suite: &Suite,
    case: &Case,
    variant: &CrdDefinition,
    earlier: Option<&CrdDefinition>,
    policies: Option<&Policies>,
) -> CaseResult {
    let mut ran = CaseResult::default();
    match request(suite, case, variant, (earlier, policies), &mut ran) {
        Ok(()) => ran,
        Err(problem) => CaseResult::impossible(case, &problem),
    }
}

impl CaseResult {
    /// A case that could not be run.
    pub(crate) fn impossible(case: &Case, problem: &str) -> Self {
        let issue = Issue::error(codes::suite::CASE_SETUP).with("problem", problem);
        let asked = CaseExpectation { name: &case.name, place: case.place, expect: &case.expect };
        Self { failures: vec![asked.failure(issue, None)], ..Self::default() }
    }

    /// Keeps what came of a request.
    pub(super) fn note(&mut self, answer: &Answer<'_>) {
        self.errors = answer.lines.iter().map(Line::text).collect();
        self.warnings.clone_from(&answer.warnings);
        let stored = answer.document.filter(|_| answer.status.is_none());
        self.stored = stored.map(|document| Document::copy_of(document.root()));
    }
}

/// What the object of a case says it is, which tells what CRD it is about.
pub(crate) fn kind_of(case: &Case) -> GroupVersionKind {
    let text =
        |key| case.object.document.root().get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::of(text("apiVersion"), text("kind"))
}

fn request(
    suite: &Suite,
    case: &Case,
    variant: &CrdDefinition,
    (earlier, policies): (Option<&CrdDefinition>, Option<&Policies>),
    ran: &mut CaseResult,
) -> Result<(), String> {
    let crd = compiled(suite, case, variant)?;
    let version = version(&crd, case)?;
    if case.request == CaseRequest::Steps {
        steps::run(KindRules::Custom(version), case, ran);
        return Ok(());
    }
    let old = match &case.before {
        None => None,
        Some(before) if before.stored => Some(before.object.document.clone()),
        Some(before) => Some(created(suite, case, before, earlier.unwrap_or(variant))?),
    };
    if policies.is_some() {
        let rules = KindRules::Custom(version);
        let (outcome, refusal) = native::perform(&rules, case, old.as_ref(), policies);
        native::conclude(case, &outcome, refusal, ran);
        return Ok(());
    }
    let (outcome, of_status) = perform(version, case, old.as_ref());
    let answer = Answer::of(&outcome);
    ran.note(&answer);
    let asked = CaseExpectation { name: &case.name, place: case.place, expect: &case.expect };
    asked.judge(&answer, of_status, &mut ran.failures);
    Ok(())
}

/// What the server says to a request.
pub(super) struct Answer<'o> {
    status: Option<Status>,
    /// Why it was refused, in the server's words; a refusal as a whole is one line.
    lines: Vec<Line>,
    /// The same for people, where it is.
    problems: Vec<(String, Option<Span>)>,
    warnings: Vec<String>,
    document: Option<&'o Document>,
}

impl<'o> Answer<'o> {
    pub(super) fn of(outcome: &'o Outcome) -> Self {
        Self {
            status: outcome.status(),
            lines: lines(outcome),
            problems: problems(outcome),
            warnings: outcome.warning_texts().collect(),
            document: Some(outcome.document()),
        }
    }

    /// The same with the warnings of an outcome.
    pub(super) fn warning(self, outcome: &Outcome) -> Self {
        Self { warnings: outcome.warning_texts().collect(), ..self }
    }

    /// The answer to a change that cannot be made; `text` says it for people.
    pub(super) fn refused(status: Status, text: String) -> Self {
        let line = |cause: Cause| Line { cause, code: "", optional: false };
        let whole = || Cause {
            reason: status.reason.clone(),
            field: String::new(),
            message: status.message.clone(),
        };
        let lines = match status.causes() {
            [] => vec![line(whole())],
            causes => causes.iter().cloned().map(line).collect(),
        };
        let problems = vec![(text, None)];
        Self { lines, problems, warnings: Vec::new(), document: None, status: Some(status) }
    }
}

/// What a case or a step is called, where it is and what it expects.
#[derive(Clone, Copy)]
pub(super) struct CaseExpectation<'c> {
    pub(super) name: &'c str,
    pub(super) place: Option<Span>,
    pub(super) expect: &'c Expect,
}

/// The CRD, with one version if the suite's format is about one at a time.
fn compiled(suite: &Suite, case: &Case, variant: &CrdDefinition) -> Result<Crd, String> {
    let versions = variant.document().and_then(|it| it.root().pointer("/spec/versions"));
    let flag = |version: Value<'_>, key| version.get(key).and_then(Value::as_bool) == Some(true);
    let is_plain = versions.is_some_and(|versions| {
        versions.items().len() == 1
            && versions.items().all(|version| flag(version, "served") && flag(version, "storage"))
    });
    match variant.document() {
        Some(document) if !is_plain && suite.one_version => {
            let document = with_one_version(document, &kind_of(case).version);
            Crd::compile(&document).map_err(|error| error.to_string())
        }
        _ => crds::compiled(variant),
    }
}

fn version<'c>(crd: &'c Crd, case: &Case) -> Result<Version<'c>, String> {
    let name = kind_of(case).version;
    crd.version(&name).ok_or_else(|| format!("the CRD does not serve version `{name}`"))
}

/// The object that is there before the request, created under the CRD as it was.
fn created(
    suite: &Suite,
    case: &Case,
    before: &Before,
    variant: &CrdDefinition,
) -> Result<Document, String> {
    let patched = if before.patches.is_empty() {
        None
    } else {
        let root = variant.document().map(Document::root).ok_or("the CRD has no document")?;
        let mut document = Document::copy_of(root);
        for operation in &before.patches {
            let operations = Document::array_of([operation.root()]);
            json::JsonPatch::from_document(operations, &PatchLimits::default())
                .and_then(|patch| patch.apply(&mut document))
                .map_err(|error| error.to_string())?;
        }
        Some(limits::definition(document))
    };
    let crd = compiled(suite, case, patched.as_ref().unwrap_or(variant))?;
    let version = version(&crd, case)?;
    let object = before.object.clone();
    let status = object.document.root().get("status").map(Document::copy_of);
    let options = options(&object, FieldValidation::Ignore);
    let outcome = version.create(object, &options);
    let refused = |outcome: &Outcome| {
        let problem = outcome.status().map(|status| status.message).unwrap_or_default();
        format!("the object it begins with is refused: {problem}")
    };
    if !outcome.is_accepted() {
        return Err(refused(&outcome));
    }
    let Some(status) = status.filter(|_| version.compiled().status) else {
        return Ok(outcome.into_document());
    };
    let outcome = update_status(version, outcome.document(), &status, &options);
    if outcome.is_accepted() { Ok(outcome.into_document()) } else { Err(refused(&outcome)) }
}

/// Makes the request; tells whether the outcome is that of an update of the status after another one.
fn perform(version: Version<'_>, case: &Case, old: Option<&Document>) -> (Outcome, bool) {
    let object = case.object.clone();
    let options = options(&object, case.field_validation);
    let Some(old) = old else { return (version.create(object, &options), false) };
    let status = object.document.root().get("status").map(Document::copy_of);
    let (old, object) = based_on(old, object, version.crd().is_namespaced());
    if case.request == CaseRequest::Status {
        return (version.update_status(&old, object, &options), false);
    }
    let outcome = version.update(&old, object, &options);
    match status {
        Some(status)
            if case.request == CaseRequest::UpdateAndStatus
                && outcome.is_accepted()
                && version.compiled().status =>
        {
            (update_status(version, outcome.document(), &status, &options), true)
        }
        _ => (outcome, false),
    }
}

/// Gives the stored object `old` another status.
fn update_status(
    version: Version<'_>,
    old: &Document,
    status: &Document,
    options: &RequestOptions,
) -> Outcome {
    let mut object = Document::copy_of(old.root());
    object.insert(NodeId::ROOT, "status", status.root());
    let object = Decoded { document: object, issues: Vec::new() };
    let (old, object) = based_on(old, object, version.crd().is_namespaced());
    version.update_status(&old, object, options)
}

/// An object as an update of `old`: what it does not say of its name and revision is that of `old`.
pub(super) fn based_on(
    old: &Document,
    mut object: Decoded,
    is_namespaced: bool,
) -> (Document, Decoded) {
    let name = old.root().pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let metadata = object.document.root().get("metadata");
    let unnamed = metadata.filter(|metadata| metadata.get("name").is_none()).map(Value::id);
    if let Some(id) = unnamed {
        object.document.insert(id, "name", name);
    }
    objects::as_update(old, object, is_namespaced)
}

pub(super) fn options(object: &Decoded, field_validation: FieldValidation) -> RequestOptions {
    let mut options = limits::request().field_validation(field_validation);
    let namespace = object.document.root().pointer("/metadata/namespace").and_then(Value::as_str);
    if let Some(namespace) = namespace.filter(|namespace| !namespace.is_empty()) {
        options.namespace = namespace.into();
    }
    options
}

impl CaseExpectation<'_> {
    /// Compares what came with what was expected.
    pub(super) fn judge(&self, answer: &Answer<'_>, of_status: bool, failures: &mut Vec<Failure>) {
        self.verdict(answer, of_status, failures);
        self.warnings(answer, failures);
    }

    /// Compares errors and the stored object.
    fn verdict(&self, answer: &Answer<'_>, of_status: bool, failures: &mut Vec<Failure>) {
        let expect = self.expect;
        let Some(status) = &answer.status else {
            if let Some(errors) = &expect.errors {
                let place = match errors {
                    Errors::Message { place, .. } | Errors::Causes(Patterns { place, .. }) => {
                        *place
                    }
                };
                failures.push(self.failure(Issue::error(codes::suite::CASE_ACCEPTED), place));
            } else if let Some(document) = answer.document {
                let object = expect.object.as_ref();
                let object = object.and_then(|it| compare::object(it, document));
                for found in object.into_iter().chain(compare::owners(&expect.owners, document)) {
                    let issue = Issue::error(codes::suite::CASE_OBJECT);
                    let diff = found.diff;
                    failures.push(Failure { diff, ..self.failure(issue, found.place) });
                }
            }
            return;
        };
        let (diff, place) = match &expect.errors {
            None => {
                for (problem, place) in &answer.problems {
                    let issue = Issue::error(codes::suite::CASE_REFUSED);
                    failures.push(self.failure(issue.with("problem", problem.as_str()), *place));
                }
                return;
            }
            Some(Errors::Message { text, place, of_status: wanted }) => {
                let same = status.message.contains(text.as_str()) && *wanted == of_status;
                ((!same).then(|| format!("- {text}\n+ {}\n", status.message)), *place)
            }
            Some(Errors::Causes(patterns)) => {
                (compare::lines(patterns, &answer.lines), patterns.place)
            }
        };
        let other_code = expect.code.filter(|code| *code != i64::from(status.code));
        let diff = match (diff, other_code) {
            (None, None) => return,
            (diff, None) => diff.unwrap_or_default(),
            (diff, Some(code)) => {
                format!("- code {code}\n+ code {}\n{}", status.code, diff.unwrap_or_default())
            }
        };
        let issue = Issue::error(codes::suite::CASE_ERRORS);
        failures.push(Failure { diff, ..self.failure(issue, place) });
    }

    fn warnings(&self, answer: &Answer<'_>, failures: &mut Vec<Failure>) {
        let Some(patterns) = &self.expect.warnings else { return };
        let line = |text: &String| Line {
            cause: Cause { reason: "".into(), field: String::new(), message: text.clone() },
            code: "",
            optional: false,
        };
        let got: Vec<Line> = answer.warnings.iter().map(line).collect();
        if let Some(diff) = compare::lines(patterns, &got) {
            let issue = Issue::error(codes::suite::CASE_WARNINGS);
            failures.push(Failure { diff, ..self.failure(issue, patterns.place) });
        }
    }

    /// A failure at `place`, or else where the case or step begins.
    fn failure(&self, issue: Issue, place: Option<Span>) -> Failure {
        let issue = issue.with("case", self.name);
        let issue = match place.or(self.place) {
            Some(place) => issue.span(place),
            None => issue,
        };
        Failure { issue, diff: String::new() }
    }
}

/// Each reason why a request was refused, where it is.
fn problems(outcome: &Outcome) -> Vec<(String, Option<Span>)> {
    let errors = outcome.issues.iter().filter(|issue| issue.severity == Severity::Error);
    let mut problems: Vec<(String, Option<Span>)> = Vec::new();
    for issue in errors.filter(|issue| !is_incomplete(issue)) {
        let text = if issue.path.is_root() {
            issue.message()
        } else {
            format!("{}: {}", issue.path, issue.message())
        };
        if !problems.iter().any(|(known, _)| *known == text) {
            problems.push((text, issue.span));
        }
    }
    problems
}

/// Why a request was refused, in the server's words; a refusal as a whole is one line.
fn lines(outcome: &Outcome) -> Vec<Line> {
    let Some(status) = outcome.status() else { return Vec::new() };
    let errors: Vec<&Issue> =
        outcome.issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    if status.causes().is_empty() {
        let code = errors.first().map_or("", |issue| issue.code.name());
        let cause = Cause { reason: status.reason, field: String::new(), message: status.message };
        return vec![Line { cause, code, optional: false }];
    }
    let mut lines: Vec<Line> = Vec::new();
    for (cause, issue) in status.causes().iter().zip(errors) {
        // The server says some things twice, and that it stopped looking when there are other errors.
        let optional = is_incomplete(issue) || lines.iter().any(|line| line.cause == *cause);
        lines.push(Line { cause: cause.clone(), code: issue.code.name(), optional });
    }
    lines
}

/// Whether a finding only says that others kept something from being checked.
fn is_incomplete(issue: &Issue) -> bool {
    issue.code.info().meaning == Meaning::Incomplete
}

/// The CRDs that `case` is about: one, or the variants of one.
pub(crate) fn variants<'v>(
    suite: &Suite,
    case: &Case,
    crds: &'v Variants,
) -> Vec<&'v CrdDefinition> {
    if let Some(name) = &suite.crd_name {
        return crds.called(name, &suite.feature_gates);
    }
    crds.of_kind(&kind_of(case)).into_iter().collect()
}
