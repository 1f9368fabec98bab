//! What differs between two objects, as sets of fields.
//!
//! Leaves are added, removed or modified; everything else that only one of them has is added or removed with
//! what is in it. The order of items that are told apart does not matter.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::{Element, Entry, Set};
use crdkit_value::{MemberIndex, Value};
use std::collections::BTreeMap;

/// How two objects differ. No field is in two of the sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison<'a> {
    pub(crate) removed: Set<'a>,
    pub(crate) modified: Set<'a>,
    pub(crate) added: Set<'a>,
}

/// What became of a value itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueChange {
    Removed,
    Modified,
    Added,
}

/// What became of a value, and of what is in it.
#[derive(Default)]
pub(super) struct Difference<'a> {
    own: Option<ValueChange>,
    below: ComparedEntries<'a>,
}

/// Entries of the three sets.
#[derive(Default)]
pub(super) struct ComparedEntries<'a> {
    removed: Vec<Entry<'a>>,
    modified: Vec<Entry<'a>>,
    added: Vec<Entry<'a>>,
}

/// How `new` differs from `old`.
pub(crate) fn compare<'a>(
    schema: &Schema<'a>,
    old: Option<Value<'a>>,
    new: Option<Value<'a>>,
) -> Comparison<'a> {
    CompareWalk { schema }.value(schema.root(), old, new, MAX_DEPTH).finish()
}

impl Comparison<'_> {
    /// Whether nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }

    /// The same without what is in `fields` or below it.
    pub(crate) fn without(&self, fields: &Set<'_>) -> Self {
        Self {
            removed: self.removed.clone().recursive_difference(fields),
            modified: self.modified.clone().recursive_difference(fields),
            added: self.added.clone().recursive_difference(fields),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct CompareWalk<'s, 'a> {
    pub(super) schema: &'s Schema<'a>,
}

impl<'a> CompareWalk<'_, 'a> {
    /// At least one of the values is there.
    pub(super) fn value(
        self,
        ty: Type,
        old: Option<Value<'a>>,
        new: Option<Value<'a>>,
        depth: usize,
    ) -> Difference<'a> {
        let old_shape = self.schema.shape(ty, old);
        let new_shape = self.schema.shape(ty, new);
        if new.is_none() {
            return self.shaped(ty, old_shape, old, new, depth);
        }
        if old.is_none() || old_shape == new_shape {
            return self.shaped(ty, new_shape, old, new, depth);
        }
        // Each is seen as what it is; the value itself as what it has become.
        let before = self.shaped(ty, old_shape, old, new, depth);
        let mut after = self.shaped(ty, new_shape, old, new, depth);
        after.below.append(before.below);
        after.own = after.own.or(before.own.filter(|own| *own == ValueChange::Modified));
        after
    }

    fn shaped(
        self,
        ty: Type,
        shape: Shape,
        old: Option<Value<'a>>,
        new: Option<Value<'a>>,
        depth: usize,
    ) -> Difference<'a> {
        let below = match shape {
            _ if depth == 0 => return leaf(old, new),
            Shape::Scalar(_) | Shape::Map { atomic: true } | Shape::List(ListKind::Atomic) => {
                return leaf(old, new);
            }
            Shape::Map { .. } => {
                let size = |value: Option<Value<'_>>| value.map_or(0, |it| it.members().len());
                if size(old) == 0 && size(new) == 0 {
                    return leaf(old, new);
                }
                self.members(ty, old, new, depth)
            }
            Shape::List(kind) => {
                let size = |value: Option<Value<'_>>| value.map_or(0, |it| it.items().len());
                if size(old) == 0 && size(new) == 0 {
                    return leaf(old, new);
                }
                self.items(ty, kind, old, new, depth)
            }
        };
        Difference { own: one_sided(old, new), below }
    }

    fn members(
        self,
        ty: Type,
        old: Option<Value<'a>>,
        new: Option<Value<'a>>,
        depth: usize,
    ) -> ComparedEntries<'a> {
        let mut entries = ComparedEntries::default();
        let mut visit = |key: &'a str, old: Option<Value<'a>>, new: Option<Value<'a>>| {
            if let Some(known) = self.schema.member(ty, key) {
                let difference = self.value(known.ty, old, new, depth - 1);
                entries.add(&Element::Field(key), difference);
            }
        };
        let new_members = new.map(MemberIndex::new);
        let mut n_shared = 0;
        for (key, member) in old.into_iter().flat_map(Value::members) {
            let other = new_members.as_ref().and_then(|new| new.get(key));
            n_shared += usize::from(other.is_some());
            visit(key, Some(member), other);
        }
        let Some(new) = new.filter(|new| n_shared < new.members().len()) else { return entries };
        let old_members = old.map(MemberIndex::new);
        for (key, member) in new.members() {
            if old_members.as_ref().and_then(|old| old.get(key)).is_none() {
                visit(key, None, Some(member));
            }
        }
        entries
    }

    fn items(
        self,
        ty: Type,
        kind: ListKind,
        old: Option<Value<'a>>,
        new: Option<Value<'a>>,
        depth: usize,
    ) -> ComparedEntries<'a> {
        let item_type = self.schema.items(ty);
        let mut entries = ComparedEntries::default();
        let [old, new] = [old, new].map(|list| {
            list.map_or_else(Vec::new, |list| item::elements(self.schema, ty, kind, list))
        });
        if item::is_same_order(&old, &new) {
            for ((element, old), (_, new)) in old.iter().zip(&new) {
                let difference = self.value(item_type, Some(*old), Some(*new), depth - 1);
                entries.add(element, difference);
            }
            return entries;
        }
        let mut pairs: BTreeMap<Element<'a>, (Vec<Value<'a>>, Vec<Value<'a>>)> = BTreeMap::new();
        for (element, item) in old {
            pairs.entry(element).or_default().0.push(item);
        }
        for (element, item) in new {
            pairs.entry(element).or_default().1.push(item);
        }
        for (element, (old, new)) in pairs {
            let item = |old, new| self.value(item_type, old, new, depth - 1);
            let difference = match (&*old, &*new) {
                ([] | [_], [] | [_]) => item(old.first().copied(), new.first().copied()),
                // Items that are told apart by the same thing are one leaf.
                ([_, _, ..], [_, _, ..]) => {
                    let own = (old != new).then_some(ValueChange::Modified);
                    Difference { own, ..Difference::default() }
                }
                ([_, _, ..], _) => {
                    let added = new.first().map(|new| item(None, Some(*new)));
                    entries.one(&element, ValueChange::Removed);
                    added.unwrap_or_default()
                }
                (_, _) => {
                    let removed = old.first().map(|old| item(Some(*old), None));
                    entries.one(&element, ValueChange::Added);
                    removed.unwrap_or_default()
                }
            };
            entries.add(&element, difference);
        }
        entries
    }
}

fn one_sided(old: Option<Value<'_>>, new: Option<Value<'_>>) -> Option<ValueChange> {
    match (old, new) {
        (None, _) => Some(ValueChange::Added),
        (_, None) => Some(ValueChange::Removed),
        _ => None,
    }
}

fn leaf<'a>(old: Option<Value<'a>>, new: Option<Value<'a>>) -> Difference<'a> {
    let own = match (old, new) {
        (Some(old), Some(new)) => (old != new).then_some(ValueChange::Modified),
        _ => one_sided(old, new),
    };
    Difference { own, below: ComparedEntries::default() }
}

impl<'a> Difference<'a> {
    /// What is said about the parts of a whole object.
    pub(super) fn finish(self) -> Comparison<'a> {
        let ComparedEntries { removed, modified, added } = self.below;
        Comparison { removed: Set::of(removed), modified: Set::of(modified), added: Set::of(added) }
    }
}

impl<'a> ComparedEntries<'a> {
    /// Says that `difference` is below `element`.
    #[inline]
    pub(super) fn add(&mut self, element: &Element<'a>, difference: Difference<'a>) {
        let Difference { own, below } = difference;
        if own.is_none() && below.is_empty() {
            return;
        }
        let sets = [
            (&mut self.removed, below.removed, ValueChange::Removed),
            (&mut self.modified, below.modified, ValueChange::Modified),
            (&mut self.added, below.added, ValueChange::Added),
        ];
        for (entries, below, change) in sets {
            let owned = own == Some(change);
            if owned || !below.is_empty() {
                let below = Set::of(below);
                entries.push(Entry { element: element.clone(), owned, below });
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }

    /// What became of a value in which this has become of its parts.
    pub(super) fn difference(self) -> Option<Difference<'a>> {
        (!self.is_empty()).then_some(Difference { own: None, below: self })
    }

    /// Says that what `element` led to is gone.
    pub(super) fn removed(&mut self, element: &Element<'a>) {
        self.one(element, ValueChange::Removed);
    }

    /// Says that only this became of what `element` leads to.
    fn one(&mut self, element: &Element<'a>, change: ValueChange) {
        self.add(element, Difference { own: Some(change), below: Self::default() });
    }

    fn append(&mut self, other: Self) {
        self.removed.extend(other.removed);
        self.modified.extend(other.modified);
        self.added.extend(other.added);
    }
}
