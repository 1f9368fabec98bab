//! What is inside arrays and objects, each with the step that leads there.

use super::de::Deserializer;
use super::error::TypedError;
use crdkit_issue::Segment;
use crdkit_value::{Kind, Value};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

/// The items of an array.
pub(super) struct TypedItems<'de> {
    left: crdkit_value::Items<'de>,
    index: usize,
    depth: usize,
}

impl<'de> TypedItems<'de> {
    pub(super) fn new(items: crdkit_value::Items<'de>, depth: usize) -> Self {
        Self { left: items, index: 0, depth }
    }
}

impl<'de> de::SeqAccess<'de> for TypedItems<'de> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TypedError> {
        let Some(item) = self.left.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let element = seed.deserialize(Deserializer::new(item, self.depth));
        element.map(Some).map_err(|error| error.below(Segment::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The members of an object.
pub(super) struct Members<'de> {
    left: crdkit_value::Members<'de>,
    value: Option<(&'de str, Value<'de>)>,
    depth: usize,
}

impl<'de> Members<'de> {
    pub(super) fn new(members: crdkit_value::Members<'de>, depth: usize) -> Self {
        Self { left: members, value: None, depth }
    }
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TypedError> {
        self.value = self.left.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let decoded = seed.deserialize(super::key::TypedKey(key));
        decoded.map(Some).map_err(|error| error.below(Segment::named(key)))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, TypedError> {
        let Some((key, value)) = self.value.take() else {
            return Err(TypedError::new("a value was asked for before its key"));
        };
        let decoded = seed.deserialize(Deserializer::new(value, self.depth));
        decoded.map_err(|error| error.below(Segment::named(key)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// A variant with content: an object with one member.
pub(super) struct EnumAccess<'de> {
    key: &'de str,
    value: Value<'de>,
    depth: usize,
}

impl<'de> EnumAccess<'de> {
    pub(super) fn new(key: &'de str, value: Value<'de>, depth: usize) -> Self {
        Self { key, value, depth }
    }

    fn content(&self) -> Deserializer<'de> {
        Deserializer::new(self.value, self.depth)
    }

    fn below(&self, error: TypedError) -> TypedError {
        error.below(Segment::named(self.key))
    }
}

impl<'de> de::EnumAccess<'de> for EnumAccess<'de> {
    type Error = TypedError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), TypedError> {
        let name: BorrowedStrDeserializer<'de, TypedError> = BorrowedStrDeserializer::new(self.key);
        Ok((seed.deserialize(name.into_deserializer())?, self))
    }
}

impl<'de> de::VariantAccess<'de> for EnumAccess<'de> {
    type Error = TypedError;

    fn unit_variant(self) -> Result<(), TypedError> {
        match self.value.kind() {
            Kind::Null => Ok(()),
            _ => Err(self.below(TypedError::new("this variant has no content"))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, TypedError> {
        seed.deserialize(self.content()).map_err(|error| self.below(error))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, TypedError> {
        de::Deserializer::deserialize_any(self.content(), visitor)
            .map_err(|error| self.below(error))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        de::Deserializer::deserialize_any(self.content(), visitor)
            .map_err(|error| self.below(error))
    }
}
