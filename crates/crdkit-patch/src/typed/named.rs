//! Structures on the way to fields of a set, as if they were in it.
//!
//! A set does not have the structures that its fields are in. Whoever takes fields away from an object wants an empty
//! structure to go with its last field, so they are added before.

use super::{MAX_DEPTH, Schema, Type};
use crate::set::{Element, Set};

/// Adds the declared fields that something in `set` is below.
pub(crate) fn own_named(schema: &Schema<'_>, set: &mut Set<'_>) {
    below(schema, Some(schema.root()), set, MAX_DEPTH);
}

fn below(schema: &Schema<'_>, ty: Option<Type>, set: &mut Set<'_>, depth: usize) {
    if depth == 0 {
        return;
    }
    for entry in &mut set.entries {
        if entry.below.is_empty() {
            continue;
        }
        let inner = match (&entry.element, ty) {
            (Element::Field(name), Some(ty)) => {
                let member = schema.member(ty, name);
                entry.owned |= member.is_some_and(|member| member.is_declared);
                member.map(|member| member.ty)
            }
            (Element::Key(_), Some(ty)) => schema.list(ty).map(|_| schema.items(ty)),
            _ => None,
        };
        below(schema, inner, &mut entry.below, depth - 1);
    }
}
