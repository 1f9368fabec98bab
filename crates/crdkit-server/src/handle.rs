//! One request from the moment it is read to the answer: routed, authorised, dispatched, and given the headers that all
//! answers have.

use crate::answer::{Answer, AnswerBody};
use crate::authorise::authorise;
use crate::core::Core;
use crate::request::Request;
use crate::route::{Route, Verb, method_name};
use crate::{negotiate, paths, verbs};
use crdkit_schema::status::Status;
use crdkit_text::duration;
use hyper::Method;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, WARNING};
use std::sync::Arc;

/// The answer to a request.
pub(crate) async fn handle(core: &Arc<Core>, request: &Request) -> Answer {
    let received = core.environment.now();
    let started = tokio::time::Instant::now();
    let answer = match dispatch(core, request).await {
        Ok(answer) => answer,
        Err(status) => negotiate::status(request, &status),
    };
    let id = match request.header("audit-id") {
        "" => core.environment.uid(),
        given => given.to_owned(),
    };
    let answer = finish(request, answer, &id);
    let method = method_name(&request.method);
    let route = Route::parse(&method, &request.path, &request.query);
    core.metrics.note(&route, answer.code, started.elapsed());
    if let Some(audit) = &core.audit {
        audit.write(request, &route, &answer, &id, (received, core.environment.now()));
    }
    answer
}

pub(crate) async fn dispatch(core: &Arc<Core>, request: &Request) -> Result<Answer, Box<Status>> {
    let method = method_name(&request.method);
    let route = Route::parse(&method, &request.path, &request.query);
    let is_long = matches!(&route, Route::Resource(it) if it.verb == Verb::Watch);
    if !is_long {
        check_timeout(request)?;
    }
    authorise(core, &request.user, &route)?;
    match &route {
        Route::Resource(route) => verbs::dispatch(core, request, route).await,
        Route::Path { .. } => paths::dispatch(core, request).await,
    }
}

/// The query may say how long the client waits; only what is no duration matters.
fn check_timeout(request: &Request) -> Result<(), Box<Status>> {
    let text = request.query.text("timeout");
    if text.is_empty() {
        return Ok(());
    }
    duration::parse(text).map(drop).map_err(|problem| {
        let text = format!("invalid timeout specified in the request URL - {problem}");
        Status::bad_request(text).into()
    })
}

/// Adds what all answers have.
fn finish(request: &Request, answer: Answer, id: &str) -> Answer {
    let mut answer = answer.header(HeaderName::from_static("audit-id"), id);
    if !answer.headers.iter().any(|(name, _)| *name == CACHE_CONTROL) {
        answer.headers.push((CACHE_CONTROL, HeaderValue::from_static("no-cache, private")));
    }
    for text in shortened(request.take_warnings()) {
        if let Ok(value) = HeaderValue::from_bytes(warning(&text).as_bytes()) {
            answer.headers.push((WARNING, value));
        }
    }
    if request.method == Method::HEAD
        && let AnswerBody::Pieces(_) = answer.body
    {
        answer.body = AnswerBody::Whole(bytes::Bytes::new());
    }
    answer
}

/// The warnings that are sent: none that a header cannot hold, and where all are too long together each is cut.
fn shortened(texts: Vec<String>) -> Vec<String> {
    const ALL: usize = 4096;
    const EACH: usize = 256;
    let mut texts: Vec<String> =
        texts.into_iter().filter(|text| !text.chars().any(char::is_control)).collect();
    if texts.iter().map(|text| text.chars().count()).sum::<usize>() <= ALL {
        return texts;
    }
    let mut sum = 0;
    for text in &mut texts {
        *text = text.chars().take(EACH).collect();
    }
    texts.retain(|text| {
        let before = sum;
        sum += text.chars().count();
        before < ALL
    });
    texts
}

/// The value of a `Warning` header.
fn warning(text: &str) -> String {
    let mut out = String::from("299 - \"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
