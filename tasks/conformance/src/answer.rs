//! Puts answers together as JSON text.

use crdkit::codec::json::{self, Layout};
use crdkit::value::Value;

/// A JSON object being written.
pub(crate) struct Answer(Vec<u8>);

impl Answer {
    /// An answer to the case called `id`.
    pub(crate) fn to(id: &str) -> Self {
        Self(Vec::new()).string("id", id)
    }

    pub(crate) fn string(self, key: &str, text: &str) -> Self {
        self.with(key, |out| json::write_string(text, out))
    }

    pub(crate) fn bool(self, key: &str, bool: bool) -> Self {
        self.with(key, |out| out.extend_from_slice(if bool { b"true" } else { b"false" }))
    }

    pub(crate) fn value(self, key: &str, value: Value<'_>) -> Self {
        self.with(key, |out| json::write(value, Layout::Compact, out))
    }

    /// The finished line.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }

    fn with(mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        json::write_string(key, &mut self.0);
        self.0.push(b':');
        write(&mut self.0);
        self
    }
}
