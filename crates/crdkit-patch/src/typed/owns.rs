//! Whether the fields of a value are a set that stands written in `managedFields`.
//!
//! An owner that applies again mostly applies the same fields. That is found out by going through the value and the rows of
//! the set side by side, without making a set of the value and without checking the value before.

use super::fits::part_fits;
use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::written::Rows;
use crate::set::{Element, Set};
use crdkit_value::{Tag, Value};

/// Whether `value` is what its type says, as [`validate`](super::validate) checks it where repeated items are refused, and `written`, which is
/// written as this crate writes sets, is the set of its fields without those in `without`.
pub(crate) fn owns(
    schema: &Schema<'_>,
    value: Value<'_>,
    written: Value<'_>,
    without: &Set<'_>,
) -> bool {
    let mut walk = OwnerWalk { schema, key: String::new() };
    walk.value(schema.root(), value, Some(written), without, MAX_DEPTH).is_some()
}

struct OwnerWalk<'s, 't> {
    schema: &'s Schema<'t>,
    /// The last key that was asked for.
    key: String,
}

/// What a value is to a set that has the same fields: the number of rows that its parts have there, and whether it is a leaf.
struct Same {
    n_rows: usize,
    is_leaf: bool,
}

impl OwnerWalk<'_, '_> {
    /// Nothing if `rows` are not the fields in `value`.
    fn value(
        &mut self,
        ty: Type,
        value: Value<'_>,
        rows: Option<Value<'_>>,
        without: &Set<'_>,
        depth: usize,
    ) -> Option<Same> {
        let same = match (self.schema.shape(ty, Some(value)), value.tag()) {
            _ if depth == 0 || value.is_null() => Same { n_rows: 0, is_leaf: depth == 0 },
            (Shape::Map { atomic: false }, Tag::Object) => {
                self.members(ty, value, rows, without, depth)?
            }
            (Shape::List(kind @ (ListKind::Set | ListKind::Map)), Tag::Array) => {
                self.items(ty, kind, value, rows, depth)?
            }
            _ if part_fits(self.schema, ty, value, depth) => Same { n_rows: 0, is_leaf: true },
            _ => return None,
        };
        let n_rows = rows.map_or(0, Rows::count);
        (same.n_rows == n_rows).then_some(same)
    }

    fn members(
        &mut self,
        ty: Type,
        object: Value<'_>,
        rows: Option<Value<'_>>,
        without: &Set<'_>,
        depth: usize,
    ) -> Option<Same> {
        let nothing = Set::default();
        let members = object.members();
        let rows = rows.map(|rows| Rows::new(rows, members.len()));
        let mut n_rows = 0;
        for (key, member) in members {
            let known = self.schema.member(ty, key)?;
            let element = Element::Field(key);
            let row = rows.as_ref().and_then(|rows| rows.get(&element, &mut self.key));
            if known.plain.accepts(member.tag())
                && without.is_empty()
                && row.is_some_and(|row| row.members().len() == 0)
            {
                n_rows += 1;
                continue;
            }
            let less = without.get(&element);
            let below = {
                let less = less.map_or(&nothing, |less| &less.below);
                self.value(known.ty, member, row, less, depth - 1)?
            };
            let is_empty = match member.tag() {
                Tag::Null => true,
                Tag::Object => member.members().len() == 0,
                _ => false,
            };
            let owned = (below.is_leaf || is_empty || !known.is_declared)
                && !less.is_some_and(|less| less.owned);
            match row {
                Some(row) if owned == Rows::is_owned(row) => n_rows += 1,
                None if !owned => {}
                _ => return None,
            }
        }
        Some(Same { n_rows, is_leaf: false })
    }

    fn items(
        &mut self,
        ty: Type,
        kind: ListKind,
        list: Value<'_>,
        rows: Option<Value<'_>>,
        depth: usize,
    ) -> Option<Same> {
        let nothing = Set::default();
        let items = list.items();
        let inner = self.schema.items(ty);
        let rows = rows.map(|rows| Rows::new(rows, items.len()));
        let mut n_rows = 0;
        for item in items {
            let element = item::element(self.schema, ty, kind, item).ok()?;
            let row = rows.as_ref()?.get(&element, &mut self.key)?;
            self.value(inner, item, Some(row), &nothing, depth - 1)?;
            if !Rows::is_owned(row) {
                return None;
            }
            n_rows += 1;
        }
        Some(Same { n_rows, is_leaf: false })
    }
}
