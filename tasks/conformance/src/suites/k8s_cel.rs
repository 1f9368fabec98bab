//! Suite `k8s-cel`: what the rules of a bare schema say about a value, and what running them costs.

use super::crds::error;
use super::{Answerer, Suite, verdict};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit::schema::{check, read};
use crdkit::value::{Document, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "k8s-cel",
    cases: "k8s-cel.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let schema = case.get("schema").map(Document::copy_of).unwrap_or_default();
    let (schemas, root, _) = read::bare_schema(schema.root());
    let is_resource = case.get("isRoot").and_then(Value::as_bool).unwrap_or_default();
    let budget = case.get("budget").and_then(Value::as_i64).unwrap_or_default();
    let nothing = Document::null();
    let value = case.get("obj").unwrap_or(nothing.root());
    let old = case.get("oldObj").filter(|old| !old.is_null());
    let (issues, left) = check::evaluate(&schemas, root, is_resource, (value, old), budget, "root");
    Answer::to(&case.id)
        .objects("errors", issues.iter().map(error))
        .int("cost", budget.saturating_sub(left))
        .finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    let same = |keys: &[&str]| {
        verdict::rows(case.root(), "errors", keys) == verdict::rows(answer.root(), "errors", keys)
    };
    score.add("errors", same(&["type", "field"]), &case.id);
    if case.get("errors").is_some_and(|errors| errors.items().len() > 0) {
        score.add("details", same(&["detail"]), &case.id);
    }
    score.add("cost", case.get("cost") == answer.root().get("cost"), &case.id);
}
