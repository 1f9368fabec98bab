//! Rust values to CBOR.
//!
//! Entries of maps and structs are written as they come; at the end they are put in order if they are not,
//! which moves bytes only where a type's fields are not declared in that order.

use super::error::Error;
use super::raw::ITEM;
use crate::cbor::emit::{write_bytes, write_float, write_head, write_int};
use crate::cbor::head::Major;
use crate::cbor::raw::check_embedded;
use crate::serialize::{ListSink, MapSink, Serializer, Sink};
use serde::Serialize;
use serde::ser::Error as _;

/// Where one value is written.
pub(super) struct CborSerializer<'o>(pub(super) &'o mut Vec<u8>);

/// Writes the items of an array.
pub(super) struct CborArray<'o> {
    out: &'o mut Vec<u8>,
    body: Body,
    n: u64,
}

/// Writes the entries of a map.
pub(super) struct EntryWriter<'o> {
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

impl CborSerializer<'_> {
    /// Opens a map of one entry, if there is a variant, whose value is still to be written.
    fn open(&mut self, variant: Option<&str>) {
        if let Some(name) = variant {
            write_head(Major::Map, 1, self.0);
            write_bytes(name.as_bytes(), self.0);
        }
    }
}

impl<'o> Sink for CborSerializer<'o> {
    type Error = Error;
    type List = CborArray<'o>;
    type Map = EntryWriter<'o>;

    fn null(self) -> Result<(), Error> {
        self.0.push(0xF6);
        Ok(())
    }

    fn bool(self, bool: bool) -> Result<(), Error> {
        self.0.push(0xF4 | u8::from(bool));
        Ok(())
    }

    fn int(self, int: i64) -> Result<(), Error> {
        write_int(int, self.0);
        Ok(())
    }

    fn unsigned(self, int: u64) -> Result<(), Error> {
        write_head(Major::Unsigned, int, self.0);
        Ok(())
    }

    fn single(self, number: f32) -> Result<(), Error> {
        self.float(number.into())
    }

    fn float(self, number: f64) -> Result<(), Error> {
        if !number.is_finite() {
            return Err(Error::custom(format!("the number {number} cannot be encoded")));
        }
        write_float(number, self.0);
        Ok(())
    }

    fn text(self, text: &str) -> Result<(), Error> {
        write_bytes(text.as_bytes(), self.0);
        Ok(())
    }

    /// Tag 22 says that these are bytes, which text formats show in base64.
    fn bytes(self, bytes: &[u8]) -> Result<(), Error> {
        write_head(Major::Tag, 22, self.0);
        write_bytes(bytes, self.0);
        Ok(())
    }

    fn list(mut self, variant: Option<&str>, n: Option<usize>) -> Result<CborArray<'o>, Error> {
        self.open(variant);
        let body = Body::begin(Major::Array, n.unwrap_or_default(), self.0);
        Ok(CborArray { out: self.0, body, n: 0 })
    }

    fn map(mut self, variant: Option<&str>, n: Option<usize>) -> Result<EntryWriter<'o>, Error> {
        self.open(variant);
        let announced = n.unwrap_or_default();
        let body = Body::begin(Major::Map, announced, self.0);
        Ok(EntryWriter { out: self.0, body, places: Vec::with_capacity(announced.min(64)) })
    }

    fn wrapped<T: Serialize + ?Sized>(self, name: &str, value: &T) -> Result<(), Error> {
        if name != ITEM {
            return value.serialize(Serializer(self));
        }
        let mut item = Vec::new();
        value.serialize(Serializer(ItemSink(&mut item)))?;
        check_embedded(&item).map_err(Error::Refused)?;
        self.0.extend_from_slice(&item);
        Ok(())
    }
}

/// Takes an item as the bytes that it is, and nothing else.
struct ItemSink<'o>(&'o mut Vec<u8>);

impl<'o> Sink for ItemSink<'o> {
    type Error = Error;
    type List = CborArray<'o>;
    type Map = EntryWriter<'o>;

    const IS_HUMAN_READABLE: bool = false;

    fn bytes(self, item: &[u8]) -> Result<(), Error> {
        self.0.extend_from_slice(item);
        Ok(())
    }

    fn null(self) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn bool(self, _: bool) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn int(self, _: i64) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn unsigned(self, _: u64) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn single(self, _: f32) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn float(self, _: f64) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn text(self, _: &str) -> Result<(), Error> {
        Err(not_an_item())
    }

    fn list(self, _: Option<&str>, _: Option<usize>) -> Result<CborArray<'o>, Error> {
        Err(not_an_item())
    }

    fn map(self, _: Option<&str>, _: Option<usize>) -> Result<EntryWriter<'o>, Error> {
        Err(not_an_item())
    }
}

fn not_an_item() -> Error {
    Error::custom("not an item")
}

impl ListSink for CborArray<'_> {
    type Error = Error;

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.n += 1;
        value.serialize(Serializer(CborSerializer(self.out)))
    }

    fn finish(self) -> Result<(), Error> {
        self.body.end(self.n, self.out);
        Ok(())
    }
}

impl EntryWriter<'_> {
    fn begin_key(&mut self) -> CborSerializer<'_> {
        self.places.push((self.out.len(), self.out.len()));
        CborSerializer(self.out)
    }

    fn begin_value(&mut self) -> CborSerializer<'_> {
        if let Some((_, value)) = self.places.last_mut() {
            *value = self.out.len();
        }
        CborSerializer(self.out)
    }
}

impl MapSink for EntryWriter<'_> {
    type Error = Error;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(Serializer(self.begin_key()))
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Serializer(self.begin_value()))
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.begin_key().text(name)?;
        self.value(value)
    }

    /// Puts the entries in order and their number before them.
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
