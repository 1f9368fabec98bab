//! Fields that differ between two objects, as their schema sees them.

use crate::Schema;
use crate::set::{Element, Set};
use crate::typed::{MAX_DEPTH, Type, compare, elements, is_same};
use crdkit_value::{MemberIndex, NodeId, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Its path, as messages about owners show it.
    pub path: String,
    /// The value in the old object; none if it was added.
    pub old: Option<NodeId>,
    /// The value in the new object; none if it was removed.
    pub new: Option<NodeId>,
}

/// How `new` differs from `old`, sorted by path: items of lists that are told apart by a key are compared whatever their
/// order, and amounts by how much they are. Of what was added or removed as a whole, the parts are not listed.
pub fn fields(schema: &Schema<'_>, old: Value<'_>, new: Value<'_>) -> Vec<FieldChange> {
    let changes = compare(schema, Some(old), Some(new));
    let all = changes.removed.union(changes.added).union(changes.modified);
    let mut collector = Collector { schema, path: String::new(), found: Vec::new() };
    collector.below(&all, schema.root(), [Some(old), Some(new)], MAX_DEPTH);
    collector.found
}

struct Collector<'s, 't> {
    schema: &'s Schema<'t>,
    path: String,
    found: Vec<FieldChange>,
}

impl Collector<'_, '_> {
    /// Notes the paths that are in `set` and not below another one.
    fn below(&mut self, set: &Set<'_>, ty: Type, [old, new]: [Option<Value<'_>>; 2], depth: usize) {
        let (old, new) =
            (ValueParts::of(self.schema, ty, old), ValueParts::of(self.schema, ty, new));
        for entry in &set.entries {
            let (old, new) = (old.get(&entry.element), new.get(&entry.element));
            let inner = match &entry.element {
                Element::Field(name) => {
                    self.schema.member(ty, name).map_or(Type::Atomic, |member| member.ty)
                }
                _ => self.schema.items(ty),
            };
            let above = self.path.len();
            let _ = write!(self.path, "{}", entry.element);
            if !entry.owned && depth > 0 {
                self.below(&entry.below, inner, [old, new], depth - 1);
            } else if !old
                .zip(new)
                .is_some_and(|(old, new)| is_same(self.schema, inner, old, new, depth))
            {
                let [old, new] = [old, new].map(|value| value.map(Value::id));
                self.found.push(FieldChange { path: self.path.clone(), old, new });
            }
            self.path.truncate(above);
        }
    }
}

/// The parts of a value by what leads to them.
enum ValueParts<'v> {
    Members(MemberIndex<'v>),
    Items(BTreeMap<Element<'v>, Value<'v>>),
    Nothing,
}

impl<'v> ValueParts<'v> {
    fn of(schema: &Schema<'v>, ty: Type, value: Option<Value<'v>>) -> Self {
        let Some(value) = value else { return Self::Nothing };
        match schema.list(ty) {
            Some(kind) if value.as_array().is_some() => {
                // Of several the first.
                let items = elements(schema, ty, kind, value).into_iter().rev();
                Self::Items(items.collect())
            }
            _ => Self::Members(MemberIndex::new(value)),
        }
    }

    fn get(&self, element: &Element<'_>) -> Option<Value<'v>> {
        match (self, element) {
            (Self::Members(members), Element::Field(name)) => members.get(name),
            (Self::Items(items), element) => items.get(element).copied(),
            _ => None,
        }
    }
}
