//! Fields taken away from an object, or everything else.
//!
//! [`remove`] takes away what is in a set; what has nothing left in it becomes null, as the server has it.
//! [`extract`] keeps what is in the set, with the structures around it.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::{Element, Set};
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

/// Removes `fields` from `object`.
pub(crate) fn remove(schema: &Schema<'_>, object: &mut Document, fields: &Set<'_>) {
    if fields.is_empty() {
        return;
    }
    let mut edits = Vec::new();
    let root = object.root();
    let mut walk = Removal { schema, edits: &mut edits };
    if !walk.value(schema.root(), root, fields, MAX_DEPTH) {
        edits.push(Edit::Clear(NodeId::ROOT));
    }
    for edit in edits {
        match edit {
            Edit::Remove(id) => object.remove(id),
            Edit::Clear(id) => drop(object.set(id, NewValue::Null)),
        }
    }
}

/// A change to the object, collected first because looking at it borrows it.
enum Edit {
    Remove(NodeId),
    Clear(NodeId),
}

struct Removal<'s, 't, 'e> {
    schema: &'s Schema<'t>,
    edits: &'e mut Vec<Edit>,
}

impl Removal<'_, '_, '_> {
    /// Notes what is removed from `value`; false if nothing is left of it.
    fn value(&mut self, ty: Type, value: Value<'_>, fields: &Set<'_>, depth: usize) -> bool {
        let shape = self.schema.shape(ty, Some(value));
        match (shape, value.kind()) {
            (Shape::Scalar(_), _) => true,
            _ if depth == 0 => true,
            (Shape::Map { atomic: false }, Kind::Object(members)) => {
                let mut left = 0;
                for (key, member) in members {
                    let member_type = self.schema.member(ty, key).map_or(Type::Atomic, |it| it.ty);
                    left += self.child(&Element::Field(key), member_type, member, fields, depth);
                }
                left > 0
            }
            (Shape::List(kind @ (ListKind::Set | ListKind::Map)), Kind::Array(items)) => {
                let (mut left, item_type) = (0, self.schema.items(ty));
                for item in items {
                    // Without an element it is in no set.
                    left += match item::element(self.schema, ty, kind, item) {
                        Ok(element) => self.child(&element, item_type, item, fields, depth),
                        Err(_) => 1,
                    };
                }
                left > 0
            }
            _ => false,
        }
    }

    /// Notes what becomes of a part of a value. Gives how many parts are left of it.
    fn child(
        &mut self,
        element: &Element<'_>,
        ty: Type,
        value: Value<'_>,
        fields: &Set<'_>,
        depth: usize,
    ) -> usize {
        let Some(entry) = fields.get(element) else { return 1 };
        if entry.owned {
            self.edits.push(Edit::Remove(value.id()));
            return 0;
        }
        if !entry.below.is_empty() && !self.value(ty, value, &entry.below, depth - 1) {
            self.edits.push(Edit::Clear(value.id()));
        }
        1
    }
}

/// What of `object` is in `fields`: leaves, items and members, and what they are in.
pub(crate) fn extract(schema: &Schema<'_>, object: Value<'_>, fields: &Set<'_>) -> Document {
    let mut out = Document::copy_of(object);
    let mut gone = Vec::new();
    let mut walk = Extraction { schema, gone: &mut gone };
    walk.value(schema.root(), out.root(), fields, MAX_DEPTH);
    for id in gone {
        out.remove(id);
    }
    out
}

struct Extraction<'s, 't, 'e> {
    schema: &'s Schema<'t>,
    gone: &'e mut Vec<NodeId>,
}

impl Extraction<'_, '_, '_> {
    fn value(&mut self, ty: Type, value: Value<'_>, fields: &Set<'_>, depth: usize) {
        let shape = self.schema.shape(ty, Some(value));
        match (shape, value.kind()) {
            _ if depth == 0 => {}
            (Shape::Map { atomic: false }, Kind::Object(members)) => {
                for (key, member) in members {
                    let member_type = self.schema.member(ty, key).map_or(Type::Atomic, |it| it.ty);
                    self.child(&Element::Field(key), member_type, member, fields, depth);
                }
            }
            (Shape::List(kind @ (ListKind::Set | ListKind::Map)), Kind::Array(items)) => {
                let item_type = self.schema.items(ty);
                for item in items {
                    match item::element(self.schema, ty, kind, item) {
                        Ok(element) => self.child(&element, item_type, item, fields, depth),
                        Err(_) => self.gone.push(item.id()),
                    }
                }
            }
            _ => {}
        }
    }

    fn child(
        &mut self,
        element: &Element<'_>,
        ty: Type,
        value: Value<'_>,
        fields: &Set<'_>,
        depth: usize,
    ) {
        match fields.get(element) {
            None => self.gone.push(value.id()),
            Some(entry) => self.value(ty, value, &entry.below, depth - 1),
        }
    }
}
