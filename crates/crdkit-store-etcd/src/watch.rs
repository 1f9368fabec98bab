//! A watch that outlives its connection.
//!
//! A task reads etcd's answers and passes the changes on in order. Where the connection breaks it connects again and goes on after the last
//! revision that was passed on, so nothing is lost or repeated. It ends with the watch, or when etcd has forgotten what comes next.

use crate::client::{EtcdClient, revision};
use crate::convert::{self, number, span};
use crate::messages::{NoContent, WatchAnswer, WatchCreate, WatchDemand, WatchQuery};
use crdkit_store::{Revision, StoreError, WatchEvent, WatchSource};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tonic::Streaming;

/// How many events may wait for the watcher before etcd has to.
const WAITING: usize = 1024;

/// The reading end.
pub(crate) struct EtcdWatch {
    events: mpsc::Receiver<Result<WatchEvent, StoreError>>,
    progress: mpsc::Sender<()>,
    end: Option<StoreError>,
}

impl EtcdWatch {
    /// `prompt`: whether etcd can be asked for progress.
    pub(crate) fn new(
        client: Arc<EtcdClient>,
        prefix: &str,
        after: Revision,
        prompt: bool,
    ) -> EtcdWatch {
        let (sender, events) = mpsc::channel(WAITING);
        let (progress, wanted) = mpsc::channel(1);
        let task = WatchTask {
            client,
            prefix: prefix.to_owned(),
            delivered: after,
            events: sender,
            wanted,
            wants: false,
            prompt,
        };
        tokio::spawn(task.run());
        EtcdWatch { events, progress, end: None }
    }
}

impl WatchSource for EtcdWatch {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<WatchEvent, StoreError>> {
        if let Some(end) = &self.end {
            return Poll::Ready(Err(end.clone()));
        }
        let Poll::Ready(event) = self.events.poll_recv(context) else { return Poll::Pending };
        let event = event.unwrap_or(Err(StoreError::Closed));
        self.end = event.as_ref().err().cloned();
        Poll::Ready(event)
    }

    fn request_progress(&mut self) {
        // One request that waits is as good as many.
        let _ = self.progress.try_send(());
    }
}

/// What asks etcd for a watch.
pub(crate) fn create(key: Vec<u8>, range_end: Vec<u8>, start_revision: i64) -> WatchQuery {
    let create =
        WatchCreate { key, range_end, start_revision, progress_notify: true, prev_kv: true };
    WatchQuery { demand: Some(WatchDemand::Create(create)) }
}

struct WatchTask {
    client: Arc<EtcdClient>,
    prefix: String,
    /// Nothing up to here is to be passed on any more.
    delivered: Revision,
    events: mpsc::Sender<Result<WatchEvent, StoreError>>,
    wanted: mpsc::Receiver<()>,
    wants: bool,
    prompt: bool,
}

/// Why a connection is left.
enum WatchStop {
    Broken,
    End(StoreError),
    /// Nobody watches any more.
    Unwatched,
}

impl WatchTask {
    async fn run(mut self) {
        let mut pause = Duration::from_millis(20);
        loop {
            let (key, end) = span(&self.prefix, &self.prefix);
            let query = create(key, end, number(self.delivered.next()));
            if let Ok((queries, answers)) = self.client.watch(query).await {
                let before = self.delivered;
                match self.follow(&queries, answers).await {
                    WatchStop::Broken => {}
                    WatchStop::Unwatched => return,
                    WatchStop::End(error) => {
                        let _ = self.events.send(Err(error)).await;
                        return;
                    }
                }
                if self.delivered > before {
                    pause = Duration::from_millis(20);
                }
            }
            tokio::select! {
                () = self.events.closed() => return,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_secs(5)),
            }
        }
    }

    async fn follow(
        &mut self,
        queries: &mpsc::Sender<WatchQuery>,
        mut answers: Streaming<WatchAnswer>,
    ) -> WatchStop {
        loop {
            // etcd leaves a request unanswered while it catches up, so it is asked again.
            let again = tokio::time::sleep(Duration::from_millis(100));
            tokio::select! {
                answer = answers.message() => {
                    let Ok(Some(answer)) = answer else { return WatchStop::Broken };
                    if let Err(stop) = self.pass_on(&answer).await {
                        return stop;
                    }
                    continue;
                }
                wanted = self.wanted.recv() => {
                    if wanted.is_none() {
                        return WatchStop::Unwatched;
                    }
                    self.wants = true;
                }
                () = self.events.closed() => return WatchStop::Unwatched,
                () = again, if self.wants && self.prompt => {}
            }
            if self.prompt {
                let query = WatchQuery { demand: Some(WatchDemand::Progress(NoContent {})) };
                if queries.send(query).await.is_err() {
                    return WatchStop::Broken;
                }
            }
        }
    }

    async fn pass_on(&mut self, answer: &WatchAnswer) -> Result<(), WatchStop> {
        if answer.compact_revision > 0 {
            let at = convert::revision(answer.compact_revision);
            return Err(WatchStop::End(StoreError::Compacted { at }));
        }
        if answer.canceled {
            return Err(WatchStop::Broken);
        }
        for event in &answer.events {
            let change = convert::change(event).map_err(WatchStop::End)?;
            if change.revision > self.delivered {
                self.send(WatchEvent::Change(change)).await?;
            }
        }
        let at = revision(answer.header.as_ref());
        if let Some(last) = answer.events.last() {
            let last = last.kv.as_ref().map_or(0, |kv| kv.mod_revision);
            self.delivered = self.delivered.max(convert::revision(last));
        } else if !answer.created {
            self.delivered = self.delivered.max(at);
            if self.wants {
                self.wants = false;
                self.send(WatchEvent::Progress(at)).await?;
            }
        }
        Ok(())
    }

    async fn send(&self, event: WatchEvent) -> Result<(), WatchStop> {
        self.events.send(Ok(event)).await.map_err(|_| WatchStop::Unwatched)
    }
}
