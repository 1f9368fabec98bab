//! A store in one file: a journal in front of a database of redb.
//!
//! Goes in: a path, or a [`Medium`] for tests. One thread writes: it takes what has queued up, appends it to the journal, shows it in the
//! overlay, gives the changes to the feed and then answers, so that writers at the same time share a sync. A checkpoint applies the overlay to the
//! database in one transaction, and the journal starts again: when it is full, when there is something else to do in the database, and on
//! closing. Reads are redb's own snapshots with the overlay over them and wait for nobody. A state before the overlay is the database's with the
//! log's changes undone; a watch from before the feed's ring reads the log first.
//!
//! What must hold: what is answered is on disk (see [`Durability`]); a revision is published once and in order; what a reader sees is the
//! database before a checkpoint with the overlay, or the database after it; after a failure the file is opened again and what it then contains
//! decides the answer.

mod backup;
mod commit;
mod core;
mod durable;
mod file;
mod journal;
mod layout;
mod medium;
mod options;
mod overlay;
mod queue;
mod read;
mod record;
mod recovery;
mod replay;
mod verified;
mod writer;

pub use medium::Medium;
pub use options::{Durability, EmbeddedOptions};

use self::core::StoreCore;
use crate::{
    Change, Clock, RangePage, RangeRequest, Revision, Snapshot, Store, StoreEntry, StoreError,
    StoreFuture, StoreHealth, Watch, Write,
};
use layout::FileLayout;
use queue::{QueueReader, WriterQueue};
use replay::EmbeddedWatch;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use writer::{StoreWriter, WriterRequest};

/// Keys and values in one file.
pub struct EmbeddedStore {
    core: Arc<StoreCore>,
    requests: Arc<WriterQueue>,
    writer: Option<JoinHandle<()>>,
}

impl EmbeddedStore {
    /// Opens the store at a path; makes one if there is no file. Every other file is left as it is and refused.
    pub fn open(
        path: &Path,
        options: EmbeddedOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<EmbeddedStore, StoreError> {
        if !path.exists() {
            file::create(path, FileLayout::new(options.journal))?;
        }
        file::migrate(path, &options)?;
        EmbeddedStore::open_on(Box::new(medium::FileMedium(path.to_owned())), options, clock)
    }

    /// Opens the store on a medium.
    pub fn open_on(
        medium: Box<dyn Medium>,
        options: EmbeddedOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<EmbeddedStore, StoreError> {
        let (core, replay) = StoreCore::open(medium, options, clock)?;
        let core = Arc::new(core);
        let requests = Arc::<WriterQueue>::default();
        let queue = QueueReader(Arc::clone(&requests));
        let writer = StoreWriter::new(Arc::clone(&core), queue, replay)?;
        let writer = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || writer.run())
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(EmbeddedStore { core, requests, writer: Some(writer) })
    }

    /// Makes an empty store on a medium that has no bytes yet, with a journal of so many.
    pub fn create_on(medium: &dyn Medium, journal: u64) -> Result<(), StoreError> {
        let backend = medium.open().map_err(|error| file::io_failure(&error))?;
        file::initialise(FileLayout::new(journal), backend)
    }

    /// Writes a copy of the store to a new file while the store is in use. The copy is a store with the same history.
    pub fn backup(&self, path: &Path) -> Result<Revision, StoreError> {
        self.core.read(|view| backup::copy(view, self.core.layout, path))
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> WriterRequest,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.requests.push(request(answer))?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Store for EmbeddedStore {
    fn current(&self) -> StoreFuture<'_, Revision> {
        Box::pin(std::future::ready(Ok(self.core.feed.published())))
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>> {
        Box::pin(async move { self.core.get(key, at) })
    }

    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage> {
        Box::pin(async move { self.core.range(&request) })
    }

    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>> {
        Box::pin(async move {
            self.core.options.limits.check(&write)?;
            self.ask(|answer| WriterRequest::Write(write, answer)).await
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch> {
        Box::pin(async move {
            let watch = EmbeddedWatch::new(Arc::clone(&self.core), prefix.into(), after)?;
            Ok(Watch::new(watch))
        })
    }

    fn compact(&self, at: Revision) -> StoreFuture<'_, ()> {
        Box::pin(self.ask(move |answer| WriterRequest::Compact(at, answer)))
    }

    fn snapshot(&self) -> StoreFuture<'_, Snapshot> {
        Box::pin(async move { self.core.read(read::ReadView::snapshot) })
    }

    fn restore(&self, snapshot: Snapshot) -> StoreFuture<'_, Revision> {
        Box::pin(self.ask(move |answer| WriterRequest::Restore(snapshot, answer)))
    }

    fn maintain(&self) -> StoreFuture<'_, ()> {
        Box::pin(self.ask(WriterRequest::Maintain))
    }

    fn health(&self) -> StoreFuture<'_, StoreHealth> {
        Box::pin(self.ask(WriterRequest::Probe))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.requests.close();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        self.core.feed.end(&StoreError::Closed);
    }
}
