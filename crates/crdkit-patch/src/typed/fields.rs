//! The set of fields that a value has.
//!
//! Leaves are in it, items of lists that are told apart, members that no schema declares, and what is null or an empty
//! object. Structures are not, they are only on the way.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::{Element, Entry, Set};
use crdkit_value::{Kind, Value};

/// The fields of `value`.
pub(crate) fn fields<'a>(schema: &Schema<'a>, value: Value<'a>) -> Set<'a> {
    below(schema, schema.root(), value, MAX_DEPTH).0
}

/// The fields in `value`, and whether it is a leaf itself.
pub(super) fn below<'a>(
    schema: &Schema<'a>,
    ty: Type,
    value: Value<'a>,
    depth: usize,
) -> (Set<'a>, bool) {
    let shape = schema.shape(ty, Some(value));
    match (shape, value.kind()) {
        (Shape::Scalar(_) | Shape::Map { atomic: true } | Shape::List(ListKind::Atomic), _) => {
            (Set::default(), true)
        }
        _ if depth == 0 => (Set::default(), true),
        (Shape::Map { .. }, Kind::Object(members)) => {
            let mut entries = Vec::with_capacity(members.len());
            for (key, member) in members {
                let Some(known) = schema.member(ty, key) else { continue };
                let (below, is_leaf) = below(schema, known.ty, member, depth - 1);
                let is_empty = match member.kind() {
                    Kind::Null => true,
                    Kind::Object(members) => members.len() == 0,
                    _ => false,
                };
                let owned = is_leaf || is_empty || !known.is_declared;
                entries.push(Entry { element: Element::Field(key), owned, below });
            }
            (Set::of(entries), false)
        }
        (Shape::List(kind), Kind::Array(_)) => (items(schema, ty, kind, value, depth), false),
        _ => (Set::default(), false),
    }
}

/// The items of a list. Those that are told apart by the same thing are one leaf.
fn items<'a>(
    schema: &Schema<'a>,
    ty: Type,
    kind: ListKind,
    list: Value<'a>,
    depth: usize,
) -> Set<'a> {
    let item_type = schema.items(ty);
    let mut entries = Vec::with_capacity(list.items().len());
    for item in list.items() {
        let Ok(element) = item::element(schema, ty, kind, item) else { continue };
        let (below, _) = below(schema, item_type, item, depth - 1);
        entries.push(Entry { element, owned: true, below });
    }
    let mut set = Set::of(entries);
    set.entries.dedup_by(|next, first| {
        let repeated = next.element == first.element;
        if repeated {
            first.below = Set::default();
        }
        repeated
    });
    set
}
