//! Bytes to events to documents, and back.
//!
//! Each format is a module with the same parts: a pull reader that gives [`crdkit_value::Event`]s with
//! byte spans, `decode` for one document, `Documents` for all documents of an input, and `write`.
//! What a reader refuses is an [`crdkit_issue::Issue`] with a position; what it merely notices
//! (duplicate keys) comes with the document in [`Decoded`].

pub mod cbor;
pub mod json;
pub mod media;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "serde")]
pub mod typed;
pub mod yaml;

mod number;
mod options;

pub use options::{DecodeError, DecodeOptions, Decoded};
