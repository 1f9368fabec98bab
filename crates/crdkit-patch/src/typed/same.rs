//! Values that mean the same although they are written differently: amounts, such as `0.5` and `500m`.

use super::{Schema, Type};
use crdkit_text::quantity::Quantity;
use crdkit_value::{Kind, MemberIndex, Value};
use std::borrow::Cow;

/// Whether two values of type `ty` mean the same. What is deeper than `depth` levels must be equal.
pub(crate) fn is_same(
    schema: &Schema<'_>,
    ty: Type,
    left: Value<'_>,
    right: Value<'_>,
    depth: usize,
) -> bool {
    match (left.kind(), right.kind()) {
        (Kind::Object(members), Kind::Object(others)) if depth > 0 => {
            let mut members = members;
            let right = MemberIndex::new(right);
            members.len() == others.len()
                && members.all(|(key, member)| {
                    let inner = schema.member(ty, key).map_or(Type::Atomic, |known| known.ty);
                    let other = right.get(key);
                    other.is_some_and(|other| is_same(schema, inner, member, other, depth - 1))
                })
        }
        (Kind::Array(items), Kind::Array(others)) if depth > 0 => {
            let inner = schema.items(ty);
            let mut pairs = items.clone().zip(others.clone());
            items.len() == others.len()
                && pairs.all(|(left, right)| is_same(schema, inner, left, right, depth - 1))
        }
        _ => left == right || schema.is_amount(ty) && is_same_amount(left, right),
    }
}

fn is_same_amount(left: Value<'_>, right: Value<'_>) -> bool {
    let amount = |value: Value<'_>| {
        let text = match value.kind() {
            Kind::String(text) => Cow::Borrowed(text),
            Kind::Int(_) | Kind::Float(_) => Cow::Owned(value.to_string()),
            _ => return None,
        };
        Quantity::parse(&text).ok()
    };
    matches!((amount(left), amount(right)), (Some(left), Some(right)) if left == right)
}
