//! Codecs: values of the wire to values of the program, and back.
//!
//! A codec stands at a place, by the `format` of its schema or by its path. Reading converts the wire's
//! value after the schema found nothing wrong with it; writing converts back, and the result is held
//! against the schema again. So the program sees one form of each value, and the wire gets one spelling.

mod ready;
mod text;

pub use ready::{
    Base64, DurationText, EpochSeconds, IntOrString, JsonText, NumberText, QuantityText,
};
pub use text::Rfc3339;

use super::place::PlacePattern;
use crdkit_issue::{FieldPath, PointerError};
use crdkit_value::{Document, Value};
use std::fmt;
use std::sync::Arc;

/// Converts between the wire and the program.
///
/// Holds for a codec that keeps its word: decoding what was encoded gives the same value, and decoding
/// and encoding once more changes nothing.
pub trait Codec: Send + Sync {
    /// What it converts, in a word or two, for messages.
    fn name(&self) -> &str;

    /// The program's value for a value of the wire, or why there is none.
    fn decode(&self, wire: Value<'_>) -> Result<Document, String>;

    /// The wire's value for a value of the program, or why there is none.
    fn encode(&self, domain: Value<'_>) -> Result<Document, String>;

    /// What is wrong with a value of the program; asked after decoding and before encoding.
    fn check(&self, domain: Value<'_>) -> Result<(), String> {
        let _ = domain;
        Ok(())
    }

    /// This codec first, and `next` on what it gives.
    fn then<C: Codec>(self, next: C) -> Then<Self, C>
    where
        Self: Sized,
    {
        let name = format!("{}, then {}", self.name(), next.name());
        Then { first: self, next, name }
    }
}

/// Two codecs, one after the other.
#[derive(Clone, Debug)]
pub struct Then<A, B> {
    first: A,
    next: B,
    name: String,
}

impl<A: Codec, B: Codec> Codec for Then<A, B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let between = self.first.decode(wire)?;
        self.first.check(between.root())?;
        self.next.decode(between.root())
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        let between = self.next.encode(domain)?;
        self.first.check(between.root())?;
        self.first.encode(between.root())
    }

    fn check(&self, domain: Value<'_>) -> Result<(), String> {
        self.next.check(domain)
    }
}

/// Which codec stands where.
#[derive(Clone, Default)]
pub struct Codecs {
    by_path: Vec<(PlacePattern, Arc<dyn Codec>)>,
    by_format: Vec<(Box<str>, Arc<dyn Codec>)>,
}

impl Codecs {
    /// None at all: values of the wire are values of the program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those for the formats that everybody means the same by: `date-time`, `duration`, `byte`,
    /// `quantity` and `int-or-string`.
    pub fn standard() -> Self {
        Self::new()
            .for_format("date-time", Rfc3339)
            .for_format("duration", DurationText)
            .for_format("byte", Base64)
            .for_format("quantity", QuantityText)
            .for_format("int-or-string", IntOrString)
    }

    /// `codec` wherever the schema has `format`, in place of one that was there before.
    #[must_use]
    pub fn for_format(mut self, format: &str, codec: impl Codec + 'static) -> Self {
        self.by_format.retain(|(known, _)| **known != *format);
        self.by_format.push((format.into(), Arc::new(codec)));
        self
    }

    /// `codec` at a place, given as a JSON Pointer in which `*` stands for any step. It wins over one for
    /// the format.
    pub fn for_path(
        mut self,
        pointer: &str,
        codec: impl Codec + 'static,
    ) -> Result<Self, PointerError> {
        self.by_path.push((PlacePattern::parse(pointer)?, Arc::new(codec)));
        Ok(self)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty() && self.by_format.is_empty()
    }

    /// The formats that have a codec.
    pub(super) fn formats(&self) -> impl Iterator<Item = (&str, &Arc<dyn Codec>)> {
        self.by_format.iter().map(|(format, codec)| (&**format, codec))
    }

    /// Whether there is one that stands at `path`.
    pub(super) fn reaches(&self, path: &FieldPath) -> bool {
        self.by_path.iter().any(|(place, _)| place.fits(path))
    }

    /// Whether there is one for the format.
    pub(super) fn has_format(&self, format: &str) -> bool {
        self.by_format.iter().any(|(known, _)| **known == *format)
    }

    /// The codec for `value`, which stands in a document at `base` and whose schemas have `formats`.
    pub(super) fn find<'f>(
        &self,
        base: &FieldPath,
        value: Value<'_>,
        mut formats: impl Iterator<Item = &'f str>,
    ) -> Option<&dyn Codec> {
        if !self.by_path.is_empty() {
            let path = value.path().rebase(base);
            let found = self.by_path.iter().rev().find(|(place, _)| place.fits(&path));
            if let Some((_, codec)) = found {
                return Some(&**codec);
            }
        }
        formats.find_map(|format| {
            let (_, codec) = self.by_format.iter().find(|(known, _)| **known == *format)?;
            Some(&**codec)
        })
    }
}

impl fmt::Debug for Codecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_path = self.by_path.iter().map(|(place, _)| place.pointer());
        f.debug_set().entries(by_path).entries(self.by_format.iter().map(|(name, _)| name)).finish()
    }
}

/// A document that holds one string.
fn string(text: &str) -> Document {
    Document::from(text)
}

/// The text of `value`, or that it is none.
fn text(value: Value<'_>) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "it is not a string".to_owned())
}
