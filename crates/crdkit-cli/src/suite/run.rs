//! Makes the requests of a case, without a server, and says where what came differs from what was expected.

use super::compare::{self, Line};
use super::crds::with_one_version;
use super::{Before, Case, CaseRequest, Errors, Patterns, Suite, Variants, patch};
use crate::{crds, objects};
use crdkit_codec::Decoded;
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions, Version};
use crdkit_issue::{Issue, Meaning, Severity, Span, codes};
use crdkit_schema::set::CrdDefinition;
use crdkit_schema::status::Cause;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, NodeId, Value};

/// A difference between a case and what came of it.
pub(crate) struct Failure {
    pub(crate) issue: Issue,
    pub(crate) diff: String,
}

/// What became of a case.
#[derive(Default)]
pub(crate) struct Ran {
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
) -> Ran {
    let mut ran = Ran::default();
    match request(suite, case, variant, earlier, &mut ran) {
        Ok(()) => ran,
        Err(problem) => Ran::impossible(case, &problem),
    }
}

impl Ran {
    /// A case that could not be run.
    pub(crate) fn impossible(case: &Case, problem: &str) -> Self {
        let issue = Issue::error(codes::suite::CASE_SETUP).with("problem", problem);
        Self { failures: vec![failure(issue, case, None)], ..Self::default() }
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
    earlier: Option<&CrdDefinition>,
    ran: &mut Ran,
) -> Result<(), String> {
    let crd = compiled(suite, case, variant)?;
    let version = version(&crd, case)?;
    let old = match &case.before {
        None => None,
        Some(before) if before.stored => Some(before.object.document.clone()),
        Some(before) => Some(created(suite, case, before, earlier.unwrap_or(variant))?),
    };
    let (outcome, of_status) = perform(version, case, old.as_ref());
    ran.errors = lines(&outcome).iter().map(Line::text).collect();
    ran.warnings = outcome.warning_texts().collect();
    ran.stored = outcome.is_accepted().then(|| Document::copy_of(outcome.document().root()));
    verdict(case, &outcome, of_status, ran);
    warnings(case, ran);
    Ok(())
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
            patch::apply(&mut document, operation.root())?;
        }
        Some(CrdDefinition::new(document))
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
    let (old, object) = based_on(old, object, version);
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
    let (old, object) = based_on(old, Decoded { document: object, issues: Vec::new() }, version);
    version.update_status(&old, object, options)
}

/// An object as an update of `old`: what it does not say of its name and revision is that of `old`.
fn based_on(old: &Document, mut object: Decoded, version: Version<'_>) -> (Document, Decoded) {
    let name = old.root().pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let metadata = object.document.root().get("metadata");
    let unnamed = metadata.filter(|metadata| metadata.get("name").is_none()).map(Value::id);
    if let Some(id) = unnamed {
        object.document.insert(id, "name", name);
    }
    objects::as_update(old, object, version.crd().is_namespaced())
}

fn options(object: &Decoded, field_validation: FieldValidation) -> RequestOptions {
    let mut options = RequestOptions::new().field_validation(field_validation);
    let namespace = object.document.root().pointer("/metadata/namespace").and_then(Value::as_str);
    if let Some(namespace) = namespace.filter(|namespace| !namespace.is_empty()) {
        options.namespace = namespace.into();
    }
    options
}

/// Compares errors and the stored object.
fn verdict(case: &Case, outcome: &Outcome, of_status: bool, ran: &mut Ran) {
    let status = outcome.status();
    let Some(status) = status else {
        if let Some(errors) = &case.expect.errors {
            let place = match errors {
                Errors::Message { place, .. } | Errors::Causes(Patterns { place, .. }) => *place,
            };
            let issue = Issue::error(codes::suite::CASE_ACCEPTED);
            ran.failures.push(failure(issue, case, place));
        } else if let Some(expected) = &case.expect.object
            && let Some(found) = compare::object(expected, outcome.document())
        {
            let issue = Issue::error(codes::suite::CASE_OBJECT);
            let diff = found.diff;
            ran.failures.push(Failure { diff, ..failure(issue, case, found.place) });
        }
        return;
    };
    let (diff, place) = match &case.expect.errors {
        None => {
            refused(case, outcome, ran);
            return;
        }
        Some(Errors::Message { text, place, of_status: wanted }) => {
            let same = status.message.contains(text.as_str()) && *wanted == of_status;
            ((!same).then(|| format!("- {text}\n+ {}\n", status.message)), *place)
        }
        Some(Errors::Causes(patterns)) => {
            (compare::lines(patterns, &lines(outcome)), patterns.place)
        }
    };
    let other_code = case.expect.code.filter(|code| *code != i64::from(status.code));
    let diff = match (diff, other_code) {
        (None, None) => return,
        (diff, None) => diff.unwrap_or_default(),
        (diff, Some(code)) => {
            format!("- code {code}\n+ code {}\n{}", status.code, diff.unwrap_or_default())
        }
    };
    let issue = Issue::error(codes::suite::CASE_ERRORS);
    ran.failures.push(Failure { diff, ..failure(issue, case, place) });
}

/// A request was refused that should not have been: each reason, where it is.
fn refused(case: &Case, outcome: &Outcome, ran: &mut Ran) {
    let errors = outcome.issues.iter().filter(|issue| issue.severity == Severity::Error);
    let mut seen = Vec::new();
    for issue in errors.filter(|issue| !is_incomplete(issue)) {
        let text = if issue.path.is_root() {
            issue.message()
        } else {
            format!("{}: {}", issue.path, issue.message())
        };
        if !seen.contains(&text) {
            let refused = Issue::error(codes::suite::CASE_REFUSED).with("problem", text.as_str());
            ran.failures.push(failure(refused, case, issue.span));
            seen.push(text);
        }
    }
}

fn warnings(case: &Case, ran: &mut Ran) {
    let Some(patterns) = &case.expect.warnings else { return };
    let line = |text: &String| Line {
        cause: Cause { reason: "".into(), field: String::new(), message: text.clone() },
        code: "",
        optional: false,
    };
    let got: Vec<Line> = ran.warnings.iter().map(line).collect();
    if let Some(diff) = compare::lines(patterns, &got) {
        let issue = Issue::error(codes::suite::CASE_WARNINGS);
        ran.failures.push(Failure { diff, ..failure(issue, case, patterns.place) });
    }
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

/// A failure at `place`, or else where the case begins.
fn failure(issue: Issue, case: &Case, place: Option<Span>) -> Failure {
    let issue = issue.with("case", case.name.as_str());
    let issue = match place.or(case.place) {
        Some(place) => issue.span(place),
        None => issue,
    };
    Failure { issue, diff: String::new() }
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
