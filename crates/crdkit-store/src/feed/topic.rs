//! The latest changes under one prefix, for those who watch it.

use super::lock;
use crate::{Change, History, StoreError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

#[derive(Debug)]
pub(super) struct FeedTopic {
    prefix: Arc<str>,
    queue: Mutex<TopicQueue>,
}

#[derive(Debug, Default)]
struct TopicQueue {
    changes: VecDeque<Arc<Change>>,
    /// How many changes were dropped from the front.
    dropped: u64,
    bytes: usize,
    watchers: usize,
    waiting: Vec<Waker>,
    /// How often those who wait were woken.
    woken: u64,
    end: Option<StoreError>,
}

/// What a watcher finds at its position.
pub(super) enum TopicRead {
    Change(Arc<Change>),
    Nothing,
    Passed,
    End(StoreError),
}

impl FeedTopic {
    pub(super) fn new(prefix: Arc<str>) -> FeedTopic {
        FeedTopic { prefix, queue: Mutex::default() }
    }

    pub(super) fn prefix(&self) -> &Arc<str> {
        &self.prefix
    }

    /// A watcher comes, and starts at the end of the queue.
    pub(super) fn enter(&self) -> u64 {
        let mut queue = lock(&self.queue);
        queue.watchers += 1;
        queue.dropped + queue.changes.len() as u64
    }

    /// A watcher goes; whether it was the last.
    pub(super) fn leave(&self) -> bool {
        let mut queue = lock(&self.queue);
        queue.watchers = queue.watchers.saturating_sub(1);
        queue.watchers == 0
    }

    pub(super) fn push(&self, change: &Arc<Change>, history: &History, wakers: &mut Vec<Waker>) {
        let mut queue = lock(&self.queue);
        queue.bytes += change.weight();
        queue.changes.push_back(Arc::clone(change));
        while queue.changes.len() > history.count || queue.bytes > history.bytes {
            let Some(first) = queue.changes.pop_front() else { break };
            queue.bytes = queue.bytes.saturating_sub(first.weight());
            queue.dropped += 1;
        }
        queue.wake(wakers);
    }

    pub(super) fn end(&self, why: &StoreError) -> Vec<Waker> {
        let mut queue = lock(&self.queue);
        queue.end = Some(why.clone());
        let mut wakers = Vec::new();
        queue.wake(&mut wakers);
        wakers
    }

    pub(super) fn read(&self, position: u64) -> TopicRead {
        lock(&self.queue).read(position)
    }

    /// Like `read`, but waits where there is nothing. `waits` remembers between calls that the watcher is on the list already.
    pub(super) fn poll(
        &self,
        position: u64,
        context: &Context<'_>,
        waits: &mut Option<(u64, Waker)>,
    ) -> Poll<TopicRead> {
        let mut queue = lock(&self.queue);
        match queue.read(position) {
            TopicRead::Nothing => {
                let listed = waits.as_ref().is_some_and(|(woken, waker)| {
                    *woken == queue.woken && waker.will_wake(context.waker())
                });
                if !listed {
                    queue.waiting.push(context.waker().clone());
                    *waits = Some((queue.woken, context.waker().clone()));
                }
                Poll::Pending
            }
            read => Poll::Ready(read),
        }
    }
}

impl TopicQueue {
    fn wake(&mut self, wakers: &mut Vec<Waker>) {
        self.woken += 1;
        wakers.append(&mut self.waiting);
    }

    fn read(&self, position: u64) -> TopicRead {
        if let Some(end) = &self.end {
            return TopicRead::End(end.clone());
        }
        let Some(index) = position.checked_sub(self.dropped) else { return TopicRead::Passed };
        let change = usize::try_from(index).ok().and_then(|index| self.changes.get(index));
        change.map_or(TopicRead::Nothing, |change| TopicRead::Change(Arc::clone(change)))
    }
}
