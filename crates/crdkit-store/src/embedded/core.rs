//! What readers and the writer of an embedded store share.

use super::file::{self, OpenedFile, caught, failure};
use super::medium::Medium;
use super::options::EmbeddedOptions;
use super::read::ReadView;
use crate::feed::Feed;
use crate::{Clock, Revision, StoreError};
use redb::ReadableDatabase;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub(super) struct StoreCore {
    /// None where the file could not be opened again after a failure.
    file: RwLock<Option<OpenedFile>>,
    pub(super) medium: Box<dyn Medium>,
    pub(super) feed: Arc<Feed>,
    pub(super) options: EmbeddedOptions,
    pub(super) clock: Arc<dyn Clock>,
}

impl StoreCore {
    pub(super) fn open(
        medium: Box<dyn Medium>,
        options: EmbeddedOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<StoreCore, StoreError> {
        let opened = file::open(&*medium, &options, None)?;
        let feed = Arc::new(Feed::new(options.recent, Revision(0)));
        Ok(StoreCore { file: RwLock::new(Some(opened)), medium, feed, options, clock })
    }

    pub(super) fn opened(&self) -> RwLockReadGuard<'_, Option<OpenedFile>> {
        self.file.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Only the writer asks for it, to open the file again or to close it.
    pub(super) fn exclusive(&self) -> RwLockWriteGuard<'_, Option<OpenedFile>> {
        self.file.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A view of the latest state.
    pub(super) fn view(&self) -> Result<ReadView, StoreError> {
        let opened = self.opened();
        let unavailable = || StoreError::Unavailable("the file could not be opened again".into());
        let opened = opened.as_ref().ok_or_else(unavailable)?;
        let transaction = opened.database.begin_read().map_err(failure)?;
        Ok(ReadView::new(transaction, Arc::clone(&opened.verified)))
    }

    /// Reads, and reads again where the file was opened again meanwhile.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&ReadView) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let attempt = || caught(|| work(&self.view()?));
        match attempt() {
            Err(StoreError::Unavailable(_)) => attempt(),
            result => result,
        }
    }
}
