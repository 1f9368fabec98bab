//! A store that answers nothing for as long as it is told to.

use crdkit_store::{
    Change, MemoryOptions, MemoryStore, RangePage, RangeRequest, Revision, Snapshot, Store,
    StoreEntry, StoreFuture, StoreHealth, SystemClock, Watch, Write,
};
use std::sync::Arc;
use tokio::sync::watch;

pub(crate) struct HangingStore {
    inner: MemoryStore,
    hangs: watch::Sender<bool>,
}

impl Default for HangingStore {
    fn default() -> Self {
        let inner = MemoryStore::new(MemoryOptions::default(), Arc::new(SystemClock));
        Self { inner, hangs: watch::Sender::new(false) }
    }
}

impl HangingStore {
    pub(crate) fn hang(&self, hangs: bool) {
        self.hangs.send_replace(hangs);
    }

    fn once_awake<'a, T: 'a>(&'a self, work: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        let mut hangs = self.hangs.subscribe();
        Box::pin(async move {
            let _ = hangs.wait_for(|hangs| !hangs).await;
            work.await
        })
    }
}

impl Store for HangingStore {
    fn current(&self) -> StoreFuture<'_, Revision> {
        self.once_awake(self.inner.current())
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>> {
        self.once_awake(self.inner.get(key, at))
    }

    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage> {
        self.once_awake(self.inner.range(request))
    }

    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>> {
        self.once_awake(self.inner.write(write))
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch> {
        self.once_awake(self.inner.watch(prefix, after))
    }

    fn compact(&self, at: Revision) -> StoreFuture<'_, ()> {
        self.once_awake(self.inner.compact(at))
    }

    fn snapshot(&self) -> StoreFuture<'_, Snapshot> {
        self.once_awake(self.inner.snapshot())
    }

    fn restore(&self, snapshot: Snapshot) -> StoreFuture<'_, Revision> {
        self.once_awake(self.inner.restore(snapshot))
    }

    fn maintain(&self) -> StoreFuture<'_, ()> {
        self.once_awake(self.inner.maintain())
    }

    fn health(&self) -> StoreFuture<'_, StoreHealth> {
        self.once_awake(self.inner.health())
    }
}
