//! The memory store keeps the contract and its own bounds.

use crdkit_store::suite::{self, StoreSubject};
use crdkit_store::{
    Expect, History, ManualClock, MemoryOptions, MemoryStore, RangeRequest, Revision, Store,
    StoreError, Write,
};
use std::sync::Arc;
use std::time::Duration;

const COUNT: usize = 2_000;

fn store(history: History) -> (Arc<MemoryStore>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let options = MemoryOptions { history, ..MemoryOptions::default() };
    (Arc::new(MemoryStore::new(options, Arc::<ManualClock>::clone(&clock))), clock)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_kept() {
    let (store, clock) = store(History { count: COUNT, ..History::default() });
    let elapse = move |duration| {
        clock.advance(duration);
        Box::pin(std::future::ready(())) as _
    };
    let mut subject = StoreSubject {
        store,
        prefix: "/registry/".into(),
        elapse: Box::new(elapse),
        prompt_progress: true,
        restores: true,
        lag: Some(COUNT),
    };
    suite::run(&mut subject).await;
}

#[tokio::test]
async fn history_is_bounded_by_age_count_and_bytes() {
    let wide = History { age: Duration::from_mins(1), count: 1000, bytes: 1 << 20 };
    for (history, retained) in [
        (History { count: 5, ..wide }, 5),
        (History { bytes: 3_900, ..wide }, 3),
        (History { age: Duration::from_secs(7), ..wide }, 7),
    ] {
        let (store, clock) = store(history);
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
        }
    }
}
