//! What follows from a schema alone: which formulas are true of all its values, and which never fail.
//!
//! Both answers are proofs: no means nothing.

use super::formula::{Constant, Formula, Hop, Side, Term, plain};
use crate::semantic::interval::{End, Interval, Numbers};
use crate::semantic::suspect::{Admission, is_seen_otherwise, takes_lists};
use crate::side::Side as Half;
use crdkit_schema::model::{Schema, SchemaId};
use crdkit_schema::rules::escape;
use crdkit_text::regex::{Regex, Search, SearchOutcome};
use crdkit_value::{Document, Value};

/// What a schema guarantees about the values that it accepts.
pub(in crate::semantic) struct Guarantee<'c> {
    pub(in crate::semantic) side: &'c Half<'c>,
    /// The schema of the value that rules are about.
    pub(in crate::semantic) root: SchemaId,
}

impl<'c> Guarantee<'c> {
    /// Whether every value of the schema makes the formula true.
    pub(in crate::semantic) fn covers(&self, formula: &Formula) -> bool {
        self.holds(formula, &mut Vec::new())
    }

    /// `there` are the texts of fields that are known to be there.
    fn holds(&self, formula: &Formula, there: &mut Vec<String>) -> bool {
        match formula {
            Formula::All(parts) => parts.iter().all(|part| self.holds(part, there)),
            Formula::Any(parts) => {
                // Where a part that says a field is absent does not hold, the field is there.
                let before = there.len();
                there.extend(parts.iter().filter_map(|part| match part {
                    Formula::Has(term, false) => Some(term.text.clone()),
                    _ => None,
                }));
                let holds = parts.iter().any(|part| self.holds(part, there));
                there.truncate(before);
                holds
            }
            Formula::Each(range, body, true) => {
                self.present(range, there).is_some() && self.holds(body, there)
            }
            Formula::Has(term, true) => self.present(term, there).is_some(),
            Formula::Present(term) => !term.is_size && self.present(term, there).is_some(),
            Formula::Compare(term, side, limit) => self
                .present(term, there)
                .is_some_and(|schema| compares(schema, term.is_size, *side, limit)),
            Formula::Among(term, values, positive) => {
                let schema = self.present(term, there);
                schema.is_some_and(|schema| !term.is_size && among(schema, values, *positive))
            }
            Formula::Matches(term, pattern, true) => {
                let schema = self.present(term, there);
                let is_text = |schema: &&Schema<'c>| schema.type_name == "string";
                schema.filter(is_text).is_some_and(|schema| matches(schema, pattern))
            }
            Formula::Has(_, false)
            | Formula::Matches(_, _, false)
            | Formula::Each(_, _, false)
            | Formula::Opaque(..) => false,
        }
    }

    /// Whether the formula is true or false for every value of the schema, and never fails.
    pub(in crate::semantic) fn decides(&self, formula: &Formula) -> bool {
        self.is_total(formula, &mut Vec::new())
    }

    fn is_total(&self, formula: &Formula, there: &mut Vec<String>) -> bool {
        match formula {
            // Next to a part that is false, or true, it does not matter whether another one fails.
            Formula::All(parts) | Formula::Any(parts) => {
                let is_all = matches!(formula, Formula::All(_));
                let before = there.len();
                there.extend(parts.iter().filter_map(|part| match part {
                    Formula::Has(term, positive) if *positive == is_all => Some(term.text.clone()),
                    _ => None,
                }));
                let is_total = parts.iter().all(|part| self.is_total(part, there));
                there.truncate(before);
                is_total
            }
            Formula::Each(range, body, _) => {
                self.present(range, there).is_some() && self.is_total(body, there)
            }
            Formula::Has(term, _) => {
                let around = term.place.as_ref().and_then(|place| place.split_last());
                // Whether a list has an item is known only if all of them can be compared.
                let is_certain = |schema: &Schema<'_>| schema.type_name != "array";
                around
                    .and_then(|(_, around)| self.at(around, &term.text, there))
                    .is_some_and(is_certain)
            }
            Formula::Present(term)
            | Formula::Compare(term, ..)
            | Formula::Among(term, ..)
            | Formula::Matches(term, ..) => self.present(term, there).is_some(),
            Formula::Opaque(..) => false,
        }
    }

    /// The schema of a term that is always there.
    fn present(&self, term: &Term, there: &[String]) -> Option<&'c Schema<'c>> {
        self.at(term.place.as_ref()?, &term.text, there)
    }

    /// The schema of what is always at a place, which is spelled as in `full`.
    fn at(&self, place: &[Hop], full: &str, there: &[String]) -> Option<&'c Schema<'c>> {
        // No item has to be there that a rule names by its position.
        if full.contains("_[_](") {
            return None;
        }
        let mut schema = self.side.schema(self.root);
        if schema.extensions().int_or_string || takes_lists(schema) {
            return None;
        }
        // The texts of fields begin like that of the term.
        let mut text = "self".to_owned();
        for hop in place {
            let child = match hop {
                Hop::Field(name) => {
                    text = format!("{text}.{name}");
                    let written =
                        |it: &&str| escape(it).is_some_and(|escaped| plain(&escaped) == *name);
                    let (key, id) =
                        schema.properties.iter().find(|(key, _)| key == name || written(key))?;
                    let child = self.side.schema(id);
                    let assured = schema.required.contains(&key)
                        || child.default.is_some()
                        || there.contains(&text)
                        || there.iter().any(|it| it == full);
                    assured.then_some(child)?
                }
                // What a map is iterated by are its keys.
                Hop::Element => self.side.schema(schema.item_schema()?),
            };
            if child.nullable || child.extensions().int_or_string || takes_lists(child) {
                return None;
            }
            schema = child;
        }
        Some(schema)
    }
}

fn compares(schema: &Schema<'_>, is_size: bool, side: Side, limit: &Constant) -> bool {
    let bounds = schema.bounds();
    let interval = if is_size {
        let (least, most) = match (schema.type_name, schema.format) {
            ("string", "") => (bounds.min_length, bounds.max_length),
            ("array", _) => (bounds.min_items, bounds.max_items),
            ("object", _) => (bounds.min_properties, bounds.max_properties),
            _ => return false,
        };
        #[expect(clippy::cast_precision_loss, reason = "sizes are far from where that matters")]
        let end = |bound: i64| End { at: bound as f64, open: false };
        let unlimited = End { at: f64::INFINITY, open: true };
        Interval { lower: end(least.unwrap_or(0).max(0)), upper: most.map_or(unlimited, end) }
    } else if matches!(schema.type_name, "integer" | "number") {
        match Numbers::of(schema).hull() {
            Some(interval) => interval,
            None => return false,
        }
    } else {
        return false;
    };
    let (at, has_type) = match limit {
        #[expect(clippy::cast_precision_loss, reason = "larger ones are left out")]
        Constant::Int(int) if int.unsigned_abs() < 1 << 53 => {
            (*int as f64, schema.type_name != "number")
        }
        Constant::Double(double) => (*double, schema.type_name == "number" && !is_size),
        _ => return false,
    };
    let infinite = |at: f64| End { at, open: true };
    let wanted = match side {
        Side::Below => Interval { lower: infinite(f64::NEG_INFINITY), upper: infinite(at) },
        Side::AtMost => {
            Interval { lower: infinite(f64::NEG_INFINITY), upper: End { at, open: false } }
        }
        Side::Above => Interval { lower: infinite(at), upper: infinite(f64::INFINITY) },
        Side::AtLeast => {
            Interval { lower: End { at, open: false }, upper: infinite(f64::INFINITY) }
        }
    };
    // An end at infinity is never reached, so that it does not matter whether it belongs.
    let reached = |end: End| End { open: end.open || end.at.is_infinite(), ..end };
    let interval = Interval { lower: reached(interval.lower), upper: reached(interval.upper) };
    (has_type || is_size) && interval.is_within(wanted)
}

fn among(schema: &Schema<'_>, values: &[Constant], positive: bool) -> bool {
    if !matches!(schema.type_name, "string" | "boolean" | "integer")
        || schema.type_name == "string" && is_seen_otherwise(schema)
    {
        return false;
    }
    if positive {
        // A text lists the integer of its character, too.
        let is_typed = |value: Value<'_>| match schema.type_name {
            "integer" => value.as_i64().is_some(),
            _ => true,
        };
        let listed = |value: Value<'_>| is_typed(value) && values.iter().any(|it| it.is(value));
        let allowed = schema.enum_values.filter(|allowed| allowed.items().len() > 0);
        let both = [true, false].map(Constant::Bool);
        return allowed.is_some_and(|allowed| allowed.items().all(listed))
            || schema.type_name == "boolean" && both.iter().all(|it| values.contains(it));
    }
    let admission = Admission::of(schema);
    values.iter().all(|value| {
        let value = value.document();
        let float = value.root().as_f64().map(Document::from);
        !admission.admits(value.root()) && float.is_none_or(|it| !admission.admits(it.root()))
    })
}

fn matches(schema: &Schema<'_>, pattern: &str) -> bool {
    if is_seen_otherwise(schema) {
        return false;
    }
    let Ok(wanted) = Regex::new(pattern) else { return false };
    if let Some(allowed) = schema.enum_values.filter(|allowed| allowed.items().len() > 0) {
        return allowed.items().all(|it| it.as_str().is_some_and(|text| wanted.is_match(text)));
    }
    let known = Regex::new(schema.pattern).ok().filter(|_| !schema.pattern.is_empty());
    let bounds = schema.bounds();
    let length = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
    let search = Search {
        matching: known.iter().collect(),
        failing: vec![&wanted],
        min_length: length(bounds.min_length).unwrap_or(0),
        max_length: length(bounds.max_length),
    };
    matches!(search.run(1), SearchOutcome::Texts(texts) if texts.is_empty())
}
