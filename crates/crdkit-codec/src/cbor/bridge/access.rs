//! Arrays, maps and structs, item by item.

use super::de::Deserializer;
use super::error::Error;
use crate::cbor::head::{Head, Major};
use crate::cbor::problem::{CborFinding, CborProblem};
use crdkit_issue::{Issue, Segment, Span, codes};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Error as _};
use std::borrow::Cow;
use std::collections::HashSet;

/// How many items or pairs are left.
enum Left {
    Number(u64),
    UntilBreak,
    /// Everything has been read, the break included.
    Nothing,
}

impl Left {
    fn of(head: Head) -> Self {
        if head.is_indefinite() { Self::UntilBreak } else { Self::Number(head.argument) }
    }

    /// Whether there is one more.
    fn next(&mut self, deserializer: &mut Deserializer<'_>) -> bool {
        match self {
            Self::Number(0) | Self::Nothing => false,
            Self::Number(left) => {
                *left -= 1;
                true
            }
            Self::UntilBreak if deserializer.at_break() => {
                deserializer.at += 1;
                *self = Self::Nothing;
                false
            }
            Self::UntilBreak => true,
        }
    }
}

/// The items of an array.
pub(super) struct CborItems<'a, 'de> {
    deserializer: &'a mut Deserializer<'de>,
    left: Left,
    index: usize,
}

impl<'a, 'de> CborItems<'a, 'de> {
    pub(super) fn new(deserializer: &'a mut Deserializer<'de>, head: Head) -> Self {
        Self { deserializer, left: Left::of(head), index: 0 }
    }

    pub(super) fn empty(deserializer: &'a mut Deserializer<'de>) -> Self {
        Self { deserializer, left: Left::Nothing, index: 0 }
    }

    /// Passes over items that the type has no room for.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        while self.left.next(self.deserializer) {
            self.deserializer.skip()?;
        }
        Ok(())
    }
}

impl<'de> de::SeqAccess<'de> for &mut CborItems<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.left.next(self.deserializer) {
            return Ok(None);
        }
        let index = self.index;
        self.index += 1;
        self.deserializer.below(Segment::Index(index), |this| seed.deserialize(this)).map(Some)
    }
}

/// What tells a key apart from others: whether it is a string, and its text or else the bytes of the item.
type Identity<'de> = (bool, Cow<'de, [u8]>);

/// The entries of a map.
pub(super) struct Entries<'a, 'de> {
    deserializer: &'a mut Deserializer<'de>,
    left: Left,
    index: u64,
    seen: HashSet<Identity<'de>>,
    step: Option<Segment>,
}

impl<'a, 'de> Entries<'a, 'de> {
    pub(super) fn new(deserializer: &'a mut Deserializer<'de>, head: Head) -> Self {
        Self { deserializer, left: Left::of(head), index: 0, seen: HashSet::new(), step: None }
    }

    pub(super) fn empty(deserializer: &'a mut Deserializer<'de>) -> Self {
        let head = Head { major: Major::Map, info: 0, argument: 0, end: deserializer.at };
        Self::new(deserializer, head)
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if self.left.next(self.deserializer) {
            return Err(Error::custom("entries of a map were left over"));
        }
        Ok(())
    }
}

/// The identity of the key that is next; `null` is the empty key.
fn identity<'de>(deserializer: &mut Deserializer<'de>) -> Result<Identity<'de>, Error> {
    let start = deserializer.at;
    let identity = deserializer.item(|this, item| match item.head.major {
        Major::Bytes | Major::Text => {
            let text = this.text(item.head)?;
            let text = text.value(this.bytes).map_err(|problem| this.wrong(problem))?;
            Ok((true, text))
        }
        Major::Simple if item.head.info == 22 => Ok((true, Cow::Borrowed(&[][..]))),
        _ => Ok((false, Cow::Borrowed(this.skip()?))),
    });
    deserializer.at = start;
    identity
}

impl<'de> de::MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !self.left.next(self.deserializer) {
            return Ok(None);
        }
        let start = self.deserializer.at;
        let key = identity(self.deserializer)?;
        if self.deserializer.strict {
            self.step = Some(Segment::named(&String::from_utf8_lossy(&key.1)));
        }
        // `null` keeps the key before it.
        let repeats = self.index > 0 && self.deserializer.bytes.get(start) == Some(&0xF6);
        let text = key.1.clone();
        if repeats || !self.seen.insert(key) {
            return Err(duplicate(&text, self.index, start));
        }
        self.index += 1;
        seed.deserialize(&mut *self.deserializer).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let step = self.step.take().unwrap_or(Segment::Index(0));
        self.deserializer.below(step, |this| seed.deserialize(this))
    }
}

/// The fields of a struct.
pub(super) struct Fields<'a, 'de> {
    entries: Entries<'a, 'de>,
    names: &'static [&'static str],
}

impl<'a, 'de> Fields<'a, 'de> {
    pub(super) fn new(
        deserializer: &'a mut Deserializer<'de>,
        head: Head,
        names: &'static [&'static str],
    ) -> Self {
        Self { entries: Entries::new(deserializer, head), names }
    }

    pub(super) fn finish(self) -> Result<(), Error> {
        self.entries.finish()
    }

    fn unknown(&mut self, key: &[u8], start: usize) {
        let deserializer = &mut *self.entries.deserializer;
        if deserializer.strict {
            let name = String::from_utf8_lossy(key);
            let path = deserializer.path.iter().cloned().chain([Segment::named(&name)]).collect();
            let span = Span::new(start, deserializer.at);
            let server =
                format!("cbor: found unknown field at map element index {}", self.entries.index);
            let issue = Issue::error(codes::decode::CBOR_UNKNOWN_FIELD)
                .with("name", name.as_ref())
                .with("server", server);
            deserializer.unknown.push(issue.at(path).span(span));
        }
    }
}

impl<'de> de::MapAccess<'de> for &mut Fields<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        while self.entries.left.next(self.entries.deserializer) {
            let deserializer = &mut *self.entries.deserializer;
            let start = deserializer.at;
            let head = deserializer.head()?;
            let is_name = matches!(head.major, Major::Bytes | Major::Text);
            let key = match head.major {
                Major::Bytes | Major::Text => {
                    let text = deserializer.text(head)?;
                    text.content(deserializer.bytes)
                        .map_err(|problem| deserializer.wrong(problem))?
                }
                Major::Unsigned | Major::Negative if i64::try_from(head.argument).is_ok() => {
                    Cow::Borrowed(deserializer.skip()?)
                }
                Major::Unsigned | Major::Negative => {
                    let negative = head.major == Major::Negative;
                    let argument = head.argument;
                    return Err(deserializer.wrong(CborProblem::Integer { negative, argument }));
                }
                found => {
                    let problem = CborProblem::KeyType { found, too_small: None };
                    return Err(deserializer.wrong(problem));
                }
            };
            if !self.entries.seen.insert((is_name, key.clone())) {
                return Err(duplicate(&key, self.entries.index, start));
            }
            let name = str::from_utf8(&key).ok().filter(|_| is_name);
            if !name.is_some_and(|name| self.names.contains(&name)) {
                self.unknown(&key, start);
            }
            self.entries.index += 1;
            // A number would be taken for the position of a field.
            let Some(name) = name else {
                self.entries.deserializer.skip()?;
                continue;
            };
            if self.entries.deserializer.strict {
                self.entries.step = Some(Segment::named(name));
            }
            return seed.deserialize(StrDeserializer::new(name)).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        (&mut self.entries).next_value_seed(seed)
    }
}

/// The one entry of a map that stands for a variant with content.
pub(super) struct EnumAccess<'a, 'de>(pub(super) &'a mut Deserializer<'de>);

impl<'de> de::EnumAccess<'de> for EnumAccess<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(&mut *self.0)?;
        Ok((variant, self))
    }
}

impl<'de> de::VariantAccess<'de> for EnumAccess<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        de::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: de::Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_tuple(self.0, n, visitor)
    }

    fn struct_variant<V: de::Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}

impl Deserializer<'_> {
    /// Reads a value one step further down, for the paths of unknown fields.
    fn below<T>(
        &mut self,
        step: Segment,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.strict {
            return read(self);
        }
        self.path.push(step);
        let value = read(self);
        self.path.pop();
        value
    }
}

fn duplicate(key: &[u8], index: u64, start: usize) -> Error {
    let span = Span::new(start, start + 1);
    Error::from(CborFinding { problem: CborProblem::Duplicate { index }, span, text: key.into() })
}
