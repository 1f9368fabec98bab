//! One watch: events until it ends.

use crate::answer::{self, status, text};
use crate::call::Call;
use crate::stream::Events;
use crate::{Api, ClientError, ListOptions};
use crdkit_value::{Document, Value};
use http_body_util::BodyExt as _;
use kube::client::Body;

/// What is watched, and from where on.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// Which objects. A page is never watched.
    pub objects: ListOptions,
    /// Whether all objects that are there come first, then a bookmark that says so.
    pub send_initial_events: bool,
    /// Whether the server says from time to time how far the watch is.
    pub bookmarks: bool,
    /// When the server ends it.
    pub timeout_seconds: Option<u64>,
}

/// Something that happened, or how far a watch is.
#[derive(Clone, Debug)]
pub enum WatchEvent<T> {
    /// There is a new object.
    Added(T),
    /// An object has changed.
    Modified(T),
    /// An object is gone; this is how it was.
    Deleted(T),
    /// Everything up to a version was told.
    Bookmark {
        /// The version.
        resource_version: String,
        /// Whether all objects that were there at the start have been told.
        ends_initial_events: bool,
    },
}

/// A watch. It ends when the server ends it.
pub struct Watch<T> {
    request: String,
    body: Body,
    events: Events,
    read: fn(Document) -> Result<T, ClientError>,
    /// The version of the last event.
    resource_version: String,
}

impl<T> Api<T> {
    /// Watches objects.
    ///
    /// # Errors
    /// When the server refuses or does not answer.
    pub async fn watch(&self, options: &WatchOptions) -> Result<Watch<T>, ClientError> {
        let mut call = Call::get(self.collection());
        let objects =
            ListOptions { limit: 0, continue_token: String::new(), ..options.objects.clone() };
        let query = &mut call.query;
        query.flag("watch", true);
        query.flag("sendInitialEvents", options.send_initial_events);
        query.flag("allowWatchBookmarks", options.bookmarks);
        query.number("timeoutSeconds", options.timeout_seconds);
        objects.write(query);
        let (parts, body) = self.client.open(&call).await?.into_parts();
        let settings = self.client.settings();
        let events = answer::format(&parts.headers)
            .and_then(|format| Events::new(format, &settings.limits, settings.max_event));
        let Some(events) = events else {
            let problem = "it is no stream of events".to_owned();
            return Err(ClientError::Answer { request: call.name(), problem });
        };
        let resource_version = options.objects.resource_version.clone();
        Ok(Watch { request: call.name(), body, events, read: self.read, resource_version })
    }
}

impl<T> Watch<T> {
    /// The next event; none when the watch is over.
    ///
    /// # Errors
    /// When the connection breaks, or the server says why the watch cannot go on.
    pub async fn next(&mut self) -> Result<Option<WatchEvent<T>>, ClientError> {
        loop {
            let event = self.events.next().map_err(|problem| self.unreadable(problem))?;
            if let Some(event) = event {
                return self.event(&event).map(Some);
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.events.push(bytes);
                    }
                }
                Some(Err(source)) => {
                    let (request, source) = (self.request.clone(), Box::new(source));
                    return Err(ClientError::Transport { request, source });
                }
            }
        }
    }

    /// The version of the last event, from which a watch can go on; empty before the first one, unless one was given.
    pub fn resource_version(&self) -> &str {
        &self.resource_version
    }

    fn unreadable(&self, problem: String) -> ClientError {
        ClientError::Answer { request: self.request.clone(), problem }
    }

    fn event(&mut self, event: &Document) -> Result<WatchEvent<T>, ClientError> {
        const END: &str = "k8s.io/initial-events-end";
        let root = event.root();
        let Some(object) = root.get("object") else {
            return Err(self.unreadable("an event has no object".to_owned()));
        };
        let kind = text(root.get("type"));
        if kind == "ERROR" {
            return Err(ClientError::Refused(Box::new(status(object, 500))));
        }
        let metadata = object.get("metadata");
        let version = text(metadata.and_then(|it| it.get("resourceVersion")));
        version.clone_into(&mut self.resource_version);
        let read = || (self.read)(Document::copy_of(object));
        Ok(match kind {
            "ADDED" => WatchEvent::Added(read()?),
            "MODIFIED" => WatchEvent::Modified(read()?),
            "DELETED" => WatchEvent::Deleted(read()?),
            "BOOKMARK" => {
                let notes = metadata.and_then(|it| it.get("annotations"));
                let end = notes.and_then(|it| it.get(END)).and_then(Value::as_str);
                let resource_version = version.to_owned();
                WatchEvent::Bookmark { resource_version, ends_initial_events: end == Some("true") }
            }
            other => return Err(self.unreadable(format!("there is an event of type {other:?}"))),
        })
    }
}
