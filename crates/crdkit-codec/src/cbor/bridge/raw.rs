//! `RawExtension` and `FieldsV1` as fields of Rust types.
//!
//! Their bytes pass through this module's serializer and deserializer as they are, under a name that no type
//! of a user has. Another format's serializer would write them as bytes, so they are for CBOR only.

use super::super::raw::{FieldsV1, RawExtension};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use std::fmt;

/// The name of the newtype that stands for an item as it is.
pub(super) const ITEM: &str = "$crdkit::cbor::Item";

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct ItemVisitor;

impl Visitor<'_> for ItemVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a CBOR item")
    }

    fn visit_bytes<E>(self, item: &[u8]) -> Result<Vec<u8>, E> {
        Ok(item.to_vec())
    }
}

impl Serialize for RawExtension {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = self.to_cbor().map_err(S::Error::custom)?;
        serializer.serialize_newtype_struct(ITEM, &Bytes(&item))
    }
}

impl<'de> Deserialize<'de> for RawExtension {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_newtype_struct(ITEM, ItemVisitor)
            .map(|item| Self::from_cbor(&item))
    }
}

impl Serialize for FieldsV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item = self.to_cbor().map_err(S::Error::custom)?;
        serializer.serialize_newtype_struct(ITEM, &Bytes(&item))
    }
}

impl<'de> Deserialize<'de> for FieldsV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_newtype_struct(ITEM, ItemVisitor)
            .map(|item| Self::from_cbor(&item))
    }
}
