//! A CRD as a server holds it, and the one that is to take its place.
//!
//! A file says nothing of what the server keeps: versions, stored versions, whether the CRD is served.
//! Unless it does, the CRD is taken for one that is served, with objects in its storage version.

use crdkit_issue::{FieldPath, Segment};
use crdkit_sample::build;
use crdkit_schema::model::Crd;
use crdkit_value::{Document, Value};

/// Both CRDs with what the server keeps, the new one with that of the old.
pub(super) fn live(old: &Crd<'_>, new: &Crd<'_>) -> (Document, Document) {
    let mut status = assumed(old);
    for (key, value) in old.source.get("status").into_iter().flat_map(Value::members) {
        build::set(&mut status, key, value);
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
    let names: Vec<_> = names.iter().map(|name| build::text(name)).collect();
    build::set(&mut status, "storedVersions", build::array(&names).root());
    (before, held(new.source, &status))
}

fn held(source: Value<'_>, status: &Document) -> Document {
    let mut metadata = match source.get("metadata") {
        Some(metadata) => Document::copy_of(metadata),
        None => build::object(),
    };
    for (key, value) in [("resourceVersion", "1"), ("uid", "1")] {
        build::set(&mut metadata, key, build::text(value).root());
    }
    let mut held = Document::copy_of(source);
    build::set(&mut held, "metadata", metadata.root());
    build::set(&mut held, "status", status.root());
    held
}

fn assumed(old: &Crd<'_>) -> Document {
    let mut status = build::object();
    let names = old.spec.source.and_then(|spec| spec.get("names"));
    if let Some(names) = names {
        build::set(&mut status, "acceptedNames", names);
    }
    let mut condition = build::object();
    build::set(&mut condition, "type", build::text("Established").root());
    build::set(&mut condition, "status", build::text("True").root());
    build::set(&mut status, "conditions", build::array([&condition]).root());
    let stored = old.storage_version().map(|version| build::text(version.name));
    build::set(&mut status, "storedVersions", build::array(&stored).root());
    status
}

/// What is at a path, or the nearest value around it that is written.
pub(super) fn nearest<'d>(source: Value<'d>, path: &FieldPath) -> Option<Value<'d>> {
    let mut value = source;
    for segment in path.segments() {
        let next = match segment {
            Segment::Field(name) | Segment::Key(name) => value.get(name),
            Segment::Index(index) => value.at(*index),
        };
        let Some(next) = next else { break };
        value = next;
    }
    (value.id() != source.id()).then_some(value)
}
