//! What is forgotten, and what comes back.

use super::StoreSubject;
use crate::{Expect, RangeRequest, Revision, Snapshot, StoreError};

pub(super) async fn what_is_compacted_is_refused(subject: &StoreSubject) {
    let old = subject.put("a", Expect::Absent, "1").await.revision;
    subject.put("a", Expect::Any, "2").await;
    subject.put("b", Expect::Absent, "1").await;
    let at = subject.put("a", Expect::Any, "3").await.revision;
    let later = subject.put("a", Expect::Any, "4").await;
    let state = subject.list(Some(at)).await;
    subject.store.compact(at).await.unwrap();
    let compacted = StoreError::Compacted { at };
    let range = RangeRequest { at: Some(old), ..RangeRequest::under(&subject.prefix) };
    assert_eq!(subject.store.range(range).await, Err(compacted.clone()));
    assert_eq!(subject.store.get(&subject.key("a"), Some(old)).await, Err(compacted.clone()));
    let watch = match subject.store.watch(&subject.prefix, old).await {
        Ok(mut watch) => watch.next().await.err(),
        Err(error) => Some(error),
    };
    assert_eq!(watch, Some(compacted));
    // The state at the revision and what came after it are still there.
    assert_eq!(subject.list(Some(at)).await, state);
    let mut watch = subject.watch(at).await;
    assert_eq!(super::change(&mut watch).await, later);
    assert_eq!(subject.list(None).await.len(), 2);
    // Again, or further back, is nothing new; the future cannot be compacted.
    let current = subject.current().await;
    let future = subject.store.compact(Revision(current.0 + 10)).await;
    assert_eq!(future, Err(StoreError::FutureRevision { current }));
}

pub(super) async fn a_restored_store_is_the_snapshot(subject: &StoreSubject) {
    subject.put("a", Expect::Absent, "1").await;
    subject.put("b", Expect::Absent, "1").await;
    let snapshot = subject.store.snapshot().await.unwrap();
    assert_eq!(snapshot.revision, subject.current().await);
    assert_eq!(Snapshot::decode(&snapshot.encode()), Ok(snapshot.clone()));
    if !subject.restores {
        return;
    }
    let before = subject.list(None).await;
    let entry = subject.get("a").await;
    let mut watch = subject.watch(snapshot.revision).await;
    subject.put("a", Expect::Any, "2").await;
    subject.delete("b").await;
    let last = subject.put("c", Expect::Absent, "1").await.revision;
    let restored = subject.store.restore(snapshot.clone()).await.unwrap();
    assert!(restored > last, "no revision is used twice");
    assert_eq!(subject.current().await, restored);
    assert_eq!(subject.list(None).await, before);
    assert_eq!(subject.get("a").await, entry, "entries keep their revisions");
    let cut = loop {
        if let Err(error) = watch.next().await {
            break error;
        }
    };
    assert_eq!(cut, StoreError::Compacted { at: restored });
    let refused = subject.store.watch(&subject.prefix, last).await.err();
    assert_eq!(refused, Some(StoreError::Compacted { at: restored }));
    let mut watch = subject.watch(restored).await;
    let next = subject.put("a", Expect::At(entry.unwrap().revision), "3").await;
    assert!(next.revision > restored);
    assert_eq!(super::change(&mut watch).await, next);
}
