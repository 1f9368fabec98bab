//! The thread that writes: takes what has queued up, commits it as one transaction, publishes, answers.
//!
//! Where a commit fails nobody knows at first what is on disk. The file is then opened again, what a failed sync may have lost is written again, a
//! commit of its own settles which state counts, and that state decides the answers. Until this works, writes
//! are answered with [`StoreError::Unknown`] or [`StoreError::Unavailable`].

use super::commit::{CommitTables, LogExtent};
use super::core::StoreCore;
use super::file::{self, caught, failure};
use super::medium::FileRanges;
use super::options::Durability;
use super::replay::LogReplay;
use crate::{Change, Millis, Revision, Snapshot, StoreError, StoreHealth, Write};
use redb::Durability as CommitDurability;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;
use tokio::sync::oneshot;

type WriterAnswer<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer is asked to do.
pub(super) enum WriterRequest {
    Write(Write, WriterAnswer<Arc<Change>>),
    Compact(Revision, WriterAnswer<()>),
    Restore(Snapshot, WriterAnswer<Revision>),
    Maintain(WriterAnswer<()>),
    Probe(WriterAnswer<StoreHealth>),
}

/// How many writes share a commit at most.
const BATCH: usize = 1024;
/// How long a commit waits for one more write to share it.
const COMPANY: Duration = Duration::from_micros(100);
/// More revisions than can be given out between two syncs.
const UNSYNCED: u64 = 1 << 20;
/// How many records a step of housekeeping deletes at most, so that writes do not wait long for it.
const HOUSEKEEPING: usize = 256;

pub(super) struct StoreWriter {
    core: Arc<StoreCore>,
    queue: Receiver<WriterRequest>,
    extent: LogExtent,
    /// How many writes shared the last commit.
    expected: usize,
    /// What a failed sync may have lost; the file has to be opened again if there is some.
    suspects: FileRanges,
    broken: bool,
    /// When the first change was committed that is not yet synced, and its revision.
    unsynced: Option<(Millis, Revision)>,
    /// Whether there is housekeeping left to do between the requests.
    expiring: bool,
    trimming: bool,
}

impl StoreWriter {
    pub(super) fn new(
        core: Arc<StoreCore>,
        queue: Receiver<WriterRequest>,
    ) -> Result<StoreWriter, StoreError> {
        let mut writer = StoreWriter {
            core,
            queue,
            extent: LogExtent::default(),
            expected: 0,
            suspects: FileRanges::new(),
            broken: false,
            unsynced: None,
            expiring: false,
            trimming: false,
        };
        let lazy = writer.core.options.durability != Durability::Synced;
        writer.transact(false, |tables| {
            tables.extent = tables.read_extent()?;
            // Without a proper end, revisions may have been given out that are not in the file.
            let ended = !tables.mark(lazy)?;
            if !ended {
                tables.leap(tables.extent.current + UNSYNCED)?;
            }
            Ok(((), lazy || !ended))
        })?;
        writer.core.feed.cut(Revision(writer.extent.current));
        Ok(writer)
    }

    pub(super) fn run(mut self) {
        while let Some(request) = self.next() {
            let mut batch = Vec::new();
            let mut request = Some(request);
            while let Some(WriterRequest::Write(write, answer)) = request {
                batch.push((write, answer));
                request = self.company(batch.len());
            }
            self.expected = batch.len();
            if !batch.is_empty() {
                self.write(batch);
            }
            if let Some(request) = request {
                self.other(request);
            }
        }
        if !self.broken && self.core.options.durability != Durability::Synced {
            let _ = self.transact(false, |tables| Ok((tables.mark(false)?, true)));
        }
        let opened = self.core.exclusive().take();
        let _ = caught(|| {
            drop(opened);
            Ok(())
        });
    }

    /// What comes next in the same batch. Whoever shared the last commit was answered a moment ago and is likely to write again,
    /// so as long as there are fewer than that, the commit waits for a moment that is short beside a sync.
    fn company(&self, gathered: usize) -> Option<WriterRequest> {
        if gathered >= BATCH {
            return None;
        }
        match self.queue.try_recv() {
            Err(TryRecvError::Empty) if gathered < self.expected => {
                self.queue.recv_timeout(COMPANY).ok()
            }
            next => next.ok(),
        }
    }

    /// The next request; what is left to do is done while there is none. None when the store is closed.
    fn next(&mut self) -> Option<WriterRequest> {
        loop {
            if self.expiring || self.trimming {
                if let Ok(request) = self.queue.try_recv() {
                    return Some(request);
                }
                let _ = self.housekeep();
                continue;
            }
            let Durability::Batched(interval) = self.core.options.durability else {
                return self.queue.recv().ok();
            };
            let wait = if self.unsynced.is_some() { interval } else { Duration::from_hours(1) };
            match self.queue.recv_timeout(wait) {
                Ok(request) => return Some(request),
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.sync();
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn other(&mut self, request: WriterRequest) {
        match request {
            // Taken out of the queue by the caller.
            WriterRequest::Write(write, answer) => self.write(vec![(write, answer)]),
            WriterRequest::Compact(at, answer) => {
                let _ = answer.send(self.compact(at));
            }
            WriterRequest::Restore(snapshot, answer) => {
                let _ = answer.send(self.restore(&snapshot));
            }
            WriterRequest::Maintain(answer) => {
                (self.expiring, self.trimming) = (true, true);
                let result = self.housekeep();
                self.core.feed.trim(self.core.clock.now());
                let _ = answer.send(result);
            }
            WriterRequest::Probe(answer) => {
                let _ = answer.send(self.ready().map(|()| StoreHealth {
                    current: Revision(self.extent.current),
                    oldest: Revision(self.extent.horizon),
                }));
            }
        }
    }

    fn write(&mut self, batch: Vec<(Write, WriterAnswer<Arc<Change>>)>) {
        if let Err(error) = self.ready() {
            for (_, answer) in batch {
                let _ = answer.send(Err(error.clone()));
            }
            return;
        }
        let (writes, answers): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let mut results = Vec::with_capacity(writes.len());
        let history = self.core.options.history;
        let committed = self.transact(true, |tables| {
            for write in writes {
                results.push(tables.apply(write)?);
            }
            if tables.needs_trim(&history) {
                tables.trim(&history, HOUSEKEEPING.max(2 * results.len()))?;
            }
            Ok(((), results.iter().any(Result::is_ok)))
        });
        let results = match committed {
            Ok(()) => {
                self.publish(&results.iter().flatten().cloned().collect::<Vec<_>>());
                results
            }
            Err(error) => self.settle(&error, results),
        };
        let failed = StoreError::Unavailable("nothing was written".to_owned());
        let results = results.into_iter().chain(std::iter::repeat(Err(failed)));
        for (answer, result) in answers.into_iter().zip(results) {
            let _ = answer.send(result);
        }
    }

    /// What became of the writes of a failed commit.
    fn settle(
        &mut self,
        error: &StoreError,
        results: Vec<Result<Arc<Change>, StoreError>>,
    ) -> Vec<Result<Arc<Change>, StoreError>> {
        let recovered = self.recover();
        let settle = |result: Result<Arc<Change>, StoreError>| match (&recovered, result) {
            (Ok(()), Ok(change)) if change.revision.0 <= self.extent.current => Ok(change),
            (Err(_), Ok(_)) => Err(StoreError::Unknown(error.to_string())),
            _ => Err(error.clone()),
        };
        results.into_iter().map(settle).collect()
    }

    fn publish(&self, changes: &[Arc<Change>]) {
        let now = self.core.clock.now();
        self.core.feed.publish(changes, now);
    }

    fn compact(&mut self, at: Revision) -> Result<(), StoreError> {
        self.ready()?;
        if at.0 > self.extent.current {
            return Err(StoreError::FutureRevision { current: Revision(self.extent.current) });
        }
        if at.0 > self.extent.horizon {
            self.settled(|tables| Ok((tables.set_horizon(at.0)?, true)))?;
            self.core.feed.compact(at);
            self.trimming = true;
        }
        Ok(())
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<Revision, StoreError> {
        self.ready()?;
        let revision = self.settled(|tables| Ok((tables.restore(snapshot)?, true)))?;
        self.core.feed.cut(revision);
        Ok(revision)
    }

    /// A step of what is left to do.
    fn housekeep(&mut self) -> Result<(), StoreError> {
        let history = self.core.options.history;
        let step = self.ready().and_then(|()| {
            self.settled(|tables| {
                let before = tables.extent;
                let (changes, expiring) = tables.expire(HOUSEKEEPING)?;
                let trimming = tables.trim(&history, HOUSEKEEPING)?;
                let dirty = !changes.is_empty() || tables.extent.horizon != before.horizon;
                Ok(((changes, expiring, trimming), dirty || expiring || trimming))
            })
        });
        // What could not be done now is tried again when it is asked for again.
        (self.expiring, self.trimming) = (false, false);
        let (changes, expiring, trimming) = step?;
        (self.expiring, self.trimming) = (expiring, trimming);
        self.publish(&changes);
        Ok(())
    }

    /// A transaction that is followed by recovery where it fails.
    fn settled<T>(
        &mut self,
        work: impl FnOnce(&mut CommitTables<'_>) -> Result<(T, bool), StoreError>,
    ) -> Result<T, StoreError> {
        self.transact(true, work).inspect_err(|_| {
            let _ = self.recover();
        })
    }

    /// Runs work in a transaction, which is committed if the work says so.
    fn transact<T>(
        &mut self,
        batched: bool,
        work: impl FnOnce(&mut CommitTables<'_>) -> Result<(T, bool), StoreError>,
    ) -> Result<T, StoreError> {
        let now = self.core.clock.now();
        let later = match self.core.options.durability {
            Durability::Batched(interval) => {
                batched
                    && self.unsynced.is_none_or(|(since, first)| {
                        since.plus(interval) > now && self.extent.current - first.0 < UNSYNCED / 2
                    })
            }
            _ => false,
        };
        let extent = self.extent;
        let opened = self.core.opened();
        let unavailable = || StoreError::Unavailable("the file could not be opened again".into());
        let database = &opened.as_ref().ok_or_else(unavailable)?.database;
        let (value, extent, dirty) = caught(|| {
            let mut transaction = database.begin_write().map_err(failure)?;
            if later {
                transaction.set_durability(CommitDurability::None).map_err(failure)?;
            }
            let mut tables = CommitTables::open(&transaction, extent, now)?;
            let (value, dirty) = work(&mut tables)?;
            let extent = tables.extent;
            drop(tables);
            if dirty {
                transaction.commit().map_err(failure)?;
            } else {
                transaction.abort().map_err(failure)?;
            }
            Ok((value, extent, dirty))
        })?;
        drop(opened);
        if dirty && later {
            self.unsynced.get_or_insert((now, Revision(self.extent.current)));
        } else if dirty {
            self.unsynced = None;
        }
        self.extent = extent;
        Ok(value)
    }

    /// Makes what was committed durable.
    fn sync(&mut self) -> Result<(), StoreError> {
        if self.unsynced.is_some() && !self.broken {
            self.commit_horizon()?;
        }
        Ok(())
    }

    fn commit_horizon(&mut self) -> Result<(), StoreError> {
        self.transact(false, |tables| {
            tables.extent = tables.read_extent()?;
            Ok((tables.set_horizon(tables.extent.horizon)?, true))
        })
    }

    /// Tries once more to open a file that could not be opened after a failure.
    fn ready(&mut self) -> Result<(), StoreError> {
        if self.broken { self.recover() } else { Ok(()) }
    }

    /// Opens the file again and makes what it contains the truth.
    fn recover(&mut self) -> Result<(), StoreError> {
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
            *slot = Some(file::open(medium, options, Some(&self.suspects))?);
        }
        self.suspects.clear();
        self.commit_horizon()?;
        let published = self.core.feed.published();
        if self.extent.current < published.0 {
            // Writes that were not synced are gone, and watchers have seen them.
            let next = published.next();
            self.transact(false, |tables| Ok((tables.leap(next.0)?, true)))?;
            self.core.feed.cut(next);
        } else {
            let missed = self.core.read(|view| LogReplay::new(view, "", published))?;
            let missed = missed.collect::<Result<Vec<_>, _>>()?;
            self.publish(&missed);
        }
        self.broken = false;
        Ok(())
    }
}
