//! CBOR to Rust values. The form of the input has been checked, so heads are where they have to be.

use super::MAX_DEPTH;
use super::access::{CborItems, Entries, EnumAccess, Fields};
use super::error::Error;
use super::raw::ITEM;
use crate::cbor::Rules;
use crate::cbor::head::{BREAK, Head, Major, head};
use crate::cbor::parse::float;
use crate::cbor::problem::{CborFinding, CborProblem};
use crate::cbor::sequence::without_self_described;
use crate::cbor::text::{Encoding, Text};
use crate::cbor::time;
use crate::cbor::transcode::to_json;
use crate::cbor::verdict::item_end;
use crdkit_issue::{Issue, Segment, Span};
use crdkit_text::base64::Base64;
use crdkit_value::Limits;
use serde::de::value::StrDeserializer;
use serde::de::{self, Error as _, Unexpected, Visitor};
use std::borrow::Cow;

/// Reads values from a slice.
pub(super) struct Deserializer<'de> {
    pub(super) bytes: &'de [u8],
    pub(super) at: usize,
    depth: usize,
    /// What becomes of byte strings here.
    encoding: Encoding,
    /// Whether unknown fields are found, and where this is.
    pub(super) strict: bool,
    /// Whether raw values stay CBOR.
    pub(super) keeps_raw: bool,
    pub(super) path: Vec<Segment>,
    pub(super) unknown: Vec<Issue>,
}

/// An item after its tags.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) head: Head,
    /// Tag 0 or 1.
    time: bool,
}

/// What stands for `null` where it is not allowed for.
#[derive(Clone, Copy)]
enum Empty {
    Unit,
    Bool,
    Int,
    Float,
    Text,
}

impl<'de> Deserializer<'de> {
    pub(super) fn new(bytes: &'de [u8], strict: bool) -> Self {
        let encoding = Encoding::None;
        let (path, unknown) = (Vec::new(), Vec::new());
        Self { bytes, at: 0, depth: 0, encoding, strict, keeps_raw: false, path, unknown }
    }

    pub(super) fn wrong(&self, problem: CborProblem) -> Error {
        Error::from(CborFinding::new(problem, Span::new(self.at, self.at + 1)))
    }

    pub(super) fn head(&self) -> Result<Head, Error> {
        head(self.bytes, self.at).map_err(|_| self.wrong(CborProblem::Truncated))
    }

    /// Whether the next byte ends an item of indefinite length.
    pub(super) fn at_break(&self) -> bool {
        self.bytes.get(self.at) == Some(&BREAK)
    }

    /// Passes over an item, whatever it means.
    pub(super) fn skip(&mut self) -> Result<&'de [u8], Error> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let rules = Rules::frames(&Limits::new().depth(usize::MAX));
        let end = item_end(rest, &rules)?;
        self.at += end;
        Ok(rest.get(..end).unwrap_or_default())
    }

    /// Passes over the tags of the next item, does something with it, and forgets what the tags said.
    pub(super) fn item<T>(
        &mut self,
        read: impl FnOnce(&mut Self, Item) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let encoding = self.encoding;
        let mut time = false;
        let head = loop {
            let tag = self.head()?;
            if tag.major != Major::Tag {
                break tag;
            }
            let rest = self.bytes.get(self.at..tag.end + 1).unwrap_or_default();
            without_self_described(rest).map_err(|problem| self.wrong(problem))?;
            match tag.argument {
                0 | 1 => time = true,
                21 => self.encoding = Encoding::Base64Url,
                22 => self.encoding = Encoding::Base64,
                23 => self.encoding = Encoding::Hex,
                _ => {}
            }
            self.at = tag.end;
        };
        let value = read(self, Item { head, time });
        self.encoding = encoding;
        value
    }

    /// One level further in.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong(CborProblem::Depth { limit: MAX_DEPTH }));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// The string whose head is next.
    pub(super) fn text(&mut self, head: Head) -> Result<Text, Error> {
        let encoding = self.encoding;
        let is_utf8 = head.major == Major::Text;
        let text = Text { start: head.end, is_utf8, encoding, ..Text::EMPTY };
        if !head.is_indefinite() {
            let length = usize::try_from(head.argument).unwrap_or_default();
            self.at = head.end + length;
            return Ok(Text { end: self.at, ..text });
        }
        self.at = head.end;
        while !self.at_break() {
            let chunk = self.head()?;
            self.at = chunk.end + usize::try_from(chunk.argument).unwrap_or_default();
        }
        self.at += 1;
        Ok(Text { end: self.at, is_chunked: true, ..text })
    }

    /// A value that is not an array, map or bytes; `null` is what `empty` says.
    fn scalar<V: Visitor<'de>>(
        &mut self,
        item: Item,
        empty: Empty,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Item { head, time: is_time } = item;
        let is_any = matches!(empty, Empty::Unit);
        if is_time && is_any && !matches!(head.major, Major::Bytes | Major::Text) {
            return self.epoch(head, visitor);
        }
        match head.major {
            Major::Unsigned | Major::Negative => {
                self.at = head.end;
                integer(head, is_any).map_or_else(
                    || {
                        let negative = head.major == Major::Negative;
                        Err(self.wrong(CborProblem::Integer { negative, argument: head.argument }))
                    },
                    |int| match int {
                        Ok(int) => visitor.visit_u64(int),
                        Err(int) => visitor.visit_i64(int),
                    },
                )
            }
            Major::Bytes | Major::Text => {
                let text = self.text(head)?;
                let text = Text { is_time: is_time && is_any, ..text };
                let value = text.value(self.bytes).map_err(|problem| self.wrong(problem))?;
                match (value, str::from_utf8(text_of(&text, self.bytes))) {
                    (Cow::Borrowed(_), Ok(text)) => visitor.visit_borrowed_str(text),
                    (value, _) => match str::from_utf8(&value) {
                        Ok(text) => visitor.visit_str(text),
                        Err(_) => visitor.visit_bytes(&value),
                    },
                }
            }
            Major::Array => Err(Error::invalid_type(Unexpected::Seq, &visitor)),
            Major::Map => Err(Error::invalid_type(Unexpected::Map, &visitor)),
            _ => {
                self.at = head.end;
                match (float(head), head.argument, empty) {
                    (Some(number), ..) => visitor.visit_f64(number),
                    (None, 20, _) | (None, 22, Empty::Bool) => visitor.visit_bool(false),
                    (None, 21, _) => visitor.visit_bool(true),
                    (None, 22, Empty::Unit) => visitor.visit_unit(),
                    (None, 22, Empty::Int) => visitor.visit_u64(0),
                    (None, 22, Empty::Float) => visitor.visit_f64(0.0),
                    (None, 22, Empty::Text) => visitor.visit_str(""),
                    (None, value, _) => Err(self.wrong(CborProblem::Simple { value })),
                }
            }
        }
    }

    /// Seconds since 1970 as text.
    fn epoch<V: Visitor<'de>>(&mut self, head: Head, visitor: V) -> Result<V::Value, Error> {
        self.at = head.end;
        let text = match float(head).filter(|_| head.major == Major::Simple) {
            Some(seconds) => time::epoch_float(seconds),
            None => match integer(head, true) {
                Some(Ok(int)) => time::epoch(int.cast_signed()),
                Some(Err(int)) => time::epoch(int),
                None => {
                    let negative = head.major == Major::Negative;
                    Err(CborProblem::TimeOverflow { negative, argument: head.argument })
                }
            },
        };
        visitor.visit_string(text.map_err(|problem| self.wrong(problem))?)
    }

    fn array<V: Visitor<'de>>(&mut self, head: Head, visitor: V) -> Result<V::Value, Error> {
        self.at = head.end;
        self.inside(|this| {
            let mut items = CborItems::new(this, head);
            let value = visitor.visit_seq(&mut items)?;
            items.finish()?;
            Ok(value)
        })
    }

    fn map<V: Visitor<'de>>(&mut self, head: Head, visitor: V) -> Result<V::Value, Error> {
        self.at = head.end;
        self.inside(|this| {
            let mut entries = Entries::new(this, head);
            let value = visitor.visit_map(&mut entries)?;
            entries.finish()?;
            Ok(value)
        })
    }

    fn bytes<V: Visitor<'de>>(&mut self, item: Item, visitor: V) -> Result<V::Value, Error> {
        let head = item.head;
        match head.major {
            Major::Bytes => {
                let text = self.text(head)?;
                let content = text.content(self.bytes).map_err(|problem| self.wrong(problem))?;
                if self.encoding != Encoding::None {
                    return visitor.visit_bytes(&content);
                }
                let bytes = Base64::Standard.decode(&content);
                visitor.visit_byte_buf(bytes.map_err(|_| Error::custom("not base64"))?)
            }
            Major::Text => Err(Error::invalid_type(Unexpected::Other("text string"), &visitor)),
            Major::Array => self.array(head, visitor),
            Major::Simple if head.argument == 22 && head.info == 22 => {
                self.at = head.end;
                visitor.visit_bytes(&[])
            }
            _ => self.scalar(item, Empty::Unit, visitor),
        }
    }
}

/// The content of a string that is in one piece.
fn text_of<'de>(text: &Text, bytes: &'de [u8]) -> &'de [u8] {
    bytes.get(text.start..text.end).unwrap_or_default()
}

/// The integer of a head, negative or not; for any type only if it fits 64 bits with a sign.
fn integer(head: Head, is_any: bool) -> Option<Result<u64, i64>> {
    let signed = i64::try_from(head.argument);
    match (head.major, signed) {
        (Major::Negative, Ok(magnitude)) => Some(Err(!magnitude)),
        (Major::Negative, Err(_)) => None,
        (_, Err(_)) if is_any => None,
        _ => Some(Ok(head.argument)),
    }
}

fn is_null(head: Head) -> bool {
    head.major == Major::Simple && head.info == 22
}

macro_rules! scalars {
    ($($method:ident $empty:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.item(|this, item| this.scalar(item, Empty::$empty, visitor))
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    scalars! {
        deserialize_bool Bool
        deserialize_i8 Int deserialize_i16 Int deserialize_i32 Int deserialize_i64 Int
        deserialize_u8 Int deserialize_u16 Int deserialize_u32 Int deserialize_u64 Int
        deserialize_f64 Float
        deserialize_char Text deserialize_str Text deserialize_string Text
        deserialize_identifier Text
        deserialize_unit Unit
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.item(|this, item| match item.head.major {
            Major::Array => this.array(item.head, visitor),
            Major::Map => this.map(item.head, visitor),
            _ => this.scalar(item, Empty::Unit, visitor),
        })
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.item(|this, item| {
            let number = float(item.head).filter(|_| item.head.major == Major::Simple);
            if number.is_some_and(|number| number.abs() > f64::from(f32::MAX)) {
                return Err(Error::custom("the number does not fit single precision"));
            }
            this.scalar(item, Empty::Float, visitor)
        })
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.item(|this, item| this.bytes(item, visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // `null` and `undefined`, without a tag.
        if let Some(0xF6 | 0xF7) = self.bytes.get(self.at) {
            self.at += 1;
            return visitor.visit_none();
        }
        self.inside(|this| visitor.visit_some(this))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name != ITEM {
            return self.inside(|this| visitor.visit_newtype_struct(this));
        }
        let item = self.skip()?;
        let item = without_self_described(item).map_err(|problem| self.wrong(problem))?;
        if self.keeps_raw {
            return visitor.visit_bytes(item);
        }
        let json = to_json(item).map_err(Error::custom)?;
        visitor.visit_str(std::str::from_utf8(&json).map_err(Error::custom)?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.item(|this, item| match item.head.major {
            Major::Array => this.array(item.head, visitor),
            _ if is_null(item.head) => {
                this.at = item.head.end;
                visitor.visit_seq(&mut CborItems::empty(this))
            }
            _ => this.scalar(item, Empty::Unit, visitor),
        })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.item(|this, item| match item.head.major {
            Major::Map => this.map(item.head, visitor),
            _ if is_null(item.head) => {
                this.at = item.head.end;
                visitor.visit_map(&mut Entries::empty(this))
            }
            _ => this.scalar(item, Empty::Unit, visitor),
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.item(|this, item| match item.head.major {
            Major::Map => {
                this.at = item.head.end;
                this.inside(|this| {
                    let mut fields = Fields::new(this, item.head, names);
                    let value = visitor.visit_map(&mut fields)?;
                    fields.finish()?;
                    Ok(value)
                })
            }
            _ if is_null(item.head) => {
                this.at = item.head.end;
                visitor.visit_map(&mut Entries::empty(this))
            }
            _ => this.scalar(item, Empty::Unit, visitor),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.item(|this, item| match item.head.major {
            Major::Bytes | Major::Text => {
                let text = this.text(item.head)?;
                let name = text.value(this.bytes).map_err(|problem| this.wrong(problem))?;
                let name = str::from_utf8(&name).map_err(|_| this.wrong(CborProblem::Utf8))?;
                visitor.visit_enum(StrDeserializer::new(name))
            }
            Major::Map if !item.head.is_indefinite() && item.head.argument == 1 => {
                this.at = item.head.end;
                this.inside(|this| visitor.visit_enum(EnumAccess(this)))
            }
            Major::Map => Err(Error::invalid_type(Unexpected::Map, &visitor)),
            _ => this.scalar(item, Empty::Unit, visitor),
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.skip()?;
        visitor.visit_unit()
    }
}
