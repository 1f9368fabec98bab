//! The form of an answer: which format, laid out how, turned into what; and documents in that form.
//!
//! Protobuf is agreed to where the API server agrees to it. A document that has no message is sent as JSON, which every
//! client that asks for Protobuf takes as well.

use crate::answer::Answer;
use crate::request::Request;
use bytes::Bytes;
use crdkit_codec::json::Layout;
use crdkit_codec::media::{MediaType, Offer, ResponseConversion};
use crdkit_codec::{DecodeOptions, Format, Style, go_json, yaml};
use crdkit_native::protobuf;
use crdkit_schema::status::{Details, Status};
use crdkit_value::Value;

/// The form of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) format: Format,
    /// Whether documents that have a message are sent as that instead.
    pub(crate) protobuf: bool,
    pub(crate) content_type: &'static str,
    pub(crate) pretty: bool,
    /// What objects are turned into first.
    pub(crate) convert: Option<ResponseConversion>,
}

impl Form {
    /// The form that a request asks for, of those that are offered.
    ///
    /// # Errors
    /// The answer, when there is none.
    pub(crate) fn of(request: &Request, offer: &Offer) -> Result<Self, Box<Status>> {
        let chosen = offer.response(request.header("accept"));
        let chosen = chosen.map_err(|problem| Status::not_acceptable(problem.to_string()))?;
        let protobuf = chosen.media_type == MediaType::Protobuf;
        let format = chosen.media_type.format().unwrap_or(Format::Json);
        let pretty = format == Format::Json && !protobuf && (chosen.pretty || is_pretty(request));
        let content_type = chosen.content_type();
        Ok(Self { format, protobuf, content_type, pretty, convert: chosen.convert })
    }

    /// The form of the events of a watch.
    ///
    /// # Errors
    /// The answer, when there is none.
    pub(crate) fn of_watch(request: &Request, offer: &Offer) -> Result<Self, Box<Status>> {
        let chosen = offer.watch(request.header("accept"));
        let chosen = chosen.map_err(|problem| Status::not_acceptable(problem.to_string()))?;
        let protobuf = chosen.media_type == MediaType::Protobuf;
        let format = chosen.media_type.format().unwrap_or(Format::Json);
        let content_type = chosen.content_type();
        Ok(Self { format, protobuf, content_type, pretty: false, convert: chosen.convert })
    }

    /// JSON without white space, for whoever asks for nothing else.
    pub(crate) fn json() -> Self {
        let content_type = MediaType::Json.name();
        let format = Format::Json;
        Self { format, protobuf: false, content_type, pretty: false, convert: None }
    }

    /// The same form without Protobuf, for documents that have no message.
    pub(crate) fn without_protobuf(self) -> Self {
        if self.protobuf { Self { convert: self.convert, ..Self::json() } } else { self }
    }

    /// Whether stored objects have this form already.
    pub(crate) fn is_stored_form(&self) -> bool {
        self.format == Format::Json && !self.protobuf && !self.pretty && self.convert.is_none()
    }

    /// A document in this form, which is not Protobuf.
    pub(crate) fn bytes(&self, value: Value<'_>) -> Bytes {
        let mut out = Vec::new();
        self.write(value, &mut out);
        out.into()
    }

    fn write(&self, value: Value<'_>, out: &mut Vec<u8>) {
        if self.pretty {
            go_json::write(value, Layout::Pretty, out);
            return;
        }
        if self.format == Format::Yaml {
            // YAML has members in the order of JSON, which is that of their names.
            let mut json = Vec::new();
            go_json::write(value, Layout::Compact, &mut json);
            if let Ok(sorted) = Format::Json.decode(&json, &DecodeOptions::default()) {
                yaml::write(sorted.document.root(), out);
            }
            return;
        }
        if self.format == Format::Cbor
            && let Some(bytes) = crdkit_native::cbor::encode(value)
        {
            out.extend_from_slice(&bytes);
            return;
        }
        // Objects have no numbers that CBOR has no form for: JSON and CBOR bring none.
        let _ = self.format.encode(value, 0, Style::Go(Layout::Compact), out);
    }

    pub(crate) fn answer(&self, code: u16, value: Value<'_>) -> Answer {
        if !self.protobuf {
            return Answer::new(code, self.content_type, self.bytes(value));
        }
        match protobuf::encode(value) {
            Ok(bytes) => Answer::new(code, self.content_type, bytes),
            Err(_) => self.clone().without_protobuf().answer(code, value),
        }
    }
}

/// A route of a native kind is found only if it gives a media type that is accepted, whatever its parameters: the answer
/// if it gives none.
pub(crate) fn route_refused(accept: &str, lists: bool) -> Option<Status> {
    const LISTS: [&str; 3] = [
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf;stream=watch",
        "application/cbor-seq",
    ];
    let streams = LISTS.into_iter().filter(|_| lists);
    let given: Vec<&str> = [MediaType::Json, MediaType::Yaml, MediaType::Protobuf, MediaType::Cbor]
        .into_iter()
        .map(MediaType::name)
        .chain(streams)
        .collect();
    if names_one_of(accept, &given) {
        return None;
    }
    let text = format!("406: Not Acceptable\n\nAvailable representations: {}", given.join(", "));
    Some(Status::not_acceptable(text).details(Details::default()))
}

/// Whether one of the media types that are accepted, without their parameters, is any at all or one of `given`.
pub(crate) fn names_one_of(accept: &str, given: &[&str]) -> bool {
    let name = |clause: &str| clause.split(';').next().unwrap_or_default().trim().to_owned();
    accept.is_empty()
        || accept.split(',').map(name).any(|name| name == "*/*" || given.contains(&name.as_str()))
}

/// A status in the form that a request accepts, which is never turned into anything; JSON for people if there is none.
pub(crate) fn status(request: &Request, status: &Status) -> Answer {
    let form =
        Form::of(request, &Offer::plain(true)).unwrap_or(Form { pretty: true, ..Form::json() });
    let answer = form.answer(status.code, status.document().root());
    match status.details.as_ref().map_or(0, |details| details.retry_after_seconds) {
        0 => answer,
        seconds => answer.header(hyper::header::RETRY_AFTER, &seconds.to_string()),
    }
}

/// Whether an answer is for people: they say so, or a program they use says who it is.
pub(crate) fn is_pretty(request: &Request) -> bool {
    match request.query.text("pretty") {
        "" => {
            let agent = request.header("user-agent");
            ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
        }
        text => ["1", "t", "T", "true", "True", "TRUE"].contains(&text),
    }
}
