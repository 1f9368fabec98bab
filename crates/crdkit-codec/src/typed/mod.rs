//! Rust types with serde's traits to and from documents.
//!
//! The way from a value to a type remembers where it is, so that what does not fit is told with its path.
//! Types see a human-readable format. Objects become structs and maps, numbers become any number type that
//! can hold them; a number that is kept as text because no machine number is exactly it becomes a double.
//!
//! serde calls itself for what is inside a value; how deep that goes is bounded.

mod access;
mod any;
mod de;
mod error;
mod key;
mod ser;

pub(crate) use any::Tree;
pub use error::TypedError;

use crate::serialize::Serializer;
use crdkit_value::{Document, Value};
use serde::{Deserialize, Serialize};

/// Arrays, objects and options inside one another that types are made of.
const MAX_DEPTH: usize = 128;

/// The `T` that `value` is.
///
/// # Errors
/// Where and why it is none.
pub fn from_value<'de, T: Deserialize<'de>>(value: Value<'de>) -> Result<T, TypedError> {
    T::deserialize(de::Deserializer::new(value, MAX_DEPTH))
}

/// The document that `value` is.
///
/// # Errors
/// When a key is not a string, or `value` says so.
pub fn to_document<T: Serialize + ?Sized>(value: &T) -> Result<Document, TypedError> {
    document(value, ser::Events::default())
}

/// The same, without the fields that are `None`: for programs, in which that says that there is nothing.
///
/// # Errors
/// As for [`to_document`].
pub fn to_sparse_document<T: Serialize + ?Sized>(value: &T) -> Result<Document, TypedError> {
    let mut events = ser::Events::default();
    events.omits_none = true;
    document(value, events)
}

fn document<T: Serialize + ?Sized>(
    value: &T,
    mut events: ser::Events,
) -> Result<Document, TypedError> {
    value.serialize(Serializer(ser::TypedSerializer::new(&mut events, MAX_DEPTH)))?;
    Ok(events.into_document())
}
