//! Memory for the values an evaluation creates.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use bumpalo::Bump;
use crdkit_value::{NodeId, Value};
use foldhash::fast::RandomState;

use super::{List, Map, MapTable, Opaque, Val};
use crate::types::Type;

/// A document's address and a node in it.
type NodeAddress = (usize, NodeId);

/// Where an evaluation puts the strings and lists it creates. Empty until something is created; freed as a whole.
#[derive(Default)]
pub struct Arena {
    bump: Bump,
    /// Values that own memory of their own.
    opaque: OnceCell<typed_arena::Arena<Opaque>>,
    types: OnceCell<typed_arena::Arena<Type>>,
    /// Children of large lists and objects of the document being read, so that finding one needs no walk.
    children: RefCell<BTreeMap<NodeAddress, Rc<[NodeId]>>>,
    /// Seed of the hashes of map keys, so that nobody can choose keys that collide.
    seed: RandomState,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all values and keeps the memory for the next evaluation.
    pub fn reset(&mut self) {
        self.bump.reset();
        self.opaque = OnceCell::new();
        self.types = OnceCell::new();
    }

    pub(crate) fn seed(&self) -> &RandomState {
        &self.seed
    }

    /// Forgets what it knows about documents, which live no longer than one evaluation.
    pub(crate) fn forget_documents(&self) {
        let mut known = self.children.borrow_mut();
        if !known.is_empty() {
            known.clear();
        }
    }

    /// The items of an array in order, or the members of an object ordered by key.
    pub(crate) fn children(&self, value: Value<'_>) -> Rc<[NodeId]> {
        let place = (std::ptr::from_ref(value.document()).addr(), value.id());
        let mut known = self.children.borrow_mut();
        Rc::clone(known.entry(place).or_insert_with(|| {
            if value.as_array().is_some() {
                return value.items().map(Value::id).collect();
            }
            let mut members: Vec<(&str, NodeId)> =
                value.members().map(|(key, value)| (key, value.id())).collect();
            members.sort_unstable();
            members.into_iter().map(|(_, id)| id).collect()
        }))
    }

    /// A list of values.
    pub fn list<'v>(&'v self, items: &[Val<'v>]) -> Val<'v> {
        Val::List(List::Slice(self.slice(items)))
    }

    /// A map of entries whose keys differ.
    pub fn map<'v>(&'v self, entries: &[(Val<'v>, Val<'v>)]) -> Val<'v> {
        Val::Map(Map::Table(self.value(MapTable::new(entries, self))))
    }

    pub(crate) fn string(&self, text: &str) -> &str {
        self.bump.alloc_str(text)
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> &[u8] {
        self.bump.alloc_slice_copy(bytes)
    }

    pub(crate) fn slice<'v, T: Copy>(&'v self, items: &[T]) -> &'v [T] {
        self.bump.alloc_slice_copy(items)
    }

    pub(crate) fn value<T: Copy>(&self, value: T) -> &T {
        self.bump.alloc(value)
    }

    pub(crate) fn opaque(&self, value: Opaque) -> &Opaque {
        self.opaque.get_or_init(|| typed_arena::Arena::with_capacity(4)).alloc(value)
    }

    pub(crate) fn ty(&self, ty: Type) -> &Type {
        self.types.get_or_init(|| typed_arena::Arena::with_capacity(4)).alloc(ty)
    }

    pub(crate) fn some<'v>(&'v self, value: Val<'v>) -> Val<'v> {
        Val::Optional(Some(self.value(value)))
    }
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arena({} bytes)", self.bump.allocated_bytes())
    }
}
