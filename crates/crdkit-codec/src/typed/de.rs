//! A value as serde sees it.

use super::access::{EnumAccess, Members, TypedItems};
use super::error::TypedError;
use crdkit_value::{Kind, Value};
use serde::de::{self, Visitor, value::BorrowedStrDeserializer};
use serde::forward_to_deserialize_any;

/// One value on its way to a type.
#[derive(Clone, Copy)]
pub(super) struct Deserializer<'de> {
    pub(super) value: Value<'de>,
    /// How many more levels there may be.
    pub(super) depth: usize,
}

impl<'de> Deserializer<'de> {
    pub(super) fn new(value: Value<'de>, depth: usize) -> Self {
        Self { value, depth }
    }

    /// The same for what is inside.
    fn deeper(self) -> Result<usize, TypedError> {
        self.depth.checked_sub(1).ok_or_else(TypedError::too_deep)
    }
}

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(bool) => visitor.visit_bool(bool),
            Kind::Int(int) => visitor.visit_i64(int),
            Kind::Float(float) => visitor.visit_f64(float),
            Kind::Number(text) => match (text.parse(), text.parse()) {
                (Ok(int), _) => visitor.visit_u64(int),
                (_, Ok(float)) => visitor.visit_f64(float),
                _ => Err(TypedError::new(format!("`{text}` does not fit a number type"))),
            },
            Kind::String(text) => visitor.visit_borrowed_str(text),
            Kind::Array(items) => visitor.visit_seq(TypedItems::new(items, self.deeper()?)),
            Kind::Object(members) => visitor.visit_map(Members::new(members, self.deeper()?)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        if self.value.is_null() {
            return visitor.visit_none();
        }
        visitor.visit_some(Self { depth: self.deeper()?, ..self })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        visitor.visit_newtype_struct(Self { depth: self.deeper()?, ..self })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        match self.value.kind() {
            Kind::String(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Kind::Object(mut members) if members.len() == 1 => match members.next() {
                Some((key, value)) => {
                    visitor.visit_enum(EnumAccess::new(key, value, self.deeper()?))
                }
                None => Err(TypedError::new("expected the name of a variant")),
            },
            _ => Err(TypedError::new("expected a string or an object with one member")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
