//! The thread that writes: takes what has queued up, has it made durable as one batch, answers, and keeps house between the requests.

use super::core::StoreCore;
use super::durable::{DurableState, HOUSEKEEPING, size};
use super::journal::JournalReplay;
use super::options::Durability;
use super::queue::{NextRequest, QueueReader};
use crate::{Change, Revision, Snapshot, StoreError, StoreHealth, Write};
use std::sync::Arc;
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

/// How many writes share a sync at most.
const BATCH: usize = 1024;
/// How long a batch waits for one more write to share its sync.
const COMPANY: Duration = Duration::from_micros(100);

pub(super) struct StoreWriter {
    core: Arc<StoreCore>,
    queue: QueueReader,
    state: DurableState,
    /// How many writes shared the last sync.
    expected: usize,
    /// Whether there is housekeeping left to do between the requests.
    expiring: bool,
    trimming: bool,
}

impl StoreWriter {
    pub(super) fn new(
        core: Arc<StoreCore>,
        queue: QueueReader,
        replay: JournalReplay,
    ) -> Result<StoreWriter, StoreError> {
        let state = DurableState::new(Arc::clone(&core), replay)?;
        Ok(StoreWriter { core, queue, state, expected: 0, expiring: false, trimming: false })
    }

    pub(super) fn run(mut self) {
        while let Some(request) = self.next() {
            let (mut writes, mut answers) = (Vec::new(), Vec::new());
            let mut bytes = 0;
            let mut request = Some(request);
            // Whoever shared the last sync was answered a moment ago and is likely to write again, so the batch waits for them, for a
            // moment that is short beside a sync.
            self.queue.gather(self.expected.saturating_sub(1), COMPANY);
            while let Some(WriterRequest::Write(write, answer)) = request {
                bytes += size(&write).1;
                writes.push(write);
                answers.push(answer);
                let full = writes.len() >= BATCH || bytes >= self.state.batch();
                request = if full { None } else { self.queue.try_next() };
            }
            self.expected = writes.len();
            if !writes.is_empty() {
                let results = self.state.write(writes);
                for (answer, result) in answers.into_iter().zip(results) {
                    let _ = answer.send(result);
                }
            }
            if let Some(request) = request {
                self.other(request);
            }
        }
        self.state.close();
    }

    /// The next request; what is left to do is done while there is none. None when the store is closed.
    fn next(&mut self) -> Option<WriterRequest> {
        loop {
            if self.expiring || self.trimming {
                if let Some(request) = self.queue.try_next() {
                    return Some(request);
                }
                let _ = self.housekeep();
                continue;
            }
            let wait = match self.core.options.durability {
                Durability::Batched(interval) if self.state.is_unsynced() => Some(interval),
                _ => None,
            };
            match self.queue.next(wait) {
                NextRequest::Request(request) => return Some(request),
                NextRequest::Closed => return None,
                NextRequest::TimedOut => {
                    let _ = self.state.sync();
                }
            }
        }
    }

    fn other(&mut self, request: WriterRequest) {
        match request {
            WriterRequest::Write(write, answer) => {
                if let Some(result) = self.state.write(vec![write]).pop() {
                    let _ = answer.send(result);
                }
            }
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
                let _ = answer.send(self.state.ready().map(|()| StoreHealth {
                    current: self.state.current(),
                    oldest: self.state.horizon(),
                }));
            }
        }
    }

    fn compact(&mut self, at: Revision) -> Result<(), StoreError> {
        self.state.ready()?;
        let current = self.state.current();
        if at > current {
            return Err(StoreError::FutureRevision { current });
        }
        if at > self.state.horizon() {
            self.state.settled(|tables| Ok((tables.set_horizon(at.0)?, true)))?;
            self.core.feed.compact(at);
            self.trimming = true;
        }
        Ok(())
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<Revision, StoreError> {
        self.state.ready()?;
        let revision = self.state.settled(|tables| Ok((tables.restore(snapshot)?, true)))?;
        self.core.feed.cut(revision);
        Ok(revision)
    }

    /// A step of what is left to do.
    fn housekeep(&mut self) -> Result<(), StoreError> {
        let history = self.core.options.history;
        let step = self.state.ready().and_then(|()| {
            self.state.settled(|tables| {
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
        self.core.feed.publish(&changes, self.core.clock.now());
        Ok(())
    }
}
