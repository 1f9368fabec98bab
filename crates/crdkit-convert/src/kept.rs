//! What an object has of versions that know more than its own: kept in an annotation, as JSON, by version and path.

use crdkit_codec::{DecodeOptions, go_json, json};
use crdkit_schema::lookup::{self, LookupStep};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The annotation.
pub(crate) const ANNOTATION: &str = "crdkit.dev/kept";

/// The values that are kept, while an object is converted.
pub(crate) struct Kept(Document);

impl Kept {
    /// Takes them out of an object. An annotation that is not theirs, or was damaged, is left alone.
    pub(crate) fn take(object: &mut Document) -> Self {
        let annotations = object.root().pointer("/metadata/annotations");
        let found = annotations.and_then(|it| it.get(ANNOTATION));
        let text = found.and_then(Value::as_str).unwrap_or_default();
        let decoded = json::decode(text.as_bytes(), &DecodeOptions::default()).ok();
        let known = decoded.map(|it| it.document).filter(|it| it.root().as_object().is_some());
        let Some(known) = known else { return Self(Document::object()) };
        if let Some(id) = found.map(Value::id) {
            object.remove(id);
            remove_if_empty(object, "/metadata/annotations");
        }
        Self(known)
    }

    /// Puts them into an object, if there are any.
    pub(crate) fn put(self, object: &mut Document) {
        if self.0.root().members().next().is_none() {
            return;
        }
        let mut at = NodeId::ROOT;
        for key in ["metadata", "annotations"] {
            let known = object.value(at).get(key).filter(|it| it.as_object().is_some());
            let known = known.map(Value::id);
            let Some(next) = known.or_else(|| object.insert(at, key, NewValue::EmptyObject)) else {
                return;
            };
            at = next;
        }
        object.insert(at, ANNOTATION, &go_json::value(self.0.root()));
    }

    /// Keeps what an object of `version` has at `path`.
    pub(crate) fn add(&mut self, version: &str, path: &[Box<str>], value: Value<'_>) {
        let known = self.0.root().get(version).map(Value::id);
        let known = known.or_else(|| self.0.insert(NodeId::ROOT, version, NewValue::EmptyObject));
        if let Some(id) = known {
            self.0.insert(id, &key(path), value);
        }
    }

    /// Gives back what an object of `version` had at `path`.
    pub(crate) fn remove(&mut self, version: &str, path: &[Box<str>]) -> Option<Document> {
        let id = self.0.root().get(version)?.get(&key(path))?.id();
        let value = self.0.take(id);
        let of_version = self.0.root().get(version)?;
        if of_version.members().next().is_none() {
            let id = of_version.id();
            self.0.remove(id);
        }
        Some(value)
    }
}

fn key(path: &[Box<str>]) -> String {
    let steps: Vec<_> = path.iter().map(|name| LookupStep::Name(name.to_string())).collect();
    lookup::print(&steps)
}

fn remove_if_empty(object: &mut Document, pointer: &str) {
    let found = object.root().pointer(pointer);
    if let Some(id) = found.filter(|it| it.members().next().is_none()).map(Value::id) {
        object.remove(id);
    }
}
