//! Memory for the values an evaluation creates.

use std::cell::OnceCell;

use bumpalo::Bump;
use foldhash::fast::RandomState;

use super::{Opaque, Val};
use crate::types::Type;

/// Where an evaluation puts the strings and lists it creates. Empty until something is created; freed as a whole.
#[derive(Default)]
pub struct Arena {
    bump: Bump,
    /// Values that own memory of their own.
    opaque: OnceCell<typed_arena::Arena<Opaque>>,
    types: OnceCell<typed_arena::Arena<Type>>,
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
