//! Suites `crd`, `crd-mutant` and `k8s-crd`: what the API server says about CRDs themselves.

use super::{Answerer, Suite, verdict};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_issue::Issue;
use crdkit_schema::model::Validation;
use crdkit_schema::status::{self, Status, Subject};
use crdkit_schema::{check, read};
use crdkit_value::{Document, Value};

pub(crate) const CRD: Suite = Suite {
    name: "crd",
    cases: "crd-verdicts.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(create)) },
    score: score_create,
};

pub(crate) const CRD_MUTANT: Suite =
    Suite { name: "crd-mutant", cases: "crd-mutant-verdicts.jsonl.gz", ..CRD };

pub(crate) const K8S_CRD: Suite = Suite {
    name: "k8s-crd",
    cases: "k8s-crd.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(check)) },
    score: score_check,
};

fn create(case: &Case) -> Vec<u8> {
    let crd = case.get("crd").map(Document::copy_of).unwrap_or_default();
    let verdict = match refusal(&crd) {
        Some(status) => verdict::refused(&status),
        None => Answer::new().int("code", 201),
    };
    Answer::to(&case.id).object("verdict", &verdict).finish()
}

/// The answer to a strict create, if the server refuses it.
fn refusal(document: &Document) -> Option<Status> {
    let root = document.root();
    let name = root.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let kind = "CustomResourceDefinition";
    let subject = Subject { group: "apiextensions.k8s.io", version: "v1", kind, name };
    let request = match read::request(root, &[]) {
        Ok(request) if request.strict.is_empty() => request,
        Ok(request) => return Some(subject.bad_request(&request.strict)),
        Err(issues) => return Some(subject.bad_request(&issues)),
    };
    let mut issues = request.limits;
    let mut crd = request.crd;
    crd.prepare_for_create();
    issues.extend(check::create(&crd));
    (!issues.is_empty()).then(|| subject.invalid(&issues))
}

fn check(case: &Case) -> Vec<u8> {
    let part = |key| case.get(key).map(Document::copy_of).unwrap_or_default();
    let (crd, old) = (part("crd"), part("old"));
    let issues = match case.text("kind") {
        "create" => check::create(&read::crd(crd.root()).0),
        "update" => check::update_strategy(&read::crd(crd.root()).0, &read::crd(old.root()).0),
        _ => check_schema(case, &part("validation")),
    };
    Answer::to(&case.id).objects("errors", issues.iter().map(error)).finish()
}

fn check_schema(case: &Case, validation: &Document) -> Vec<Issue> {
    let (schemas, schema, _) = read::bare_schema(validation.root());
    let asked = |name: &str| case.text("opts").contains(&format!("{name}:true"));
    let mut options = check::CheckOptions::create();
    options.allow_defaults = asked("allowDefaults");
    options.require_schema = asked("requireOpenAPISchema");
    options.require_valid_type = asked("requireValidPropertyType");
    options.require_structural = asked("requireStructuralSchema");
    options.require_pruned_defaults = asked("requirePrunedDefaults");
    options.require_atomic_set = asked("requireAtomicSetType");
    options.require_list_map_keys = asked("requireMapListKeysMapSetValidation");
    let has_schema = validation.root().get("openAPIV3Schema").is_some();
    let validation = Validation { source: validation.root(), schema: has_schema.then_some(schema) };
    let status_enabled = case.get("statusEnabled").and_then(Value::as_bool).unwrap_or_default();
    check::schema(&schemas, validation, status_enabled, &options)
}

pub(super) fn error(issue: &Issue) -> Answer {
    let cause = status::cause(issue);
    Answer::new()
        .string("type", &cause.reason)
        .string("field", &cause.field)
        .string("detail", &issue.server_message())
}

fn score_create(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    if let Some(want) = case.get("verdict") {
        verdict::score("crd", want, answer.root().get("verdict"), &case.id, score);
    }
}

fn score_check(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    let same = |keys: &[&str]| {
        verdict::rows(case.root(), "errors", keys) == verdict::rows(answer.root(), "errors", keys)
    };
    score.add("errors", same(&["type", "field"]), &case.id);
    if case.get("errors").is_some_and(|errors| errors.items().len() > 0) {
        score.add("details", same(&["detail"]), &case.id);
    }
}
