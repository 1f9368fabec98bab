//! Builds a document member by member.

use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, Value};
use std::sync::LazyLock;

/// What is written comes from a document that was read, so that limits have been minded already.
static LIMITS: LazyLock<Limits> =
    LazyLock::new(|| Limits { nodes: usize::MAX, ..Limits::default() });

pub(super) struct SchemaWriter(Builder<'static>);

impl SchemaWriter {
    pub(super) fn new() -> Self {
        Self(Builder::new(&LIMITS, Duplicates::LastWins))
    }

    pub(super) fn finish(self) -> Document {
        self.0.finish().0
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        // Only a limit could refuse it.
        let _ = self.0.event(event, Span::default());
    }

    pub(super) fn key(&mut self, key: &str) {
        self.event(Event::Key(key));
    }

    pub(super) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.event(Event::BeginObject);
        members(self);
        self.event(Event::EndObject);
    }

    /// A member that is an object.
    pub(super) fn nested(&mut self, key: &str, members: impl FnOnce(&mut Self)) {
        self.key(key);
        self.object(members);
    }

    /// A member that is a list, each item of which is written by `item`.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Self, T),
    ) {
        self.key(key);
        self.event(Event::BeginArray);
        for one in items {
            item(self, one);
        }
        self.event(Event::EndArray);
    }

    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.event(Event::String(text));
    }

    pub(super) fn texts<'t>(&mut self, key: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.list(key, texts, |writer, text| writer.event(Event::String(text)));
    }

    pub(super) fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        self.event(Event::Bool(flag));
    }

    pub(super) fn int(&mut self, key: &str, int: i64) {
        self.key(key);
        self.event(Event::Int(int));
    }

    pub(super) fn value(&mut self, key: &str, value: Value<'_>) {
        self.key(key);
        self.plain(value);
    }

    pub(super) fn plain(&mut self, value: Value<'_>) {
        for event in value.events() {
            self.event(event);
        }
    }
}
