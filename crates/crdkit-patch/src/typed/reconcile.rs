//! Sets that were written under another schema: what has become atomic since is owned as a whole.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type};
use crate::set::{Element, Set};

/// Makes `set` one of the fields that there are now.
pub(crate) fn reconcile(schema: &Schema<'_>, set: &mut Set<'_>) {
    below(schema, schema.root(), set, MAX_DEPTH);
}

fn below(schema: &Schema<'_>, ty: Type, set: &mut Set<'_>, depth: usize) {
    if depth == 0 || schema.is_deduced(ty) {
        return;
    }
    let shape = schema.shape(ty, None);
    for entry in &mut set.entries {
        let inner = match (&entry.element, shape) {
            (Element::Field(name), Shape::Map { .. }) => schema.member(ty, name).map(|it| it.ty),
            (_, Shape::List(_)) => Some(schema.items(ty)),
            _ => None,
        };
        let Some(inner) = inner else { continue };
        let is_atomic = match schema.shape(inner, None) {
            Shape::Map { atomic } => atomic && !schema.is_deduced(inner),
            Shape::List(kind) => kind == ListKind::Atomic,
            Shape::Scalar(_) => false,
        };
        if !is_atomic {
            below(schema, inner, &mut entry.below, depth - 1);
        } else if !entry.below.is_empty() {
            entry.owned = true;
            entry.below = Set::default();
        }
    }
}
