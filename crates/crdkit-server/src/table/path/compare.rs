//! Comparisons in filters: only scalars of the same kind can be compared, truth values only for equality.

use super::{FoundValue, Operator};
use crdkit_value::Kind;
use std::cmp::Ordering;

enum Scalar<'v> {
    Text(&'v str),
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// Whether the comparison holds; none when the two cannot be compared so.
pub(super) fn compare(
    operator: Operator,
    left: FoundValue<'_>,
    right: FoundValue<'_>,
) -> Option<bool> {
    let order = match (scalar(left)?, scalar(right)?) {
        (Scalar::Text(left), Scalar::Text(right)) => Some(left.cmp(right)),
        (Scalar::Int(left), Scalar::Int(right)) => Some(left.cmp(&right)),
        (Scalar::Float(left), Scalar::Float(right)) => left.partial_cmp(&right),
        (Scalar::Bool(left), Scalar::Bool(right)) => match operator {
            Operator::Equal | Operator::NotEqual => Some(left.cmp(&right)),
            _ => return None,
        },
        _ => return None,
    };
    let is = |wanted: &[Ordering]| order.is_some_and(|order| wanted.contains(&order));
    match operator {
        Operator::Equal => Some(is(&[Ordering::Equal])),
        Operator::NotEqual => Some(!is(&[Ordering::Equal])),
        Operator::Less => Some(is(&[Ordering::Less])),
        Operator::LessOrEqual => Some(is(&[Ordering::Less, Ordering::Equal])),
        Operator::Greater => Some(!is(&[Ordering::Less, Ordering::Equal])),
        Operator::GreaterOrEqual => Some(!is(&[Ordering::Less])),
        Operator::Exists | Operator::Unknown => None,
    }
}

fn scalar(found: FoundValue<'_>) -> Option<Scalar<'_>> {
    Some(match found {
        FoundValue::Text(text) => Scalar::Text(text),
        FoundValue::Int(int) => Scalar::Int(int),
        FoundValue::Float(float) => Scalar::Float(float),
        FoundValue::Bool(flag) => Scalar::Bool(flag),
        FoundValue::Value(value) => match value.kind() {
            Kind::String(text) => Scalar::Text(text),
            Kind::Int(int) => Scalar::Int(int),
            Kind::Float(float) => Scalar::Float(float),
            Kind::Bool(flag) => Scalar::Bool(flag),
            _ => return None,
        },
    })
}
