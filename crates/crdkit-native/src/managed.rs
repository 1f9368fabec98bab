//! What field managers have to know about native kinds: parts that objects always have, which nobody comes to own, objects as
//! Go writes them, and what a request cannot change.

use crate::{NativeKind, fill, hooks};
use crdkit_engine::RequestOptions;
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

impl NativeKind {
    /// An object of this kind with nothing in it but the parts that are always there.
    pub fn empty(&'static self) -> Document {
        let nothing = Document::object().with("metadata", NewValue::EmptyObject);
        let options = RequestOptions::new().namespace("");
        always_there(self.as_written(self.stored(&nothing, &options).document()))
    }

    /// An object that was read, as it will be written: with nulls for lists that are always there.
    pub fn as_written(&'static self, object: &Document) -> Document {
        let mut written = object.clone();
        if let Some(of) = self.root_type() {
            fill::finish(&mut written, NodeId::ROOT, of);
        }
        written
    }

    /// The fields, as names from the root, that a request to `subresource` cannot change; empty for the object itself.
    pub fn reset_fields(&self, subresource: &str) -> Vec<Vec<&'static str>> {
        const METADATA: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];
        if subresource == "approval" {
            return vec![vec!["spec"], vec!["status", "certificate"]];
        }
        if subresource != "status" {
            let spec = hooks::keeps_spec(self).then(|| vec!["spec"]);
            let status = self.has_status.then(|| vec!["status"]);
            return spec.into_iter().chain(status).collect();
        }
        let takes = |key: &&str| {
            let taken = |path: &&str| path.strip_prefix("metadata.") == Some(key);
            self.status_takes.iter().any(taken)
        };
        let kept: Vec<&'static str> = METADATA.into_iter().filter(|key| !takes(key)).collect();
        let metadata = if kept.len() == METADATA.len() {
            vec![vec!["metadata"]]
        } else {
            kept.into_iter().map(|key| vec!["metadata", key]).collect()
        };
        metadata.into_iter().chain([vec!["spec"]]).collect()
    }
}

/// What of an object that was filled in is always there; what is in it by default is not.
pub fn always_there(mut object: Document) -> Document {
    let removed: Vec<NodeId> = object
        .root()
        .ids()
        .filter(|id| *id != NodeId::ROOT && is_default(object.value(*id)))
        .collect();
    for id in removed {
        object.remove(id);
    }
    object
}

fn is_default(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object(_) => value.key().is_none(),
        Kind::Null | Kind::Bool(false) | Kind::Int(0) => false,
        Kind::String(text) => !text.is_empty(),
        _ => true,
    }
}
