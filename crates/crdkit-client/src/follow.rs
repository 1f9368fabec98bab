//! All objects and all that happens to them, for as long as somebody asks.
//!
//! What is there is streamed by the server where it can do that (`sendInitialEvents`), and listed page by page where it cannot. A watch that ends goes on
//! where it was; one that cannot go on, because what happened since is forgotten, starts over with everything that is there.

use crate::watch::{Watch, WatchEvent, WatchOptions};
use crate::{Api, ClientError, List, ListOptions};
use std::collections::VecDeque;

/// What happened.
#[derive(Clone, Debug)]
pub enum Change<T> {
    /// All objects follow, up to [`Change::Complete`]. What was known before and is not among them is gone.
    Restarted,
    /// An object is there, or has changed.
    Applied(T),
    /// All objects that are there have been told.
    Complete,
    /// An object is gone; this is how it was.
    Deleted(T),
}

/// Follows the objects of a resource.
pub struct Follower<T> {
    api: Api<T>,
    objects: ListOptions,
    state: State<T>,
    pending: VecDeque<Change<T>>,
    /// Whether the server streams what is there.
    streams: bool,
    failures: u32,
}

enum State<T> {
    /// Nothing is known.
    Start,
    /// Everything up to a version is known.
    At(String),
    /// What is there is being streamed.
    Initial(Watch<T>),
    Watching(Watch<T>),
}

impl<T> Api<T> {
    /// Follows the objects that are selected.
    pub fn follow(&self, selected: &ListOptions) -> Follower<T> {
        let objects = ListOptions {
            label_selector: selected.label_selector.clone(),
            field_selector: selected.field_selector.clone(),
            ..ListOptions::default()
        };
        let (state, pending) = (State::Start, VecDeque::new());
        Follower { api: self.clone(), objects, state, pending, streams: true, failures: 0 }
    }
}

impl<T> Follower<T> {
    /// The next change. It waits for as long as nothing happens.
    ///
    /// # Errors
    /// What went wrong. Asking again tries again, after a pause that grows with every failure in a row.
    pub async fn next(&mut self) -> Result<Change<T>, ClientError> {
        loop {
            if let Some(change) = self.pending.pop_front() {
                return Ok(change);
            }
            if self.failures > 0 {
                let pause = self.api.client.settings().retry.backoff(self.failures - 1);
                tokio::time::sleep(pause).await;
            }
            match self.step().await {
                Ok(()) => self.failures = 0,
                Err(error) => {
                    self.failures = self.failures.saturating_add(1);
                    return Err(error);
                }
            }
        }
    }

    /// Does what is next. Whoever stops waiting for it has missed nothing.
    async fn step(&mut self) -> Result<(), ClientError> {
        match &mut self.state {
            State::Start if self.streams => self.stream().await,
            State::Start => self.list().await,
            State::At(version) => {
                let version = version.clone();
                let objects =
                    ListOptions { resource_version: version.clone(), ..self.objects.clone() };
                let options = WatchOptions { objects, bookmarks: true, ..WatchOptions::default() };
                match self.api.watch(&options).await {
                    Ok(watch) => {
                        self.state = State::Watching(watch);
                        Ok(())
                    }
                    Err(error) => self.broken(error, version),
                }
            }
            State::Initial(watch) => {
                let event = watch.next().await;
                self.initial(event)
            }
            State::Watching(watch) => {
                let event = watch.next().await;
                let version = watch.resource_version().to_owned();
                match event {
                    Ok(Some(event)) => self.pending.extend(change(event)),
                    Ok(None) => self.state = State::At(version),
                    Err(error) => return self.broken(error, version),
                }
                Ok(())
            }
        }
    }

    /// Starts with a stream of what is there; a server that has none is asked for a list.
    async fn stream(&mut self) -> Result<(), ClientError> {
        let objects = ListOptions {
            resource_version_match: "NotOlderThan".to_owned(),
            ..self.objects.clone()
        };
        let options = WatchOptions {
            objects,
            bookmarks: true,
            send_initial_events: true,
            ..WatchOptions::default()
        };
        match self.api.watch(&options).await {
            Ok(watch) => {
                self.pending.push_back(Change::Restarted);
                self.state = State::Initial(watch);
                Ok(())
            }
            Err(error) if matches!(error.code(), 400 | 422) => {
                self.streams = false;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn list(&mut self) -> Result<(), ClientError> {
        let List { items, resource_version, .. } = self.api.list_all(&self.objects).await?;
        self.pending.push_back(Change::Restarted);
        self.pending.extend(items.into_iter().map(Change::Applied));
        self.pending.push_back(Change::Complete);
        self.state = State::At(resource_version);
        Ok(())
    }

    /// Goes on with a stream of what is there. One that breaks off says nothing about what is gone, so it starts over.
    fn initial(
        &mut self,
        event: Result<Option<WatchEvent<T>>, ClientError>,
    ) -> Result<(), ClientError> {
        match event {
            Ok(Some(WatchEvent::Bookmark { ends_initial_events: true, .. })) => {
                self.pending.push_back(Change::Complete);
                if let State::Initial(watch) = std::mem::replace(&mut self.state, State::Start) {
                    self.state = State::Watching(watch);
                }
            }
            Ok(Some(event)) => self.pending.extend(change(event)),
            Ok(None) => self.state = State::Start,
            Err(error) => {
                self.state = State::Start;
                return Err(error);
            }
        }
        Ok(())
    }

    /// A watch that broke goes on where it was, unless nobody knows any more what happened since.
    fn broken(&mut self, error: ClientError, version: String) -> Result<(), ClientError> {
        if error.code() == 410 {
            self.state = State::Start;
            return Ok(());
        }
        self.state = State::At(version);
        Err(error)
    }
}

/// The change that an event tells of, if any.
fn change<T>(event: WatchEvent<T>) -> Option<Change<T>> {
    match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) => Some(Change::Applied(object)),
        WatchEvent::Deleted(object) => Some(Change::Deleted(object)),
        WatchEvent::Bookmark { .. } => None,
    }
}
