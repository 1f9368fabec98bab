//! What a response is written in, by the request's `Accept` header.

use super::MediaType;
use super::accept::{Clause, parse_accept};
use std::fmt;

/// What an endpoint can write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Everything it can write, most preferred first: the first of it answers a wildcard.
    types: Vec<MediaType>,
    /// Those of them in which an object can be had as it is.
    plain: Vec<MediaType>,
    /// Whether objects can be had as tables and as metadata alone.
    converts: bool,
    with_proposal: bool,
}

/// The choice of what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The format.
    pub media_type: MediaType,
    /// What the object is to be turned into first.
    pub convert: Option<ResponseConversion>,
    /// Whether it is to be laid out for people.
    pub pretty: bool,
    /// Whether it goes out as a stream of events.
    pub is_watch: bool,
    /// The value of the `profile` parameter, which aggregated discovery uses.
    pub profile: String,
}

/// A kind that an object can be turned into for the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseConversion {
    /// The group, from parameter `g`.
    pub group: String,
    /// The version, from parameter `v`.
    pub version: String,
    /// The kind, from parameter `as`.
    pub kind: String,
}

/// Nothing that the client accepts can be written: status 406, whose body is always JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAcceptable {
    /// What could have been accepted.
    pub accepted: Vec<&'static str>,
}

impl Offer {
    /// Everything can be had in every format; `cbor` says whether CBOR is switched on.
    pub fn builtin(cbor: bool) -> Self {
        let types = types(cbor);
        Self { plain: types.clone(), types, converts: true, with_proposal: false }
    }

    /// Custom resources, which Protobuf cannot hold unless they are turned into something else.
    pub fn custom_resource(cbor: bool) -> Self {
        let builtin = Self::builtin(cbor);
        let plain = types(cbor).into_iter().filter(|media| *media != MediaType::Protobuf).collect();
        Self { plain, ..builtin }
    }

    /// Endpoints without conversions, such as discovery.
    pub fn plain(cbor: bool) -> Self {
        Self { converts: false, ..Self::builtin(cbor) }
    }

    /// The same offer without a format.
    #[must_use]
    pub fn without(mut self, media_type: MediaType) -> Self {
        self.types.retain(|media| *media != media_type);
        self.plain.retain(|media| *media != media_type);
        self
    }

    /// The same offer which also takes `application/cbor-seq` for the CBOR of a watch, as the proposal for
    /// CBOR has it; the API server refuses it although it names it as acceptable.
    #[must_use]
    pub fn with_proposal(self) -> Self {
        Self { with_proposal: true, ..self }
    }

    /// What to write for a request that is not a watch.
    ///
    /// # Errors
    /// When nothing fits.
    pub fn response(&self, accept: &str) -> Result<Response, NotAcceptable> {
        self.choose(accept, false).ok_or_else(|| NotAcceptable { accepted: self.names() })
    }

    /// What to write events of a watch in.
    ///
    /// # Errors
    /// When nothing fits, also when the first thing that fits cannot be streamed.
    pub fn watch(&self, accept: &str) -> Result<Response, NotAcceptable> {
        self.choose(accept, true)
            .filter(|response| response.media_type.stream_name().is_some())
            .ok_or_else(|| NotAcceptable { accepted: self.stream_names() })
    }

    /// The names of what can be written.
    pub fn names(&self) -> Vec<&'static str> {
        self.types.iter().map(|media| media.name()).collect()
    }

    /// The names of what can be streamed.
    pub fn stream_names(&self) -> Vec<&'static str> {
        self.types.iter().filter_map(|media| media.stream_name()).collect()
    }

    /// What can be written, most preferred first.
    pub(super) fn types(&self) -> &[MediaType] {
        &self.types
    }

    fn choose(&self, accept: &str, is_watch: bool) -> Option<Response> {
        let chosen = |media_type| Response {
            media_type,
            convert: None,
            pretty: false,
            is_watch,
            profile: String::new(),
        };
        if accept.is_empty() {
            return self.types.first().copied().map(chosen);
        }
        let clauses = parse_accept(accept);
        let mut pairs =
            clauses.iter().flat_map(|clause| self.types.iter().map(move |media| (clause, *media)));
        pairs.find_map(|(clause, media)| {
            let fits = match (clause.kind.as_str(), clause.subtype.as_str()) {
                ("*" | "application", "*") => true,
                ("application", "cbor-seq") if self.with_proposal && is_watch => {
                    media == MediaType::Cbor
                }
                ("application", subtype) => subtype == media.subtype(),
                _ => false,
            };
            if fits { self.with_parameters(clause, chosen(media)) } else { None }
        })
    }

    /// The choice with what the clause's parameters ask for, if it can be had.
    fn with_parameters(&self, clause: &Clause, mut response: Response) -> Option<Response> {
        for (name, value) in &clause.parameters {
            let convert = || ResponseConversion::default();
            match name.as_str() {
                "as" => response.convert.get_or_insert_with(convert).kind.clone_from(value),
                "g" => response.convert.get_or_insert_with(convert).group.clone_from(value),
                "v" => response.convert.get_or_insert_with(convert).version.clone_from(value),
                "stream" if value == "watch" => response.media_type.stream_name().map(drop)?,
                "stream" | "sv" if value.is_empty() => {}
                "stream" => return None,
                "sv" if !self.converts || value != "v1" => return None,
                "pretty" => response.pretty = value == "1",
                "profile" => response.profile.clone_from(value),
                _ => {}
            }
        }
        self.allows(response.media_type, response.convert.as_ref()).then_some(response)
    }

    fn allows(&self, media: MediaType, convert: Option<&ResponseConversion>) -> bool {
        let Some(convert) = convert else { return self.plain.contains(&media) };
        let is_meta =
            convert.group == "meta.k8s.io" && matches!(convert.version.as_str(), "v1" | "v1beta1");
        self.converts
            && is_meta
            && match convert.kind.as_str() {
                "Table" => matches!(media, MediaType::Json | MediaType::Yaml),
                "PartialObjectMetadata" | "PartialObjectMetadataList" => true,
                _ => false,
            }
    }
}

impl Response {
    /// The value of the response's `Content-Type` header.
    pub fn content_type(&self) -> &'static str {
        match (self.is_watch, self.media_type) {
            // JSON streams have the name of JSON alone.
            (false, media) | (true, media @ MediaType::Json) => media.name(),
            (true, media) => media.stream_name().unwrap_or(media.name()),
        }
    }
}

fn types(cbor: bool) -> Vec<MediaType> {
    let mut types = vec![MediaType::Json, MediaType::Yaml, MediaType::Protobuf];
    types.extend(cbor.then_some(MediaType::Cbor));
    types
}

/// The API server's words.
impl fmt::Display for NotAcceptable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accepted = self.accepted.join(", ");
        write!(f, "only the following media types are accepted: {accepted}")
    }
}

impl std::error::Error for NotAcceptable {}
