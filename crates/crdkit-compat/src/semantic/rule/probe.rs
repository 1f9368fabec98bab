//! Values that are worth trying against a rule: its constants, what is just beside them, and absence.

use super::formula::{Constant, Formula, Hop, RulePath, Side, Term};
use crdkit_sample::build;
use crdkit_value::{Document, Value};

/// What to put at a place.
#[derive(Clone, Debug)]
pub(in crate::semantic) enum Choice {
    /// A value.
    Is(Document),
    /// Something of so many characters, items or fields.
    Sized(usize),
    /// Whatever its schema accepts.
    There,
    /// Nothing.
    Absent,
}

/// So many choices are made for one rule.
const MOST: usize = 40;
/// Nothing is made longer than this to make a point.
const LONGEST: i64 = 2_000;

/// Choices for the places a rule reads, each once.
pub(in crate::semantic) fn probes(formula: &Formula) -> Vec<(RulePath, Choice)> {
    let mut out = Vec::new();
    collect(formula, &mut out);
    out.truncate(MOST);
    out
}

fn collect(formula: &Formula, out: &mut Vec<(RulePath, Choice)>) {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            for part in parts {
                collect(part, out);
            }
        }
        Formula::Each(range, body, _) => {
            add(range, [Choice::Sized(1), Choice::Sized(2)], out);
            collect(body, out);
        }
        Formula::Compare(term, side, limit) => compare(term, *side, limit, out),
        Formula::Among(term, values, _) => {
            for value in values.iter().take(4) {
                match value {
                    Constant::Int(size) if term.is_size => sizes(term, *size, out),
                    _ => add(term, around(value).map(Choice::Is), out),
                }
            }
        }
        Formula::Has(term, _) | Formula::Present(term) => {
            add(term, [Choice::There, Choice::Absent], out);
        }
        Formula::Matches(term, ..) => {
            // No pattern takes all of these but one that takes everything.
            let texts = ["", "a", "A", "0", "-", " ", "a b", "example.com", "/", "a/b", "é"];
            add(term, texts.map(|text| Choice::Is(Document::from(text))), out);
        }
        Formula::Opaque(_, places, tests) => {
            for test in tests {
                collect(test, out);
            }
            for place in places {
                let values = [Choice::There, Choice::Absent, Choice::Sized(2)];
                let numbers = [0.0, 1.0, 1000.0].map(|it| Choice::Is(build::number(it)));
                for choice in values.into_iter().chain(numbers) {
                    out.push((place.clone(), choice));
                }
            }
        }
    }
    tidy(out);
}

fn compare(term: &Term, side: Side, limit: &Constant, out: &mut Vec<(RulePath, Choice)>) {
    match limit {
        Constant::Int(int) if term.is_size => sizes(term, *int, out),
        _ => {
            let mut values: Vec<_> = around(limit).into_iter().map(Choice::Is).collect();
            // The far side of the limit comes first.
            if matches!(side, Side::Above | Side::AtLeast) {
                values.reverse();
            }
            add(term, values, out);
        }
    }
}

fn sizes(term: &Term, size: i64, out: &mut Vec<(RulePath, Choice)>) {
    let near = [size.saturating_add(1), size.saturating_sub(1), size];
    let near = near.into_iter().filter(|size| (0..LONGEST).contains(size));
    add(term, near.filter_map(|size| usize::try_from(size).ok()).map(Choice::Sized), out);
}

fn add(term: &Term, choices: impl IntoIterator<Item = Choice>, out: &mut Vec<(RulePath, Choice)>) {
    let Some(place) = &term.place else { return };
    out.extend(choices.into_iter().map(|choice| (place.clone(), choice)));
}

/// Every choice is made once; the value that a rule is about, and an element, cannot be absent.
fn tidy(out: &mut Vec<(RulePath, Choice)>) {
    let mut seen: Vec<(RulePath, Choice)> = Vec::new();
    out.retain(|(place, choice)| {
        let is_new = !seen.iter().any(|(at, it)| at == place && it.is(choice));
        if is_new {
            seen.push((place.clone(), choice.clone()));
        }
        is_new
            && !(place.is_empty() && matches!(choice, Choice::Absent | Choice::There))
            && !matches!((place.last(), choice), (Some(Hop::Element), Choice::Absent))
    });
}

/// A constant and its neighbours.
fn around(constant: &Constant) -> [Document; 3] {
    match constant {
        Constant::Bool(value) => [*value, !*value, *value].map(Document::from),
        Constant::Int(int) => {
            [int.saturating_add(1), *int, int.saturating_sub(1)].map(Document::from)
        }
        Constant::Double(double) => [double + 1.0, *double, double - 1.0].map(build::number),
        Constant::Text(text) => {
            [Document::from(text), Document::from(&format!("{text}x")), Document::from("")]
        }
    }
}

impl Choice {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Is(left), Self::Is(right)) => left.root() == right.root(),
            (Self::Sized(left), Self::Sized(right)) => left == right,
            (Self::There, Self::There) | (Self::Absent, Self::Absent) => true,
            _ => false,
        }
    }
}

impl Constant {
    /// Whether a value is this constant.
    pub(super) fn is(&self, value: Value<'_>) -> bool {
        match self {
            Self::Bool(it) => value.as_bool() == Some(*it),
            Self::Int(it) => value.as_i64() == Some(*it),
            Self::Double(it) => value.as_f64() == Some(*it),
            Self::Text(it) => value.as_str() == Some(it),
        }
    }

    /// The constant as a document.
    pub(super) fn document(&self) -> Document {
        match self {
            Self::Bool(it) => Document::from(*it),
            Self::Int(it) => Document::from(*it),
            Self::Double(it) => Document::from(*it),
            Self::Text(it) => Document::from(it),
        }
    }
}
