//! Whether a value is what its type says, without saying what is wrong with it: the usual answer, and the quick one.

use super::validate::Repeats;
use super::{ListKind, MAX_DEPTH, ScalarKind, Schema, Type, item};
use crdkit_value::{Tag, Value};

/// Whether [`validate`](super::validate) has nothing to say about `value`. It may have nothing to say all the same.
pub(super) fn fits(schema: &Schema<'_>, value: Value<'_>, repeats: Repeats) -> bool {
    Fit { schema, repeats }.value(schema.root(), value, MAX_DEPTH)
}

/// The same for a part of type `ty` of an object.
pub(super) fn part_fits(schema: &Schema<'_>, ty: Type, part: Value<'_>, depth: usize) -> bool {
    Fit { schema, repeats: Repeats::Refused }.value(ty, part, depth)
}

#[derive(Clone, Copy)]
struct Fit<'s, 't> {
    schema: &'s Schema<'t>,
    repeats: Repeats,
}

impl Fit<'_, '_> {
    fn value(self, ty: Type, value: Value<'_>, depth: usize) -> bool {
        if depth == 0 {
            return true;
        }
        let scalar = || self.schema.scalar(ty);
        match value.tag() {
            Tag::Null => true,
            Tag::Object => self.schema.map(ty).is_some() && self.members(ty, value, depth),
            Tag::Array => {
                self.schema.list(ty).is_some_and(|kind| self.items(ty, kind, value, depth))
            }
            Tag::String => matches!(scalar(), Some(ScalarKind::String | ScalarKind::Any)),
            Tag::Int | Tag::Float | Tag::Number => {
                matches!(scalar(), Some(ScalarKind::Number | ScalarKind::Any))
            }
            Tag::True | Tag::False => {
                matches!(scalar(), Some(ScalarKind::Boolean | ScalarKind::Any))
            }
        }
    }

    fn members(self, ty: Type, object: Value<'_>, depth: usize) -> bool {
        object.members().all(|(key, member)| match self.schema.member(ty, key) {
            Some(known) => {
                known.plain.accepts(member.tag()) || self.value(known.ty, member, depth - 1)
            }
            None => false,
        })
    }

    fn items(self, ty: Type, kind: ListKind, list: Value<'_>, depth: usize) -> bool {
        let are_told_apart = match (kind, self.repeats) {
            (ListKind::Atomic, _) => true,
            (_, Repeats::Allowed) => {
                list.items().all(|item| item::is_told_apart(self.schema, ty, kind, item))
            }
            (_, Repeats::Refused) => {
                let elements = item::elements(self.schema, ty, kind, list);
                elements.len() == list.items().len() && item::is_each_once(&elements)
            }
        };
        let inner = self.schema.items(ty);
        are_told_apart && list.items().all(|item| self.value(inner, item, depth - 1))
    }
}
