//! Media types: what a request may be written in, what the response is written in, and what a client
//! falls back to. Headers come in as text and decisions go out as data; nothing here does I/O.
//!
//! The server side decides as the API server does, its peculiarities included: types in `Accept` are
//! compared case-sensitively, `q=0` refuses nothing, and wildcards can win over a better quality. What the
//! proposal for CBOR promises beyond that has a switch of its own ([`Offer::with_proposal`],
//! [`PatchOffer::with_proposal`]), and the client side ([`Fallback`]) follows the proposal.
//!
//! Upstream: `k8s.io/apiserver/pkg/endpoints/handlers/negotiation`, `github.com/munnerz/goautoneg`,
//! `k8s.io/client-go/rest/client.go`.

mod accept;
mod client;
mod content_type;
mod fallback;
mod patch;
mod response;

pub use accept::{Clause, parse_accept};
pub use client::{ClientGates, ContentConfig};
pub use content_type::{UnsupportedMediaType, parse_content_type, request_type};
pub use fallback::{Fallback, WriteTarget};
pub use patch::{PatchOffer, PatchType};
pub use response::{NotAcceptable, Offer, Response, ResponseConversion};

use crate::Format;

/// The formats an API server reads and writes objects in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MediaType {
    /// `application/json`.
    Json,
    /// `application/yaml`.
    Yaml,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
    /// `application/cbor`.
    Cbor,
}

impl MediaType {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
            Self::Cbor => "application/cbor",
        }
    }

    /// The content type of a stream of watch events in this format, if there is one.
    pub fn stream_name(self) -> Option<&'static str> {
        match self {
            Self::Json => Some("application/json;stream=watch"),
            Self::Yaml => None,
            Self::Protobuf => Some("application/vnd.kubernetes.protobuf;stream=watch"),
            Self::Cbor => Some("application/cbor-seq"),
        }
    }

    /// The format that documents of this type are read and written in; none for Protobuf.
    pub fn format(self) -> Option<Format> {
        match self {
            Self::Json => Some(Format::Json),
            Self::Yaml => Some(Format::Yaml),
            Self::Protobuf => None,
            Self::Cbor => Some(Format::Cbor),
        }
    }

    /// The part of the name after the slash.
    fn subtype(self) -> &'static str {
        self.name().trim_start_matches("application/")
    }
}
