//! Suite `native-admission`: what the API server makes of new objects while others exist: quotas, limits, pod security,
//! classes, policies.
//!
//! Each case has a server of its own, in which those others are made through its API.

use super::native::{kind, recorded};
use super::verdict;
use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases, parse};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::json::{self, Layout};
use crdkit_native::NativeKind;
use crdkit_server::{CallAnswer, Server, Settings};
use crdkit_value::{Document, NodeId, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "native-admission",
    cases: "native/native-admission.jsonl.gz",
    crds: None,
    prepare,
    score,
};

const JSON: &str = "application/json";

#[expect(clippy::unnecessary_wraps, reason = "one signature for all suites")]
fn prepare(_: Option<&Cases>) -> Result<Answerer> {
    let failed = |case: &Case, error: &anyhow::Error| {
        Answer::to(&case.id).string("error", &format!("{error:#}")).finish()
    };
    Ok(Box::new(move |case| answer(case).unwrap_or_else(|error| failed(case, &error))))
}

fn answer(case: &Case) -> Result<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play(case))
}

async fn play(case: &Case) -> Result<Vec<u8>> {
    let Some(kind) = kind(case.text("gvk")) else { return Ok(Answer::to(&case.id).finish()) };
    let mut settings = Settings::default();
    settings.garbage_collection = false;
    settings.namespace_deletion = false;
    let server = Server::builder().settings(settings).start().await?;
    for object in case.get("context").into_iter().flat_map(Value::items) {
        make(&server, case.text("namespace"), object).await?;
    }
    let path = path(kind, case.text("namespace"));
    let body = case.get("object").map(text).unwrap_or_default();
    let create = async |mode: &str| {
        let target = format!("{path}?fieldValidation={mode}");
        server.call("POST", &target, JSON, body.clone()).await
    };
    let strict = create("Strict").await;
    let mut answer = Answer::to(&case.id).object("strict", &verdict_of(&strict)?);
    let mut last = strict;
    if last.code >= 300 {
        last = create("Ignore").await;
        answer = answer.object("ignore", &verdict_of(&last)?);
    }
    if !last.warnings.is_empty() {
        answer = answer.strings("warnings", &last.warnings);
    }
    if last.code < 300 {
        answer = answer.value("out", recorded(case, &parse(&last.body)?).root());
    }
    server.stop().await;
    Ok(answer.finish())
}

/// Makes an object, and then its status.
async fn make(server: &Server, namespace: &str, object: Value<'_>) -> Result<()> {
    let of = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let Some(kind) = kind(&format!("{}/{}", of("apiVersion"), of("kind"))) else { return Ok(()) };
    let path = path(kind, namespace);
    let made = server.call("POST", &path, JSON, text(object)).await;
    let Some(status) = object.get("status").filter(|_| made.code < 300) else { return Ok(()) };
    let mut made = parse(&made.body)?;
    made.insert(NodeId::ROOT, "status", status);
    let name = made.root().pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    if status.get("phase").and_then(Value::as_str) == Some("Terminating") {
        // Only what is being deleted is terminating.
        server.call("DELETE", &format!("{path}/{name}"), JSON, Vec::new()).await;
        return Ok(());
    }
    let target = format!("{path}/{name}/status");
    server.call("PUT", &target, JSON, text(made.root())).await;
    Ok(())
}

fn path(kind: &NativeKind, namespace: &str) -> String {
    let root = match kind.group {
        "" => format!("/api/{}", kind.version),
        group => format!("/apis/{group}/{}", kind.version),
    };
    if kind.namespaced {
        format!("{root}/namespaces/{namespace}/{}", kind.plural)
    } else {
        format!("{root}/{}", kind.plural)
    }
}

fn text(value: Value<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    json::write(value, Layout::Compact, &mut text);
    text
}

/// The verdict in an answer.
fn verdict_of(answer: &CallAnswer) -> Result<Answer> {
    let code = Answer::new().int("code", answer.code.into());
    if answer.code < 300 {
        return Ok(code);
    }
    let status = parse(&answer.body)?;
    let of = |value: Value<'_>, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let causes = status.root().pointer("/details/causes").into_iter().flat_map(Value::items);
    let causes = causes.map(|cause| {
        ["reason", "field", "message"]
            .into_iter()
            .fold(Answer::new(), |answer, key| answer.string(key, &of(cause, key)))
    });
    let said = code
        .string("reason", &of(status.root(), "reason"))
        .string("message", &of(status.root(), "message"));
    Ok(said.objects("causes", causes))
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", answer.root().get("strict").is_some(), &case.id);
    if let Some(want) = case.get("strict") {
        verdict::score("create", want, answer.root().get("strict"), &case.id, score);
        let message = |value: Option<Value<'_>>| {
            value.and_then(|it| it.get("message")?.as_str()).unwrap_or_default().to_owned()
        };
        let same = message(Some(want)) == message(answer.root().get("strict"));
        score.add("message", same, &case.id);
    }
    let warnings = |value: Option<Value<'_>>| -> Vec<String> {
        let texts = value.into_iter().flat_map(Value::items).filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let same = warnings(case.get("warnings")) == warnings(answer.root().get("warnings"));
    score.add("warnings", same, &case.id);
    if let Some(want) = case.get("out") {
        score.add("out", answer.root().get("out").is_some_and(|got| got == want), &case.id);
    }
}
