//! One request from the moment it is read to the answer: routed, authorised, dispatched, and given the headers that all
//! answers have.

use crate::answer::{Answer, AnswerBody, Pieces};
use crate::authorise::authorise;
use crate::core::Core;
use crate::guard::{CatchPanic, Panicked};
use crate::observe::{Ended, InFlight, Labels};
use crate::request::Request;
use crate::route::{ResourceRoute, Route, Verb, method_name};
use crate::{negotiate, paths, verbs};
use bytes::Bytes;
use crdkit_schema::status::Status;
use crdkit_text::duration;
use crdkit_text::timestamp::Timestamp;
use hyper::Method;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, WARNING};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use tokio::time::Instant;

/// The answer to a request. A handler that panics, or takes too long, costs one answer.
pub(crate) async fn handle(core: &Arc<Core>, request: &Request) -> Answer {
    let arrival = Arrival::now(core);
    let work = CatchPanic::new(async {
        let id = audit_id(core, request);
        (dispatch(core, request).await, id)
    });
    let result = {
        let _under_way = core.metrics.request(request.method.is_safe());
        tokio::time::timeout(core.settings.request_timeout, work).await
    };
    let (result, id) = match result {
        Ok(Ok(result)) => result,
        Ok(Err(Panicked)) => {
            core.metrics.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!(path = request.path, "a handler panicked");
            let status = Status::internal_error("this request could not be handled");
            // Nothing more is done for it that could panic again.
            (Err(status.into()), request.header("audit-id").to_owned())
        }
        Err(_) => {
            let problem = "request did not complete within the allotted timeout";
            (Err(Status::timeout(problem, 0).into()), audit_id(core, request))
        }
    };
    arrival.answer(core, request, result, &id)
}

/// The answer to a request that is not handled.
pub(crate) fn refuse(core: &Arc<Core>, request: &Request, status: Status) -> Answer {
    let id = audit_id(core, request);
    Arrival::now(core).answer(core, request, Err(status.into()), &id)
}

/// What a request is found by in the audit log.
fn audit_id(core: &Core, request: &Request) -> String {
    match request.header("audit-id") {
        "" => core.environment.uid(),
        given => given.to_owned(),
    }
}

/// When a request came.
struct Arrival {
    received: Timestamp,
    started: Instant,
}

impl Arrival {
    fn now(core: &Core) -> Self {
        Self { received: core.environment.now(), started: Instant::now() }
    }

    /// Makes the answer that is sent, and tells whoever keeps count.
    fn answer(
        self,
        core: &Arc<Core>,
        request: &Request,
        result: Result<Answer, Box<Status>>,
        id: &str,
    ) -> Answer {
        let answer = result.unwrap_or_else(|status| negotiate::status(request, &status));
        let mut answer = finish(request, answer, id);
        let method = method_name(&request.method);
        let route = Route::parse(&method, &request.path, &request.query);
        let took = self.started.elapsed();
        let labels = Labels::of(request, &route, &core.catalogue.load());
        if let Route::Resource(ResourceRoute { verb: Verb::Watch, .. }) = route {
            answer = counted(answer, core.metrics.watch(labels.clone()));
        }
        core.metrics.note(labels, answer.code, took);
        tracing::debug!(
            %method,
            path = request.path,
            user = request.user.name,
            code = answer.code,
            microseconds = took.as_micros(),
            id,
            "request"
        );
        if let Some(audit) = &core.audit {
            let (received, done) = (self.received, core.environment.now());
            audit.write(request, &route, &Ended { answer: &answer, id, received, done });
        }
        answer
    }
}

/// An answer that is counted for as long as its pieces come.
fn counted(answer: Answer, under_way: InFlight<'static>) -> Answer {
    struct Counted(
        Box<dyn Pieces>,
        #[expect(dead_code, reason = "counts by being there")] InFlight<'static>,
    );

    impl Pieces for Counted {
        fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
            self.0.poll_piece(context)
        }
    }

    let body = match answer.body {
        AnswerBody::Pieces(pieces) => AnswerBody::Pieces(Box::new(Counted(pieces, under_way))),
        whole @ AnswerBody::Whole(_) => whole,
    };
    Answer { body, ..answer }
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
fn finish(request: &Request, mut answer: Answer, id: &str) -> Answer {
    if !id.is_empty() {
        answer = answer.header(HeaderName::from_static("audit-id"), id);
    }
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
        answer.body = AnswerBody::Whole(Bytes::new());
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
