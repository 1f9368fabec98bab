//! The embedded store keeps the contract, refuses what is not a store, and goes on where it ended.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests compare files")]

use crdkit_store::suite::{self, StoreSubject};
use crdkit_store::{
    Clock, Durability, EmbeddedOptions, EmbeddedStore, Expect, History, ManualClock, RangeRequest,
    Revision, Store, StoreError, SystemClock, WatchEvent, Write,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const COUNT: usize = 2_000;

fn open(path: &Path, durability: Durability) -> Result<EmbeddedStore, StoreError> {
    let options = EmbeddedOptions { durability, ..EmbeddedOptions::default() };
    EmbeddedStore::open(path, options, Arc::new(SystemClock))
}

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    (directory, path)
}

async fn contract(recent: usize, durability: Durability) {
    let (_directory, path) = temporary();
    let clock = Arc::new(ManualClock::default());
    let options = EmbeddedOptions {
        durability,
        recent: History { count: recent, ..History::default() },
        ..EmbeddedOptions::default()
    };
    let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
    let store = EmbeddedStore::open(&path, options, shared).unwrap();
    let elapse = move |duration| {
        clock.advance(duration);
        Box::pin(std::future::ready(())) as _
    };
    let mut subject = StoreSubject {
        store: Arc::new(store),
        prefix: "/registry/".into(),
        elapse: Box::new(elapse),
        prompt_progress: true,
        restores: true,
        lag: (recent >= COUNT).then_some(recent),
    };
    suite::run(&mut subject).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_kept() {
    contract(COUNT, Durability::Unsynced).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_kept_in_batches() {
    contract(COUNT, Durability::Batched(Duration::from_millis(10))).await;
}

/// Nearly nothing stays in memory: watches and earlier states come from the log.
#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_kept_from_the_log() {
    contract(64, Durability::Unsynced).await;
}

#[tokio::test]
async fn everything_is_there_after_opening_again() {
    for durability in
        [Durability::Synced, Durability::Batched(Duration::from_mins(1)), Durability::Unsynced]
    {
        let (_directory, path) = temporary();
        let mut written = Vec::new();
        {
            let store = open(&path, durability).unwrap();
            assert_eq!(store.current().await, Ok(Revision::FIRST));
            for (key, value) in [("a", "1"), ("b", "1"), ("a", "2")] {
                written.push(store.write(Write::put(key, Expect::Any, value)).await.unwrap());
            }
            written.push(store.write(Write::delete("b", Expect::Any)).await.unwrap());
        }
        let store = open(&path, durability).unwrap();
        assert_eq!(store.current().await, Ok(Revision(5)));
        let page = store.range(RangeRequest::under("")).await.unwrap();
        assert_eq!(page.entries, [written[2].current.clone().unwrap()]);
        let then = RangeRequest { at: Some(Revision(3)), ..RangeRequest::under("") };
        assert_eq!(store.range(then).await.unwrap().entries.len(), 2);
        let mut watch = store.watch("", Revision::FIRST).await.unwrap();
        for change in &written {
            assert_eq!(watch.next().await, Ok(WatchEvent::Change(Arc::clone(change))));
        }
        let next = store.write(Write::create("b", "2")).await.unwrap();
        assert_eq!(next.revision, Revision(6));
        assert_eq!(watch.next().await, Ok(WatchEvent::Change(next)));
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_used_says_why_and_stays_as_it_is() {
    let (directory, _) = temporary();
    let file = |name: &str| directory.path().join(name);
    std::fs::write(file("empty"), "").unwrap();
    std::fs::write(file("text"), "apiVersion: v1\n".repeat(1000)).unwrap();
    std::fs::write(file("zero"), vec![0; 100_000]).unwrap();
    {
        const TABLE: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("theirs");
        let database = redb::Database::create(file("other")).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(TABLE).unwrap().insert(1, 1).unwrap();
        transaction.commit().unwrap();
    }
    {
        drop(open(&file("newer"), Durability::Synced).unwrap());
        let mut bytes = std::fs::read(file("newer")).unwrap();
        bytes.splice(8..12, 7_u32.to_le_bytes());
        std::fs::write(file("newer"), bytes).unwrap();
    }
    {
        let store = open(&file("torn"), Durability::Synced).unwrap();
        store.write(Write::create("a", vec![1; 5000])).await.unwrap();
        drop(store);
        let bytes = std::fs::read(file("torn")).unwrap();
        std::fs::write(file("torn"), &bytes[..bytes.len() - bytes.len() / 32]).unwrap();
    }
    for name in ["empty", "text", "zero", "other", "newer", "torn"] {
        let before = std::fs::read(file(name)).unwrap();
        let error = open(&file(name), Durability::Synced).err();
        let expected = matches!(
            (name, &error),
            ("empty" | "torn", Some(StoreError::Damaged(_)))
                | ("text" | "zero" | "other", Some(StoreError::Foreign(_)))
                | ("newer", Some(StoreError::Newer { format: 7, supported: 2 }))
        );
        assert!(expected, "{name}: {error:?}");
        assert!(std::fs::read(file(name)).unwrap() == before, "{name} was changed");
    }
    let _first = open(&file("used"), Durability::Synced).unwrap();
    assert_eq!(open(&file("used"), Durability::Synced).err(), Some(StoreError::Locked));
    // Nothing unfinished is left.
    let left = std::fs::read_dir(directory.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".new"));
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn history_in_the_file_is_bounded() {
    let (_directory, path) = temporary();
    let clock = Arc::new(ManualClock::default());
    let wide = History { age: Duration::from_mins(10), count: 1000, bytes: 1 << 20 };
    for (index, (history, retained)) in [
        (History { count: 5, ..wide }, 5),
        (History { bytes: 3_900, ..wide }, 3),
        (History { age: Duration::from_secs(7), ..wide }, 7),
    ]
    .into_iter()
    .enumerate()
    {
        let options = EmbeddedOptions {
            durability: Durability::Unsynced,
            history,
            recent: History { count: 1, ..History::default() },
            ..EmbeddedOptions::default()
        };
        let path = path.with_extension(index.to_string());
        let shared: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let store = EmbeddedStore::open(&path, options, shared).unwrap();
        for _ in 0..20 {
            clock.advance(Duration::from_secs(1));
            store.write(Write::put("k", Expect::Any, vec![0; 1000])).await.unwrap();
        }
        clock.advance(Duration::from_secs(1));
        store.maintain().await.unwrap();
        let oldest = store.health().await.unwrap().oldest;
        assert_eq!(oldest, Revision(21 - retained), "{history:?}");
        for at in 1..=21 {
            let at = Revision(at);
            let range = RangeRequest { at: Some(at), ..RangeRequest::under("") };
            let found = store.range(range).await.map(|page| page.revision);
            let expected =
                if at < oldest { Err(StoreError::Compacted { at: oldest }) } else { Ok(at) };
            assert_eq!(found, expected);
            let changes = match store.watch("", at).await {
                Ok(_) => Ok(at),
                Err(error) => Err(error),
            };
            assert_eq!(changes, expected);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_store_in_use_is_a_store() {
    let (directory, path) = temporary();
    let store = Arc::new(open(&path, Durability::Unsynced).unwrap());
    for number in 0..100 {
        let write = Write::put(&format!("{:02}", number % 30), Expect::Any, number.to_string());
        store.write(write).await.unwrap();
    }
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for number in 0..200 {
                let write = Write::put(&format!("x{number}"), Expect::Any, "later");
                store.write(write).await.unwrap();
            }
        })
    };
    let copy = directory.path().join("copy");
    let revision = store.backup(&copy).unwrap();
    writer.await.unwrap();
    assert!(store.backup(&copy).is_err(), "an existing file is not replaced");
    let then = RangeRequest { at: Some(revision), ..RangeRequest::under("") };
    let expected = store.range(then).await.unwrap();
    let copied = open(&copy, Durability::Synced).unwrap();
    assert_eq!(copied.range(RangeRequest::under("")).await, Ok(expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_do_not_wait_for_a_commit() {
    let (_directory, path) = temporary();
    let store = Arc::new(open(&path, Durability::Synced).unwrap());
    store.write(Write::create("a", "1")).await.unwrap();
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for number in 0..50 {
                let write = Write::put("b", Expect::Any, number.to_string());
                store.write(write).await.unwrap();
            }
        })
    };
    let mut reads = 0;
    while !writer.is_finished() {
        assert!(store.get("a", None).await.unwrap().is_some());
        reads += 1;
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
    assert!(reads > 50, "{reads}");
}
