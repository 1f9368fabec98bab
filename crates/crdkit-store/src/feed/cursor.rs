//! One watcher: what it missed before it came, then its position in a topic.

use super::Feed;
use super::topic::{FeedTopic, TopicRead};
use crate::{Change, Revision, StoreError, WatchEvent, WatchSource};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

pub(crate) struct FeedCursor {
    feed: Arc<Feed>,
    topic: Arc<FeedTopic>,
    backlog: VecDeque<Arc<Change>>,
    position: u64,
    /// Nothing up to here is to be given any more.
    delivered: Revision,
    waits: Option<(u64, Waker)>,
    progress: bool,
}

impl FeedCursor {
    /// Called with the feed locked, so that nothing comes between the backlog and the position.
    pub(super) fn new(
        feed: Arc<Feed>,
        topic: Arc<FeedTopic>,
        after: Revision,
        backlog: VecDeque<Arc<Change>>,
    ) -> FeedCursor {
        let position = topic.enter();
        FeedCursor {
            feed,
            topic,
            backlog,
            position,
            delivered: after,
            waits: None,
            progress: false,
        }
    }

    fn take(&mut self, read: TopicRead) -> Option<Result<WatchEvent, StoreError>> {
        match read {
            TopicRead::Change(change) => {
                self.position += 1;
                (change.revision > self.delivered).then(|| Ok(self.deliver(change)))
            }
            TopicRead::Nothing => None,
            TopicRead::Passed => Some(Err(StoreError::Lagging { delivered: self.delivered })),
            TopicRead::End(why) => Some(Err(why)),
        }
    }

    fn deliver(&mut self, change: Arc<Change>) -> WatchEvent {
        self.delivered = change.revision;
        WatchEvent::Change(change)
    }
}

impl WatchSource for FeedCursor {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<WatchEvent, StoreError>> {
        if let Some(change) = self.backlog.pop_front() {
            return Poll::Ready(Ok(self.deliver(change)));
        }
        loop {
            if self.progress {
                // Read before the topic is looked at: what is published is in the topic.
                let published = self.feed.published();
                match self.topic.read(self.position) {
                    TopicRead::Nothing => {
                        self.progress = false;
                        return Poll::Ready(Ok(WatchEvent::Progress(published)));
                    }
                    read => match self.take(read) {
                        Some(event) => return Poll::Ready(event),
                        None => continue,
                    },
                }
            }
            let Poll::Ready(read) = self.topic.poll(self.position, context, &mut self.waits) else {
                return Poll::Pending;
            };
            if let Some(event) = self.take(read) {
                return Poll::Ready(event);
            }
        }
    }

    fn request_progress(&mut self) {
        self.progress = true;
    }
}

impl Drop for FeedCursor {
    fn drop(&mut self) {
        self.feed.leave(&self.topic);
    }
}
