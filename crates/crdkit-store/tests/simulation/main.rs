//! The embedded store on a disk that fails: power cuts at every write, failed syncs, short writes, a full disk.
//!
//! What was acknowledged is there. What is there is the state after some change that was asked for, whole. No revision is used
//! twice, and the history leads to the state.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod disk;

use crdkit_store::suite::{SchedulePlan, StoreModel};
use crdkit_store::{
    Change, Durability, EmbeddedOptions, EmbeddedStore, History, ManualClock, RangeRequest,
    Revision, Store, StoreError, WatchEvent,
};
use disk::{DiskFault, FakeDisk, Kept, after_power_cut};
use std::sync::Arc;
use std::time::Duration;

fn options() -> EmbeddedOptions {
    // A short ring, so that the log is read as well.
    let recent = History { count: 8, ..History::default() };
    EmbeddedOptions { recent, ..EmbeddedOptions::default() }
}

fn open(disk: &FakeDisk) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open_on(Box::new(disk.clone()), options(), Arc::new(ManualClock::default()))
}

/// An empty store, whose journal has room for a few writes.
fn empty(journal: u64) -> Vec<u8> {
    let disk = FakeDisk::default();
    EmbeddedStore::create_on(&disk, journal).unwrap();
    disk.image()
}

/// Checks a store against all that was asked of it: `changes` in their order, those up to `acknowledged` answered.
async fn check(store: &EmbeddedStore, model: &StoreModel, acknowledged: Revision, context: &str) {
    let current = store.current().await.unwrap();
    assert!(current >= acknowledged, "{context}: {acknowledged} is lost, {current} is there");
    assert!(current <= model.current(), "{context}: {current} was never asked for");
    let page = store.range(RangeRequest::under("")).await.unwrap();
    assert_eq!(page.entries, model.entries("", current), "{context}: at {current}");
    let mut watch = store.watch("", Revision::FIRST).await.unwrap();
    for change in model.changes.iter().filter(|change| change.revision <= current) {
        let event = watch.next().await.unwrap();
        assert_eq!(event, WatchEvent::Change(Arc::clone(change)), "{context}");
    }
}

#[tokio::test]
async fn a_power_cut_at_any_write_loses_nothing_acknowledged() {
    for (seed, journal) in [(0, 4 << 10), (1, 4 << 10), (2, 32 << 10)] {
        let start = empty(journal);
        let disk = FakeDisk::with(start.clone());
        let store = open(&disk).unwrap();
        let mut model = StoreModel::new(store.current().await.unwrap());
        let mut plan = SchedulePlan(seed);
        // After how many operations of the disk which revision was acknowledged.
        let mut acknowledged = vec![(0, model.current())];
        while model.changes.len() < 12 {
            if let Ok(change) = store.write(plan.write("/", &model)).await {
                model.apply(&change);
                acknowledged.push((disk.len(), change.revision));
            }
        }
        drop(store);
        let operations = disk.operations();
        for cut in 0..=operations.len() {
            let durable = acknowledged.iter().rev().find(|(at, _)| *at <= cut).unwrap().1;
            let some = (0..4).map(|number| Kept::Some(SchedulePlan(seed * 100 + number)));
            for kept in [Kept::Nothing, Kept::Everything].into_iter().chain(some) {
                let image = after_power_cut(&start, &operations[..cut], kept);
                let context = format!("seed {seed}, cut {cut}, {kept:?}");
                let store = open(&FakeDisk::with(image));
                let store = store.unwrap_or_else(|error| panic!("{context}: {error}"));
                check(&store, &model, durable, &context).await;
            }
        }
    }
}

#[tokio::test]
async fn a_fault_is_answered_truthfully_and_work_goes_on() {
    let start = empty(8 << 10);
    let mut happened = 0;
    for fault in [DiskFault::FailedSync, DiskFault::ShortWrite, DiskFault::Full] {
        for after in 0..25 {
            for times in [1, 2, 6] {
                let context = format!("{fault:?} after {after}, {times} times");
                let disk = FakeDisk::with(start.clone());
                let store = open(&disk).unwrap();
                let mut watch = store.watch("", Revision::FIRST).await.unwrap();
                let mut model = StoreModel::new(store.current().await.unwrap());
                let mut plan = SchedulePlan(after as u64);
                let mut seen = 0;
                for number in 0..20 {
                    if number == 5 {
                        disk.fail(fault, after, times);
                    }
                    let write = plan.write("/", &model);
                    let result = store.write(write.clone()).await;
                    let next = Revision(model.current().0 + 1);
                    match (&result, model.expected(&write, next)) {
                        (Ok(change), expected) => {
                            assert_eq!(Ok(&**change), expected.as_ref(), "{context}");
                            model.apply(change);
                        }
                        (Err(StoreError::Conflict { .. }), expected) => {
                            assert_eq!(result.as_deref(), expected.as_ref(), "{context}");
                        }
                        (Err(StoreError::Unavailable(_)), _) => {}
                        (Err(StoreError::Unknown(_)), Ok(change)) => {
                            resolve(&store, &mut model, change, &context).await;
                        }
                        (Err(error), _) => panic!("{context}: {error}"),
                    }
                    // Whoever watches sees every change once.
                    for change in &model.changes[seen..] {
                        let event = watch.next().await.unwrap();
                        assert_eq!(event, WatchEvent::Change(Arc::clone(change)), "{context}");
                    }
                    seen = model.changes.len();
                }
                if !disk.failed() {
                    continue;
                }
                happened += 1;
                check(&store, &model, model.current(), &context).await;
                let operations = disk.operations();
                for kept in [Kept::Nothing, Kept::Everything, Kept::Some(SchedulePlan(1))] {
                    let image = after_power_cut(&start, &operations, kept);
                    let store = open(&FakeDisk::with(image))
                        .unwrap_or_else(|error| panic!("{context}, {kept:?}: {error}"));
                    check(&store, &model, model.current(), &context).await;
                }
                drop(store);
            }
        }
    }
    assert!(happened > 100, "only {happened} faults happened");
}

/// A store that does not sync every write.
fn lazy(image: Vec<u8>, clock: &Arc<ManualClock>) -> (FakeDisk, EmbeddedStore) {
    let durability = Durability::Batched(Duration::from_hours(1));
    let disk = FakeDisk::with(image);
    let medium = Box::new(disk.clone());
    let clock = Arc::<ManualClock>::clone(clock);
    let options = EmbeddedOptions { durability, ..options() };
    (disk, EmbeddedStore::open_on(medium, options, clock).unwrap())
}

#[tokio::test]
async fn a_power_cut_between_syncs_leaves_an_earlier_state_whole() {
    for (seed, journal) in [(0, 4 << 10), (1, 16 << 10), (2, 64 << 10)] {
        let start = empty(journal);
        let clock = Arc::new(ManualClock::default());
        let (disk, store) = lazy(start.clone(), &clock);
        let mut model = StoreModel::new(store.current().await.unwrap());
        let mut plan = SchedulePlan(seed);
        // After how many operations of the disk which revision was given out, and which is durable.
        let mut seen = vec![(0, model.current())];
        let mut durable = seen.clone();
        while model.changes.len() < 16 {
            if let Ok(change) = store.write(plan.write("/", &model)).await {
                model.apply(&change);
                seen.push((disk.len(), change.revision));
                // A checkpoint is durable, and so is a write that comes when the interval is over.
                match model.changes.len() % 6 {
                    2 => clock.advance(Duration::from_hours(2)),
                    5 => {
                        store.maintain().await.unwrap();
                        durable.push((disk.len(), model.current()));
                    }
                    _ => {}
                }
            }
        }
        let operations = disk.operations();
        for cut in 0..=operations.len() {
            let before = |list: &[(usize, Revision)]| {
                list.iter().rev().find(|(at, _)| *at <= cut).unwrap().1
            };
            let (least, seen) = (before(&durable), before(&seen));
            let some = (0..4).map(|number| Kept::Some(SchedulePlan(seed * 100 + number)));
            for kept in [Kept::Nothing, Kept::Everything].into_iter().chain(some) {
                let image = after_power_cut(&start, &operations[..cut], kept);
                let context = format!("seed {seed}, cut {cut}, {kept:?}");
                let (_, store) = lazy(image, &clock);
                let page = store.range(RangeRequest::under("")).await.unwrap();
                let states = model.states.range(least..);
                let found = states.map(|(at, _)| model.entries("", *at));
                assert!(found.into_iter().any(|state| state == page.entries), "{context}");
                let fresh = page.revision > seen || seen == Revision::FIRST;
                assert!(fresh, "{context}: {} may have been seen", page.revision);
            }
        }
    }
}

/// A write whose outcome is unknown is there or is not as soon as the store can say.
async fn resolve(store: &EmbeddedStore, model: &mut StoreModel, change: Change, context: &str) {
    for _ in 0..20 {
        if let Ok(health) = store.health().await {
            if health.current == change.revision {
                model.apply(&Arc::new(change));
            } else {
                assert_eq!(health.current, model.current(), "{context}");
            }
            return;
        }
    }
    panic!("{context}: the store does not come back");
}
