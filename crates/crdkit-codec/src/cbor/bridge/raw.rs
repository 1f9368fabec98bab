//! `RawExtension` and `FieldsV1` as fields of Rust types.
//!
//! Under a name that no type of a user has they pass through the CBOR serializer and deserializer here as the bytes
//! they are. Any other format that people read has them as the value that they hold: JSON in JSON, at any depth. From
//! CBOR they are turned into JSON, as Kubernetes does for every typed object, unless that is switched off.

use super::super::raw::{FieldsV1, RawExtension};
use crate::typed::Tree;
use crate::{DecodeOptions, json};
use crdkit_value::Document;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The name of the newtype that stands for an item as it is.
pub(super) const ITEM: &str = "$crdkit::cbor::Item";

/// What both types are made of.
trait Raw: Sized {
    fn to_item(&self) -> Result<Cow<'_, [u8]>, String>;
    fn to_tree(&self) -> Result<Document, String>;
    fn of_cbor(item: &[u8]) -> Self;
    fn of_json(text: &[u8]) -> Self;
}

macro_rules! raw {
    ($($type:ty),*) => {$(
        impl Raw for $type {
            fn to_item(&self) -> Result<Cow<'_, [u8]>, String> {
                self.to_cbor().map_err(|error| error.to_string())
            }

            fn to_tree(&self) -> Result<Document, String> {
                self.document(&DecodeOptions::default()).map_err(|error| error.to_string())
            }

            fn of_cbor(item: &[u8]) -> Self {
                Self::from_cbor(item)
            }

            fn of_json(text: &[u8]) -> Self {
                Self::from_json(text)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(ITEM, &Content(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_newtype_struct(ITEM, ItemVisitor(std::marker::PhantomData))
            }
        }
    )*};
}

raw!(RawExtension, FieldsV1);

/// The content: bytes for formats of machines, a value for those of people.
struct Content<'a, R>(&'a R);

impl<R: Raw> Serialize for Content<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            self.0.to_tree().map_err(S::Error::custom)?.serialize(serializer)
        } else {
            serializer.serialize_bytes(&self.0.to_item().map_err(S::Error::custom)?)
        }
    }
}

struct ItemVisitor<R>(std::marker::PhantomData<R>);

impl<'de, R: Raw> Visitor<'de> for ItemVisitor<R> {
    type Value = R;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    /// A CBOR item.
    fn visit_bytes<E>(self, item: &[u8]) -> Result<R, E> {
        Ok(R::of_cbor(item))
    }

    /// A CBOR item that was turned into JSON.
    fn visit_str<E>(self, text: &str) -> Result<R, E> {
        Ok(R::of_json(text.as_bytes()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<R, D::Error> {
        if !deserializer.is_human_readable() {
            let item = <Vec<u8>>::deserialize(deserializer)?;
            return Ok(R::of_cbor(&item));
        }
        let Tree(document) = Tree::deserialize(deserializer).map_err(D::Error::custom)?;
        let mut text = Vec::new();
        json::write(document.root(), json::Layout::Compact, &mut text);
        Ok(R::of_json(&text))
    }
}
