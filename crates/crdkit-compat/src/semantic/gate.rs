//! A CRD as a server holds it, and the one that is to take its place.
//!
//! A file says nothing of what the server keeps: versions, stored versions, whether the CRD is served.
//! Unless it does, the CRD is taken for one that is served, with objects in its storage version.

use crdkit_issue::FieldPath;
use crdkit_sample::build;
use crdkit_schema::model::Crd;
use crdkit_value::{Document, NodeId, Value};

/// Both CRDs with what the server keeps, the new one with that of the old.
pub(super) fn live(old: &Crd<'_>, new: &Crd<'_>) -> (Document, Document) {
    let mut status = assumed(old);
    for (key, value) in old.source.get("status").into_iter().flat_map(Value::members) {
        status.insert(NodeId::ROOT, key, value);
    }
    let before = held(old.source, &status);
    // The server notes the new storage version by itself.
    let stored = old.status.stored_versions.iter().copied();
    let storage = |crd: &Crd<'_>| crd.storage_version().map(|version| version.name.to_owned());
    let mut names: Vec<String> = stored.map(str::to_owned).collect();
    for name in [storage(old).filter(|_| names.is_empty()), storage(new)].into_iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names: Vec<_> = names.iter().map(Document::from).collect();
    status.insert(NodeId::ROOT, "storedVersions", Document::array_of(&names).root());
    (before, held(new.source, &status))
}

fn held(source: Value<'_>, status: &Document) -> Document {
    let mut metadata = match source.get("metadata") {
        Some(metadata) => Document::copy_of(metadata),
        None => Document::object(),
    };
    for (key, value) in [("resourceVersion", "1"), ("uid", "1")] {
        build::set(&mut metadata, key, value);
    }
    let mut held = Document::copy_of(source);
    build::set(&mut held, "metadata", metadata.root());
    build::set(&mut held, "status", status.root());
    held
}

fn assumed(old: &Crd<'_>) -> Document {
    let mut status = Document::object();
    let names = old.spec.source.and_then(|spec| spec.get("names"));
    if let Some(names) = names {
        status.insert(NodeId::ROOT, "acceptedNames", names);
    }
    let mut condition = Document::object();
    condition.insert(NodeId::ROOT, "type", "Established");
    condition.insert(NodeId::ROOT, "status", "True");
    status.insert(NodeId::ROOT, "conditions", Document::array_of([&condition]).root());
    let stored = old.storage_version().map(|version| Document::from(version.name));
    status.insert(NodeId::ROOT, "storedVersions", Document::array_of(&stored).root());
    status
}

/// What is at a path, or the nearest value around it that is written.
pub(super) fn nearest<'d>(source: Value<'d>, path: &FieldPath) -> Option<Value<'d>> {
    let value = source.nearest(path);
    (value.id() != source.id()).then_some(value)
}
