//! Object metadata.

use super::fields::{flag, list, optional_text, present, text, text_map, texts};
use crate::model::{ManagedFields, ObjectMeta, OwnerReference};
use crdkit_value::Value;

/// The metadata that `value` holds.
pub fn object_meta(value: Value<'_>) -> ObjectMeta<'_> {
    ObjectMeta {
        source: Some(value),
        name: text(value, "name"),
        generate_name: text(value, "generateName"),
        namespace: text(value, "namespace"),
        uid: text(value, "uid"),
        resource_version: text(value, "resourceVersion"),
        generation: value.get("generation").and_then(Value::as_i64).unwrap_or_default(),
        creation_timestamp: optional_text(value, "creationTimestamp"),
        deletion_timestamp: optional_text(value, "deletionTimestamp"),
        deletion_grace_period_seconds: value
            .get("deletionGracePeriodSeconds")
            .and_then(Value::as_i64),
        labels: text_map(value, "labels"),
        annotations: text_map(value, "annotations"),
        owner_references: list(value, "ownerReferences", owner_reference),
        finalizers: texts(value, "finalizers"),
        managed_fields: list(value, "managedFields", managed_fields),
    }
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
