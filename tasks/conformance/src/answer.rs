//! Puts answers together as JSON text.

use crdkit_codec::json::{self, Layout};
use crdkit_value::Value;

/// A JSON object being written.
pub(crate) struct Answer(Vec<u8>);

impl Answer {
    /// An object without members.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// An answer to the case called `id`.
    pub(crate) fn to(id: &str) -> Self {
        Self::new().string("id", id)
    }

    pub(crate) fn string(self, key: &str, text: &str) -> Self {
        self.with(key, |out| json::write_string(text, out))
    }

    pub(crate) fn int(self, key: &str, int: i64) -> Self {
        self.with(key, |out| out.extend_from_slice(int.to_string().as_bytes()))
    }

    pub(crate) fn bool(self, key: &str, bool: bool) -> Self {
        self.with(key, |out| out.extend_from_slice(if bool { b"true" } else { b"false" }))
    }

    pub(crate) fn ints(self, key: &str, ints: impl Iterator<Item = i64>) -> Self {
        self.with(key, |out| {
            list(ints, out, |int, out| out.extend_from_slice(int.to_string().as_bytes()));
        })
    }

    pub(crate) fn strings(self, key: &str, texts: &[String]) -> Self {
        self.with(key, |out| {
            list(texts.iter(), out, |text, out| json::write_string(text, out));
        })
    }

    pub(crate) fn object(self, key: &str, object: &Self) -> Self {
        self.with(key, |out| object.write(out))
    }

    pub(crate) fn objects(self, key: &str, objects: impl Iterator<Item = Self>) -> Self {
        self.with(key, |out| list(objects, out, |object, out| object.write(out)))
    }

    /// A list of lists of objects.
    pub(crate) fn lists<const N: usize>(
        self,
        key: &str,
        lists: impl Iterator<Item = [Self; N]>,
    ) -> Self {
        self.with(key, |out| {
            list(lists, out, |objects, out| {
                list(objects.into_iter(), out, |object, out| object.write(out));
            });
        })
    }

    /// The members of `other` after those of this object.
    pub(crate) fn merge(mut self, other: &Self) -> Self {
        if let Some((_, members)) = other.0.split_first() {
            self.0.push(if self.0.is_empty() { b'{' } else { b',' });
            self.0.extend_from_slice(members);
        }
        self
    }

    pub(crate) fn value(self, key: &str, value: Value<'_>) -> Self {
        self.with(key, |out| json::write(value, Layout::Compact, out))
    }

    /// The finished line.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() + 1);
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.0.is_empty() { b"{" } else { &self.0 });
        out.push(b'}');
    }

    fn with(mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        json::write_string(key, &mut self.0);
        self.0.push(b':');
        write(&mut self.0);
        self
    }
}

fn list<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, write: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}
