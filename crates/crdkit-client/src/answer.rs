//! What a server says: documents by the `Content-Type` of the answer, and statuses of what it refuses.

use crate::ClientError;
use bytes::Bytes;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_schema::status::{Cause, Details, Status};
use crdkit_value::{Document, Limits, Value};
use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// A header as text; empty if it is not there.
pub(crate) fn header<'h>(headers: &'h HeaderMap, name: &http::HeaderName) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The format of an answer; none if it is one that documents are not read from. The index of `OpenAPI` documents is JSON that servers
/// call plain text.
pub(crate) fn format(headers: &HeaderMap) -> Option<Format> {
    match header(headers, &CONTENT_TYPE) {
        "" => Some(Format::Json),
        text if text.starts_with("text/plain") => Some(Format::Json),
        text => Format::of_media_type(text),
    }
}

/// The document in the body of an answer.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn document(
    request: &str,
    headers: &HeaderMap,
    body: &[u8],
    limits: &Limits,
) -> Result<Document, ClientError> {
    let unreadable = |problem: String| ClientError::Answer { request: request.to_owned(), problem };
    let Some(format) = format(headers) else {
        let name = header(headers, &CONTENT_TYPE);
        return Err(unreadable(format!("its content type is {name:?}")));
    };
    let options = DecodeOptions::new().limits(limits.clone());
    match format.decode(body, &options) {
        Ok(decoded) => Ok(decoded.document),
        Err(issue) => Err(unreadable(issue.to_string())),
    }
}

/// The status of an answer that refuses: the one it carries, or one that is made of its text, as proxies write it.
pub(crate) fn refusal(code: u16, headers: &HeaderMap, body: &Bytes, limits: &Limits) -> Status {
    let carried = document("", headers, body, limits).ok();
    let carried = carried.filter(|it| text(it.root().get("kind")) == "Status");
    match carried {
        Some(carried) => status(carried.root(), code),
        None => Status::new(code, "", String::from_utf8_lossy(body).trim()),
    }
}

/// The status that a document is.
pub(crate) fn status(value: Value<'_>, code: u16) -> Status {
    let given = value.get("code").and_then(Value::as_i64).and_then(|it| u16::try_from(it).ok());
    let reason = text(value.get("reason")).to_owned();
    let status = Status::new(given.unwrap_or(code), reason, text(value.get("message")));
    let Some(details) = value.get("details") else { return status };
    let of = |key: &str| text(details.get(key)).to_owned();
    let causes = details.get("causes").into_iter().flat_map(Value::items).map(|cause| Cause {
        reason: text(cause.get("reason")).to_owned().into(),
        field: text(cause.get("field")).to_owned(),
        message: text(cause.get("message")).to_owned(),
    });
    let seconds = details.get("retryAfterSeconds").and_then(Value::as_i64);
    status.details(Details {
        name: of("name"),
        group: of("group"),
        kind: of("kind"),
        uid: of("uid"),
        causes: causes.collect(),
        retry_after_seconds: seconds.and_then(|it| u32::try_from(it).ok()).unwrap_or_default(),
    })
}

/// The text that a value is; empty if it is none.
pub(crate) fn text(value: Option<Value<'_>>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_comes_back_as_it_was_sent() {
        let sent = Status::new(422, "Invalid", "no").details(Details {
            name: "desk".to_owned(),
            causes: vec![Cause {
                reason: "FieldValueInvalid".into(),
                field: "spec".to_owned(),
                message: "bad".to_owned(),
            }],
            retry_after_seconds: 3,
            ..Details::default()
        });
        assert_eq!(status(sent.document().root(), 500), sent);
    }

    #[test]
    fn a_proxy_speaks_plainly() {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, "text/plain".parse().unwrap())]);
        let status = refusal(502, &headers, &Bytes::from("bad gateway\n"), &Limits::default());
        assert_eq!((status.code, status.message.as_str()), (502, "bad gateway"));
    }
}
