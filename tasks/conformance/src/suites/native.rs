//! Suite `native`: what the API server makes of objects of native kinds.
//!
//! What a server makes up was recorded as `<uid>` and `<now>`, or left out where it chose a name, an address or a
//! port. Here it is an input: a fixed identity, a fixed time.

use super::verdict;
use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::DecodeOptions;
use crdkit_codec::json::{self, Layout};
use crdkit_engine::{FieldValidation, Outcome, RequestOptions};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId, Value};

pub(crate) const SUITE: Suite =
    Suite { name: "native", cases: "native/native-verdicts.jsonl.gz", crds: None, prepare, score };

pub(crate) const UID: &str = "22222222-3333-4444-5555-666666666666";
pub(crate) const NOW: &str = "2026-08-01T00:00:00Z";
pub(crate) const REVISION: &str = "100";

#[expect(clippy::unnecessary_wraps, reason = "one signature for all suites")]
fn prepare(_: Option<&Cases>) -> Result<Answerer> {
    Ok(Box::new(|case| answer(case).unwrap_or_else(|| Answer::to(&case.id).finish())))
}

/// The kind that is called `GROUP/VERSION/KIND`.
pub(crate) fn kind(name: &str) -> Option<&'static NativeKind> {
    let (api_version, kind) = name.rsplit_once('/')?;
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    NativeKinds::latest().find(group, version, kind)
}

fn answer(case: &Case) -> Option<Vec<u8>> {
    let kind = kind(case.text("gvk"))?;
    let operation = case.text("op");
    let old = case.get("old").map(stored);
    let body = body(case);
    let code = if operation == "create" { 201 } else { 200 };
    let run = |mode, recorded| {
        let options = options(case, old.as_ref(), recorded).field_validation(mode);
        match (operation, &old) {
            ("update", Some(old)) => kind.update(old, &body, &options),
            ("update-status", Some(old)) => kind.update_status(old, &body, &options),
            _ => kind.create(&body, &options),
        }
    };
    let strict = run(FieldValidation::Strict, "/strict/message");
    let answer = Answer::to(&case.id).object("strict", &verdict::of(&strict, code));
    if strict.is_accepted() {
        return Some(finish(answer.value("out", out(case, &strict).root())));
    }
    let ignore = run(FieldValidation::Ignore, "/ignore/message");
    let answer = answer.object("ignore", &verdict::of(&ignore, code));
    if ignore.is_accepted() {
        return Some(finish(answer.value("out", out(case, &ignore).root())));
    }
    Some(finish(answer))
}

/// An answer with what the server makes up as it was recorded.
fn finish(answer: Answer) -> Vec<u8> {
    let line = String::from_utf8_lossy(&answer.finish()).into_owned();
    line.replace(UID, "<uid>").replace(NOW, "<now>").into_bytes()
}

/// The stored object with what the recording leaves out of it.
fn stored(old: Value<'_>) -> Document {
    let mut document = decode(&real(old));
    if let Some(metadata) = document.root().get("metadata").map(Value::id) {
        document.insert(metadata, "uid", UID);
        document.insert(metadata, "creationTimestamp", "2026-07-31T00:00:00Z");
        document.insert(metadata, "resourceVersion", REVISION);
    }
    document
}

fn body(case: &Case) -> Vec<u8> {
    if let Some(text) = case.get("text").and_then(Value::as_str) {
        return text.replace("<uid>", UID).replace("<now>", NOW).into_bytes();
    }
    let Some(object) = case.get("object") else { return Vec::new() };
    let body = real(object);
    let mut document = decode(&body);
    let revision = match case.text("rv") {
        "current" => REVISION,
        "stale" => "99",
        _ => return spaced(&body),
    };
    let metadata = document.root().get("metadata").filter(|it| it.as_object().is_some());
    let Some(metadata) = metadata.map(Value::id) else { return spaced(&body) };
    document.insert(metadata, "resourceVersion", revision);
    let mut body = Vec::new();
    json::write(document.root(), Layout::Compact, &mut body);
    spaced(&body)
}

/// JSON with a space after each comma and colon, as the recorded requests had it: some messages quote them.
fn spaced(compact: &[u8]) -> Vec<u8> {
    let (mut spaced, mut in_string, mut is_escaped) = (Vec::new(), false, false);
    for byte in compact {
        spaced.push(*byte);
        match byte {
            b'"' if !is_escaped => in_string = !in_string,
            b',' | b':' if !in_string => spaced.push(b' '),
            _ => {}
        }
        is_escaped = in_string && *byte == b'\\' && !is_escaped;
    }
    spaced
}

/// An object as text, with real values for what the server makes up.
fn real(value: Value<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    json::write(value, Layout::Compact, &mut text);
    let text = String::from_utf8_lossy(&text);
    text.replace("<uid>", UID).replace("<now>", NOW).into_bytes()
}

fn decode(bytes: &[u8]) -> Document {
    let decoded = json::decode(bytes, &DecodeOptions::default());
    decoded.map(|decoded| decoded.document).unwrap_or_default()
}

/// The options of a request whose refusal is `recorded`, if it was refused.
fn options(case: &Case, old: Option<&Document>, recorded: &str) -> RequestOptions {
    let mut options = RequestOptions::new().uid(UID).user("admin");
    options.time = Timestamp::parse_rfc3339(NOW).ok();
    let namespace = old.and_then(|old| old.root().pointer("/metadata/namespace")?.as_str());
    if let Some(namespace) = namespace {
        options = options.namespace(namespace);
    }
    // The name that was made up is in the object, or in the words that refuse it.
    let text = |pointer: &str| case.root().pointer(pointer).and_then(Value::as_str);
    let refused = || text(recorded)?.split('"').nth(1);
    let name = text("/out/metadata/name").or_else(refused);
    let prefix = case.root().pointer("/object/metadata/generateName").and_then(Value::as_str);
    if let Some(suffix) = prefix.zip(name).and_then(|(prefix, name)| name.strip_prefix(prefix)) {
        options.name_suffix = suffix.into();
    }
    options
}

/// The outcome's object as it would have been recorded.
fn out(case: &Case, outcome: &Outcome) -> Document {
    recorded(case, outcome.document())
}

/// An object as it would have been recorded.
pub(crate) fn recorded(case: &Case, object: &Document) -> Document {
    let mut text = Vec::new();
    json::write(object.root(), Layout::Compact, &mut text);
    let text = String::from_utf8_lossy(&text).replace(UID, "<uid>").replace(NOW, "<now>");
    let mut document = decode(text.as_bytes());
    for key in ["uid", "creationTimestamp", "managedFields", "resourceVersion"] {
        remove(&mut document, &format!("metadata.{key}"));
    }
    for path in case.get("allocated").into_iter().flat_map(Value::items) {
        remove(&mut document, path.as_str().unwrap_or_default());
    }
    document
}

fn remove(document: &mut Document, path: &str) {
    let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
    if let Some(id) =
        document.root().pointer(&pointer).map(Value::id).filter(|id| *id != NodeId::ROOT)
    {
        document.remove(id);
    }
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    let operation = case.text("op");
    for (mode, name) in
        [("strict", operation.to_owned()), ("ignore", format!("{operation} ignore"))]
    {
        if let Some(want) = case.get(mode) {
            verdict::score(&name, want, answer.root().get(mode), &case.id, score);
        }
    }
    let code = |value: Value<'_>| value.get("strict")?.get("code")?.as_i64();
    if code(case.root()).is_some_and(|code| code < 300) {
        let accepted = code(answer.root()).is_some_and(|code| code < 300);
        score.add("valid accepted", accepted, &case.id);
    }
    if let Some(want) = case.get("out") {
        score.add("out", answer.root().get("out").is_some_and(|got| got == want), &case.id);
    }
}
