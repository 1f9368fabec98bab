//! The steps that set what clients do not decide: the status, the generation, what the stored object keeps, defaults of a phase.

use crate::data::DefaultPhase;
use crate::defaults::{self, Surroundings};
use crate::pipeline::Request;
use crate::{decode, fill, scalar};
use crdkit_engine::Stored;
use crdkit_engine::steps;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The identity that new objects have where nobody gives them one.
pub(crate) const NO_UID: &str = "00000000-0000-0000-0000-000000000000";

impl Request<'_> {
    /// A stored object without the nulls that are only written.
    pub(crate) fn old(&self, old: &Stored) -> Document {
        let mut document = if old.is_read_by(self.kind.key) {
            Document::copy_of(old.document().root())
        } else {
            return self.kind.stored(old.document(), self.options).into_document();
        };
        let _ = decode::decode(&mut document, self.of);
        document
    }

    pub(crate) fn admit(&mut self) {
        if self.kind.is_admitted {
            self.apply(DefaultPhase::Admission);
        }
    }

    /// Gives a new object the status it begins with.
    pub(crate) fn reset_status(&mut self) {
        if !self.kind.has_status || self.kind.keeps_status_on_create {
            return;
        }
        let Some(field) = self.of.field("status") else { return };
        steps::remove_root(&mut self.document, "status");
        if fill::is_written(field) {
            fill::field(&mut self.document, NodeId::ROOT, field);
            self.apply(DefaultPhase::Read);
        }
    }

    /// Makes everything but what the status subresource changes what it is in `old`.
    pub(crate) fn take_status(&mut self, old: Value<'_>) {
        let new = std::mem::replace(&mut self.document, Document::copy_of(old));
        self.given.clear();
        let takes = self.kind.status_takes.iter().copied().chain(["metadata.managedFields"]);
        for path in takes {
            let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
            let from = if parent.is_empty() { Some(new.root()) } else { new.root().get(parent) };
            let found = from.and_then(|from| from.get(key));
            let to =
                if parent.is_empty() { NodeId::ROOT } else { steps::ensure(&mut self.document) };
            match found {
                Some(found) => {
                    self.document.insert(to, key, found);
                }
                None => steps::remove(&mut self.document, to, key),
            }
        }
    }

    /// Counts a change to what the kind counts.
    pub(crate) fn bump_generation(&mut self, metadata: NodeId, old: Value<'_>) {
        let counted = &self.kind.generation_bumped_by;
        if counted.is_empty() {
            return;
        }
        let new = self.document.root();
        let is_same = |path: &&&str| match **path {
            "spec" => content(new).eq(content(old)),
            key => of_metadata(new, key) == of_metadata(old, key),
        };
        let is_counted = self.kind.counts_empty && self.had_empty;
        if is_counted || !counted.iter().all(|path| is_same(&path)) {
            let before = of_metadata(old, "generation").and_then(Value::as_i64).unwrap_or_default();
            self.document.insert(metadata, "generation", before.saturating_add(1));
        }
    }

    /// Applies the defaults of a phase.
    pub(crate) fn apply(&mut self, phase: DefaultPhase) {
        let metadata = steps::ensure(&mut self.document);
        let uid = self.document.value(metadata).get("uid").and_then(Value::as_str);
        let uid = uid.unwrap_or(NO_UID).to_owned();
        let now = self.options.time.as_ref().map(scalar::seconds);
        let around =
            Surroundings { phase, uid: &uid, user: &self.options.user, now: now.as_deref() };
        defaults::apply(&mut self.document, NodeId::ROOT, self.of, around);
    }
}

/// What an object is besides its metadata and status, in the order of the keys.
fn content(object: Value<'_>) -> impl Iterator<Item = (&str, Value<'_>)> {
    let mut members: Vec<(&str, Value<'_>)> = object.members().collect();
    members.retain(|(key, _)| !["metadata", "status", "kind", "apiVersion"].contains(key));
    members.sort_by_key(|(key, _)| *key);
    members.into_iter()
}

fn of_metadata<'v>(object: Value<'v>, key: &str) -> Option<Value<'v>> {
    object.get("metadata")?.get(key)
}

/// Puts a copy of `value` at a member of the root's member `parent`, or takes it away.
pub(crate) fn keep(document: &mut Document, parent: &str, key: &str, value: Option<Value<'_>>) {
    let Some(object) = document.root().get(parent).map(Value::id) else { return };
    match value {
        Some(value) => {
            document.insert(object, key, NewValue::CopyOf(value));
        }
        None => steps::remove(document, object, key),
    }
}
