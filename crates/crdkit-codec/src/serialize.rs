//! What serde's serializers have in common, whatever they write.
//!
//! serde asks for some thirty methods and seven kinds of arrays and objects, but what is written is one of
//! ten things. A [`Sink`] takes those; [`Serializer`] says them for serde. An enum's variant is an object
//! with one member, its name.

use serde::Serialize;
use serde::ser::{self, Error};

/// Takes one value.
pub(crate) trait Sink: Sized {
    type Error: Error;
    type List: ListSink<Error = Self::Error>;
    type Map: MapSink<Error = Self::Error>;

    fn null(self) -> Result<(), Self::Error>;

    /// Takes an option without a value.
    fn none(self) -> Result<(), Self::Error> {
        self.null()
    }

    fn bool(self, bool: bool) -> Result<(), Self::Error>;
    fn int(self, int: i64) -> Result<(), Self::Error>;
    fn unsigned(self, int: u64) -> Result<(), Self::Error>;
    fn single(self, number: f32) -> Result<(), Self::Error>;
    fn float(self, number: f64) -> Result<(), Self::Error>;
    fn text(self, text: &str) -> Result<(), Self::Error>;
    fn bytes(self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Begins an array of probably `n` items, as the content of `variant` if there is one.
    fn list(self, variant: Option<&str>, n: Option<usize>) -> Result<Self::List, Self::Error>;

    /// Begins an object of probably `n` members, as the content of `variant` if there is one.
    fn map(self, variant: Option<&str>, n: Option<usize>) -> Result<Self::Map, Self::Error>;

    fn wide_int(self, _: i128) -> Result<(), Self::Error> {
        Err(Error::custom("i128 is not supported"))
    }

    fn wide_unsigned(self, _: u128) -> Result<(), Self::Error> {
        Err(Error::custom("u128 is not supported"))
    }

    /// Whether values are asked for the form that people read.
    const IS_HUMAN_READABLE: bool = true;

    /// Takes the content of a struct of one field that has no name.
    fn wrapped<T: Serialize + ?Sized>(self, _: &str, value: &T) -> Result<(), Self::Error> {
        value.serialize(Serializer(self))
    }
}

/// Takes the items of an array.
pub(crate) trait ListSink {
    type Error: Error;

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error>;
    fn finish(self) -> Result<(), Self::Error>;
}

/// Takes the members of an object.
pub(crate) trait MapSink {
    type Error: Error;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Self::Error>;
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error>;
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Self::Error>;
    fn finish(self) -> Result<(), Self::Error>;
}

/// Hands one value to a [`Sink`].
pub(crate) struct Serializer<S>(pub(crate) S);

/// Hands items to a [`ListSink`].
pub(crate) struct ItemSerializer<L>(L);

/// Hands members to a [`MapSink`].
pub(crate) struct Members<M>(M);

macro_rules! scalars {
    ($($method:ident: $type:ty => $take:ident,)*) => {
        $(fn $method(self, value: $type) -> Result<(), S::Error> {
            self.0.$take(value.into())
        })*
    };
}

impl<S: Sink> ser::Serializer for Serializer<S> {
    type Ok = ();
    type Error = S::Error;
    type SerializeSeq = ItemSerializer<S::List>;
    type SerializeTuple = ItemSerializer<S::List>;
    type SerializeTupleStruct = ItemSerializer<S::List>;
    type SerializeTupleVariant = ItemSerializer<S::List>;
    type SerializeMap = Members<S::Map>;
    type SerializeStruct = Members<S::Map>;
    type SerializeStructVariant = Members<S::Map>;

    fn is_human_readable(&self) -> bool {
        S::IS_HUMAN_READABLE
    }

    scalars! {
        serialize_bool: bool => bool,
        serialize_i8: i8 => int,
        serialize_i16: i16 => int,
        serialize_i32: i32 => int,
        serialize_i64: i64 => int,
        serialize_i128: i128 => wide_int,
        serialize_u8: u8 => unsigned,
        serialize_u16: u16 => unsigned,
        serialize_u32: u32 => unsigned,
        serialize_u64: u64 => unsigned,
        serialize_u128: u128 => wide_unsigned,
        serialize_f32: f32 => single,
        serialize_f64: f64 => float,
        serialize_str: &str => text,
        serialize_bytes: &[u8] => bytes,
    }

    fn serialize_char(self, char: char) -> Result<(), S::Error> {
        self.0.text(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<(), S::Error> {
        self.0.none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), S::Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), S::Error> {
        self.0.null()
    }

    fn serialize_unit_struct(self, _: &str) -> Result<(), S::Error> {
        self.0.null()
    }

    fn serialize_unit_variant(self, _: &str, _: u32, variant: &str) -> Result<(), S::Error> {
        self.0.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.0.wrapped(name, value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &str,
        _: u32,
        variant: &str,
        value: &T,
    ) -> Result<(), S::Error> {
        let mut object = self.0.map(None, Some(1))?;
        object.field(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, n: Option<usize>) -> Result<ItemSerializer<S::List>, S::Error> {
        self.0.list(None, n).map(ItemSerializer)
    }

    fn serialize_tuple(self, n: usize) -> Result<ItemSerializer<S::List>, S::Error> {
        self.0.list(None, Some(n)).map(ItemSerializer)
    }

    fn serialize_tuple_struct(
        self,
        _: &str,
        n: usize,
    ) -> Result<ItemSerializer<S::List>, S::Error> {
        self.0.list(None, Some(n)).map(ItemSerializer)
    }

    fn serialize_tuple_variant(
        self,
        _: &str,
        _: u32,
        variant: &str,
        n: usize,
    ) -> Result<ItemSerializer<S::List>, S::Error> {
        self.0.list(Some(variant), Some(n)).map(ItemSerializer)
    }

    fn serialize_map(self, n: Option<usize>) -> Result<Members<S::Map>, S::Error> {
        self.0.map(None, n).map(Members)
    }

    fn serialize_struct(self, _: &str, n: usize) -> Result<Members<S::Map>, S::Error> {
        self.0.map(None, Some(n)).map(Members)
    }

    fn serialize_struct_variant(
        self,
        _: &str,
        _: u32,
        variant: &str,
        n: usize,
    ) -> Result<Members<S::Map>, S::Error> {
        self.0.map(Some(variant), Some(n)).map(Members)
    }
}

macro_rules! items {
    ($($trait:ident $method:ident)*) => {
        $(impl<L: ListSink> ser::$trait for ItemSerializer<L> {
            type Ok = ();
            type Error = L::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), L::Error> {
                self.0.item(value)
            }

            fn end(self) -> Result<(), L::Error> {
                self.0.finish()
            }
        })*
    };
}

items! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! fields {
    ($($trait:ident)*) => {
        $(impl<M: MapSink> ser::$trait for Members<M> {
            type Ok = ();
            type Error = M::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), M::Error> {
                self.0.field(name, value)
            }

            fn end(self) -> Result<(), M::Error> {
                self.0.finish()
            }
        })*
    };
}

fields! { SerializeStruct SerializeStructVariant }

impl<M: MapSink> ser::SerializeMap for Members<M> {
    type Ok = ();
    type Error = M::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), M::Error> {
        self.0.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        self.0.value(value)
    }

    fn end(self) -> Result<(), M::Error> {
        self.0.finish()
    }
}
