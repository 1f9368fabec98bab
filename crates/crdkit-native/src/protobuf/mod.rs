//! Protobuf as the API server speaks it.
//!
//! A body is `k8s\0` and an envelope with the kind and the message of the object; which field has which number is in the
//! data. [`decode`] and [`encode`] go between bodies and documents as JSON has them, for every native kind, its lists,
//! and what goes along with requests (`DeleteOptions`, `Status`, discovery). [`encode_event`] writes the messages of a
//! watch.
//!
//! Fields that the data does not know are left out, as the server leaves them out. Type names of objects inside of
//! others are not on the wire.
//!
//! Upstream: `apimachinery/pkg/runtime/serializer/protobuf`, the published `generated.proto` files.

mod decode;
mod encode;
mod wire;

use crate::data::{Message, messages};
use crdkit_issue::Issue;
use crdkit_value::{Document, Limits, Value};
use std::fmt;

/// What a body begins with.
pub const MAGIC: [u8; 4] = *b"k8s\0";

/// The media type of bodies.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Why bytes are no object, or an object cannot be sent.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProtobufError {
    /// The body does not begin as it should.
    Magic,
    /// A message ends too early, or what is in it makes no sense.
    Malformed,
    /// There is no message for this kind.
    UnknownKind {
        /// Its `apiVersion`.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// A text is not UTF-8, or JSON inside of a message is not JSON.
    Text,
    /// Messages are too deep inside of one another.
    Depth,
    /// A value does not fit its field.
    Value {
        /// The name of the field.
        field: String,
    },
    /// A limit was reached.
    Limit(Box<Issue>),
}

impl fmt::Display for ProtobufError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("provided data does not appear to be a protobuf message"),
            Self::Malformed => f.write_str("unexpected end or content of a protobuf message"),
            Self::UnknownKind { api_version, kind } => {
                write!(f, "no protobuf message for kind {kind:?} in version {api_version:?}")
            }
            Self::Text => f.write_str("a text in the message cannot be read"),
            Self::Depth => f.write_str("messages nest too deep"),
            Self::Value { field } => write!(f, "the value of {field:?} does not fit its field"),
            Self::Limit(issue) => issue.fmt(f),
        }
    }
}

impl std::error::Error for ProtobufError {}

/// Whether a body is meant to be protobuf.
pub fn is_protobuf(body: &[u8]) -> bool {
    body.starts_with(&MAGIC)
}

/// Whether objects of a kind can be written.
pub fn has_message(api_version: &str, kind: &str) -> bool {
    message_of(api_version, kind).is_some()
}

/// Reads a body.
///
/// # Errors
/// When it is not a message of a kind that is known.
pub fn decode(body: &[u8], limits: &Limits) -> Result<Document, ProtobufError> {
    decode::document(body, limits)
}

/// Writes `object` as a body.
///
/// # Errors
/// When its kind has no message, or a value does not fit its field.
pub fn encode(object: Value<'_>) -> Result<Vec<u8>, ProtobufError> {
    encode::body(object)
}

/// Writes one event of a watch, with the length that stands before it.
///
/// # Errors
/// As for [`encode`].
pub fn encode_event(kind: &str, object: Value<'_>) -> Result<Vec<u8>, ProtobufError> {
    encode::event(kind, object)
}

/// How deep messages may be inside of one another.
const MAX_DEPTH: usize = 256;

/// The message of a kind. Kinds that go along with requests are known in every group.
fn message_of(api_version: &str, kind: &str) -> Option<&'static Message> {
    let of = |api_version: &str| messages().of_kind(&format!("{api_version}/{kind}"));
    of(api_version).or_else(|| of("v1").filter(|message| message.name.contains(".meta.v1.")))
}

/// The part of a name that tells messages with a form of their own apart.
fn short(message: &Message) -> &'static str {
    message.name.rsplit('.').next().unwrap_or_default()
}
