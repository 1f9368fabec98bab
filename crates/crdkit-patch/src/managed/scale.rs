//! Writes to the `scale` subresource: who owns the number of replicas.
//!
//! As the server has it: the owner is noted only if somebody owned the field before, without a time, and nobody owns
//! zero replicas. An apply sees those owners as owners of the scale, and takes the number from them as it does with any field.
//!
//! Upstream: `apimachinery/pkg/util/managedfields/scalehandler.go`.

use super::entry::{self, Entry, ManagedOperation};
use super::error::ApplyError;
use super::{Versions, Writer, copy_owners, forget, managed_fields};
use crate::definitions::Definitions;
use crate::set::Set;
use crate::typed::Schema;
use crdkit_value::{Document, Value};
use std::borrow::Cow;

/// The `apiVersion` of scales, and where they have the number of replicas.
const SCALE: &str = "autoscaling/v1";
const REPLICAS: [&str; 2] = ["spec", "replicas"];

/// What an apply has made of a scale.
#[derive(Clone, Debug)]
pub struct AppliedScale {
    /// The scale.
    pub scale: Document,
    /// The owners of the object that is scaled, as the `managedFields` of an object with nothing else.
    owners: Document,
}

impl AppliedScale {
    /// Makes the owners those of `object`.
    pub fn copy_owners(&self, object: &mut Document) {
        copy_owners(&self.owners, object);
    }
}

/// The one version of scales.
struct ScaleVersions;

impl Versions for ScaleVersions {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        Schema::of_kind(Definitions::native(), api_version, "Scale")
    }

    fn convert(&self, object: &Document, _: &str) -> Result<Document, String> {
        Ok(object.clone())
    }
}

impl Writer<'_> {
    /// Notes in the `managedFields` of `new` that the number of replicas, which is at `path`, is other than in `live`.
    pub fn scale(&self, live: &Document, new: &mut Document, path: &[&str]) {
        let number = |object: Value<'_>| {
            path.iter().try_fold(object, |value, key| value.get(key)).and_then(Value::as_i64)
        };
        let Ok(mut entries) = entry::read(managed_fields(live.root()), Some(self.versions)) else {
            return;
        };
        let field = Set::of_path(path);
        let is_owned = entries.iter().any(|entry| !entry.fields.intersection(&field).is_empty());
        let after = number(new.root());
        if is_owned {
            let changed = number(live.root()) != after;
            let mut kept = Vec::new();
            for entry in &mut entries {
                let owns = !entry.fields.intersection(&field).is_empty();
                if owns && !changed {
                    // Whoever owned it still does, in an entry of its own.
                    kept.push(Entry {
                        manager: entry.manager.clone(),
                        operation: entry.operation,
                        api_version: entry.api_version,
                        subresource: entry.subresource,
                        time: None,
                        fields: field.clone().into(),
                        item: None,
                    });
                }
                if owns {
                    entry.fields.remove(&field);
                }
            }
            entries.extend(kept);
            if changed && after.is_some_and(|replicas| replicas != 0) {
                let mut own = Entry {
                    manager: Cow::Borrowed(self.manager),
                    operation: ManagedOperation::Update,
                    api_version: self.api_version,
                    subresource: self.subresource,
                    time: None,
                    fields: field.into(),
                    item: None,
                };
                if let Some(previous) = entry::take(&mut entries, &own) {
                    own.change(|fields| fields.union(previous.fields.into_set()));
                }
                entries.push(own);
            }
            entries.retain(|entry| !entry.fields.is_empty());
        }
        let managers = entry::write(entries);
        forget(new);
        entry::put(managers.as_ref(), new);
    }

    /// Applies `config` to `scale`, the scale of `live`, whose number of replicas is at `path`.
    ///
    /// # Errors
    /// When the configuration cannot be applied, or others own the number that it would change.
    pub fn apply_scale(
        &self,
        live: &Document,
        scale: &Document,
        path: &[&str],
        config: &Document,
        force: bool,
    ) -> Result<AppliedScale, ApplyError> {
        let unusable =
            |problem| ApplyError::Unusable(format!("failed to decode managed fields: {problem}"));
        let field = Set::of_path(path);
        let mut entries = entry::read(managed_fields(live.root()), None).map_err(unusable)?;
        let owns = |entry: &Entry<'_>| {
            entry.api_version == self.api_version && !entry.fields.intersection(&field).is_empty()
        };
        let owners = entries.iter().filter(|entry| owns(entry)).map(|entry| Entry {
            manager: entry.manager.clone(),
            operation: entry.operation,
            api_version: SCALE,
            subresource: entry.subresource,
            time: entry.time.clone(),
            fields: Set::of_path(&REPLICAS).into(),
            item: None,
        });
        let mut before = scale.clone();
        entry::put(entry::write(owners.collect()).as_ref(), &mut before);
        let writer = Writer { api_version: SCALE, reset: &[], versions: &ScaleVersions, ..*self };
        let applied = writer.apply("Scale", Some(&before), config, force)?.document;

        let after = entry::read(managed_fields(applied.root()), None).map_err(unusable)?;
        let replicas = Set::of_path(&REPLICAS);
        let mut new: Vec<Entry<'_>> = Vec::new();
        for entry in after.iter().filter(|it| !it.fields.intersection(&replicas).is_empty()) {
            // Applies of a manager are one owner whatever their version; updates are not.
            let known = entries.iter().find(|it| owns(it) && it.identity() == entry.identity());
            if known.is_none() {
                new.push(Entry {
                    manager: entry.manager.clone(),
                    operation: entry.operation,
                    api_version: self.api_version,
                    subresource: entry.subresource,
                    time: None,
                    fields: Set::of_path(path).into(),
                    item: None,
                });
            }
        }
        let stays = |entry: &Entry<'_>| {
            after.iter().any(|it| it.identity() == entry.identity() && !it.fields.is_empty())
        };
        for entry in &mut entries {
            if owns(entry) && !stays(entry) {
                entry.fields.remove(&field);
            }
        }
        entries.retain(|entry| entry.api_version == self.api_version && !entry.fields.is_empty());
        entries.extend(new);
        let mut owners = Document::object();
        entry::put(entry::write(entries).as_ref(), &mut owners);
        let mut scale = applied.clone();
        forget(&mut scale);
        Ok(AppliedScale { scale, owners })
    }
}
