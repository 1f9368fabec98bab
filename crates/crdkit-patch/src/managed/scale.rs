//! Writes to the `scale` subresource: who owns the number of replicas.
//!
//! As the server has it: the owner is noted only if somebody owned the field before, without a time, and nobody owns
//! zero replicas.

use super::entry::{self, Entry, Operation};
use super::{Writer, forget, managed_fields};
use crate::set::Set;
use crdkit_value::{Document, Value};
use std::borrow::Cow;

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
                    operation: Operation::Update,
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
}
