//! Any value that a deserializer has, as a document.
//!
//! Takes what describes itself, such as JSON; how deep that goes is bounded by whoever reads it, and once more here.

use super::MAX_DEPTH;
use super::ser::Events;
use crdkit_value::{Document, Event};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A document made of whatever comes.
pub(crate) struct Tree(pub(crate) Document);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut events = Events::default();
        Into { events: &mut events, depth: MAX_DEPTH }.deserialize(deserializer)?;
        Ok(Self(events.into_document()))
    }
}

/// Writes one value down.
struct Into<'e> {
    events: &'e mut Events,
    /// How many more levels there may be.
    depth: usize,
}

impl Into<'_> {
    fn inside<E: Error>(&mut self) -> Result<Into<'_>, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Into { events: self.events, depth })
    }
}

impl<'de> DeserializeSeed<'de> for Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Into<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.events.push(Event::Null);
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, bool: bool) -> Result<(), E> {
        self.events.push(Event::Bool(bool));
        Ok(())
    }

    fn visit_i64<E: Error>(self, int: i64) -> Result<(), E> {
        self.events.push(Event::Int(int));
        Ok(())
    }

    fn visit_u64<E: Error>(self, int: u64) -> Result<(), E> {
        self.events.push_number(&int.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<(), E> {
        self.events.push(Event::Float(float));
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.events.push_text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.events.push(Event::BeginArray);
        while items.next_element_seed(self.inside()?)?.is_some() {}
        self.events.push(Event::EndArray);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.events.push(Event::BeginObject);
        while let Some(key) = members.next_key::<String>()? {
            self.events.push_key(&key);
            members.next_value_seed(self.inside()?)?;
        }
        self.events.push(Event::EndObject);
        Ok(())
    }
}
