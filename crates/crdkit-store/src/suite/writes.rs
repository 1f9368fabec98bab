//! What a write does, and when it does not.

use super::{StoreSubject, text};
use crate::{ChangeKind, Expect, Revision, StoreError, Write, WriteAction};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

pub(super) async fn a_write_happens_where_its_expectation_holds(subject: &StoreSubject) {
    let put = |expect| Write::put(&subject.key("k"), expect, "new");
    let delete = |expect| Write::delete(&subject.key("k"), expect);
    let stale = Revision(1);
    // Whether the entry exists, the write, whether it happens.
    for (exists, write, happens) in [
        (false, put(Expect::Absent), true),
        (false, put(Expect::Any), true),
        (false, put(Expect::At(stale)), false),
        (false, delete(Expect::Any), false),
        (false, delete(Expect::At(stale)), false),
        (true, put(Expect::Absent), false),
        (true, put(Expect::Any), true),
        (true, put(Expect::At(stale)), false),
        (true, put(Expect::At(Revision(0))), true),
        (true, delete(Expect::Any), true),
        (true, delete(Expect::At(stale)), false),
        (true, delete(Expect::At(Revision(0))), true),
    ] {
        let before = if exists {
            let change = subject.put("k", Expect::Absent, "old").await;
            change.current.clone()
        } else {
            None
        };
        let mut write = write;
        if let (Expect::At(Revision(0)), Some(entry)) = (write.expect, &before) {
            write.expect = Expect::At(entry.revision);
        }
        let result = subject.store.write(write.clone()).await;
        let after = subject.get("k").await;
        if happens {
            let change = result.unwrap_or_else(|error| panic!("{write:?}: {error}"));
            assert_eq!(change.previous, before, "{write:?}");
            assert_eq!(change.current, after, "{write:?}");
            assert_eq!(change.key(), subject.key("k"));
            let deletes = write.action == WriteAction::Delete;
            assert_eq!(change.kind() == ChangeKind::Deleted, deletes, "{write:?}");
            assert_eq!(change.kind() == ChangeKind::Updated, exists && !deletes, "{write:?}");
        } else {
            assert_eq!(result, Err(StoreError::Conflict { current: before.clone() }), "{write:?}");
            assert_eq!(after, before, "{write:?}");
        }
        if after.is_some() {
            subject.delete("k").await;
        }
    }
}

pub(super) async fn every_change_has_its_own_revision(subject: &StoreSubject) {
    let start = subject.current().await;
    let one = subject.put("a", Expect::Absent, "1").await.revision;
    let two = subject.put("b", Expect::Absent, "1").await.revision;
    assert!(start < one && one < two);
    let refused = subject.store.write(Write::create(&subject.key("a"), "2")).await;
    assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
    assert_eq!(subject.current().await, two, "a conflict uses no revision");
    // Writing the same value again is a change.
    let three = subject.put("a", Expect::Any, "1").await.revision;
    let four = subject.delete("b").await.revision;
    assert!(two < three && three < four);
    assert_eq!(subject.current().await, four);
}

pub(super) async fn a_key_written_again_is_created_anew(subject: &StoreSubject) {
    let first = subject.put("a", Expect::Absent, "1").await;
    let second = subject.put("a", Expect::Any, "2").await;
    let entry = subject.get("a").await.unwrap();
    assert_eq!((entry.created, entry.revision), (first.revision, second.revision));
    subject.delete("a").await;
    assert_eq!(subject.get("a").await, None);
    let third = subject.put("a", Expect::Absent, "3").await;
    let entry = subject.get("a").await.unwrap();
    assert_eq!((entry.created, entry.revision), (third.revision, third.revision));
    assert_eq!(text(&entry), "3");
}

pub(super) async fn one_of_many_equal_writes_wins(subject: &StoreSubject) {
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (store, key) = (Arc::clone(&subject.store), subject.key("a"));
            tokio::spawn(async move { store.write(Write::create(&key, "x")).await })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(StoreError::Conflict { current: Some(_) }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won, 1);
}

pub(super) async fn increments_are_not_lost(subject: &StoreSubject) {
    subject.put("n", Expect::Absent, "0").await;
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let (store, key) = (Arc::clone(&subject.store), subject.key("n"));
            tokio::spawn(async move {
                let mut revisions = Vec::new();
                let mut current = store.get(&key, None).await.unwrap().unwrap();
                while revisions.len() < 10 {
                    let next = text(&current).parse::<u32>().unwrap() + 1;
                    let expect = Expect::At(current.revision);
                    current = match store.write(Write::put(&key, expect, next.to_string())).await {
                        Ok(change) => {
                            revisions.push(change.revision);
                            change.current.clone().unwrap()
                        }
                        Err(StoreError::Conflict { current }) => current.unwrap(),
                        Err(error) => panic!("{error}"),
                    };
                }
                revisions
            })
        })
        .collect();
    let mut revisions = BTreeSet::new();
    for task in tasks {
        revisions.extend(task.await.unwrap());
    }
    assert_eq!(revisions.len(), 40);
    assert_eq!(text(&subject.get("n").await.unwrap()), "40");
}

pub(super) async fn what_is_too_large_is_refused(subject: &StoreSubject) {
    let before = subject.current().await;
    let large = Write::create(&subject.key("large"), vec![b'x'; 8 << 20]);
    let result = subject.store.write(large).await;
    assert!(matches!(result, Err(StoreError::TooLarge { what: "value", .. })), "{result:?}");
    assert_eq!(subject.current().await, before);
    let fits = Write::create(&subject.key("fits"), vec![b'x'; 1 << 20]);
    subject.store.write(fits).await.unwrap();
    assert_eq!(subject.get("fits").await.unwrap().value.len(), 1 << 20);
}

pub(super) async fn an_entry_expires_after_its_time(subject: &StoreSubject) {
    let start = subject.current().await;
    let ttl = Duration::from_secs(2);
    for name in ["gone", "kept"] {
        let write = Write::create(&subject.key(name), "x").with_ttl(ttl);
        subject.store.write(write).await.unwrap();
    }
    // A later write without a time keeps the entry.
    subject.put("kept", Expect::Any, "y").await;
    subject.store.maintain().await.unwrap();
    assert!(subject.get("gone").await.is_some());
    for _ in 0..40 {
        (subject.elapse)(Duration::from_millis(500)).await;
        subject.store.maintain().await.unwrap();
        if subject.get("gone").await.is_none() {
            break;
        }
    }
    assert_eq!(subject.get("gone").await, None);
    assert!(subject.get("kept").await.is_some());
    let mut watch = subject.watch(start).await;
    let mut kinds = Vec::new();
    for _ in 0..4 {
        let change = super::change(&mut watch).await;
        kinds.push((subject.name(change.key()), change.kind()));
    }
    assert_eq!(kinds.last(), Some(&("gone".to_owned(), ChangeKind::Deleted)));
}
