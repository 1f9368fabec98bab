//! Suite `compat`: what crdify, without configuration, says about changes from release to release.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit::compat::crdify::{self, Config};
use crdkit::schema::read;
use crdkit::value::{Document, Value};
use std::collections::BTreeSet;

pub(crate) const SUITE: Suite =
    Suite { name: "compat", cases: "compat.jsonl.gz", crds: None, prepare, score };

#[expect(clippy::unnecessary_wraps, reason = "one signature for all suites")]
fn prepare(_crds: Option<&Cases>) -> Result<Answerer> {
    Ok(Box::new(answer))
}

fn answer(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let Some((old, new)) = case.get("old").zip(case.get("new")) else { return answer.finish() };
    let config = match case.get("config") {
        None => Config::default(),
        Some(config) => match Config::read(config) {
            Ok(config) => config,
            Err(_) => return answer.bool("config_error", true).finish(),
        },
    };
    let (old, new) = (read::crd(old).0, read::crd(new).0);
    let report = crdify::compare(&old, &new, &config);
    answer
        .bool("failed", report.failed())
        .string("text", &report.plain_text())
        .value("report", report.document().root())
        .finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let answer = answer.root();
    let expected = case.get("crdify");
    let failed = |value: Option<Value<'_>>| value?.get("failed")?.as_bool();
    score.add("answered", failed(Some(answer)).is_some(), &case.id);
    score.add("failed", failed(expected) == failed(Some(answer)), &case.id);
    let same = findings(expected) == findings(Some(answer));
    score.add("report", same, &case.id);
}

/// The set of (comparison, version, property, check) that a report names.
fn findings(case: Option<Value<'_>>) -> BTreeSet<[&str; 4]> {
    fn list<'d>(value: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> {
        value.get(key).map(Value::items).into_iter().flatten()
    }
    fn text<'d>(value: Value<'d>, key: &str) -> &'d str {
        value.get(key).and_then(Value::as_str).unwrap_or_default()
    }
    let says = |result: &Value<'_>| {
        list(*result, "errors").chain(list(*result, "warnings")).next().is_some()
    };
    let mut found = BTreeSet::new();
    let Some(report) = case.and_then(|case| case.get("report")) else { return found };
    let whole = list(report, "crdValidation").filter(says);
    found.extend(whole.map(|result| ["crdValidation", "", "", text(result, "name")]));
    for part in ["sameVersionValidation", "servedVersionValidation"] {
        for version in list(report, part) {
            for property in list(version, "propertyComparisons") {
                let place = [text(version, "version"), text(property, "property")];
                let results = list(property, "comparisonResults").filter(says);
                found.extend(results.map(|it| [part, place[0], place[1], text(it, "name")]));
            }
        }
    }
    found
}
