//! Values for serde: what serializes a value writes the same JSON, YAML or whatever its format is.
//!
//! serde calls itself for what is inside a value, so how deep that goes is bounded; a number that is kept as text
//! becomes a number if a machine has it, and stays text otherwise.

use crate::{Document, Kind, Value};
use ::serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

/// Arrays and objects inside one another.
const MAX_DEPTH: usize = 512;

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested { value: *self, depth: 0 }.serialize(serializer)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root().serialize(serializer)
    }
}

/// A value inside others.
struct Nested<'d> {
    value: Value<'d>,
    depth: usize,
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.depth > MAX_DEPTH {
            return Err(S::Error::custom("the value is nested too deep"));
        }
        let inside = |value| Nested { value, depth: self.depth + 1 };
        match self.value.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(bool) => serializer.serialize_bool(bool),
            Kind::Int(int) => serializer.serialize_i64(int),
            Kind::Float(float) => serializer.serialize_f64(float),
            Kind::Number(text) => match (text.parse::<i64>(), text.parse::<f64>()) {
                (Ok(int), _) => serializer.serialize_i64(int),
                (Err(_), Ok(float)) if float.is_finite() => serializer.serialize_f64(float),
                _ => serializer.serialize_str(text),
            },
            Kind::String(text) => serializer.serialize_str(text),
            Kind::Array(items) => {
                let mut array = serializer.serialize_seq(Some(items.len()))?;
                items.map(inside).try_for_each(|item| array.serialize_element(&item))?;
                array.end()
            }
            Kind::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (key, member) in members {
                    object.serialize_entry(key, &inside(member))?;
                }
                object.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serde_sees_what_display_shows() {
        let mut document = Document::object();
        document.insert(document.root().id(), "a", 1);
        document.insert(document.root().id(), "b", Document::array().root());
        assert_eq!(serde_json::to_string(&document).unwrap(), document.to_string());
    }

    #[test]
    fn a_value_that_is_nested_too_deep_is_refused() {
        let mut document = Document::array();
        let mut inner = document.root().id();
        for _ in 0..2 * MAX_DEPTH {
            inner = document.push(inner, Document::array().root()).unwrap();
        }
        assert!(serde_json::to_string(&document).is_err());
    }
}
