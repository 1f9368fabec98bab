//! Suites `cr`, `cr-openapi`, `cr-update` and `openshift`: what the API server makes of custom resources.
//!
//! The five characters that the server puts after `generateName` are chance and not a verdict; they are
//! an input like any other and come from the recorded name. Nothing else that was recorded of an answer
//! is looked at.

use super::verdict::{self, Crds};
use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::Case;
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::json::{self, Layout};
use crdkit_engine::{FieldValidation, Outcome, RequestOptions};
use crdkit_value::{Document, Value};

pub(crate) const CR: Suite = Suite {
    name: "cr",
    cases: "cr-verdicts.jsonl.gz",
    crds: Some("crds.jsonl.gz"),
    prepare: |crds| answerer(Crds::compile(crds), create),
    score: score_create,
};

pub(crate) const CR_UPDATE: Suite = Suite {
    name: "cr-update",
    cases: "cr-update-verdicts.jsonl.gz",
    crds: Some("crds.jsonl.gz"),
    prepare: |crds| answerer(Crds::compile(crds), update),
    score: score_update,
};

pub(crate) const OPENSHIFT: Suite = Suite {
    name: "openshift",
    cases: "openshift.jsonl.gz",
    crds: Some("openshift-crds.jsonl.gz"),
    prepare: |crds| answerer(Crds::compile(crds), request),
    score: score_request,
};

/// The same verdicts from CRDs that were exported as OpenAPI, or published as such by a server, and read again.
pub(crate) const CR_OPENAPI: Suite = Suite {
    name: "cr-openapi",
    prepare: |crds| answerer(Crds::described(crds, verdict::exported), create),
    ..CR
};

pub(crate) const CR_UPDATE_OPENAPI: Suite = Suite {
    name: "cr-update-openapi",
    prepare: |crds| answerer(Crds::described(crds, verdict::exported), update),
    ..CR_UPDATE
};

pub(crate) const OPENSHIFT_OPENAPI: Suite = Suite {
    name: "openshift-openapi",
    prepare: |crds| answerer(Crds::described(crds, verdict::exported), request),
    ..OPENSHIFT
};

pub(crate) const CR_PUBLISHED: Suite = Suite {
    name: "cr-published",
    prepare: |crds| answerer(Crds::described(crds, verdict::published_v3), create),
    ..CR
};

pub(crate) const CR_UPDATE_PUBLISHED: Suite = Suite {
    name: "cr-update-published",
    prepare: |crds| answerer(Crds::described(crds, verdict::published_v3), update),
    ..CR_UPDATE
};

fn answerer(crds: Result<Crds>, answer: fn(&Crds, &Case) -> Vec<u8>) -> Result<Answerer> {
    let crds = crds?;
    Ok(Box::new(move |case| answer(&crds, case)))
}

fn create(crds: &Crds, case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let Some(version) = crds.version(case) else { return answer.finish() };
    let body = body(case);
    let run = |field_validation| version.create(&body, &options(case, field_validation));
    let strict = run(FieldValidation::Strict);
    let answer = answer.object("strict", &verdict::of(&strict, 201));
    if strict.is_accepted() {
        return answer.value("out", stored(&strict).root()).finish();
    }
    let ignore = run(FieldValidation::Ignore);
    let answer = answer.object("ignore", &verdict::of(&ignore, 201));
    with_stored(answer, &ignore).finish()
}

fn update(crds: &Crds, case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let Some(version) = crds.version(case) else { return answer.finish() };
    let old = case.get("old").map(Document::copy_of).unwrap_or_default();
    let outcome = version.update(&old, &body(case), &options(case, FieldValidation::Ignore));
    let answer = answer.object("update", &verdict::of(&outcome, 200));
    with_stored(answer, &outcome).finish()
}

fn request(crds: &Crds, case: &Case) -> Vec<u8> {
    let kind = case.text("kind");
    let answer = Answer::to(&case.id).string("kind", kind);
    let Some(version) = crds.version(case) else { return answer.finish() };
    let body = body(case);
    let options = options(case, FieldValidation::Ignore);
    let old = case.get("old").map(Document::copy_of).unwrap_or_default();
    let (outcome, code) = match kind {
        "create" => (version.create(&body, &options), 201),
        "status" => (version.update_status(&old, &body, &options), 200),
        _ => (version.update(&old, &body, &options), 200),
    };
    let warnings: Vec<String> = outcome.warning_texts().collect();
    let answer = answer.merge(&verdict::of(&outcome, code)).strings("warnings", &warnings);
    with_stored(answer, &outcome).finish()
}

fn body(case: &Case) -> Vec<u8> {
    let mut body = Vec::new();
    if let Some(object) = case.get("object") {
        json::write(object, Layout::Compact, &mut body);
    }
    body
}

fn options(case: &Case, field_validation: FieldValidation) -> RequestOptions {
    let mut options = RequestOptions::new().field_validation(field_validation);
    let prefix = case.root().pointer("/object/metadata/generateName").and_then(Value::as_str);
    let name = case.root().pointer("/out/metadata/name").and_then(Value::as_str);
    if let Some(suffix) = prefix.zip(name).and_then(|(prefix, name)| generated(prefix, name)) {
        options.name_suffix = suffix.into();
    }
    options
}

/// The random end of a name; a long prefix was cut to make room for it.
fn generated<'n>(prefix: &str, name: &'n str) -> Option<&'n str> {
    let (head, suffix) = name.split_at_checked(name.len().checked_sub(5)?)?;
    prefix.starts_with(head).then_some(suffix)
}

fn with_stored(answer: Answer, outcome: &Outcome) -> Answer {
    if outcome.is_accepted() { answer.value("out", stored(outcome).root()) } else { answer }
}

/// The object without what a server decides by itself.
fn stored(outcome: &Outcome) -> Document {
    let mut document = Document::copy_of(outcome.document().root());
    for key in ["uid", "creationTimestamp", "managedFields", "generation", "resourceVersion"] {
        let metadata = document.root().get("metadata");
        if let Some(id) = metadata.and_then(|metadata| metadata.get(key)).map(Value::id) {
            document.remove(id);
        }
    }
    document
}

fn score_create(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    for mode in ["strict", "ignore"] {
        if let Some(want) = case.get(mode) {
            verdict::score(mode, want, answer.root().get(mode), &case.id, score);
        }
    }
    score_stored(case, answer, score);
}

fn score_update(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    if let Some(want) = case.get("update") {
        verdict::score("update", want, answer.root().get("update"), &case.id, score);
    }
    score_stored(case, answer, score);
}

fn score_request(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    verdict::score(case.text("kind"), case.root(), Some(answer.root()), &case.id, score);
    score_stored(case, answer, score);
    let warned =
        |value: Value<'_>| value.get("warnings").is_some_and(|list| list.items().len() > 0);
    score.add("warnings", warned(case.root()) == warned(answer.root()), &case.id);
}

fn score_stored(case: &Case, answer: &Document, score: &mut Score) {
    if let Some(want) = case.get("out") {
        score.add("out", answer.root().get("out").is_some_and(|got| got == want), &case.id);
    }
}
