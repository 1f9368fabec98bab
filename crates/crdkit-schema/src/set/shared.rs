//! The newest snapshot, for many readers and now and then a writer.
//!
//! Readers never wait: they get the snapshot that is there, and keep it as long as they need it.

use super::{CrdSet, SetContents};
use arc_swap::ArcSwap;
use std::sync::Arc;

/// A place for the newest [`CrdSet`].
#[derive(Debug, Default)]
pub struct SharedCrdSet(ArcSwap<SetContents>);

impl SharedCrdSet {
    /// A place that holds `set`.
    pub fn new(set: CrdSet) -> Self {
        Self(ArcSwap::new(set.0))
    }

    /// The newest snapshot.
    pub fn get(&self) -> CrdSet {
        CrdSet(self.0.load_full())
    }

    /// Puts `set` in the place of what is there.
    pub fn set(&self, set: CrdSet) {
        self.0.store(set.0);
    }

    /// Puts what `change` makes of the newest snapshot in its place. Of two at the same time one is asked again.
    pub fn update(&self, mut change: impl FnMut(&CrdSet) -> CrdSet) {
        self.0.rcu(|newest| change(&CrdSet(Arc::clone(newest))).0);
    }
}
