//! Suite `k8s-cel`: what the rules of a bare schema say about a value, and what running them costs.
//!
//! The values were recorded from Go, where a field of `format: float` held a 32-bit float. Their JSON has
//! only as many digits as tell 32-bit floats apart, so they are read as such; nothing else in crdkit does
//! so, because the server itself reads all numbers with 64 bits.

use super::crds::error;
use super::{Answerer, Suite, verdict};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_schema::{check, read};
use crdkit_value::{Document, Kind, Value};

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
    let value = recorded(case.get("obj").unwrap_or(nothing.root()), schema.root());
    let old = case.get("oldObj").filter(|old| !old.is_null());
    let old = old.map(|old| recorded(old, schema.root()));
    let values = (value.root(), old.as_ref().map(Document::root));
    let (issues, left) = check::evaluate(&schemas, root, is_resource, values, budget, "root");
    Answer::to(&case.id)
        .objects("errors", issues.iter().map(error))
        .int("cost", budget.saturating_sub(left))
        .finish()
}

/// A value as it was before it was written down.
fn recorded(value: Value<'_>, schema: Value<'_>) -> Document {
    let mut document = Document::copy_of(value);
    let mut floats = Vec::new();
    let mut pending = vec![(document.root(), schema)];
    while let Some((value, schema)) = pending.pop() {
        match value.kind() {
            Kind::Float(float) if schema.get("format").and_then(Value::as_str) == Some("float") => {
                #[expect(clippy::cast_possible_truncation, reason = "it came from 32 bits")]
                floats.push((value.id(), f64::from(float as f32)));
            }
            Kind::Object(members) => pending.extend(members.filter_map(|(key, member)| {
                let property = schema.get("properties").and_then(|properties| properties.get(key));
                Some((member, property.or_else(|| schema.get("additionalProperties"))?))
            })),
            Kind::Array(items) => {
                let item = schema.get("items");
                pending.extend(items.filter_map(|value| Some((value, item?))));
            }
            _ => {}
        }
    }
    for (id, float) in floats {
        document.set(id, Document::from(float).root());
    }
    document
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
