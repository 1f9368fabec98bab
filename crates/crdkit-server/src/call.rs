//! Requests without connections: for whoever has the server in the same process, and is its administrator there.

use crate::answer::AnswerBody;
use crate::handle::handle;
use crate::identify::User;
use crate::query::{Query, decode};
use crate::request::{Request, RequestBody};
use crate::server::Server;
use bytes::{Bytes, BytesMut};
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, WARNING};

/// The answer to a request without a connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallAnswer {
    /// The status of HTTP.
    pub code: u16,
    /// The texts of all warnings.
    pub warnings: Vec<String>,
    /// The body.
    pub body: Bytes,
}

impl Server {
    /// Answers a request of the administrator: a method, a path with its query, the type of the body, and the body.
    ///
    /// A watch is answered when it ends, so it should be one that does.
    pub async fn call(
        &self,
        method: &str,
        target: &str,
        content_type: &str,
        body: impl Into<Bytes>,
    ) -> CallAnswer {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_str(content_type) {
            headers.insert(CONTENT_TYPE, value);
        }
        let request = Request::new(
            Method::from_bytes(method.as_bytes()).unwrap_or_default(),
            decode(path, false),
            Query::parse(query),
            headers,
            User::administrator("admin"),
            RequestBody::Whole(body.into()),
        );
        let answer = handle(&self.core, &request).await;
        let warnings = answer.headers.iter().filter(|(name, _)| *name == WARNING);
        let warnings = warnings.filter_map(|(_, value)| warning(value.to_str().ok()?));
        let warnings = warnings.collect();
        let body = match answer.body {
            AnswerBody::Whole(bytes) => bytes,
            AnswerBody::Pieces(mut pieces) => {
                let mut whole = BytesMut::new();
                while let Some(piece) =
                    std::future::poll_fn(|context| pieces.poll_piece(context)).await
                {
                    whole.extend_from_slice(&piece);
                }
                whole.freeze()
            }
        };
        CallAnswer { code: answer.code, warnings, body }
    }
}

/// The text in the value of a `Warning` header.
fn warning(value: &str) -> Option<String> {
    let quoted = value.strip_prefix("299 - \"")?.strip_suffix('"')?;
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    Some(text)
}
