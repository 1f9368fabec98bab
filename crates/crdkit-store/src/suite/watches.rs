//! What a watch gives.

use super::{StoreSubject, change, silence, text};
use crate::{ChangeKind, Expect, RangeRequest, Revision, StoreError, WatchEvent, Write};
use std::sync::Arc;
use std::time::Duration;

pub(super) async fn a_watch_gives_what_it_missed(subject: &StoreSubject) {
    let start = subject.current().await;
    let written = [
        subject.put("a", Expect::Absent, "1").await,
        subject.put("b", Expect::Absent, "1").await,
        subject.put("a", Expect::Any, "2").await,
        subject.delete("a").await,
        subject.put("a", Expect::Absent, "3").await,
        subject.delete("b").await,
    ];
    // From every revision on: exactly what came after it, as the writers were told.
    for (index, after) in
        std::iter::once(start).chain(written.iter().map(|change| change.revision)).enumerate()
    {
        let mut watch = subject.watch(after).await;
        for expected in &written[index..] {
            assert_eq!(change(&mut watch).await, *expected);
        }
        silence(&mut watch).await;
    }
}

pub(super) async fn a_watch_waits_for_what_comes(subject: &StoreSubject) {
    let mut watch = subject.watch(subject.current().await).await;
    silence(&mut watch).await;
    let store = Arc::clone(&subject.store);
    let key = subject.key("a");
    let writer = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        store.write(Write::create(&key, "1")).await.unwrap()
    });
    let seen = change(&mut watch).await;
    assert_eq!(seen, writer.await.unwrap());
    assert_eq!(seen.kind(), ChangeKind::Created);
    silence(&mut watch).await;
}

pub(super) async fn a_watch_can_start_in_the_future(subject: &StoreSubject) {
    let current = subject.current().await;
    let mut watch = subject.watch(Revision(current.0 + 2)).await;
    for name in ["a", "b", "c", "d"] {
        subject.put(name, Expect::Absent, "1").await;
    }
    for name in ["c", "d"] {
        assert_eq!(subject.name(change(&mut watch).await.key()), name);
    }
    silence(&mut watch).await;
}

pub(super) async fn a_watch_keeps_to_its_prefix(subject: &StoreSubject) {
    let start = subject.current().await;
    let mut early = subject.store.watch(&subject.key("b/"), start).await.unwrap();
    for name in ["a", "b", "b/1", "b0", "b/2", "bb/1"] {
        subject.put(name, Expect::Absent, "1").await;
    }
    let mut late = subject.store.watch(&subject.key("b/"), start).await.unwrap();
    for watch in [&mut early, &mut late] {
        for name in ["b/1", "b/2"] {
            assert_eq!(subject.name(change(watch).await.key()), name);
        }
        silence(watch).await;
    }
}

pub(super) async fn nothing_is_lost_between_a_list_and_a_watch(subject: &StoreSubject) {
    const WRITES: usize = 60;
    let (store, prefix) = (Arc::clone(&subject.store), subject.prefix.clone());
    let writer = tokio::spawn(async move {
        for number in 0..WRITES {
            let key = format!("{prefix}{:02}", number % 10);
            store.write(Write::put(&key, Expect::Any, number.to_string())).await.unwrap();
        }
    });
    // Each list and the changes after it lead to the same state as every other.
    let mut states = Vec::new();
    loop {
        let finished = writer.is_finished();
        let request = RangeRequest::under(&subject.prefix);
        let page = subject.store.range(request).await.unwrap();
        let mut state: std::collections::BTreeMap<_, _> =
            page.entries.iter().map(|entry| (entry.key.to_string(), text(entry))).collect();
        let mut watch = subject.watch(page.revision).await;
        let last = (WRITES - 1).to_string();
        let mut revision = page.revision;
        while state.get(&subject.key("09")) != Some(&last) {
            let change = change(&mut watch).await;
            assert!(change.revision > revision, "in order, and each once");
            revision = change.revision;
            let entry = change.current.clone().unwrap();
            let before = state.insert(entry.key.to_string(), text(&entry));
            assert_eq!(before, change.previous.as_ref().map(|entry| text(entry)));
        }
        states.push(state);
        if finished {
            break;
        }
    }
    writer.await.unwrap();
    states.dedup();
    assert_eq!(states.len(), 1);
}

pub(super) async fn progress_follows_the_changes(subject: &StoreSubject) {
    if !subject.prompt_progress {
        return;
    }
    let mut watch = subject.watch(subject.current().await).await;
    subject.put("a", Expect::Absent, "1").await;
    // A change elsewhere does not show, but counts.
    let outside = format!("{}-outside", subject.prefix.trim_end_matches('/'));
    let elsewhere = subject.store.write(Write::put(&outside, Expect::Any, "1")).await.unwrap();
    watch.request_progress();
    let first = change(&mut watch).await;
    assert_eq!(subject.name(first.key()), "a");
    let event = tokio::time::timeout(Duration::from_secs(30), watch.next()).await.unwrap();
    assert_eq!(event, Ok(WatchEvent::Progress(elsewhere.revision)));
    silence(&mut watch).await;
}

pub(super) async fn watchers_do_not_disturb_each_other(subject: &StoreSubject) {
    let start = subject.current().await;
    let mut watches = Vec::new();
    for _ in 0..20 {
        watches.push(subject.watch(start).await);
    }
    // Every other one goes away before anything happens.
    let mut index = 0;
    watches.retain(|_| {
        index += 1;
        index % 2 == 0
    });
    let mut written = Vec::new();
    for number in 0..5 {
        written.push(subject.put(&number.to_string(), Expect::Absent, "1").await);
    }
    for watch in &mut watches {
        for expected in &written {
            assert_eq!(change(watch).await, *expected);
        }
    }
}

pub(super) async fn who_falls_back_is_told(subject: &StoreSubject) {
    let Some(lag) = subject.lag else { return };
    let start = subject.current().await;
    let mut slow = subject.watch(start).await;
    let mut quick = subject.watch(start).await;
    let mut quiet = subject.store.watch(&subject.key("quiet/"), start).await.unwrap();
    let first = subject.put("quiet/1", Expect::Absent, "1").await;
    for number in 0..lag + 10 {
        subject.put("busy", Expect::Any, &number.to_string()).await;
        change(&mut quick).await;
    }
    assert_eq!(slow.next().await, Err(StoreError::Lagging { delivered: start }));
    // A busy neighbour does not make a watcher fall back.
    assert_eq!(change(&mut quiet).await, first);
}
