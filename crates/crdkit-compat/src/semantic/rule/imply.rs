//! Whether a formula follows from another one, or from a schema.
//!
//! Both answers are proofs: yes means that the one cannot hold without the other, no means nothing.

use super::formula::{Constant, Formula, Hop, Side, Term, plain};
use crate::semantic::interval::{End, Interval};
use crate::semantic::suspect::admits;
use crate::side::Side as Half;
use crdkit_schema::model::{Schema, SchemaId};
use crdkit_schema::rules::escape;
use crdkit_text::regex::{Found, Regex, Search};
use crdkit_value::Value;

/// So many pairs of parts are compared before an implication is given up.
const STEPS: usize = 20_000;

/// Whether `wanted` is true wherever `known` is.
pub(in crate::semantic) fn implies(known: &Formula, wanted: &Formula) -> bool {
    follows(known, wanted, &mut { STEPS })
}

/// More fields than this are not gone through.
const FIELDS: usize = 10;

/// Whether `wanted`, which is about nothing but the presence of fields, follows from all of `known` that is
/// about nothing else. Every combination of fields is tried: presence is always true or false.
pub(in crate::semantic) fn implies_presence(known: &[&Formula], wanted: &Formula) -> bool {
    let mut names = Vec::new();
    if !presences(wanted, &mut names) {
        return false;
    }
    let mut facts = Vec::new();
    for fact in known {
        let mut all = names.clone();
        if presences(fact, &mut all) && all.len() <= FIELDS {
            names = all;
            facts.push(*fact);
        }
    }
    names.len() <= FIELDS
        && (0_u32..1 << names.len()).all(|there| {
            !facts.iter().all(|fact| is_true(fact, &names, there)) || is_true(wanted, &names, there)
        })
}

/// Adds the fields that a formula is about; false if it is about something else, too.
fn presences<'f>(formula: &'f Formula, names: &mut Vec<&'f str>) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().all(|part| presences(part, names))
        }
        Formula::Has(term, _) => {
            // Whether something is there that is deeper can fail to be true or false.
            let is_direct = |rest: &str| !rest.contains(['.', '(', '[']);
            let direct = ["self.", "oldSelf."].iter().filter_map(|it| term.text.strip_prefix(it));
            if !names.contains(&term.text.as_str()) {
                names.push(&term.text);
            }
            direct.into_iter().any(is_direct)
        }
        _ => false,
    }
}

fn is_true(formula: &Formula, names: &[&str], there: u32) -> bool {
    match formula {
        Formula::All(parts) => parts.iter().all(|part| is_true(part, names, there)),
        Formula::Any(parts) => parts.iter().any(|part| is_true(part, names, there)),
        Formula::Has(term, positive) => {
            let bit = names.iter().position(|name| *name == term.text);
            bit.is_some_and(|bit| (there >> bit & 1 == 1) == *positive)
        }
        _ => false,
    }
}

fn follows(known: &Formula, wanted: &Formula, steps: &mut usize) -> bool {
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    if known == wanted {
        return true;
    }
    if let Formula::All(parts) = wanted {
        return parts.iter().all(|part| follows(known, part, steps));
    }
    if let Formula::Any(parts) = known {
        return !parts.is_empty() && parts.iter().all(|part| follows(part, wanted, steps));
    }
    if let Formula::Any(parts) = wanted
        && parts.iter().any(|part| follows(known, part, steps))
    {
        return true;
    }
    if let Formula::All(parts) = known {
        return parts.iter().any(|part| follows(part, wanted, steps));
    }
    match (known, wanted) {
        (Formula::Each(known_range, known, known_all), Formula::Each(range, wanted, all)) => {
            known_range.text == range.text && known_all == all && follows(known, wanted, steps)
        }
        _ => atoms(known, wanted),
    }
}

/// Two tests of the same term.
fn atoms(known: &Formula, wanted: &Formula) -> bool {
    let on = |constant: &Constant, side: Side, limit: &Constant| {
        constant.order(limit).is_some_and(|ordering| side.holds(ordering))
    };
    match (known, wanted) {
        (Formula::Compare(a, side, limit), Formula::Compare(b, wanted_side, wanted_limit)) => {
            let same_way = matches!(
                (side, wanted_side),
                (Side::Below | Side::AtMost, Side::Below | Side::AtMost)
                    | (Side::Above | Side::AtLeast, Side::Above | Side::AtLeast)
            );
            // At the limit itself only an end that is left out fits into one that is.
            let within = on(limit, *wanted_side, wanted_limit)
                || limit == wanted_limit && matches!(side, Side::Below | Side::Above);
            // Between two whole numbers there is nothing.
            let next = match (side, limit, wanted_side, wanted_limit) {
                (Side::Below, Constant::Int(limit), Side::AtMost, Constant::Int(most)) => {
                    limit.checked_sub(1).is_some_and(|last| last <= *most)
                }
                (Side::Above, Constant::Int(limit), Side::AtLeast, Constant::Int(least)) => {
                    limit.checked_add(1).is_some_and(|first| first >= *least)
                }
                _ => false,
            };
            a.text == b.text && same_way && (within || next)
        }
        (Formula::Among(a, values, true), Formula::Compare(b, side, limit)) => {
            a.text == b.text && values.iter().all(|value| on(value, *side, limit))
        }
        (Formula::Among(a, values, true), Formula::Among(b, wanted, positive)) => {
            a.text == b.text && values.iter().all(|value| wanted.contains(value) == *positive)
        }
        (Formula::Among(a, values, false), Formula::Among(b, wanted, false)) => {
            a.text == b.text && wanted.iter().all(|value| values.contains(value))
        }
        (Formula::Compare(a, side, limit), Formula::Among(b, wanted, false)) => {
            // A constant that is certainly on the other side.
            let beyond =
                |value: &Constant| value.order(limit).is_some_and(|ordering| !side.holds(ordering));
            a.text == b.text && wanted.iter().all(beyond)
        }
        (Formula::Matches(a, narrow, true), Formula::Matches(b, wide, true))
        | (Formula::Matches(a, wide, false), Formula::Matches(b, narrow, false)) => {
            a.text == b.text && is_within(narrow, wide)
        }
        (Formula::Among(a, values, true), Formula::Matches(b, pattern, positive)) => {
            let regex = Regex::new(pattern).ok();
            let fits = |value: &Constant| match value {
                Constant::Text(text) => {
                    regex.as_ref().is_some_and(|regex| regex.is_match(text) == *positive)
                }
                _ => false,
            };
            a.text == b.text && values.iter().all(fits)
        }
        _ => false,
    }
}

/// Whether every text that has `narrow` has `wide`.
fn is_within(narrow: &str, wide: &str) -> bool {
    let (Ok(narrow), Ok(wide)) = (Regex::new(narrow), Regex::new(wide)) else { return false };
    let search =
        Search { matching: vec![&narrow], failing: vec![&wide], min_length: 0, max_length: None };
    matches!(search.run(1), Found::Texts(texts) if texts.is_empty())
}

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

    /// The schema of a term that is always there.
    fn present(&self, term: &Term, there: &[String]) -> Option<&'c Schema<'c>> {
        let mut schema = self.side.schema(self.root);
        let place = term.place.as_ref()?;
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
                        || there.contains(&term.text);
                    assured.then_some(child)?
                }
                // What a map is iterated by are its keys.
                Hop::Element => self.side.schema(schema.item_schema()?),
            };
            if child.nullable || child.extensions().int_or_string {
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
        Interval::of(schema)
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
    if !matches!(schema.type_name, "string" | "boolean" | "integer") || is_typed(schema) {
        return false;
    }
    if positive {
        let listed = |value: Value<'_>| values.iter().any(|it| it.is(value));
        let allowed = schema.enum_values.filter(|allowed| allowed.items().len() > 0);
        let both = [true, false].map(Constant::Bool);
        return allowed.is_some_and(|allowed| allowed.items().all(listed))
            || schema.type_name == "boolean" && both.iter().all(|it| values.contains(it));
    }
    values.iter().all(|value| !admits(schema, value.document().root()))
}

/// Whether expressions see a text as something else.
fn is_typed(schema: &Schema<'_>) -> bool {
    schema.type_name == "string"
        && matches!(schema.format, "byte" | "date" | "date-time" | "duration")
}

fn matches(schema: &Schema<'_>, pattern: &str) -> bool {
    if is_typed(schema) {
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
    matches!(search.run(1), Found::Texts(texts) if texts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::formula::OldSelf;
    use super::*;

    fn read(rule: &str) -> Formula {
        Formula::read(rule, OldSelf::Apart).unwrap()
    }

    #[test]
    fn rules_of_equal_meaning_are_equal_formulas() {
        for (left, right) in [
            ("self.a > 5", "5 < self.a"),
            ("!(self.a > 5)", "self.a <= 5"),
            ("self.a == 'x'", "!('x' != self.a)"),
            ("self.size() < 3", "size(self) < 3"),
            ("self.a <= self.b", "self.b >= self.a"),
            ("self.x.all(i, i.a > 1)", "self.x.all(item, 1 < item.a)"),
            ("!self.x.exists(i, i == 2)", "self.x.all(i, i != 2)"),
            ("!(has(self.a) && self.b)", "!has(self.a) || !self.b"),
            ("self['a'] == 1", "self.a == 1"),
        ] {
            assert_eq!(read(left), read(right), "{left} and {right}");
        }
    }

    #[test]
    fn presence_is_decided_by_trying_every_combination() {
        for (known, wanted, expected) in [
            ("has(self.a)", "has(self.b)", false),
            (
                "has(self.a) && !has(self.b) || !has(self.a) && has(self.b)",
                "has(self.a) || has(self.b)",
                true,
            ),
            ("has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))", false),
            (
                "(!has(oldSelf.a) && !has(self.a)) || (has(oldSelf.a) && has(self.a))",
                "!has(oldSelf.a) || has(self.a)",
                true,
            ),
            ("has(self.a.b)", "has(self.a.b)", false),
        ] {
            let (known, wanted_formula) = (read(known), read(wanted));
            assert_eq!(implies_presence(&[&known], &wanted_formula), expected, "{wanted}");
        }
    }

    #[test]
    fn weaker_rules_follow_and_others_do_not() {
        for (known, wanted, expected) in [
            ("self.a > 5 && self.b", "self.a > 3", true),
            ("self.a > 3", "self.a > 5", false),
            ("self.a > 5", "self.a >= 6", true),
            ("self.a < 5", "self.a <= 4", true),
            ("self.a < 5.0", "self.a <= 4.5", false),
            ("self.a == 'x'", "self.a in ['x', 'y']", true),
            ("self.a in ['x', 'y']", "self.a == 'x'", false),
            ("self.a in ['x', 'y']", "self.a != 'z'", true),
            ("self.a <= 5", "self.a != 6", true),
            ("self.a <= 5", "self.a != 5", false),
            ("self.a < 5", "self.a < 5", true),
            ("self.a <= 5", "self.a < 5", false),
            ("has(self.a)", "has(self.a) || has(self.b)", true),
            ("has(self.a) || has(self.b)", "has(self.a)", false),
            ("has(self.a) ? self.a > 5 : self.b", "!has(self.a) || self.a > 2", true),
            ("self.x.all(i, i > 5)", "self.x.all(i, i > 3)", true),
            ("self.x.exists(i, i > 5)", "self.x.all(i, i > 3)", false),
            ("self.a.matches('^[a-c]+$')", "self.a.matches('^[a-z]+$')", true),
            ("self.a.matches('^[a-z]+$')", "self.a.matches('^[a-c]+$')", false),
            ("size(self.a) == 3", "self.a.size() <= 4", true),
        ] {
            assert_eq!(implies(&read(known), &read(wanted)), expected, "{known} ⇒ {wanted}");
        }
    }
}
