//! Object metadata as the API server's types hold it.
//!
//! An absent string is empty and an absent map or list has no entries, as in the server's types;
//! values whose presence matters are options.

use crdkit_value::Value;

/// The standard metadata of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectMeta<'d> {
    /// Where it is written, if it is.
    pub source: Option<Value<'d>>,
    /// `name`.
    pub name: &'d str,
    /// `generateName`.
    pub generate_name: &'d str,
    /// `namespace`.
    pub namespace: &'d str,
    /// `uid`.
    pub uid: &'d str,
    /// `resourceVersion`.
    pub resource_version: &'d str,
    /// `generation`.
    pub generation: i64,
    /// `creationTimestamp`, as written.
    pub creation_timestamp: Option<&'d str>,
    /// `deletionTimestamp`, as written.
    pub deletion_timestamp: Option<&'d str>,
    /// `deletionGracePeriodSeconds`.
    pub deletion_grace_period_seconds: Option<i64>,
    /// `labels`.
    pub labels: TextMap<'d>,
    /// `annotations`.
    pub annotations: TextMap<'d>,
    /// `ownerReferences`.
    pub owner_references: Vec<OwnerReference<'d>>,
    /// `finalizers`.
    pub finalizers: Vec<&'d str>,
    /// `managedFields`.
    pub managed_fields: Vec<ManagedFields<'d>>,
}

/// A map of strings, read where it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextMap<'d>(pub(crate) Option<Value<'d>>);

/// One of `ownerReferences`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnerReference<'d> {
    /// `apiVersion`.
    pub api_version: &'d str,
    /// `kind`.
    pub kind: &'d str,
    /// `name`.
    pub name: &'d str,
    /// `uid`.
    pub uid: &'d str,
    /// `controller`.
    pub controller: Option<bool>,
    /// `blockOwnerDeletion`.
    pub block_owner_deletion: Option<bool>,
}

/// One of `managedFields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManagedFields<'d> {
    /// `manager`.
    pub manager: &'d str,
    /// `operation`.
    pub operation: &'d str,
    /// `apiVersion`.
    pub api_version: &'d str,
    /// `time`, as written.
    pub time: Option<&'d str>,
    /// `fieldsType`.
    pub fields_type: &'d str,
    /// `fieldsV1`.
    pub fields: Option<Value<'d>>,
    /// `subresource`.
    pub subresource: &'d str,
}

impl<'d> ObjectMeta<'d> {
    /// The value of an annotation; empty when there is none.
    pub fn annotation(&self, key: &str) -> &'d str {
        self.annotations.entries().find(|(name, _)| *name == key).map_or("", |(_, value)| value)
    }
}

impl<'d> TextMap<'d> {
    /// The entries in input order; a value of another type counts as empty.
    pub fn entries(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let members = self.0.map(Value::members).into_iter().flatten();
        members.map(|(name, value)| (name, value.as_str().unwrap_or_default()))
    }
}
