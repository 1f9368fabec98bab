//! Memory for the values an evaluation creates.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use bumpalo::Bump;
use crdkit_value::{NodeId, Value};
use foldhash::fast::RandomState;

use super::{List, Map, MapTable, Opaque, Val};
use crate::eval::EvalError;
use crate::types::Type;

/// A document's address and a node in it.
type NodeAddress = (usize, NodeId);

/// Where an evaluation puts the strings and lists it creates. Empty until something is created; freed as a whole.
pub struct Arena {
    bump: Bump,
    /// Values that own memory of their own.
    opaque: OnceCell<typed_arena::Arena<Opaque>>,
    types: OnceCell<typed_arena::Arena<Type>>,
    /// Children of large lists and objects of the document being read, so that finding one needs no walk.
    children: RefCell<BTreeMap<NodeAddress, Rc<[NodeId]>>>,
    /// Seed of the hashes of map keys, so that nobody can choose keys that collide.
    seed: RandomState,
    /// How many bytes of values, and steps between them, the evaluation may still make.
    room: Cell<usize>,
    steps: Cell<usize>,
    /// How many bytes that was in all, and whether it was not enough.
    limit: Cell<usize>,
    exceeded: Cell<bool>,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            bump: Bump::default(),
            opaque: OnceCell::new(),
            types: OnceCell::new(),
            children: RefCell::default(),
            seed: RandomState::default(),
            room: Cell::new(Self::ROOM),
            steps: Cell::new(Self::STEPS),
            limit: Cell::new(Self::ROOM),
            exceeded: Cell::new(false),
        }
    }
}

impl Arena {
    /// What an evaluation may make, in bytes, unless its caller says otherwise: more than the cost limit lets it
    /// look at.
    pub(crate) const ROOM: usize = 64 << 20;
    /// Elements that comparisons may look at. Values that share parts are larger than the memory they take.
    const STEPS: usize = 50_000_000;

    /// Lets the next evaluation make `room` bytes of values.
    pub(crate) fn begin(&self, room: usize) {
        self.room.set(room);
        self.steps.set(Self::STEPS);
        self.limit.set(room);
        self.exceeded.set(false);
    }

    /// Runs another evaluation in the middle of one, which then goes on with the room it had.
    pub(crate) fn aside<T>(&self, run: impl FnOnce() -> T) -> T {
        let (room, steps, limit) = (self.room.get(), self.steps.get(), self.limit.get());
        let made = run();
        self.room.set(room);
        self.steps.set(steps);
        self.limit.set(limit);
        made
    }

    /// How many bytes of values the last evaluation was allowed to make, if it wanted more.
    pub fn exceeded(&self) -> Option<usize> {
        self.exceeded.get().then(|| self.limit.get())
    }

    /// Takes room for what is about to be made.
    pub(crate) fn take(&self, n_bytes: usize) -> Result<(), EvalError> {
        let Some(left) = self.room.get().checked_sub(n_bytes) else {
            self.exceeded.set(true);
            return Err(EvalError::CostLimit);
        };
        self.room.set(left);
        Ok(())
    }

    /// Takes room for a list of so many items.
    pub(crate) fn take_items(&self, n_items: usize) -> Result<(), EvalError> {
        self.take(n_items.saturating_mul(size_of::<Val<'_>>()))
    }

    /// Counts one element that is looked at.
    #[inline]
    pub(crate) fn step(&self) -> Result<(), EvalError> {
        let left = self.steps.get().checked_sub(1).ok_or(EvalError::CostLimit)?;
        self.steps.set(left);
        Ok(())
    }

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
