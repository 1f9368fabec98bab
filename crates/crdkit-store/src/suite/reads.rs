//! What a read sees.

use super::StoreSubject;
use crate::{Expect, RangeRequest, Revision, StoreError};

pub(super) async fn a_range_is_ordered_and_keeps_to_its_prefix(subject: &StoreSubject) {
    for name in ["b/2", "a", "b/10", "b", "bb/1", "c/1", "b/é", "b0"] {
        subject.put(name, Expect::Absent, name).await;
    }
    for (prefix, from, expected) in [
        ("", "", &["a", "b", "b/10", "b/2", "b/é", "b0", "bb/1", "c/1"][..]),
        ("b", "", &["b", "b/10", "b/2", "b/é", "b0", "bb/1"]),
        ("b/", "", &["b/10", "b/2", "b/é"]),
        ("b/", "b/2", &["b/2", "b/é"]),
        ("b/", "b/2\0", &["b/é"]),
        ("b/", "c", &[]),
        ("x/", "", &[]),
    ] {
        let from = if from.is_empty() { String::new() } else { subject.key(from) };
        let request = RangeRequest { from, ..RangeRequest::under(&subject.key(prefix)) };
        let page = subject.store.range(request).await.unwrap();
        let names: Vec<_> = page.entries.iter().map(|entry| subject.name(&entry.key)).collect();
        assert_eq!(names, expected, "{prefix}");
        assert!(!page.more);
        assert_eq!(page.revision, subject.current().await);
    }
}

pub(super) async fn pages_fit_together(subject: &StoreSubject) {
    for number in 0..10 {
        subject.put(&format!("{number}"), Expect::Absent, "old").await;
    }
    let pinned = subject.list(None).await;
    let first = RangeRequest { limit: 3, count: true, ..RangeRequest::under(&subject.prefix) };
    let mut request = Some(first);
    let (mut seen, mut revisions, mut remaining) = (Vec::new(), Vec::new(), Vec::new());
    let mut round = 0;
    while let Some(asked) = request {
        let page = subject.store.range(asked.clone()).await.unwrap();
        seen.extend(page.entries.iter().map(|e| (subject.name(&e.key), super::text(e))));
        revisions.push(page.revision);
        remaining.push(page.remaining.unwrap());
        request = asked.after(&page);
        // What happens between the pages does not show.
        round += 1;
        subject.put("5", Expect::Any, "new").await;
        subject.put(&format!("3{round}"), Expect::Absent, "new").await;
        if round == 1 {
            subject.delete("7").await;
            subject.delete("0").await;
        }
    }
    assert_eq!(seen, pinned);
    revisions.dedup();
    assert_eq!(revisions.len(), 1);
    assert_eq!(remaining, [7, 4, 1, 0]);
}

pub(super) async fn a_revision_is_read_as_it_was(subject: &StoreSubject) {
    let mut states = vec![(subject.current().await, subject.list(None).await)];
    for (name, value) in [
        ("a", "1"),
        ("b", "1"),
        ("a", "2"),
        ("b", ""),
        ("c", "1"),
        ("b", "2"),
        ("a", ""),
        ("c", "2"),
    ] {
        let change = if value.is_empty() {
            subject.delete(name).await
        } else {
            subject.put(name, Expect::Any, value).await
        };
        states.push((change.revision, subject.list(None).await));
    }
    for (revision, state) in &states {
        assert_eq!(subject.list(Some(*revision)).await, *state, "{revision}");
        for name in ["a", "b", "c"] {
            let entry = subject.store.get(&subject.key(name), Some(*revision)).await.unwrap();
            let value = entry.map(|entry| (name.to_owned(), super::text(&entry)));
            assert_eq!(value.as_ref(), state.iter().find(|(key, _)| key == name), "{revision}");
        }
    }
}

pub(super) async fn the_future_cannot_be_read(subject: &StoreSubject) {
    let current = subject.current().await;
    let future = Some(Revision(current.0 + 100));
    let range = RangeRequest { at: future, ..RangeRequest::under(&subject.prefix) };
    let future_revision = StoreError::FutureRevision { current };
    assert_eq!(subject.store.range(range).await, Err(future_revision.clone()));
    assert_eq!(subject.store.get(&subject.key("a"), future).await, Err(future_revision));
}

pub(super) async fn a_store_in_use_is_healthy(subject: &StoreSubject) {
    let change = subject.put("a", Expect::Absent, "1").await;
    let health = subject.store.health().await.unwrap();
    assert_eq!(health.current, change.revision);
    assert!(health.oldest <= health.current);
}
