//! Changes of objects as they happen: what is there first if that is asked for, then the store's feed, until the time is over,
//! the kind changes, the server stops or the client is too slow.
//!
//! A watcher is a position in the store's feed and a filter. An event is encoded once for each form, whoever is the
//! first to need it; what others need again is found in the [`EventCache`] of the kind. Objects that a service has to
//! convert are asked for one change after the other.

use crate::answer::{Answer, AnswerBody, Pieces};
use crate::catalogue::snapshot::Served;
use crate::core::{store_status, until};
use crate::negotiate::Form;
use crate::options::ListOptions;
use crate::rules::Rules;
use crate::stored;
use crate::typed;
use crate::verbs::{Target, list_entries};
use crate::view::{Shape, View};
use bytes::Bytes;
use crdkit_codec::cbor::{Order, SequenceWriter};
use crdkit_codec::json::Layout;
use crdkit_codec::{Format, go_json};
use crdkit_native::protobuf;
use crdkit_schema::status::Status;
use crdkit_store::{Change, ChangeKind, Revision, StoreEntry, StoreError, Watch, WatchEvent};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use hyper::header::CONTENT_TYPE;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;

/// How often a watcher is told how far it is.
const BOOKMARKS: Duration = Duration::from_mins(1);
/// How long before its end a watcher is told how far it is.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// The shortest time without a limit of its own, in seconds; at most twice this.
const LIFETIME: u64 = 1800;

/// The newest events of a kind in the forms they were sent in.
#[derive(Debug, Default)]
pub(crate) struct EventCache {
    newest: Mutex<VecDeque<(EventKey, Bytes)>>,
    /// The revision of the newest change.
    changed: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventKey {
    revision: Revision,
    kind: EventKind,
    format: Format,
    protobuf: bool,
    partial: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventKind {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

/// So many events are kept for others.
const CACHED: usize = 128;

impl EventCache {
    fn get(&self, key: EventKey) -> Option<Bytes> {
        let newest = self.newest.lock().ok()?;
        newest.iter().rev().find(|(known, _)| *known == key).map(|(_, bytes)| bytes.clone())
    }

    fn put(&self, key: EventKey, bytes: &Bytes) {
        if let Ok(mut newest) = self.newest.lock() {
            if newest.len() >= CACHED {
                newest.pop_front();
            }
            newest.push_back((key, bytes.clone()));
        }
    }

    /// Notes that an object has changed.
    pub(crate) fn note(&self, revision: Revision) {
        self.changed.fetch_max(revision.0, Ordering::Relaxed);
    }
}

impl EventKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }
}

impl Target<'_> {
    pub(crate) async fn watch(&self) -> Result<Answer, Box<Status>> {
        Form::of(self.request, &self.offer())?;
        let options = ListOptions::parse(&self.request.query)?;
        let mut options = ListOptions { watch: true, ..options };
        options.check()?;
        self.check_fields(&options)?;
        let mut form = Form::of_watch(self.request, &self.offer())?;
        if !protobuf::has_message(
            &self.served.resource.api_version(),
            &self.served.resource.kind.kind,
        ) && form.convert.is_none()
        {
            form = form.without_protobuf();
        }
        let shape = self.shape(&form)?;
        let start = options.revision().map_err(Status::unclassified)?;
        let mut stream = WatchPieces {
            served: Arc::clone(&self.served),
            name: self.name.map(str::to_owned),
            pending: VecDeque::new(),
            initial: Vec::new().into_iter(),
            after_initial: None,
            feed: None,
            converting: None,
            end: Box::pin(std::future::pending()),
            bookmark: None,
            bookmarks_every: Box::pin(tokio::time::sleep(BOOKMARKS)),
            told: 0,
            headers: true,
            now: self.core.environment.now(),
            form,
            shape,
            options: options.clone(),
        };
        let initial = match options.initial_events {
            Some(initial) => initial,
            None => matches!(start, None | Some(0)),
        };
        let after = if initial {
            let current = self.core.store.current().await.map_err(|it| store_status(&it))?;
            if let Some(wanted) = start.filter(|wanted| *wanted > current.0) {
                return Ok(stream.refuse(&Status::version_too_large(wanted, current.0)));
            }
            // All of it: what is asked for is where to start, not a page.
            options.version.clear();
            options.version_match.clear();
            options.continue_token.clear();
            options.limit = 0;
            let listed = list_entries(self, &options).await?;
            match listed.objects {
                Some(objects) => {
                    for (entry, object) in listed.entries.iter().zip(objects) {
                        if stream.is_about(entry) {
                            let revision = entry.revision;
                            let event =
                                stream.event(EventKind::Added, entry, revision, Some(object));
                            stream.pending.push_back(event);
                        }
                    }
                }
                None => stream.initial = listed.entries.into_iter(),
            }
            let revision = Revision(listed.head.revision);
            stream.after_initial = options.bookmarks.then_some(revision);
            revision
        } else {
            match start {
                None | Some(0) => {
                    self.core.store.current().await.map_err(|it| store_status(&it))?
                }
                Some(start) => Revision(start),
            }
        };
        let prefix = self.served.collection(&self.core.layout, self.namespace);
        let feed = if after < self.served.since {
            Err(StoreError::Compacted { at: self.served.since })
        } else {
            self.core.store.watch(&prefix, after).await
        };
        match feed {
            Ok(feed) => stream.feed = Some(feed),
            Err(StoreError::Compacted { at }) => {
                let text = format!("too old resource version: {} ({})", after.0, at.0);
                return Ok(stream.refuse(&Status::expired(text, "")));
            }
            Err(error) => return Err(store_status(&error)),
        }
        stream.told = after.0.max(self.served.events.changed.load(Ordering::Relaxed));
        let seconds = match options.timeout_seconds.and_then(|it| u64::try_from(it).ok()) {
            Some(seconds) if seconds > 0 => seconds,
            _ => LIFETIME + self.core.environment.below(LIFETIME),
        };
        let lifetime = Duration::from_secs(seconds);
        stream.end =
            Box::pin(end_of(lifetime, self.served.ended.clone(), self.core.stop.subscribe()));
        if options.bookmarks {
            let last = lifetime.saturating_sub(LAST_BOOKMARK);
            stream.bookmark = Some(Box::pin(tokio::time::sleep(last)));
        }
        Ok(stream.answer())
    }
}

async fn end_of(lifetime: Duration, ended: watch::Receiver<bool>, stop: watch::Receiver<bool>) {
    tokio::select! {
        () = tokio::time::sleep(lifetime) => {}
        () = until(ended) => {}
        () = until(stop) => {}
    }
}

/// What is asked for: what was and what is.
type Converting = Pin<Box<dyn Future<Output = Result<[Option<Document>; 2], Box<Status>>> + Send>>;

/// What was and what is after a change, as objects of a kind that has a converter.
async fn convert(
    served: Arc<Served>,
    change: Arc<Change>,
) -> Result<[Option<Document>; 2], Box<Status>> {
    let Rules::Custom(rules) = &served.rules else { return Ok([None, None]) };
    let mut objects = [None, None];
    for (object, entry) in objects.iter_mut().zip([&change.previous, &change.current]) {
        if let Some(entry) = entry {
            *object = Some(rules.read_shared(entry).await?);
        }
    }
    Ok(objects)
}

/// The body of a watch.
struct WatchPieces {
    served: Arc<Served>,
    /// The one object that it is about.
    name: Option<String>,
    form: Form,
    shape: Shape,
    options: ListOptions,
    pending: VecDeque<Bytes>,
    /// What is there at the start.
    initial: std::vec::IntoIter<Arc<StoreEntry>>,
    /// Where the start ends, if that is to be said.
    after_initial: Option<Revision>,
    feed: Option<Watch>,
    /// A change whose objects are asked for.
    converting: Option<(Arc<Change>, Converting)>,
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
    bookmark: Option<Pin<Box<tokio::time::Sleep>>>,
    bookmarks_every: Pin<Box<tokio::time::Sleep>>,
    /// The revision that the watcher was told last.
    told: u64,
    /// Whether the next table describes its columns.
    headers: bool,
    now: Timestamp,
}

impl WatchPieces {
    fn answer(self) -> Answer {
        let content_type = self.form.content_type;
        let body = AnswerBody::Pieces(Box::new(self));
        Answer { code: 200, headers: Vec::new(), body }.header(CONTENT_TYPE, content_type)
    }

    /// A stream that says why there is none, and ends.
    fn refuse(mut self, status: &Status) -> Answer {
        let event = self.encode(EventKind::Error, status.document().root());
        self.pending.push_back(event);
        self.answer()
    }

    fn encode(&self, kind: EventKind, object: Value<'_>) -> Bytes {
        let mut out = Vec::new();
        if self.form.protobuf {
            match protobuf::encode_event(kind.as_str(), object) {
                Ok(event) => return event.into(),
                Err(error) => {
                    let status = Status::internal_error(error.to_string()).document();
                    let event = protobuf::encode_event(EventKind::Error.as_str(), status.root());
                    return event.unwrap_or_default().into();
                }
            }
        }
        if self.form.format == Format::Cbor {
            let mut writer = SequenceWriter::new(&mut out);
            // Objects have no numbers that CBOR has no form for, and memory takes all bytes.
            let _ = writer.event(kind.as_str(), object, Order::Sorted);
        } else {
            out.extend_from_slice(b"{\"type\":\"");
            out.extend_from_slice(kind.as_str().as_bytes());
            out.extend_from_slice(b"\",\"object\":");
            go_json::write(object, Layout::Compact, &mut out);
            out.extend_from_slice(b"}\n");
        }
        out.into()
    }

    /// The event about an entry, at a revision.
    fn event(
        &mut self,
        kind: EventKind,
        entry: &StoreEntry,
        revision: Revision,
        object: Option<Document>,
    ) -> Bytes {
        let key = EventKey {
            revision,
            kind,
            format: self.form.format,
            protobuf: self.form.protobuf,
            partial: !matches!(self.shape, Shape::Plain),
        };
        let cached = !matches!(self.shape, Shape::Table { .. });
        if let Some(bytes) = cached.then(|| self.served.events.get(key)).flatten() {
            return bytes;
        }
        let bytes = match self.served.splice_at(entry) {
            Some(at) if self.form.is_stored_form() => {
                let mut out = Vec::with_capacity(entry.value.len() + 80);
                out.extend_from_slice(b"{\"type\":\"");
                out.extend_from_slice(kind.as_str().as_bytes());
                out.extend_from_slice(b"\",\"object\":");
                stored::splice(&entry.value, at, revision, &mut out);
                out.extend_from_slice(b"}\n");
                out.into()
            }
            _ => {
                let mut object = object.unwrap_or_else(|| self.served.rules.read_alone(entry));
                stored::set_revision(&mut object, revision);
                let shown = self.shown(&object);
                self.encode(kind, shown.root())
            }
        };
        if cached {
            self.served.events.put(key, &bytes);
        }
        bytes
    }

    fn shown(&mut self, object: &Document) -> Document {
        let headers = std::mem::take(&mut self.headers);
        let view =
            View { served: &self.served, form: &self.form, shape: &self.shape, now: self.now };
        view.event_object(object, headers)
    }

    fn bookmark_at(&mut self, revision: Revision, is_end_of_initial: bool) -> Bytes {
        self.told = self.told.max(revision.0);
        let mut metadata = Document::object().with("resourceVersion", &revision.to_string());
        if is_end_of_initial {
            let note = Document::object().with("k8s.io/initial-events-end", "true");
            metadata = metadata.with("annotations", &note);
        }
        let resource = &self.served.resource;
        let empty = match self.served.rules {
            Rules::Definition | Rules::Native(_) => typed::empty(&self.served),
            Rules::Custom(_) | Rules::Review(_) => Document::object(),
        };
        let object = empty
            .with("apiVersion", &resource.api_version())
            .with("kind", resource.kind.kind.as_str())
            .with("metadata", &metadata);
        let shown = self.shown(&object);
        self.encode(EventKind::Bookmark, shown.root())
    }

    fn is_about(&self, entry: &StoreEntry) -> bool {
        let name = entry.key.rsplit('/').next().unwrap_or_default();
        self.name.as_deref().is_none_or(|wanted| wanted == name)
    }

    fn is_selected(&self, entry: Option<&Arc<StoreEntry>>, object: Option<&Document>) -> bool {
        let selection = &self.options.selection;
        entry.is_some_and(|entry| {
            self.is_about(entry)
                && (selection.is_everything()
                    || match object {
                        Some(object) => selection.matches(object.root()),
                        None => selection.matches(self.served.rules.read_alone(entry).root()),
                    })
        })
    }

    /// The event that a change is to this watcher; with what was and what is, if that had to be asked for.
    fn change(&mut self, change: &Change, objects: [Option<Document>; 2]) -> Option<Bytes> {
        let [before, after] = objects;
        let was = self.is_selected(change.previous.as_ref(), before.as_ref());
        let is = self.is_selected(change.current.as_ref(), after.as_ref());
        let (kind, entry, object) = match (was, is, change.kind()) {
            (false, false, _) => return None,
            (true, false, _) => (EventKind::Deleted, change.previous.as_ref()?, before),
            (true, true, ChangeKind::Updated) => {
                (EventKind::Modified, change.current.as_ref()?, after)
            }
            (_, true, _) => (EventKind::Added, change.current.as_ref()?, after),
        };
        let entry = Arc::clone(entry);
        Some(self.event(kind, &entry, change.revision, object))
    }

    /// The objects of the change that is being asked for, if there is one and they are there.
    fn poll_converting(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Option<Bytes>, Box<Status>>>> {
        let Some((change, converting)) = &mut self.converting else { return Poll::Ready(None) };
        let Poll::Ready(objects) = converting.as_mut().poll(context) else {
            return Poll::Pending;
        };
        let change = Arc::clone(change);
        self.converting = None;
        Poll::Ready(Some(objects.map(|objects| self.change(&change, objects))))
    }

    fn failure(&mut self, error: &StoreError) -> Option<Bytes> {
        let status = match error {
            StoreError::Closed => return None,
            StoreError::Compacted { .. } | StoreError::Lagging { .. } => {
                Status::expired("The resourceVersion for the provided watch is too old.", "")
            }
            error => *store_status(error),
        };
        Some(self.encode(EventKind::Error, status.document().root()))
    }
}

impl Pieces for WatchPieces {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(bytes) = self.pending.pop_front() {
            return Poll::Ready(Some(bytes));
        }
        while let Some(entry) = self.initial.next() {
            if self.is_about(&entry) {
                let event = self.event(EventKind::Added, &entry, entry.revision, None);
                return Poll::Ready(Some(event));
            }
        }
        if let Some(revision) = self.after_initial.take() {
            let event = self.bookmark_at(revision, true);
            return Poll::Ready(Some(event));
        }
        let Some(mut feed) = self.feed.take() else { return Poll::Ready(None) };
        if self.options.bookmarks {
            let last =
                self.bookmark.as_mut().is_some_and(|it| it.as_mut().poll(context).is_ready());
            if last {
                self.bookmark = None;
            }
            let due = self.bookmarks_every.as_mut().poll(context).is_ready();
            if due {
                self.bookmarks_every = Box::pin(tokio::time::sleep(BOOKMARKS));
                let _ = self.bookmarks_every.as_mut().poll(context);
            }
            let changed = self.served.events.changed.load(Ordering::Relaxed);
            if (last || due) && changed > self.told {
                feed.request_progress();
            }
        }
        loop {
            match self.poll_converting(context) {
                Poll::Ready(None | Some(Ok(None))) => {}
                Poll::Ready(Some(Ok(Some(event)))) => {
                    self.feed = Some(feed);
                    return Poll::Ready(Some(event));
                }
                Poll::Ready(Some(Err(status))) => {
                    let event = self.encode(EventKind::Error, status.document().root());
                    return Poll::Ready(Some(event));
                }
                Poll::Pending => {
                    if self.end.as_mut().poll(context).is_ready() {
                        return Poll::Ready(None);
                    }
                    self.feed = Some(feed);
                    return Poll::Pending;
                }
            }
            let event = match feed.poll_next(context) {
                Poll::Pending => {
                    // What happened before the end is told first.
                    if self.end.as_mut().poll(context).is_ready() {
                        return Poll::Ready(None);
                    }
                    self.feed = Some(feed);
                    return Poll::Pending;
                }
                Poll::Ready(Err(error)) => {
                    return Poll::Ready(self.failure(&error));
                }
                Poll::Ready(Ok(WatchEvent::Progress(revision))) => {
                    Some(self.bookmark_at(revision, false))
                }
                Poll::Ready(Ok(WatchEvent::Change(change))) => {
                    self.served.events.note(change.revision);
                    if self.served.rules.has_converter() {
                        let converting = convert(Arc::clone(&self.served), Arc::clone(&change));
                        self.converting = Some((change, Box::pin(converting)));
                        continue;
                    }
                    self.change(&change, [None, None])
                }
            };
            if let Some(event) = event {
                self.feed = Some(feed);
                return Poll::Ready(Some(event));
            }
        }
    }
}
