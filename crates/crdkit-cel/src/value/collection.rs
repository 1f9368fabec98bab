//! Lists and maps, created by expressions or read from the document.

use std::hash::{BuildHasher, Hash, Hasher};

use crdkit_value::{Items, Members, NodeId, Value};
use foldhash::fast::RandomState;

use super::{Arena, Constant, Data, ShapedValue, Val, equal, read};
use crate::eval::EvalError;
use crate::shape::{ListKind, ShapeId};

/// Maps this small are searched from front to back.
const INDEXED_FROM: usize = 12;

/// A list.
#[derive(Clone, Copy, Debug)]
pub enum List<'v> {
    /// Created by the expression.
    Slice(&'v [Val<'v>]),
    /// A literal of constants.
    Constant(&'v [Constant]),
    /// Created from document lists that compare in a way of their own.
    Kinded(&'v [Val<'v>], &'v ListKind),
    /// Read from the document.
    Node(ShapedValue<'v>),
}

impl<'v> List<'v> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Slice(items) | Self::Kinded(items, _) => items.len(),
            Self::Constant(items) => items.len(),
            Self::Node(node) => node.value.items().len(),
        }
    }

    pub(crate) fn iter(self, data: Data<'v>) -> ListIter<'v> {
        match self {
            Self::Slice(items) | Self::Kinded(items, _) => ListIter::Slice(items.iter()),
            Self::Constant(items) => ListIter::Constant(items.iter(), data),
            Self::Node(node) => {
                ListIter::Node(node.value.items(), data.element_shape(node.shape), data)
            }
        }
    }

    pub(crate) fn get(self, index: usize, data: Data<'v>) -> Option<Result<Val<'v>, EvalError>> {
        match self {
            Self::Slice(items) | Self::Kinded(items, _) => items.get(index).copied().map(Ok),
            Self::Constant(items) => items.get(index).map(|item| Ok(item.value(data))),
            Self::Node(node) => {
                let value = item_at(data, node.value, index)?;
                Some(read(data, value, data.element_shape(node.shape)))
            }
        }
    }

    pub(crate) fn kind(self, data: Data<'v>) -> &'v ListKind {
        match self {
            Self::Slice(_) | Self::Constant(_) => &ListKind::Atomic,
            Self::Kinded(_, kind) => kind,
            Self::Node(node) => data.list_kind(node.shape),
        }
    }
}

/// Collections of the document from this size on are indexed when something is looked up in them.
pub(crate) const LARGE: usize = 64;

fn item_at<'v>(data: Data<'v>, array: Value<'v>, index: usize) -> Option<Value<'v>> {
    if array.items().len() < LARGE {
        return array.at(index);
    }
    data.arena.children(array).get(index).map(|id| array.document().value(*id))
}

/// The member of an object under a key.
pub(crate) fn member_at<'v>(data: Data<'v>, object: Value<'v>, key: &str) -> Option<Value<'v>> {
    if object.members().len() < LARGE {
        return object.get(key);
    }
    let members = data.arena.children(object);
    let at = |id: NodeId| object.document().value(id);
    let found = members.binary_search_by(|id| at(*id).key().unwrap_or_default().cmp(key)).ok()?;
    members.get(found).map(|id| at(*id))
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub(crate) enum ListIter<'v> {
    Slice(std::slice::Iter<'v, Val<'v>>),
    Constant(std::slice::Iter<'v, Constant>, Data<'v>),
    Node(Items<'v>, ShapeId, Data<'v>),
}

impl<'v> Iterator for ListIter<'v> {
    type Item = Result<Val<'v>, EvalError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Slice(items) => items.next().copied().map(Ok),
            Self::Constant(items, data) => items.next().map(|item| Ok(item.value(*data))),
            Self::Node(items, shape, data) => items.next().map(|value| read(*data, value, *shape)),
        }
    }
}

/// Entries of a map an expression created, with an index when there are many.
#[derive(Clone, Copy, Debug)]
pub struct MapTable<'v> {
    pub(crate) entries: &'v [(Val<'v>, Val<'v>)],
    /// Open addressing: entry number plus one, 0 for an empty slot. Its length is a power of two.
    index: &'v [u32],
    seed: &'v RandomState,
}

impl<'v> MapTable<'v> {
    pub(crate) fn new(entries: &[(Val<'v>, Val<'v>)], arena: &'v Arena) -> Self {
        let entries = arena.slice(entries);
        let seed = arena.seed();
        if entries.len() < INDEXED_FROM {
            return Self { entries, index: &[], seed };
        }
        let mut index = vec![0_u32; (entries.len() * 2).next_power_of_two()];
        for (number, (key, _)) in entries.iter().enumerate() {
            let mut slot = hash_key(seed, key) & (index.len() - 1);
            while index.get(slot).is_some_and(|&used| used != 0) {
                slot = (slot + 1) & (index.len() - 1);
            }
            if let Some(free) = index.get_mut(slot) {
                *free = u32::try_from(number + 1).unwrap_or(u32::MAX);
            }
        }
        Self { entries, index: arena.slice(&index), seed }
    }

    fn get(&self, key: &Val<'v>, data: Data<'v>) -> Option<Val<'v>> {
        let same = |other: &Val<'v>| matches!(equal(data, other, key), Ok(true));
        if self.index.is_empty() {
            return self.entries.iter().find(|(other, _)| same(other)).map(|(_, value)| *value);
        }
        let mask = self.index.len() - 1;
        let mut slot = hash_key(self.seed, key) & mask;
        loop {
            let number = (*self.index.get(slot)? as usize).checked_sub(1)?;
            let (other, value) = self.entries.get(number)?;
            if same(other) {
                return Some(*value);
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// Numbers that are equal across types hash alike.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a hash may collide"
)]
pub(crate) fn hash_key(seed: &impl BuildHasher, key: &Val<'_>) -> usize {
    let mut hasher = seed.build_hasher();
    match key {
        Val::Bool(value) => value.hash(&mut hasher),
        Val::Int(value) => (*value as f64).to_bits().hash(&mut hasher),
        Val::Uint(value) => (*value as f64).to_bits().hash(&mut hasher),
        Val::Double(value) => (value + 0.0).to_bits().hash(&mut hasher),
        Val::String(text) => text.hash(&mut hasher),
        _ => {}
    }
    hasher.finish() as usize
}

/// A map.
#[derive(Clone, Copy, Debug)]
pub enum Map<'v> {
    /// Created by the expression.
    Table(&'v MapTable<'v>),
    /// Read from the document.
    Node(ShapedValue<'v>),
}

impl<'v> Map<'v> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Table(table) => table.entries.len(),
            Self::Node(node) => node.value.members().len(),
        }
    }

    /// The value under a key.
    pub(crate) fn get(self, key: &Val<'v>, data: Data<'v>) -> Option<Result<Val<'v>, EvalError>> {
        match (self, key) {
            (Self::Table(table), key) => table.get(key, data).map(Ok),
            (Self::Node(node), Val::String(key)) => member_at(data, node.value, key)
                .map(|value| read(data, value, data.element_shape(node.shape))),
            (Self::Node(_), _) => None,
        }
    }

    pub(crate) fn contains(self, key: &Val<'v>, data: Data<'v>) -> bool {
        match (self, key) {
            (Self::Table(table), key) => table.get(key, data).is_some(),
            (Self::Node(node), Val::String(key)) => member_at(data, node.value, key).is_some(),
            (Self::Node(_), _) => false,
        }
    }

    pub(crate) fn iter(self, data: Data<'v>) -> MapIter<'v> {
        match self {
            Self::Table(table) => MapIter::Table(table.entries.iter()),
            Self::Node(node) => {
                MapIter::Node(node.value.members(), data.element_shape(node.shape), data)
            }
        }
    }
}

/// The entries of a map.
#[derive(Clone, Debug)]
pub(crate) enum MapIter<'v> {
    Table(std::slice::Iter<'v, (Val<'v>, Val<'v>)>),
    Node(Members<'v>, ShapeId, Data<'v>),
}

impl<'v> Iterator for MapIter<'v> {
    type Item = (Val<'v>, Result<Val<'v>, EvalError>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Table(entries) => entries.next().map(|(key, value)| (*key, Ok(*value))),
            Self::Node(members, shape, data) => {
                members.next().map(|(key, value)| (Val::String(key), read(*data, value, *shape)))
            }
        }
    }
}
