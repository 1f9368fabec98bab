//! Bytes to events to documents, and back.
//!
//! Each format is a module with the same parts: a pull reader that gives [`crdkit_value::Event`]s with
//! byte spans, `decode` for one document, `Documents` for all documents of an input, and `write`.
//! [`Format`] is the one interface to all of them: it tells formats apart, and decodes and encodes in any.
//! What a reader refuses is an [`crdkit_issue::Issue`] with a position; what it merely notices
//! (duplicate keys) comes with the document in [`Decoded`].

pub mod cbor;
pub mod go_json;
pub mod go_text;
pub mod json;
pub mod media;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "serde")]
pub mod typed;
pub mod yaml;

mod fill;
mod format;
mod mixed;
mod number;
mod options;

pub use fill::Filled;
pub use format::{EncodeError, Format, Style};
pub use mixed::Mixed;
pub(crate) use options::not_read;
pub use options::{DecodeError, DecodeOptions, Decoded};
