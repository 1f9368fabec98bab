//! Equality of values.
//!
//! Two values are equal when they say the same: objects in any order of their members, numbers by
//! value (`1` equals `1.0`). Members in the same order, the usual case, are compared as they come;
//! otherwise both sides are sorted by key, so that no input makes a comparison quadratic.

use crate::{Kind, Members, Value};

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(*self, *other)
    }
}

fn equal(left: Value<'_>, right: Value<'_>) -> bool {
    let mut pending = Vec::new();
    let mut next = Some((left, right));
    while let Some((left, right)) = next {
        let same = match (left.kind(), right.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(left), Kind::Bool(right)) => left == right,
            (Kind::String(_), Kind::String(_)) => left.as_bytes() == right.as_bytes(),
            (Kind::Array(left), Kind::Array(right)) => {
                let same = left.len() == right.len();
                pending.extend(left.zip(right).filter(|_| same));
                same
            }
            (Kind::Object(left), Kind::Object(right)) => {
                left.len() == right.len() && {
                    let mut keys = left.clone().zip(right.clone());
                    if keys.all(|((_, left), (_, right))| left.key_bytes() == right.key_bytes()) {
                        pending
                            .extend(left.zip(right).map(|((_, left), (_, right))| (left, right)));
                        true
                    } else {
                        pair_by_key(by_key(left), by_key(right), &mut pending)
                    }
                }
            }
            (left, right) => same_number(&left, &right),
        };
        if !same {
            return false;
        }
        next = pending.pop();
    }
    true
}

fn by_key(members: Members<'_>) -> Vec<Value<'_>> {
    let mut members: Vec<_> = members.map(|(_, member)| member).collect();
    members.sort_unstable_by_key(|member| member.key_bytes());
    members
}

/// Puts members with equal keys next to each other; false if some key has no counterpart.
fn pair_by_key<'l, 'r>(
    left: Vec<Value<'l>>,
    right: Vec<Value<'r>>,
    pending: &mut Vec<(Value<'l>, Value<'r>)>,
) -> bool {
    left.into_iter().zip(right).all(|(left, right)| {
        pending.push((left, right));
        left.key_bytes() == right.key_bytes()
    })
}

fn same_number(left: &Kind<'_>, right: &Kind<'_>) -> bool {
    match (left, right) {
        (Kind::Int(left), Kind::Int(right)) => left == right,
        (Kind::Float(left), Kind::Float(right)) => left == right,
        (Kind::Int(int), Kind::Float(float)) | (Kind::Float(float), Kind::Int(int)) => {
            int_equals_float(*int, *float)
        }
        (Kind::Number(left), Kind::Number(right)) => left == right,
        _ => false,
    }
}

/// Exact: an integer that a double cannot hold equals no double.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "checked both ways"
)]
fn int_equals_float(int: i64, float: f64) -> bool {
    // 2^63 itself would saturate to the largest integer on the way back.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    int as f64 == float && float < BEYOND && float as i64 == int
}
