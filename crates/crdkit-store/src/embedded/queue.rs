//! What the thread that writes is asked to do, in the order in which it was asked.
//!
//! Goes in: requests, from any thread. Comes out: the same requests, on one thread. What must hold: nothing that was taken in is forgotten: it
//! is handed out, or dropped with its answer, which says that the store is closed; a batch that is waited for wakes the thread once, not
//! with each of its writes.

use super::writer::WriterRequest;
use crate::StoreError;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(super) struct WriterQueue {
    state: Mutex<QueueState>,
    arrived: Condvar,
}

#[derive(Default)]
struct QueueState {
    requests: VecDeque<WriterRequest>,
    /// How many requests the thread waits for; none while it does not wait.
    wanted: Option<usize>,
    closed: bool,
}

/// What comes out when somebody waits for a request.
pub(super) enum NextRequest {
    Request(WriterRequest),
    /// There was none for so long.
    TimedOut,
    /// There was none, and there will be none.
    Closed,
}

impl WriterQueue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for something.
    pub(super) fn push(&self, request: WriterRequest) -> Result<(), StoreError> {
        let mut state = self.state();
        if state.closed {
            return Err(StoreError::Closed);
        }
        state.requests.push_back(request);
        let is_awaited = state.wanted.is_some_and(|wanted| state.requests.len() >= wanted);
        drop(state);
        if is_awaited {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Takes in nothing more.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_one();
    }
}

/// The end of the queue that the thread has. Once it is gone, nobody waits for an answer in vain.
pub(super) struct QueueReader(pub(super) Arc<WriterQueue>);

impl QueueReader {
    /// Waits until there are so many requests, or the queue is closed, or for so long; says whether it was not too long.
    fn wait<'q>(
        &self,
        mut state: MutexGuard<'q, QueueState>,
        count: usize,
        wait: Option<Duration>,
    ) -> (MutexGuard<'q, QueueState>, bool) {
        state.wanted = Some(count);
        let is_short = |state: &mut QueueState| state.requests.len() < count && !state.closed;
        let arrived = &self.0.arrived;
        let (mut state, in_time) = match wait {
            None => {
                let state = arrived.wait_while(state, is_short);
                (state.unwrap_or_else(PoisonError::into_inner), true)
            }
            Some(wait) => {
                let waited = arrived.wait_timeout_while(state, wait, is_short);
                let (state, outcome) = waited.unwrap_or_else(PoisonError::into_inner);
                (state, !outcome.timed_out())
            }
        };
        state.wanted = None;
        (state, in_time)
    }

    /// The next request, if there is one now.
    pub(super) fn try_next(&self) -> Option<WriterRequest> {
        self.0.state().requests.pop_front()
    }

    /// The next request, waited for as long as it takes, or for so long.
    pub(super) fn next(&self, wait: Option<Duration>) -> NextRequest {
        let (mut state, in_time) = self.wait(self.0.state(), 1, wait);
        match state.requests.pop_front() {
            Some(request) => NextRequest::Request(request),
            None if in_time => NextRequest::Closed,
            None => NextRequest::TimedOut,
        }
    }

    /// Waits until there are so many requests, as long as more come within `pause`.
    pub(super) fn gather(&self, count: usize, pause: Duration) {
        let mut state = self.0.state();
        loop {
            let before = state.requests.len();
            if before >= count || state.closed {
                return;
            }
            let (next, in_time) = self.wait(state, count, Some(pause));
            if in_time || next.requests.len() == before {
                return;
            }
            state = next;
        }
    }
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.closed = true;
        let left = std::mem::take(&mut state.requests);
        drop(state);
        drop(left);
    }
}
