//! The form of an answer: which format, laid out how, turned into what; and documents in that form.
//!
//! Protobuf is agreed to where the API server agrees to it, and JSON is sent: every client that asks for it takes that.

use crate::answer::Answer;
use crate::request::Request;
use bytes::Bytes;
use crdkit_codec::json::Layout;
use crdkit_codec::media::{Conversion, MediaType, Offer};
use crdkit_codec::{DecodeOptions, Format, Style, go_json, yaml};
use crdkit_schema::status::Status;
use crdkit_value::Value;

/// The form of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) format: Format,
    pub(crate) content_type: &'static str,
    pub(crate) pretty: bool,
    /// What objects are turned into first.
    pub(crate) convert: Option<Conversion>,
}

impl Form {
    /// The form that a request asks for, of those that are offered.
    ///
    /// # Errors
    /// The answer, when there is none.
    pub(crate) fn of(request: &Request, offer: &Offer) -> Result<Self, Box<Status>> {
        let chosen = offer.response(request.header("accept"));
        let chosen = chosen.map_err(|problem| Status::not_acceptable(problem.to_string()))?;
        let (format, content_type) = written(chosen.media_type, chosen.content_type());
        let pretty = format == Format::Json && (chosen.pretty || is_pretty(request));
        Ok(Self { format, content_type, pretty, convert: chosen.convert })
    }

    /// The form of the events of a watch.
    ///
    /// # Errors
    /// The answer, when there is none.
    pub(crate) fn of_watch(request: &Request, offer: &Offer) -> Result<Self, Box<Status>> {
        let chosen = offer.watch(request.header("accept"));
        let chosen = chosen.map_err(|problem| Status::not_acceptable(problem.to_string()))?;
        let (format, content_type) = written(chosen.media_type, chosen.content_type());
        Ok(Self { format, content_type, pretty: false, convert: chosen.convert })
    }

    /// JSON without white space, for whoever asks for nothing else.
    pub(crate) fn json() -> Self {
        let content_type = MediaType::Json.name();
        Self { format: Format::Json, content_type, pretty: false, convert: None }
    }

    /// Whether stored objects have this form already.
    pub(crate) fn is_stored_form(&self) -> bool {
        self.format == Format::Json && !self.pretty && self.convert.is_none()
    }

    /// A document in this form.
    pub(crate) fn bytes(&self, value: Value<'_>) -> Bytes {
        let mut out = Vec::new();
        self.write(value, &mut out);
        out.into()
    }

    pub(crate) fn write(&self, value: Value<'_>, out: &mut Vec<u8>) {
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
        // Objects have no numbers that CBOR has no form for: JSON and CBOR bring none.
        let _ = self.format.encode(value, 0, Style::Go(Layout::Compact), out);
    }

    pub(crate) fn answer(&self, code: u16, value: Value<'_>) -> Answer {
        Answer::new(code, self.content_type, self.bytes(value))
    }
}

/// What is sent for a media type that was agreed to.
fn written(media: MediaType, content_type: &'static str) -> (Format, &'static str) {
    match media.format() {
        Some(format) => (format, content_type),
        None => (Format::Json, MediaType::Json.name()),
    }
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
