//! Rust types with serde's traits to and from CBOR, by the rules for typed objects.
//!
//! Types see a human-readable format, so that times, addresses and the like take the form they have in JSON.
//! A field's name is matched to the letter; a name that occurs twice is an error; what an unknown field holds
//! is not looked at. `null` where no `Option` is stands for the empty value of the type, as in Go, and
//! `undefined` for an absent optional one. Byte strings under tags 21 to 23 are bytes, others are base64 text
//! where bytes are asked for.
//!
//! One thing differs from Kubernetes on purpose: there, `null` as a value in a map of strings or numbers takes
//! over the value before it.

mod access;
mod de;
mod error;
mod raw;
mod ser;

pub use error::Error;

use super::verdict::form;
use super::{Rules, SELF_DESCRIBED};
use crate::serialize::Serializer;
use crdkit_issue::Issue;
use crdkit_value::Limits;
use serde::{Deserialize, Serialize};

/// Arrays, objects and options inside one another that types are decoded through; serde calls itself for
/// each of them.
const MAX_DEPTH: usize = 128;

/// The CBOR of `value` with tag 55799 in front, fields and keys in their deterministic order.
///
/// # Errors
/// When a number is NaN, infinite or beyond 64 bits; when a map has the same key twice; when `value` says so.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let mut out = SELF_DESCRIBED.to_vec();
    write_to(value, &mut out)?;
    Ok(out)
}

/// Appends the CBOR of `value` to `out`, without a tag.
///
/// # Errors
/// As for [`to_vec`]; `out` then holds a part of the value.
pub fn write_to<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    value.serialize(Serializer(ser::CborSerializer(out)))
}

/// The value in `bytes`, which must hold exactly one item, with or without tag 55799 in front.
///
/// # Errors
/// When `bytes` are not CBOR that Kubernetes reads, or not a `T`.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    check(bytes)?;
    T::deserialize(&mut de::Deserializer::new(bytes, false))
}

/// The same, with raw values left as the CBOR they are: for programs that send them on, and know that they may not be
/// JSON.
///
/// # Errors
/// As for [`from_slice`].
pub fn from_slice_keeping_raw<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    check(bytes)?;
    let mut deserializer = de::Deserializer::new(bytes, false);
    deserializer.keeps_raw = true;
    T::deserialize(&mut deserializer)
}

/// The same as [`from_slice_keeping_raw`], with a finding for every field that the type does not have.
///
/// # Errors
/// As for [`from_slice`].
pub fn from_slice_strict<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
) -> Result<(T, Vec<Issue>), Error> {
    check(bytes)?;
    let mut deserializer = de::Deserializer::new(bytes, true);
    deserializer.keeps_raw = true;
    let value = T::deserialize(&mut deserializer)?;
    Ok((value, deserializer.unknown))
}

/// The form of the whole input comes first, so that nothing after this has to look for its end.
fn check(bytes: &[u8]) -> Result<(), Error> {
    form(bytes, &Rules::kubernetes(&Limits::default())).map_err(Error::from)
}
