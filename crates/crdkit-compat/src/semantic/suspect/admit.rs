//! Whether the keywords about single values allow one, as the server's validator would say; junctors and
//! rules are not asked.

use crate::semantic::interval::Numbers;
use crdkit_schema::model::Schema;
use crdkit_schema::validate::{is_character, is_integer, truncate};
use crdkit_text::formats::TextFormat;
use crdkit_text::regex::Regex;
use crdkit_value::{Kind, Value};
use std::collections::{HashMap, HashSet};

/// Integers up to here are floats of their own.
const EXACT: u64 = 1 << 53;

/// A schema, ready to be asked about many values.
pub(in crate::semantic) struct Admission<'s, 'd> {
    schema: &'s Schema<'d>,
    listed: Option<Listed<'d>>,
    /// Absent if the pattern cannot be read, in which case it matches nothing.
    regex: Option<Regex>,
    format: Option<TextFormat>,
    numbers: Numbers,
}

/// What an enumeration lists.
#[derive(Default)]
pub(super) struct Listed<'d> {
    texts: HashSet<&'d str>,
    ints: HashSet<i64>,
    /// As bits, without a negative zero.
    floats: HashSet<u64>,
    bools: HashSet<bool>,
    trees: HashMap<Value<'d>, Vec<Value<'d>>>,
}

impl<'d> Listed<'d> {
    /// The values of a schema, if it lists some.
    pub(super) fn of(schema: &Schema<'d>) -> Option<Self> {
        let values = schema.enum_values.filter(|values| values.items().len() > 0)?;
        let mut listed = Self::default();
        for value in values.items() {
            match value.kind() {
                Kind::String(_) => listed.texts.extend(value.as_str()),
                Kind::Int(int) => _ = listed.ints.insert(int),
                Kind::Float(float) => _ = listed.floats.insert(bits(float)),
                Kind::Bool(bool) => _ = listed.bools.insert(bool),
                Kind::Array(_) | Kind::Object(_) => {
                    listed.trees.entry(value).or_default().push(value);
                }
                // No value matches a null.
                Kind::Null | Kind::Number(_) => {}
            }
        }
        Some(listed)
    }

    /// Whether a value is one of them: a float is compared with an integer without its fraction, and an
    /// integer with a text as the character with that number.
    fn matches(&self, value: Value<'_>) -> bool {
        match value.kind() {
            Kind::String(text) => self.texts.contains(text),
            Kind::Bool(bool) => self.bools.contains(&bool),
            #[expect(clippy::cast_precision_loss, reason = "what Go's conversion does")]
            Kind::Int(int) => {
                self.ints.contains(&int)
                    || self.floats.contains(&bits(int as f64))
                    || self.has_character(int)
            }
            Kind::Float(float) => {
                self.floats.contains(&bits(float)) || self.ints.contains(&truncate(float))
            }
            Kind::Array(_) | Kind::Object(_) => self.has_tree(value),
            Kind::Null | Kind::Number(_) => false,
        }
    }

    fn has_character(&self, code: i64) -> bool {
        let character = u32::try_from(code).ok().and_then(char::from_u32);
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut buffer = [0; 4];
        let text = &*character.encode_utf8(&mut buffer);
        self.texts.contains(text) && is_character(text, code)
    }

    fn has_tree(&self, value: Value<'_>) -> bool {
        let alike = self.trees.get(&value);
        alike.is_some_and(|alike| alike.iter().any(|it| it.is_identical(value)))
    }

    /// Whether every value that matches `entry` in an enumeration of values of a type matches here.
    pub(super) fn covers(&self, entry: Value<'_>, type_name: &str) -> bool {
        match entry.kind() {
            // No value matches a null.
            Kind::Null => true,
            Kind::String(text) => self.texts.contains(text),
            Kind::Bool(bool) => self.bools.contains(&bool),
            #[expect(clippy::cast_precision_loss, reason = "those that are not exact do not count")]
            Kind::Int(int) => {
                // A float with a fraction matches an integer, and no other float.
                let is_exact = type_name == "integer" && int.unsigned_abs() < EXACT;
                self.ints.contains(&int) || is_exact && self.floats.contains(&bits(int as f64))
            }
            Kind::Float(float) => {
                let is_exact = is_integer(float) && float.fract() == 0.0;
                self.floats.contains(&bits(float))
                    || is_exact && self.ints.contains(&truncate(float))
            }
            Kind::Array(_) | Kind::Object(_) => self.has_tree(entry),
            Kind::Number(_) => false,
        }
    }
}

fn bits(float: f64) -> u64 {
    if float == 0.0 { 0 } else { float.to_bits() }
}

impl<'s, 'd> Admission<'s, 'd> {
    pub(in crate::semantic) fn of(schema: &'s Schema<'d>) -> Self {
        Self {
            schema,
            listed: Listed::of(schema),
            regex: regex(schema),
            format: text_format(schema),
            numbers: Numbers::of(schema),
        }
    }

    /// Whether the value may be one of the schema.
    pub(in crate::semantic) fn admits(&self, value: Value<'_>) -> bool {
        self.admits_unlisted(value) && self.listed.as_ref().is_none_or(|it| it.matches(value))
    }

    /// The same, apart from what is listed.
    pub(super) fn admits_unlisted(&self, value: Value<'_>) -> bool {
        let schema = self.schema;
        let bounds = schema.bounds();
        let is_either = schema.extensions().int_or_string;
        let is_untyped = schema.type_name.is_empty() && !is_either;
        // Where there is a format, no type means texts, and lists are not looked at.
        let named = |name: &str| {
            schema.type_name == name || is_untyped && (self.format.is_none() || name == "string")
        };
        match value.kind() {
            Kind::String(text) => {
                let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
                (named("string") || is_either)
                    && bounds.min_length.is_none_or(|least| length >= least)
                    && bounds.max_length.is_none_or(|most| length <= most)
                    && (schema.pattern.is_empty()
                        || self.regex.as_ref().is_some_and(|it| it.is_match(text)))
                    && self.format.is_none_or(|format| format.accepts(text))
            }
            Kind::Int(int) => {
                (named("integer") || named("number") || is_either)
                    && self.numbers.has_int(int)
                    && bounds.multiple_of.is_none_or(|step| {
                        truncate(step) > 0 && int.checked_rem(truncate(step)) == Some(0)
                    })
            }
            Kind::Float(float) => {
                (named("number") || (named("integer") || is_either) && is_integer(float))
                    && self.numbers.has_float(float)
                    && bounds.multiple_of.is_none_or(|step| is_multiple(float, step))
            }
            // Only kept where numbers are texts, which is not where they are compared.
            Kind::Number(_) => false,
            Kind::Bool(_) => named("boolean"),
            Kind::Null => schema.nullable || is_untyped,
            Kind::Array(_) => named("array") || takes_lists(schema),
            Kind::Object(_) => named("object"),
        }
    }
}

/// Whether a list passes for a text because there is a format.
pub(in crate::semantic) fn takes_lists(schema: &Schema<'_>) -> bool {
    matches!(schema.type_name, "string" | "")
        && !schema.extensions().int_or_string
        && text_format(schema).is_some()
}

fn is_multiple(float: f64, step: f64) -> bool {
    let quotient = if step < 1.0 { 1.0 / step * float } else { float / step };
    step > 0.0 && is_integer(quotient)
}

/// Whether every multiple of `old` among `numbers` is one of `new`, as the server computes it.
pub(super) fn is_multiple_within(numbers: Numbers, is_whole: bool, old: f64, new: f64) -> bool {
    /// From this quotient on whatever is whole counts as a multiple.
    const CLOSE: f64 = 1e9;
    /// Up to this one a multiple is the nearest of all.
    const NEAREST: f64 = 1e8;
    if old == new {
        return true;
    }
    let ints = (truncate(old), truncate(new));
    if ints.1 <= 0 || old.fract() != 0.0 || new.fract() != 0.0 {
        return false;
    }
    let Some(0) = ints.0.checked_rem(ints.1) else { return false };
    // Doubling is exact in floats, other factors are where numbers are small.
    let doubles = (ints.0 / ints.1).unsigned_abs().is_power_of_two();
    let reach = numbers.reach();
    if is_whole {
        reach < CLOSE || doubles && new < NEAREST
    } else {
        doubles && reach / new < NEAREST
    }
}

fn text_format(schema: &Schema<'_>) -> Option<TextFormat> {
    matches!(schema.type_name, "string" | "").then(|| TextFormat::parse(schema.format)).flatten()
}

pub(super) fn regex(schema: &Schema<'_>) -> Option<Regex> {
    if schema.pattern.is_empty() { None } else { Regex::new(schema.pattern).ok() }
}
