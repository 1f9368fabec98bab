//! Compiled rules, kept for schemas that have them as well.
//!
//! A rule compiles to the same program wherever its text, what it may use and the shape of `self` are the
//! same. The cache is found by these, holds a bounded number of rules and forgets the one that was not
//! asked for the longest. Clones share it, threads may.

use super::{Compiled, Expressions, RuleOptions};
use crdkit_cel::{ShapeId, Shapes};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A bounded cache of compiled rules.
#[derive(Clone)]
pub struct Cache(Arc<Inner>);

struct Inner {
    capacity: usize,
    entries: Mutex<CacheEntries>,
}

#[derive(Default)]
struct CacheEntries {
    by_key: BTreeMap<CacheKey, CacheEntry>,
    /// Counts what was asked for.
    time: u64,
    hits: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CacheKey {
    rule: Box<str>,
    message: Box<str>,
    optional_old_self: bool,
    is_resource: bool,
    fingerprint: u64,
}

struct CacheEntry {
    compiled: Arc<Compiled>,
    shapes: Arc<Shapes>,
    options: RuleOptions,
    used: u64,
}

impl Cache {
    /// A cache of so many rules.
    pub fn new(capacity: usize) -> Self {
        Self(Arc::new(Inner { capacity, entries: Mutex::default() }))
    }

    /// How many rules it holds.
    pub fn len(&self) -> usize {
        self.with(|entries| entries.by_key.len())
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often a rule did not have to be compiled.
    pub fn hits(&self) -> u64 {
        self.with(|entries| entries.hits)
    }

    /// The compiled form of a rule about values of `shape`; `compile` makes it if it is not known.
    pub(crate) fn get(
        &self,
        expressions: Expressions<'_>,
        (shapes, shape): (&Arc<Shapes>, ShapeId),
        (options, is_resource): (&RuleOptions, bool),
        compile: impl FnOnce() -> Compiled,
    ) -> Arc<Compiled> {
        let key = CacheKey {
            rule: expressions.rule.into(),
            message: expressions.message.into(),
            optional_old_self: expressions.optional_old_self,
            is_resource,
            fingerprint: shapes.fingerprint(shape),
        };
        let known = self.with(|entries| {
            entries.time += 1;
            let time = entries.time;
            let entry = entries.by_key.get_mut(&key).filter(|entry| {
                entry.options.same(options)
                    && entry.shapes.same(entry.compiled.shape, shapes, shape)
            })?;
            entry.used = time;
            let compiled = Arc::clone(&entry.compiled);
            entries.hits += 1;
            Some(compiled)
        });
        if let Some(compiled) = known {
            return compiled;
        }
        // Compiled outside of the lock; two threads may do the same work, which harms nobody.
        let compiled = Arc::new(compile());
        let entry = |used| CacheEntry {
            compiled: Arc::clone(&compiled),
            shapes: Arc::clone(shapes),
            options: RuleOptions { cache: None, ..options.clone() },
            used,
        };
        let capacity = self.0.capacity;
        self.with(|entries| {
            if capacity > 0 {
                entries.by_key.insert(key, entry(entries.time));
                entries.keep(capacity);
            }
        });
        compiled
    }

    fn with<T>(&self, run: impl FnOnce(&mut CacheEntries) -> T) -> T {
        run(&mut self.0.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CacheEntries {
    fn keep(&mut self, capacity: usize) {
        while self.by_key.len() > capacity {
            let oldest = self.by_key.iter().min_by_key(|(_, entry)| entry.used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            self.by_key.remove(&key);
        }
    }
}

/// Two handles are equal when they share a cache.
impl PartialEq for Cache {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cache {}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} of {})", self.len(), self.0.capacity)
    }
}
