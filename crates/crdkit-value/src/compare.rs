//! One equality, one order and one hash of values.
//!
//! Two values are equal when they say the same: objects in any order of their members, numbers by
//! value (`1` equals `1.0`, and a number kept as text equals the same text). The order is total and
//! agrees with that: `null`, booleans, numbers, numbers kept as text, strings by their bytes, arrays, objects; an
//! array or object with fewer children comes first. So that equality is one of values and not of arithmetic, what is
//! not a number equals itself and follows every number.
//!
//! Members in the same order, the usual case, are compared as they come; otherwise both sides are sorted by
//! key, so that no input makes a comparison quadratic.

use crate::{Document, Kind, Members, Value};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// What is to be found out about two values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Equal,
    /// Whether they are equal, and their numbers of the same kind.
    Identical,
    Order,
}

impl Value<'_> {
    /// Whether two values are equal and an integer in one is an integer in the other: the equality of
    /// programs that keep integers and floats apart.
    pub fn is_identical(self, other: Value<'_>) -> bool {
        compare(self, other, Question::Identical).is_eq()
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        compare(*self, *other, Question::Equal).is_eq()
    }
}

impl Eq for Value<'_> {}

impl Ord for Value<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(*self, *other, Question::Order)
    }
}

impl PartialOrd for Value<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut pending = vec![(None, *self)];
        while let Some((key, value)) = pending.pop() {
            key.hash(state);
            let kind = value.kind();
            rank(&kind).hash(state);
            match kind {
                Kind::Null => {}
                Kind::Bool(bool) => bool.hash(state),
                Kind::Int(_) | Kind::Float(_) => {
                    let number = value.as_f64().filter(|number| !number.is_nan());
                    // Adding zero makes one of the two zeros.
                    number.map(|number| (number + 0.0).to_bits()).hash(state);
                }
                Kind::Number(text) => text.hash(state),
                Kind::String(_) => value.as_bytes().hash(state),
                Kind::Array(items) => {
                    items.len().hash(state);
                    pending.extend(items.map(|item| (None, item)));
                }
                Kind::Object(members) => {
                    members.len().hash(state);
                    let members = by_key(members).into_iter();
                    pending.extend(members.map(|member| (member.key_bytes(), member)));
                }
            }
        }
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.root() == other.root()
    }
}

impl Eq for Document {}

fn compare(left: Value<'_>, right: Value<'_>, question: Question) -> Ordering {
    let mut pending = Vec::new();
    let mut next = Some((left, right));
    while let Some((left, right)) = next {
        let n_pending = pending.len();
        let ordering = match (left.kind(), right.kind()) {
            (Kind::Bool(left), Kind::Bool(right)) => left.cmp(&right),
            (Kind::String(_), Kind::String(_)) => left.as_bytes().cmp(&right.as_bytes()),
            (Kind::Array(left), Kind::Array(right)) => {
                let ordering = left.len().cmp(&right.len());
                pending.extend(left.zip(right).filter(|_| ordering.is_eq()));
                ordering
            }
            (Kind::Object(left), Kind::Object(right)) => {
                let ordering = left.len().cmp(&right.len());
                ordering.then_with(|| pair_by_key(left, right, question, &mut pending))
            }
            (left, right) => numbers(&left, &right, question),
        };
        if ordering.is_ne() {
            return ordering;
        }
        if question == Question::Order
            && let Some(added) = pending.get_mut(n_pending..)
        {
            // The first pair is the next one to be compared.
            added.reverse();
        }
        next = pending.pop();
    }
    Ordering::Equal
}

/// Puts members with equal keys next to each other; or gives the order of the first keys that differ.
fn pair_by_key<'l, 'r>(
    left: Members<'l>,
    right: Members<'r>,
    question: Question,
    pending: &mut Vec<(Value<'l>, Value<'r>)>,
) -> Ordering {
    let mut keys = left.clone().zip(right.clone());
    if question != Question::Order
        && keys.all(|((_, left), (_, right))| left.key_bytes() == right.key_bytes())
    {
        pending.extend(left.zip(right).map(|((_, left), (_, right))| (left, right)));
        return Ordering::Equal;
    }
    let (left, right) = (by_key(left), by_key(right));
    let keys = left.iter().map(|member| member.key_bytes());
    let ordering = keys.cmp(right.iter().map(|member| member.key_bytes()));
    pending.extend(left.into_iter().zip(right));
    ordering
}

fn by_key(members: Members<'_>) -> Vec<Value<'_>> {
    let mut members: Vec<_> = members.map(|(_, member)| member).collect();
    members.sort_unstable_by_key(|member| member.key_bytes());
    members
}

/// The order of two values that are not both of one kind, or are numbers or `null`.
fn numbers(left: &Kind<'_>, right: &Kind<'_>, question: Question) -> Ordering {
    match (left, right) {
        (Kind::Int(left), Kind::Int(right)) => left.cmp(right),
        (Kind::Float(left), Kind::Float(right)) => {
            left.partial_cmp(right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
        }
        (Kind::Number(left), Kind::Number(right)) => left.cmp(right),
        (Kind::Int(_), Kind::Float(_)) if question == Question::Identical => Ordering::Less,
        (Kind::Float(_), Kind::Int(_)) if question == Question::Identical => Ordering::Greater,
        (Kind::Int(int), Kind::Float(float)) => int_and_float(*int, *float),
        (Kind::Float(float), Kind::Int(int)) => int_and_float(*int, *float).reverse(),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Exact: an integer that a double cannot hold equals no double.
#[expect(clippy::cast_possible_truncation, reason = "what is beyond integers is seen to before")]
fn int_and_float(int: i64, float: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float < -BEYOND {
        Ordering::Greater
    } else if float < BEYOND {
        let fraction = || 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal);
        int.cmp(&(float as i64)).then_with(fraction)
    } else {
        Ordering::Less
    }
}

fn rank(kind: &Kind<'_>) -> u8 {
    match kind {
        Kind::Null => 0,
        Kind::Bool(_) => 1,
        Kind::Int(_) | Kind::Float(_) => 2,
        Kind::Number(_) => 3,
        Kind::String(_) => 4,
        Kind::Array(_) => 5,
        Kind::Object(_) => 6,
    }
}
