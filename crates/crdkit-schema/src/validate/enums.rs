//! `enum`: comparison as Go's reflection does it.
//!
//! The value is converted to the kind of an entry if Go can do that, then the two are compared:
//! integers become floats, floats lose their fraction, and an integer becomes the text of the
//! character with that number. `null` matches nothing, not even a `null` entry.

use super::finding::Problem;
use super::{Instance, Keywords, Validator};
use crate::compile::Literal;
use crdkit_value::{Kind, Value};

impl<'t, K: Keywords<'t>> Validator<'t, K> {
    pub(super) fn enum_values(&mut self, at: &Instance<'t, '_>, kind: &Kind<'_>) {
        let entries = at.node.enum_values();
        if entries.is_empty() {
            return;
        }
        let table = self.table;
        let mut entries = entries.iter().map(|id| table.literal(*id));
        if !entries.any(|entry| matches_entry(entry, kind, at.value)) {
            self.add(at, Problem::Enum);
        }
    }
}

fn matches_entry(entry: &Literal, kind: &Kind<'_>, value: Value<'_>) -> bool {
    match (entry, kind) {
        (Literal::String(entry), Kind::String(text)) => **entry == **text,
        (Literal::Bool(entry), Kind::Bool(bool)) => entry == bool,
        (Literal::Int(entry), Kind::Int(int)) => entry == int,
        (Literal::Float(entry), Kind::Float(float)) => entry == float,
        #[expect(clippy::cast_precision_loss, reason = "what Go's conversion does")]
        (Literal::Float(entry), Kind::Int(int)) => *entry == *int as f64,
        (Literal::Int(entry), Kind::Float(float)) => *entry == super::number::truncate(*float),
        (Literal::String(entry), Kind::Int(int)) => is_character(entry, *int),
        (Literal::Tree(entry), Kind::Array(_) | Kind::Object(_)) => {
            entry.root().is_identical(value)
        }
        _ => false,
    }
}

/// Whether `text` is the one character with the number `code`; U+FFFD stands for numbers without one.
pub fn is_character(text: &str, code: i64) -> bool {
    let character = u32::try_from(code).ok().and_then(char::from_u32);
    let mut chars = text.chars();
    chars.next() == Some(character.unwrap_or(char::REPLACEMENT_CHARACTER)) && chars.next().is_none()
}
