//! Suites `compat` and `crdify`: what crdify, without configuration, says about changes from release to
//! release, and about its own examples.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_compat::crdify::{self, Config};
use crdkit_compat::semantic;
use crdkit_schema::read;
use crdkit_value::{Document, Event, Value};
use std::collections::BTreeSet;

pub(crate) const SUITE: Suite =
    Suite { name: "compat", cases: "compat.jsonl.gz", crds: None, prepare, score };

pub(crate) const CRDIFY: Suite =
    Suite { name: "crdify", cases: "crdify/test", crds: None, prepare, score: score_with_messages };

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
    let documents = (Document::copy_of(old), Document::copy_of(new));
    let semantic = semantic::compare(&documents.0, &documents.1).unwrap_or_default();
    let undecided = semantic.undecided();
    let (old, new) = (read::crd(old).0, read::crd(new).0);
    let report = crdify::compare(&old, &new, &config);
    answer
        .bool("failed", report.failed())
        .string("text", &report.plain_text())
        .value("report", report.document().root())
        .value("decided", nodes(&semantic, &undecided).root())
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
    // The other mode has no recorded answers; what counts is that it has one.
    for (path, decided) in answer.get("decided").into_iter().flat_map(Value::members) {
        score.add(
            "changes decided",
            decided.as_bool() == Some(true),
            &format!("{} {path}", case.id),
        );
    }
}

/// The same, and every message word by word.
fn score_with_messages(case: &Case, answer: &Document, out: &mut Score) {
    score(case, answer, out);
    let same = messages(case.get("crdify")) == messages(Some(answer.root()));
    out.add("messages", same, &case.id);
}

/// The messages of a report with one blank for every white space. What no check knows is shown in a form of
/// its own.
fn messages(case: Option<Value<'_>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<_> = case.and_then(|case| case.get("report")).into_iter().collect();
    while let Some(value) = pending.pop() {
        if value.get("name").and_then(Value::as_str) == Some("unhandled") {
            continue;
        }
        if let Some(text) = value.as_str() {
            found.insert(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        pending.extend(value.items());
        pending.extend(value.members().map(|(_, member)| member));
    }
    found
}

/// Every change of a schema, and whether all questions about it are answered.
fn nodes(report: &semantic::CompatReport, undecided: &[&semantic::ChangedNode]) -> Document {
    let name = |node: &semantic::ChangedNode| format!("{} {}", node.version, node.path);
    let names: Vec<_> = report.changed.iter().map(name).collect();
    let mut events = vec![Event::BeginObject];
    for (node, name) in report.changed.iter().zip(&names) {
        events.extend([Event::Key(name), Event::Bool(!undecided.contains(&node))]);
    }
    events.push(Event::EndObject);
    Document::of_events(events)
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
