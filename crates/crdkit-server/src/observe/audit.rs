//! The audit log: an `Event` of `audit.k8s.io/v1` in one line for each request, written when its answer begins.

use crate::answer::{Answer, AnswerBody};
use crate::request::{Request, RequestBody};
use crate::route::{Route, Verb};
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use hyper::header::CONTENT_TYPE;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// How much an audit log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLevel {
    /// Who did what when, and how it ended.
    Metadata,
    /// The bodies of requests and answers as well.
    RequestResponse,
}

/// Where a line for each request goes.
pub(crate) struct AuditLog {
    pub(crate) level: AuditLevel,
    pub(crate) out: Mutex<Box<dyn Write + Send>>,
}

/// How a request ended.
pub(crate) struct Ended<'r> {
    pub(crate) answer: &'r Answer,
    pub(crate) id: &'r str,
    pub(crate) received: Timestamp,
    pub(crate) done: Timestamp,
}

impl AuditLog {
    pub(crate) fn write(&self, request: &Request, route: &Route<'_>, ended: &Ended<'_>) {
        let mut line = go_json::value(event(self.level, request, route, ended).root());
        line.push('\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = out.write_all(line.as_bytes()) {
            tracing::error!(%error, "the audit log cannot be written");
        }
    }
}

fn event(level: AuditLevel, request: &Request, route: &Route<'_>, ended: &Ended<'_>) -> Document {
    let Ended { answer, id, received, done } = ended;
    let is_watch = matches!(route, Route::Resource(it) if it.verb == Verb::Watch);
    let mut event = Document::object()
        .with("kind", "Event")
        .with("apiVersion", "audit.k8s.io/v1")
        .with(
            "level",
            match level {
                AuditLevel::Metadata => "Metadata",
                AuditLevel::RequestResponse => "RequestResponse",
            },
        )
        .with("auditID", *id)
        .with("stage", if is_watch { "ResponseStarted" } else { "ResponseComplete" })
        .with("requestURI", request.target())
        .with(
            "verb",
            match route {
                Route::Resource(it) => it.verb.as_str(),
                Route::Path { verb, .. } => *verb,
            },
        )
        .with("user", &request.user.document());
    if let Some(address) = request.remote_address {
        event = event.with("sourceIPs", &Document::array_of([address.ip().to_string().as_str()]));
    }
    event = event.with("userAgent", request.header("user-agent"));
    if let Route::Resource(it) = route {
        let named = [
            ("resource", it.plural),
            ("namespace", it.namespace.unwrap_or_default()),
            ("name", it.name.unwrap_or_default()),
            ("apiGroup", it.group),
            ("apiVersion", it.version),
            ("subresource", it.subresource.unwrap_or_default()),
        ];
        event = event.with("objectRef", &texts(named));
    }
    let has_bodies = level == AuditLevel::RequestResponse;
    let body = if has_bodies || answer.code >= 400 { body(answer) } else { None };
    event = event.with("responseStatus", &response_status(answer.code, body.as_ref()));
    if has_bodies {
        if let Some(object) = sent(request) {
            event = event.with("requestObject", &object);
        }
        if let Some(object) = &body {
            event = event.with("responseObject", object);
        }
    }
    event = event
        .with("requestReceivedTimestamp", &micro(*received))
        .with("stageTimestamp", &micro(*done));
    let notes = request.annotations();
    if !notes.is_empty() {
        let notes = notes.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        event = event.with("annotations", &texts(notes));
    }
    event
}

/// Texts by their names, without those that are empty.
fn texts<'t>(named: impl IntoIterator<Item = (&'t str, &'t str)>) -> Document {
    let named = named.into_iter().filter(|(_, text)| !text.is_empty());
    named.fold(Document::object(), |object, (name, text)| object.with(name, text))
}

/// The code, and what a `Status` says of a failure.
fn response_status(code: u16, body: Option<&Document>) -> Document {
    let mut status = Document::object().with("metadata", &Document::object());
    let said = body
        .map(Document::root)
        .filter(|body| code >= 400 && body.get("kind").and_then(Value::as_str) == Some("Status"));
    for key in ["status", "message", "reason"] {
        if let Some(text) = said.and_then(|said| said.get(key)?.as_str()) {
            status = status.with(key, text);
        }
    }
    status.with("code", i64::from(code))
}

/// The body of a request, if it is an object in a text format or CBOR.
fn sent(request: &Request) -> Option<Document> {
    let RequestBody::Whole(bytes) = &request.body else { return None };
    object(request.header(CONTENT_TYPE.as_str()), bytes)
}

/// The body of an answer that does not come in pieces.
fn body(answer: &Answer) -> Option<Document> {
    let AnswerBody::Whole(bytes) = &answer.body else { return None };
    let kind = answer.headers.iter().find(|(name, _)| *name == CONTENT_TYPE);
    object(kind.and_then(|(_, value)| value.to_str().ok()).unwrap_or_default(), bytes)
}

fn object(content_type: &str, bytes: &[u8]) -> Option<Document> {
    let format = match content_type {
        kind if kind.contains("cbor") => Format::Cbor,
        kind if kind.contains("yaml") => Format::Yaml,
        kind if kind.contains("json") || kind.is_empty() => Format::Json,
        _ => return None,
    };
    let decoded = format.decode(bytes, &DecodeOptions::default()).ok()?.document;
    // JSON patches are arrays.
    let root = decoded.root();
    (root.as_object().is_some() || root.as_array().is_some()).then_some(decoded)
}

/// A time to the microsecond.
fn micro(time: Timestamp) -> String {
    let whole = Timestamp { nanoseconds: 0, ..time }.to_string();
    format!("{}.{:06}Z", whole.trim_end_matches('Z'), time.nanoseconds / 1000)
}
