//! What readers and the writer of an embedded store share.

use super::file::{self, OpenedFile, caught, failure};
use super::journal::JournalReplay;
use super::layout::FileLayout;
use super::medium::Medium;
use super::options::EmbeddedOptions;
use super::overlay::{Overlay, OverlayView};
use super::read::ReadView;
use crate::feed::Feed;
use crate::{Clock, Revision, StoreError};
use redb::ReadableDatabase;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub(super) struct StoreCore {
    /// None where the file could not be opened again after a failure.
    file: RwLock<Option<OpenedFile>>,
    overlay: RwLock<Arc<Overlay>>,
    pub(super) layout: FileLayout,
    pub(super) medium: Box<dyn Medium>,
    pub(super) feed: Arc<Feed>,
    pub(super) options: EmbeddedOptions,
    pub(super) clock: Arc<dyn Clock>,
}

impl StoreCore {
    /// Opens the file, and gives what its database does not have yet.
    pub(super) fn open(
        medium: Box<dyn Medium>,
        options: EmbeddedOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<(StoreCore, JournalReplay), StoreError> {
        let (opened, replay) = file::open(&*medium, &options, None)?;
        let core = StoreCore {
            layout: opened.layout,
            overlay: RwLock::new(Arc::new(Overlay::new(0, 0))),
            file: RwLock::new(Some(opened)),
            feed: Arc::new(Feed::new(options.recent, Revision(0))),
            medium,
            options,
            clock,
        };
        Ok((core, replay))
    }

    pub(super) fn opened(&self) -> RwLockReadGuard<'_, Option<OpenedFile>> {
        self.file.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Only the writer asks for it, to open the file again or to close it.
    pub(super) fn exclusive(&self) -> RwLockWriteGuard<'_, Option<OpenedFile>> {
        self.file.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn overlay(&self) -> Arc<Overlay> {
        Arc::clone(&self.overlay.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Only the writer does it, when the database has all that is in the one before.
    pub(super) fn set_overlay(&self, overlay: Overlay) {
        *self.overlay.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(overlay);
    }

    /// A view of the latest state.
    pub(super) fn view(&self) -> Result<ReadView, StoreError> {
        // The overlay comes first: a database that is later than it has all that the overlay has, and says so.
        self.view_with(OverlayView::shown(self.overlay()))
    }

    /// A view of the database with an overlay.
    pub(super) fn view_with(&self, overlay: OverlayView) -> Result<ReadView, StoreError> {
        let opened = self.opened();
        let unavailable = || StoreError::Unavailable("the file could not be opened again".into());
        let opened = opened.as_ref().ok_or_else(unavailable)?;
        let transaction = opened.database.begin_read().map_err(failure)?;
        ReadView::new(transaction, Arc::clone(&opened.verified), Some(overlay))
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
