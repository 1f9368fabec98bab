//! A document written member by member.
//!
//! What a program writes down is its own, so there are no limits and nothing is refused; of two members with one key
//! the last one stays.
//!
//! ```
//! use crdkit_value::Writer;
//!
//! let mut writer = Writer::new();
//! writer.object(|writer| {
//!     writer.text("kind", "Lamp");
//!     writer.nested("spec", |writer| writer.int("watts", 7));
//! });
//! assert_eq!(format!("{:?}", writer.finish()), r#"{"kind": "Lamp", "spec": {"watts": 7}}"#);
//! ```

use crate::{Builder, Document, Duplicates, Event, Limits, Value};
use crdkit_issue::Span;

const NO_LIMITS: &Limits = &Limits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    issues: usize::MAX,
    alias_bytes: usize::MAX,
    default_bytes: usize::MAX,
    rule_bytes: usize::MAX,
};

/// Writes one document.
pub struct Writer(Builder<'static>);

impl Writer {
    /// A writer that has written nothing.
    pub fn new() -> Self {
        Self(Builder::new(NO_LIMITS, Duplicates::LastWins))
    }

    /// What was written.
    pub fn finish(self) -> Document {
        self.0.finish().0
    }

    /// Writes one event.
    pub fn event(&mut self, event: Event<'_>) {
        // Only a limit could refuse it.
        let _ = self.0.event(event, Span::default());
    }

    /// The key of the value that is written next.
    pub fn key(&mut self, key: &str) {
        self.event(Event::Key(key));
    }

    /// An object, whose members are written by `members`.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.event(Event::BeginObject);
        members(self);
        self.event(Event::EndObject);
    }

    /// A member that is an object.
    pub fn nested(&mut self, key: &str, members: impl FnOnce(&mut Self)) {
        self.key(key);
        self.object(members);
    }

    /// A member that is a list, each item of which is written by `item`.
    pub fn list<T>(
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

    /// A member that is a string.
    pub fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.event(Event::String(text));
    }

    /// A member that is a list of strings.
    pub fn texts<T: AsRef<str>>(&mut self, key: &str, texts: impl IntoIterator<Item = T>) {
        self.list(key, texts, |writer, text| writer.event(Event::String(text.as_ref())));
    }

    /// A member that is true or false.
    pub fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        self.event(Event::Bool(flag));
    }

    /// A member that is an integer.
    pub fn int(&mut self, key: &str, int: i64) {
        self.key(key);
        self.event(Event::Int(int));
    }

    /// A member that is a copy of `value`.
    pub fn value(&mut self, key: &str, value: Value<'_>) {
        self.key(key);
        self.plain(value);
    }

    /// A copy of `value`.
    pub fn plain(&mut self, value: Value<'_>) {
        for event in value.events() {
            self.event(event);
        }
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}
