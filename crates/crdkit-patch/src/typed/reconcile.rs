//! Sets that were written under another schema: what has become atomic since is owned as a whole.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type};
use crate::set::{Element, Set, written};
use crdkit_value::Value;

/// Makes `set` one of the fields that there are now. Gives whether it was not.
pub(crate) fn reconcile(schema: &Schema<'_>, set: &mut Set<'_>) -> bool {
    below(schema, schema.root(), set, MAX_DEPTH)
}

fn below(schema: &Schema<'_>, ty: Type, set: &mut Set<'_>, depth: usize) -> bool {
    if depth == 0 || schema.is_deduced(ty) {
        return false;
    }
    let mut changed = false;
    // What has nothing below it stays what it is.
    for entry in set.entries.iter_mut().filter(|entry| !entry.below.is_empty()) {
        let name = match &entry.element {
            Element::Field(name) => Some(*name),
            _ => None,
        };
        let Some(inner) = child(schema, ty, name) else { continue };
        if is_atomic(schema, inner) {
            entry.owned = true;
            entry.below = Set::default();
            changed = true;
        } else {
            changed |= below(schema, inner, &mut entry.below, depth - 1);
        }
    }
    changed
}

/// Whether the set that `fields` is is written as this crate writes sets, of fields that there are now.
pub(crate) fn is_current(schema: &Schema<'_>, fields: Value<'_>) -> bool {
    is_current_below(schema, Some(schema.root()), fields, MAX_DEPTH)
}

fn is_current_below(
    schema: &Schema<'_>,
    ty: Option<Type>,
    fields: Value<'_>,
    depth: usize,
) -> bool {
    let Some(mut members) = fields.as_object() else { return false };
    let ty = ty.filter(|ty| !schema.is_deduced(*ty));
    depth > 0
        && members.all(|(key, member)| {
            let is_leaf = match member.as_object() {
                Some(inside) => inside.len() == 0,
                None => return false,
            };
            if key == "." {
                // Alone it is not needed.
                return is_leaf && fields.members().len() > 1;
            }
            if !written::is_plain(key) {
                return false;
            }
            if is_leaf {
                return true;
            }
            let inner = ty.and_then(|ty| child(schema, ty, key.strip_prefix("f:")));
            !inner.is_some_and(|inner| is_atomic(schema, inner))
                && is_current_below(schema, inner, member, depth - 1)
        })
}

/// The type of the part of a value of type `ty` that is called `name`, or of its items.
fn child(schema: &Schema<'_>, ty: Type, name: Option<&str>) -> Option<Type> {
    match (name, schema.shape(ty, None)) {
        (Some(name), Shape::Map { .. }) => schema.member(ty, name).map(|member| member.ty),
        (_, Shape::List(_)) => Some(schema.items(ty)),
        _ => None,
    }
}

fn is_atomic(schema: &Schema<'_>, ty: Type) -> bool {
    match schema.shape(ty, None) {
        Shape::Map { atomic } => atomic && !schema.is_deduced(ty),
        Shape::List(kind) => kind == ListKind::Atomic,
        Shape::Scalar(_) => false,
    }
}
