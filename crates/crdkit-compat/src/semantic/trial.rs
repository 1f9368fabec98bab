//! What one version makes of an object: whether it takes it, what it loses, what is filled in.
//!
//! Objects go in as they are; the engine's outcome comes out, or what of it matters here in words.

use crdkit_codec::Decoded;
use crdkit_codec::go_json;
use crdkit_engine::{FieldValidation, Outcome, RequestOptions, Version};
use crdkit_issue::{FieldPath, Segment, Severity};
use crdkit_sample::build;
use crdkit_schema::status;
use crdkit_value::{Document, NodeId, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of an object; a status with an endpoint of its own is written there, as controllers do.
pub(super) fn judge(
    version: Version<'_>,
    object: &Document,
    validation: FieldValidation,
) -> Outcome {
    let options = options(object, validation);
    let created = version.create(input(object), &options);
    let status = object.root().get("status").filter(|_| version.compiled().status);
    match status {
        Some(status) if created.is_accepted() => {
            let stored = stored(created.document());
            let mut changed = Document::copy_of(stored.root());
            build::set(&mut changed, "status", status);
            version.update_status(&stored, input(&changed), &options)
        }
        _ => created,
    }
}

/// What reading makes of a stored object: whether it would be accepted does not matter.
pub(super) fn read(version: Version<'_>, object: &Document) -> Outcome {
    let options = options(object, FieldValidation::Ignore);
    if object.root().get("status").is_some() && version.compiled().status {
        let stored = stored(object);
        return version.update_status(&stored, input(&stored), &options);
    }
    version.create(input(object), &options)
}

/// A change of a stored object, where its status has an endpoint of its own, there too.
pub(super) fn change(version: Version<'_>, before: &Document, after: &Document) -> Outcome {
    let options = options(before, FieldValidation::Ignore);
    let outcome = version.update(before, input(after), &options);
    if outcome.is_accepted() && version.compiled().status && after.root().get("status").is_some() {
        return version.update_status(before, input(after), &options);
    }
    outcome
}

/// Why a label cannot be put on a stored object, if it cannot.
pub(super) fn refused_update(new: Version<'_>, object: &Document) -> Option<String> {
    let mut before = stored(object);
    build::set(&mut before, "apiVersion", &new.compiled().api_version);
    let mut metadata = Document::copy_of(before.root().get("metadata")?);
    let mut labels = Document::object();
    labels.insert(NodeId::ROOT, "touched", "true");
    build::set(&mut metadata, "labels", labels.root());
    let mut changed = Document::copy_of(before.root());
    build::set(&mut changed, "metadata", metadata.root());
    let outcome = new.update(&before, input(&changed), &options(object, FieldValidation::Ignore));
    let first = outcome.issues.iter().find(|it| it.severity == Severity::Error);
    first.filter(|_| !outcome.is_accepted()).map(status::line)
}

/// The paths of what reading an object loses.
pub(super) fn lost(outcome: &Outcome, relates: impl Fn(&[Segment]) -> bool) -> Vec<String> {
    let lost = outcome.changes.pruned.iter().chain(&outcome.changes.dropped);
    lost.map(|id| outcome.document().path(*id))
        .filter(|path| relates(path.segments()))
        .map(|path| path.to_string())
        .collect()
}

/// The fields that were filled in differently, and how.
pub(super) fn defaulted(before: &Outcome, after: &Outcome) -> Vec<(FieldPath, String)> {
    let filled = |outcome: &Outcome| -> BTreeMap<FieldPath, String> {
        let document = outcome.document();
        let of = |id: &NodeId| (document.path(*id), go_json::value(document.value(*id)));
        outcome.changes.defaulted.iter().map(of).collect()
    };
    let (before, after) = (filled(before), filled(after));
    let paths: BTreeSet<&FieldPath> = before.keys().chain(after.keys()).collect();
    let change = |path: &FieldPath| {
        let (old, new) = (before.get(path), after.get(path));
        let [was, is] = [old, new].map(|value| value.map_or("absent", String::as_str));
        (old != new).then(|| (path.clone(), format!("{path} was {was}, is {is}")))
    };
    paths.into_iter().filter_map(change).collect()
}

/// The object with what the server adds when it is stored.
pub(super) fn stored(object: &Document) -> Document {
    let mut metadata = match object.root().get("metadata") {
        Some(metadata) => Document::copy_of(metadata),
        None => Document::object(),
    };
    build::set(&mut metadata, "resourceVersion", "1");
    let mut stored = Document::copy_of(object.root());
    build::set(&mut stored, "metadata", metadata.root());
    stored
}

pub(super) fn input(object: &Document) -> Decoded {
    Decoded { document: Document::copy_of(object.root()), issues: Vec::new() }
}

pub(super) fn options(object: &Document, field_validation: FieldValidation) -> RequestOptions {
    let options = RequestOptions::new().field_validation(field_validation);
    match object.root().pointer("/metadata/namespace").and_then(Value::as_str) {
        None | Some("") => options,
        Some(namespace) => options.namespace(namespace),
    }
}
