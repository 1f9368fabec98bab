//! Keys: always strings, but types may take them for numbers or booleans.

use super::error::TypedError;
use serde::de::{self, Visitor};
use serde::{Serialize, forward_to_deserialize_any, ser};

/// A key on its way to a type.
pub(super) struct TypedKey<'de>(pub(super) &'de str);

macro_rules! numbers {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
            match self.0.parse() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> de::Deserializer<'de> for TypedKey<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_borrowed_str(self.0)
    }

    numbers! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32 deserialize_i64 visit_i64
        deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32 deserialize_u64 visit_u64
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        visitor.visit_enum(de::value::BorrowedStrDeserializer::new(self.0))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// The text of a key that a type gives.
pub(super) fn text<T: Serialize + ?Sized>(key: &T) -> Result<String, TypedError> {
    key.serialize(KeyText)
}

struct KeyText;

fn no_key<T>() -> Result<T, TypedError> {
    Err(TypedError::new("a key must be a string, a number or a boolean"))
}

macro_rules! texts {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<String, TypedError> {
            Ok(value.to_string())
        })*
    };
}

impl ser::Serializer for KeyText {
    type Ok = String;
    type Error = TypedError;
    type SerializeSeq = ser::Impossible<String, TypedError>;
    type SerializeTuple = ser::Impossible<String, TypedError>;
    type SerializeTupleStruct = ser::Impossible<String, TypedError>;
    type SerializeTupleVariant = ser::Impossible<String, TypedError>;
    type SerializeMap = ser::Impossible<String, TypedError>;
    type SerializeStruct = ser::Impossible<String, TypedError>;
    type SerializeStructVariant = ser::Impossible<String, TypedError>;

    texts! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_char: char,
        serialize_str: &str
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<String, TypedError> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<String, TypedError> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, TypedError> {
        value.serialize(self)
    }

    fn serialize_f32(self, _: f32) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_f64(self, _: f64) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_none(self) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_unit(self) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, TypedError> {
        no_key()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, TypedError> {
        no_key()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, TypedError> {
        no_key()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, TypedError> {
        no_key()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, TypedError> {
        no_key()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, TypedError> {
        no_key()
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, TypedError> {
        no_key()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, TypedError> {
        no_key()
    }
}
