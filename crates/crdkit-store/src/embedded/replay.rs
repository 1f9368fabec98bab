//! A watch from before the feed's ring: first the log, then the feed.
//!
//! The log has what was before each change; what was after it is what was before the next change of the same key, or the latest
//! entry. So the log is read backwards once, to find the next change of each, and then forwards. What the overlay has comes last.

use super::core::StoreCore;
use super::file::{caught, failure};
use super::overlay::OverlayChange;
use super::read::{LatestTable, LogTable, ReadView, get_latest, get_log};
use super::record::decode_log;
use crate::feed::FeedCursor;
use crate::{Change, Revision, StoreEntry, StoreError, WatchEvent, WatchSource};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The changes under a prefix between two revisions.
pub(super) struct LogReplay {
    latest: LatestTable,
    log: LogTable,
    /// The revisions that are left, the next one last, each with that of the next change of its key or 0.
    plan: Vec<(u64, u64)>,
    later: std::vec::IntoIter<OverlayChange>,
    pub(super) upto: Revision,
}

impl LogReplay {
    /// All changes after a revision up to the view's.
    pub(super) fn new(
        view: &ReadView,
        prefix: &str,
        after: Revision,
    ) -> Result<LogReplay, StoreError> {
        let (latest, log, upto) = (view.latest()?, view.log()?, view.current()?);
        let horizon = view.horizon()?;
        if after < horizon {
            return Err(StoreError::Compacted { at: horizon });
        }
        let mut plan = Vec::new();
        let mut next: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for row in log.range(after.0.saturating_add(1)..).map_err(failure)?.rev() {
            let (revision, record) = row.map_err(failure)?;
            let revision = revision.value();
            let record = decode_log(revision, record.value())?;
            if record.key.starts_with(prefix) {
                let later = next.insert(record.key, revision);
                plan.push((revision, later.unwrap_or(0)));
            }
        }
        let later = view.overlay().map(|overlay| {
            overlay.changes(after.max(overlay.base()), |key| key.starts_with(prefix))
        });
        Ok(LogReplay { latest, log, plan, later: later.unwrap_or_default().into_iter(), upto })
    }

    fn change(&self, revision: u64, next: u64) -> Result<Change, StoreError> {
        let record = get_log(&self.log, revision)?;
        let current: Option<Arc<StoreEntry>> = match (record.put, next) {
            (false, _) => None,
            (true, 0) => get_latest(&self.latest, &record.key)?.map(|stored| stored.entry),
            (true, next) => get_log(&self.log, next)?.previous.map(|stored| stored.entry),
        };
        if record.put && current.as_ref().is_none_or(|entry| entry.revision.0 != revision) {
            return Err(StoreError::Damaged(format!(
                "the entry of revision {revision} is missing"
            )));
        }
        let previous = record.previous.map(|stored| stored.entry);
        Ok(Change { revision: Revision(revision), current, previous })
    }
}

impl Iterator for LogReplay {
    type Item = Result<Arc<Change>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some((revision, next)) = self.plan.pop() else {
            return self.later.next().map(|later| Ok(later.change));
        };
        Some(caught(|| self.change(revision, next).map(Arc::new)))
    }
}

/// A watch of an embedded store.
pub(super) struct EmbeddedWatch {
    core: Arc<StoreCore>,
    prefix: Arc<str>,
    source: ChangeSource,
    progress: bool,
}

enum ChangeSource {
    Log(Box<LogReplay>),
    Feed(FeedCursor),
}

impl EmbeddedWatch {
    pub(super) fn new(
        core: Arc<StoreCore>,
        prefix: Arc<str>,
        after: Revision,
    ) -> Result<EmbeddedWatch, StoreError> {
        let source = source(&core, &prefix, after)?;
        Ok(EmbeddedWatch { core, prefix, source, progress: false })
    }
}

fn source(core: &StoreCore, prefix: &str, after: Revision) -> Result<ChangeSource, StoreError> {
    if let Some(cursor) = core.feed.join(prefix, after) {
        return Ok(ChangeSource::Feed(cursor));
    }
    core.read(|view| LogReplay::new(view, prefix, after))
        .map(|replay| ChangeSource::Log(Box::new(replay)))
}

impl WatchSource for EmbeddedWatch {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<WatchEvent, StoreError>> {
        loop {
            match &mut self.source {
                ChangeSource::Feed(cursor) => return cursor.poll_next(context),
                ChangeSource::Log(replay) => {
                    if let Some(change) = replay.next() {
                        return Poll::Ready(change.map(WatchEvent::Change));
                    }
                    self.source = source(&self.core, &self.prefix, replay.upto)?;
                    if self.progress {
                        self.request_progress();
                    }
                }
            }
        }
    }

    fn request_progress(&mut self) {
        match &mut self.source {
            ChangeSource::Feed(cursor) => cursor.request_progress(),
            ChangeSource::Log(_) => self.progress = true,
        }
    }
}
