//! The simplest store there could be, and random schedules that hold a real one against it.

use super::{StoreSubject, change};
use crate::{
    Change, Expect, RangeRequest, Revision, Store, StoreEntry, StoreError, Write, WriteAction,
};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All states of a store, one per revision. Revisions are those that the store gave.
#[derive(Clone, Debug, Default)]
pub struct StoreModel {
    /// The state after each change.
    pub states: BTreeMap<Revision, BTreeMap<Arc<str>, Arc<StoreEntry>>>,
    /// All changes in order.
    pub changes: Vec<Arc<Change>>,
}

impl StoreModel {
    /// An empty store at a revision.
    pub fn new(current: Revision) -> StoreModel {
        let states = BTreeMap::from([(current, BTreeMap::new())]);
        StoreModel { states, changes: Vec::new() }
    }

    /// The latest state.
    pub fn latest(&self) -> &BTreeMap<Arc<str>, Arc<StoreEntry>> {
        self.states.values().next_back().unwrap()
    }

    /// The latest revision.
    pub fn current(&self) -> Revision {
        *self.states.keys().next_back().unwrap()
    }

    /// What a write has to give, if its change has this revision.
    pub fn expected(&self, write: &Write, revision: Revision) -> Result<Change, StoreError> {
        let previous = self.latest().get(&write.key).cloned();
        if !write.allows(previous.as_deref()) {
            return Err(StoreError::Conflict { current: previous });
        }
        let current = match &write.action {
            WriteAction::Delete => None,
            WriteAction::Put { value, .. } => Some(Arc::new(StoreEntry {
                key: Arc::clone(&write.key),
                value: value.clone(),
                revision,
                created: previous.as_ref().map_or(revision, |entry| entry.created),
            })),
        };
        Ok(Change { revision, current, previous })
    }

    /// A change happened.
    pub fn apply(&mut self, change: &Arc<Change>) {
        let mut state = self.latest().clone();
        match &change.current {
            Some(entry) => state.insert(Arc::clone(&entry.key), Arc::clone(entry)),
            None => state.remove(change.key()),
        };
        self.states.insert(change.revision, state);
        self.changes.push(Arc::clone(change));
    }

    /// The entries under a prefix at a revision.
    pub fn entries(&self, prefix: &str, at: Revision) -> Vec<Arc<StoreEntry>> {
        let state = self.states.range(..=at).next_back().unwrap().1;
        state.values().filter(|entry| entry.key.starts_with(prefix)).cloned().collect()
    }
}

/// Random numbers that are the same every time.
#[derive(Clone, Copy, Debug)]
pub struct SchedulePlan(pub u64);

impl SchedulePlan {
    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }

    /// A write of one of a few keys, whose expectation holds more often than not.
    pub fn write(&mut self, prefix: &str, model: &StoreModel) -> Write {
        let key = format!("{prefix}{}/{}", self.below(2), self.below(4));
        let current = model.latest().get(&*key);
        let expect = match (self.below(4), current) {
            (0, _) => Expect::Any,
            (1, _) => Expect::Absent,
            (2, _) => Expect::At(Revision(self.below(model.current().0 + 1))),
            (_, Some(entry)) => Expect::At(entry.revision),
            (_, None) => Expect::Absent,
        };
        if self.below(4) == 0 {
            return Write::delete(&key, expect);
        }
        let size = if self.below(8) == 0 { 20_000 } else { self.below(100) };
        let value = Bytes::from(vec![
            b'a' + u8::try_from(self.below(26)).unwrap();
            usize::try_from(size).unwrap()
        ]);
        Write::put(&key, expect, value)
    }
}

pub(super) async fn random_schedules_match_the_model(subject: &StoreSubject) {
    for seed in 0..8 {
        let prefix = format!("{}{seed}/", subject.prefix);
        schedule(&*subject.store, &prefix, SchedulePlan(seed)).await;
    }
}

/// Random operations, each answered as the model answers it.
async fn schedule(store: &dyn Store, prefix: &str, mut plan: SchedulePlan) {
    let mut model = StoreModel::new(store.current().await.unwrap());
    let mut oldest = model.current();
    for _ in 0..80 {
        match plan.below(10) {
            0..6 => {
                let write = plan.write(prefix, &model);
                let result = store.write(write.clone()).await;
                let revision = result.as_ref().map_or(Revision(0), |change| change.revision);
                assert!(revision == Revision(0) || revision > model.current());
                let expected = model.expected(&write, revision);
                assert_eq!(result.as_deref(), expected.as_ref(), "{write:?}");
                if let Ok(change) = result {
                    model.apply(&change);
                }
            }
            6 | 7 => {
                let span = model.current().0 - oldest.0 + 1;
                let at = Revision(oldest.0 + plan.below(span));
                let limit = plan.below(5) as usize;
                let under = format!("{prefix}{}", ["", "0/", "1/"][plan.below(3) as usize]);
                let mut request = Some(RangeRequest {
                    at: Some(at),
                    limit,
                    count: true,
                    ..RangeRequest::under(&under)
                });
                let expected = model.entries(&under, at);
                let mut seen = Vec::new();
                while let Some(asked) = request {
                    let page = store.range(asked.clone()).await.unwrap();
                    seen.extend(page.entries.iter().cloned());
                    assert_eq!(page.remaining, Some((expected.len() - seen.len()) as u64));
                    request = asked.after(&page);
                }
                assert_eq!(seen, expected, "{under} at {at}");
            }
            8 => {
                let span = model.current().0 - oldest.0 + 1;
                let after = Revision(oldest.0 + plan.below(span));
                let mut watch = store.watch(prefix, after).await.unwrap();
                for expected in model.changes.iter().filter(|change| change.revision > after) {
                    assert_eq!(change(&mut watch).await, *expected);
                }
            }
            _ if plan.below(4) == 0 => {
                let span = model.current().0 - oldest.0 + 1;
                oldest = Revision(oldest.0 + plan.below(span));
                store.compact(oldest).await.unwrap();
            }
            _ => store.maintain().await.unwrap(),
        }
    }
}
