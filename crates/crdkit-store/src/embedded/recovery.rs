//! What happens after a write or a sync has failed, when nobody knows what is on disk.
//!
//! The file is opened again, what a failed sync may have lost is written again, a checkpoint of its own settles which state counts,
//! and that state decides the answers. Until this works, writes are answered with [`StoreError::Unknown`] or
//! [`StoreError::Unavailable`].

use super::commit::CommitTables;
use super::durable::{DurableState, WriteResult, not_opened};
use super::file::{self, caught, failure};
use super::overlay::Overlay;
use super::replay::LogReplay;
use crate::{Millis, StoreError};

impl DurableState {
    /// What became of writes that failed.
    pub(super) fn settle(
        &mut self,
        error: &StoreError,
        results: Vec<WriteResult>,
    ) -> Vec<WriteResult> {
        let recovered = self.recover();
        let current = self.current();
        let settle = |result: WriteResult| match (&recovered, result) {
            (Ok(()), Ok(change)) if change.revision <= current => Ok(change),
            (Err(_), Ok(_)) => Err(StoreError::Unknown(error.to_string())),
            _ => Err(error.clone()),
        };
        results.into_iter().map(settle).collect()
    }

    /// Tries once more to open a file that could not be opened after a failure.
    pub(super) fn ready(&mut self) -> Result<(), StoreError> {
        if self.broken { self.recover() } else { Ok(()) }
    }

    /// Opens the file again and makes what it contains, with what the overlay has, the truth.
    pub(super) fn recover(&mut self) -> Result<(), StoreError> {
        self.broken = true;
        {
            let mut slot = self.core.exclusive();
            if let Some(opened) = slot.take() {
                self.suspects.extend(opened.guard.suspects());
                let _ = caught(|| {
                    drop(opened);
                    Ok(())
                });
            }
            let (medium, options) = (&*self.core.medium, &self.core.options);
            *slot = Some(file::open(medium, options, Some(&self.suspects))?.0);
        }
        self.suspects.clear();
        self.reread()?;
        self.transact(|tables| Ok((tables.set_horizon(tables.extent.horizon)?, true)))?;
        let published = self.core.feed.published();
        if published < self.horizon() {
            // Everything was replaced, and this was not said yet.
            self.core.feed.cut(self.current());
        } else {
            let missed = self.core.read(|view| LogReplay::new(view, "", published))?;
            let missed = missed.collect::<Result<Vec<_>, _>>()?;
            self.core.feed.publish(&missed, self.core.clock.now());
        }
        self.broken = false;
        Ok(())
    }

    /// Finds out what the database has.
    pub(super) fn reread(&mut self) -> Result<(), StoreError> {
        let (extent, applied) = {
            let opened = self.core.opened();
            let database = &opened.as_ref().ok_or_else(not_opened)?.database;
            caught(|| {
                let transaction = database.begin_write().map_err(failure)?;
                let tables = CommitTables::open(&transaction, self.extent, Millis(0))?;
                let found = (tables.read_extent()?, tables.applied()?);
                drop(tables);
                transaction.abort().map_err(failure)?;
                Ok(found)
            })?
        };
        self.extent = extent;
        let overlay = self.core.overlay();
        if applied >= overlay.epoch() {
            self.journal.start(applied + 1);
            self.core.set_overlay(Overlay::new(applied + 1, extent.current));
        } else if overlay.base() != extent.current {
            return Err(StoreError::Damaged("the database is not what was committed".to_owned()));
        }
        Ok(())
    }
}
