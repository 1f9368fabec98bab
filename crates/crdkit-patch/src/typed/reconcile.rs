//! Sets that were written under another schema: what has become atomic since is owned as a whole.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type};
use crate::set::{Element, Set};

/// Makes `set` one of the fields that there are now. Gives whether it was not.
pub(crate) fn reconcile(schema: &Schema<'_>, set: &mut Set<'_>) -> bool {
    below(schema, schema.root(), set, MAX_DEPTH)
}

fn below(schema: &Schema<'_>, ty: Type, set: &mut Set<'_>, depth: usize) -> bool {
    if depth == 0 || schema.is_deduced(ty) {
        return false;
    }
    let mut changed = false;
    let shape = schema.shape(ty, None);
    // What has nothing below it stays what it is.
    for entry in set.entries.iter_mut().filter(|entry| !entry.below.is_empty()) {
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
        if is_atomic {
            entry.owned = true;
            entry.below = Set::default();
            changed = true;
        } else {
            changed |= below(schema, inner, &mut entry.below, depth - 1);
        }
    }
    changed
}
