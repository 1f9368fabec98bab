//! A request as handlers see it: everything but its body is decoded, and its body is whole.

use crate::identify::User;
use crate::query::Query;
use bytes::Bytes;
use crdkit_schema::status::Status;
use hyper::header::HeaderMap;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Uri};
use std::net::SocketAddr;
use std::sync::Mutex;

/// A request.
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path without escapes.
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) user: User,
    pub(crate) body: RequestBody,
    /// Where the client reached the server.
    pub(crate) local_address: String,
    /// Where the client is.
    pub(crate) remote_address: Option<SocketAddr>,
    /// What the client asked for, as it was sent.
    pub(crate) uri: Uri,
    warnings: Mutex<Vec<String>>,
    annotations: Mutex<Vec<(String, String)>>,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum RequestBody {
    Whole(Bytes),
    /// It was longer than this.
    TooLarge(usize),
    /// The client stopped in the middle.
    Broken,
}

impl Request {
    pub(crate) fn new(
        method: Method,
        path: String,
        query: Query,
        headers: HeaderMap,
        user: User,
        body: RequestBody,
    ) -> Self {
        Self {
            method,
            path,
            query,
            headers,
            user,
            body,
            local_address: String::new(),
            remote_address: None,
            uri: Uri::default(),
            warnings: Mutex::default(),
            annotations: Mutex::default(),
        }
    }

    /// The first header with a name; empty if there is none, or none that is text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The path and the query as they were sent; the path of a request that was not.
    pub(crate) fn target(&self) -> &str {
        self.uri
            .path_and_query()
            .map(PathAndQuery::as_str)
            .filter(|it| *it != "/")
            .unwrap_or(&self.path)
    }

    /// The body.
    ///
    /// # Errors
    /// The answer, when it was not all read.
    pub(crate) fn body(&self) -> Result<&Bytes, Box<Status>> {
        match &self.body {
            RequestBody::Whole(bytes) => Ok(bytes),
            RequestBody::TooLarge(limit) => Err(Status::body_too_large(*limit).into()),
            RequestBody::Broken => Err(Status::bad_request("unexpected EOF").into()),
        }
    }

    /// Adds a warning to the answer, whatever that will be. The same one is given once.
    pub(crate) fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        if let Ok(mut warnings) = self.warnings.lock()
            && !warnings.contains(&text)
        {
            warnings.push(text);
        }
    }

    /// Adds a note for the audit log; the last one with a key counts.
    pub(crate) fn annotate(&self, key: String, value: String) {
        if let Ok(mut annotations) = self.annotations.lock() {
            annotations.retain(|(known, _)| *known != key);
            annotations.push((key, value));
        }
    }

    /// The notes for the audit log.
    pub(crate) fn annotations(&self) -> Vec<(String, String)> {
        self.annotations.lock().map(|it| it.clone()).unwrap_or_default()
    }

    /// The warnings so far, which are forgotten.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        self.warnings.lock().map(|mut warnings| std::mem::take(&mut *warnings)).unwrap_or_default()
    }
}

impl Request {
    /// A request of the server itself.
    pub(crate) fn internal() -> Self {
        Self::new(
            Method::GET,
            String::new(),
            Query::default(),
            HeaderMap::new(),
            User::administrator("system:apiserver"),
            RequestBody::Whole(Bytes::new()),
        )
    }
}
