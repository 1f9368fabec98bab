//! A file of format 1, a database alone, becomes one of the latest format; where it cannot be used it stays as it is.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests compare files")]

use crdkit_store::{
    ChangeKind, EmbeddedOptions, EmbeddedStore, ManualClock, RangeRequest, Revision, Store,
    StoreError, WatchEvent, Write,
};
use redb::{Database, TableDefinition};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use twox_hash::XxHash3_64;

const LATEST: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("latest");
const LOG: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("log");
const EXPIRY: TableDefinition<'_, &[u8], ()> = TableDefinition::new("expiry");
const META: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("meta");

const EXPIRES: u64 = 5_000;

fn sealed(key: &[u8], rest: &[u8]) -> Vec<u8> {
    let sum = XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), rest);
    [&sum.to_le_bytes(), rest].concat()
}

fn entry(revision: u64, created: u64, expires: u64, value: &str) -> Vec<u8> {
    let numbers = [revision, created, expires].map(u64::to_le_bytes).concat();
    [&numbers, value.as_bytes()].concat()
}

/// Writes `a`, `b`, `a` again, `c` for a while, and deletes `b`, as format 1 has it.
fn format_1(path: &Path, format: u32) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut meta = transaction.open_table(META).unwrap();
        meta.insert(&b"application"[..], &b"crdkit-store"[..]).unwrap();
        meta.insert(&b"format"[..], &format.to_le_bytes()[..]).unwrap();
        meta.insert(&b"horizon"[..], &1_u64.to_le_bytes()[..]).unwrap();
        let mut latest = transaction.open_table(LATEST).unwrap();
        for (key, record) in [("a", entry(4, 2, 0, "2")), ("c", entry(5, 5, EXPIRES, "1"))] {
            latest.insert(key.as_bytes(), &sealed(key.as_bytes(), &record)[..]).unwrap();
        }
        let mut expiry = transaction.open_table(EXPIRY).unwrap();
        expiry.insert(&[&EXPIRES.to_be_bytes()[..], b"c"].concat()[..], ()).unwrap();
        let mut log = transaction.open_table(LOG).unwrap();
        let mut total = 0;
        for (revision, flags, key, previous) in [
            (2_u64, 1_u8, "a", vec![]),
            (3, 1, "b", vec![]),
            (4, 3, "a", entry(2, 2, 0, "1")),
            (5, 1, "c", vec![]),
            (6, 2, "b", entry(3, 3, 0, "1")),
        ] {
            total += 30 + previous.len() as u64;
            let mut record = 0_u64.to_le_bytes().to_vec();
            record.extend(total.to_le_bytes());
            record.push(flags);
            record.extend(1_u32.to_le_bytes());
            record.extend(key.as_bytes());
            record.extend(previous);
            log.insert(revision, &sealed(&revision.to_le_bytes(), &record)[..]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

fn open(path: &Path, clock: &Arc<ManualClock>) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open(path, EmbeddedOptions::default(), Arc::<ManualClock>::clone(clock))
}

fn keys(page: &crdkit_store::RangePage) -> Vec<&str> {
    page.entries.iter().map(|entry| &*entry.key).collect()
}

#[tokio::test]
async fn everything_in_a_file_of_format_1_is_there_afterwards() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    format_1(&path, 1);
    let clock = Arc::new(ManualClock::default());
    let store = open(&path, &clock).unwrap();
    assert_eq!(store.current().await, Ok(Revision(6)));
    let page = store.range(RangeRequest::under("")).await.unwrap();
    assert_eq!(keys(&page), ["a", "c"]);
    let then = RangeRequest { at: Some(Revision(3)), ..RangeRequest::under("") };
    let page = store.range(then).await.unwrap();
    assert_eq!(keys(&page), ["a", "b"]);
    let mut watch = store.watch("", Revision::FIRST).await.unwrap();
    for (revision, key, kind) in [
        (2, "a", ChangeKind::Created),
        (3, "b", ChangeKind::Created),
        (4, "a", ChangeKind::Updated),
        (5, "c", ChangeKind::Created),
        (6, "b", ChangeKind::Deleted),
    ] {
        let Ok(WatchEvent::Change(change)) = watch.next().await else { unreachable!() };
        assert_eq!((change.revision.0, change.key(), change.kind()), (revision, key, kind));
    }
    assert_eq!(store.write(Write::create("d", "1")).await.unwrap().revision, Revision(7));
    clock.advance(Duration::from_millis(EXPIRES));
    store.maintain().await.unwrap();
    drop(store);
    assert!(std::fs::read(&path).unwrap().starts_with(b"crdkstor"));
    let store = open(&path, &clock).unwrap();
    let page = store.range(RangeRequest::under("")).await.unwrap();
    assert_eq!(keys(&page), ["a", "d"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left over");
}

#[tokio::test]
async fn a_file_of_format_1_that_cannot_be_used_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::default());
    let path = directory.path().join("store");
    format_1(&path, 1);
    let held = Database::open(&path).unwrap();
    assert_eq!(open(&path, &clock).err(), Some(StoreError::Locked));
    drop(held);
    let whole = std::fs::read(&path).unwrap();
    let refuse = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = open(&path, &clock).err();
        assert!(std::fs::read(&path).unwrap() == bytes, "{name} was changed");
        error
    };
    let torn = refuse("torn", whole.split_at(whole.len() / 2).0);
    assert!(matches!(torn, Some(StoreError::Damaged(_))), "{torn:?}");
    format_1(&directory.path().join("source"), 7);
    let newer = std::fs::read(directory.path().join("source")).unwrap();
    let newer = refuse("newer", &newer);
    assert_eq!(newer, Some(StoreError::Newer { format: 7, supported: 2 }));
}
