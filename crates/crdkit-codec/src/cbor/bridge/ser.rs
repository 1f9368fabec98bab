//! Rust values to CBOR.
//!
//! Entries of maps and structs are written as they come; at the end they are put in order if they are not,
//! which moves bytes only where a type's fields are not declared in that order.

use super::error::Error;
use super::raw::ITEM;
use crate::cbor::emit::{write_bytes, write_float, write_head, write_int};
use crate::cbor::head::Major;
use crate::cbor::raw::check_embedded;
use serde::Serialize;
use serde::ser::{self, Error as _};

/// Writes one value.
pub(super) struct Serializer<'o> {
    out: &'o mut Vec<u8>,
}

/// Writes the items of an array.
pub(super) struct Items<'o> {
    out: &'o mut Vec<u8>,
    body: Body,
    n: u64,
}

/// Writes the entries of a map.
pub(super) struct Entries<'o> {
    out: &'o mut Vec<u8>,
    body: Body,
    /// Where each key and its value begin.
    places: Vec<(usize, usize)>,
}

/// Where an array or map has begun.
struct Body {
    major: Major,
    head: usize,
    content: usize,
    /// How many items or entries its head says there are.
    announced: u64,
}

impl<'o> Serializer<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out }
    }

    fn float(self, number: f64) -> Result<(), Error> {
        if !number.is_finite() {
            return Err(Error::custom(format!("the number {number} cannot be encoded")));
        }
        write_float(number, self.out);
        Ok(())
    }

    fn items(self, announced: usize) -> Items<'o> {
        let body = Body::begin(Major::Array, announced, self.out);
        Items { out: self.out, body, n: 0 }
    }

    fn entries(self, announced: usize) -> Entries<'o> {
        let body = Body::begin(Major::Map, announced, self.out);
        Entries { out: self.out, body, places: Vec::with_capacity(announced.min(64)) }
    }

    /// Opens a map of one entry whose value is still to be written.
    fn variant(self, name: &str) -> Self {
        write_head(Major::Map, 1, self.out);
        write_bytes(name.as_bytes(), self.out);
        self
    }
}

impl<'o> ser::Serializer for Serializer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'o>;
    type SerializeTuple = Items<'o>;
    type SerializeTupleStruct = Items<'o>;
    type SerializeTupleVariant = Items<'o>;
    type SerializeMap = Entries<'o>;
    type SerializeStruct = Entries<'o>;
    type SerializeStructVariant = Entries<'o>;

    fn serialize_bool(self, bool: bool) -> Result<(), Error> {
        self.out.push(0xF4 | u8::from(bool));
        Ok(())
    }

    fn serialize_i8(self, int: i8) -> Result<(), Error> {
        self.serialize_i64(int.into())
    }

    fn serialize_i16(self, int: i16) -> Result<(), Error> {
        self.serialize_i64(int.into())
    }

    fn serialize_i32(self, int: i32) -> Result<(), Error> {
        self.serialize_i64(int.into())
    }

    fn serialize_i64(self, int: i64) -> Result<(), Error> {
        write_int(int, self.out);
        Ok(())
    }

    fn serialize_u8(self, int: u8) -> Result<(), Error> {
        self.serialize_u64(int.into())
    }

    fn serialize_u16(self, int: u16) -> Result<(), Error> {
        self.serialize_u64(int.into())
    }

    fn serialize_u32(self, int: u32) -> Result<(), Error> {
        self.serialize_u64(int.into())
    }

    fn serialize_u64(self, int: u64) -> Result<(), Error> {
        write_head(Major::Unsigned, int, self.out);
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Result<(), Error> {
        self.float(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Error> {
        self.float(number)
    }

    fn serialize_char(self, c: char) -> Result<(), Error> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        write_bytes(text.as_bytes(), self.out);
        Ok(())
    }

    /// Tag 22 says that these are bytes, which text formats show in base64.
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        write_head(Major::Tag, 22, self.out);
        write_bytes(bytes, self.out);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.push(0xF6);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if name != ITEM {
            return value.serialize(self);
        }
        // The item comes as bytes, in front of which stand a tag and a head.
        let mut bytes = Vec::new();
        value.serialize(Serializer::new(&mut bytes))?;
        let head = crate::cbor::head::head(&bytes, 1).map_err(|_| Error::custom("not an item"))?;
        let item = bytes.get(head.end..).unwrap_or_default();
        check_embedded(item).map_err(Error::Refused)?;
        self.out.extend_from_slice(item);
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self.variant(variant))
    }

    fn serialize_seq(self, n: Option<usize>) -> Result<Items<'o>, Error> {
        Ok(self.items(n.unwrap_or_default()))
    }

    fn serialize_tuple(self, n: usize) -> Result<Items<'o>, Error> {
        Ok(self.items(n))
    }

    fn serialize_tuple_struct(self, _: &'static str, n: usize) -> Result<Items<'o>, Error> {
        Ok(self.items(n))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        n: usize,
    ) -> Result<Items<'o>, Error> {
        Ok(self.variant(variant).items(n))
    }

    fn serialize_map(self, n: Option<usize>) -> Result<Entries<'o>, Error> {
        Ok(self.entries(n.unwrap_or_default()))
    }

    fn serialize_struct(self, _: &'static str, n: usize) -> Result<Entries<'o>, Error> {
        Ok(self.entries(n))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        n: usize,
    ) -> Result<Entries<'o>, Error> {
        Ok(self.variant(variant).entries(n))
    }
}

impl Items<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.n += 1;
        value.serialize(Serializer::new(self.out))
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the traits below return")]
    fn finish(self) -> Result<(), Error> {
        self.body.end(self.n, self.out);
        Ok(())
    }
}

impl Entries<'_> {
    fn begin_key(&mut self) -> Serializer<'_> {
        self.places.push((self.out.len(), self.out.len()));
        Serializer::new(self.out)
    }

    fn begin_value(&mut self) -> Serializer<'_> {
        if let Some((_, value)) = self.places.last_mut() {
            *value = self.out.len();
        }
        Serializer::new(self.out)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        write_bytes(name.as_bytes(), self.begin_key().out);
        value.serialize(self.begin_value())
    }

    /// Puts the entries in order and their number in front of them.
    fn finish(self) -> Result<(), Error> {
        let Self { out, body, places } = self;
        let n = places.len() as u64;
        let ends = places.iter().skip(1).map(|(key, _)| *key).chain([out.len()]);
        let mut pieces: Vec<_> =
            places.iter().zip(ends).map(|((key, value), end)| (*key, *value, end)).collect();
        let written = out.as_slice();
        let key = |(key, value, _): &(usize, usize, usize)| written.get(*key..*value);
        pieces.sort_by(|left, right| key(left).cmp(&key(right)));
        let repeated =
            pieces.iter().zip(pieces.iter().skip(1)).find(|(left, right)| key(left) == key(right));
        if let Some((piece, _)) = repeated {
            let shown = key(piece).and_then(|key| crate::cbor::diag::notation(key).ok());
            let message = format!("{} is given more than once", shown.unwrap_or_default());
            return Err(Error::Message(message));
        }
        if !pieces.is_sorted() {
            let ordered: Vec<u8> = pieces
                .iter()
                .flat_map(|(key, _, end)| written.get(*key..*end).unwrap_or_default())
                .copied()
                .collect();
            out.truncate(body.content);
            out.extend_from_slice(&ordered);
        }
        body.end(n, out);
        Ok(())
    }
}

impl Body {
    fn begin(major: Major, announced: usize, out: &mut Vec<u8>) -> Self {
        let head = out.len();
        write_head(major, announced as u64, out);
        Self { major, head, content: out.len(), announced: announced as u64 }
    }

    /// Corrects the head when it announced something else than `n`.
    fn end(&self, n: u64, out: &mut Vec<u8>) {
        if n != self.announced {
            let content = out.split_off(self.content);
            out.truncate(self.head);
            write_head(self.major, n, out);
            out.extend_from_slice(&content);
        }
    }
}

macro_rules! items {
    ($($trait:ident $method:ident)*) => {
        $(impl ser::$trait for Items<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
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

impl ser::SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(self.begin_key())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(self.begin_value())
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}

impl ser::SerializeStruct for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}
