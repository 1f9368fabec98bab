//! Object metadata.

use super::fields::{flag, optional_text, present, strings, text};
use crate::model::{ManagedFields, ObjectMeta, OwnerReference, TextMap};
use crdkit_value::Value;

/// The metadata that `value` holds.
pub fn object_meta(value: Value<'_>) -> ObjectMeta<'_> {
    let mut metadata = ObjectMeta { source: Some(value), ..ObjectMeta::default() };
    for (key, member) in value.members() {
        let text = || member.as_str().unwrap_or_default();
        match key {
            "name" => metadata.name = text(),
            "generateName" => metadata.generate_name = text(),
            "namespace" => metadata.namespace = text(),
            "uid" => metadata.uid = text(),
            "resourceVersion" => metadata.resource_version = text(),
            "generation" => metadata.generation = member.as_i64().unwrap_or_default(),
            "creationTimestamp" => metadata.creation_timestamp = member.as_str(),
            "deletionTimestamp" => metadata.deletion_timestamp = member.as_str(),
            "deletionGracePeriodSeconds" => {
                metadata.deletion_grace_period_seconds = member.as_i64();
            }
            "labels" => metadata.labels = TextMap(Some(member)),
            "annotations" => metadata.annotations = TextMap(Some(member)),
            "ownerReferences" => {
                metadata.owner_references = member.items().map(owner_reference).collect();
            }
            "finalizers" => metadata.finalizers = strings(member),
            "managedFields" => {
                metadata.managed_fields = member.items().map(managed_fields).collect();
            }
            _ => {}
        }
    }
    metadata
}

fn owner_reference(value: Value<'_>) -> OwnerReference<'_> {
    OwnerReference {
        api_version: text(value, "apiVersion"),
        kind: text(value, "kind"),
        name: text(value, "name"),
        uid: text(value, "uid"),
        controller: present(value, "controller").map(|_| flag(value, "controller")),
        block_owner_deletion: present(value, "blockOwnerDeletion")
            .map(|_| flag(value, "blockOwnerDeletion")),
    }
}

fn managed_fields(value: Value<'_>) -> ManagedFields<'_> {
    ManagedFields {
        manager: text(value, "manager"),
        operation: text(value, "operation"),
        api_version: text(value, "apiVersion"),
        time: optional_text(value, "time"),
        fields_type: text(value, "fieldsType"),
        fields: present(value, "fieldsV1"),
        subresource: text(value, "subresource"),
    }
}
