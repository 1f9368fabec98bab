//! A `CustomResourceDefinition`, in the API server's internal layout.
//!
//! Absent strings are empty, absent lists have no entries, as in the server's types; a field whose
//! presence matters is an option. `source` is the value a part was read from.

use super::{ObjectMeta, SchemaId, Schemas};
use crdkit_value::Value;
use std::borrow::Cow;

/// A CRD.
#[derive(Clone, Debug)]
pub struct Crd<'d> {
    /// The whole document.
    pub source: Value<'d>,
    /// `metadata`.
    pub metadata: ObjectMeta<'d>,
    /// `spec`.
    pub spec: CrdSpec<'d>,
    /// `status`.
    pub status: CrdStatus<'d>,
    /// Every schema of every version.
    pub schemas: Schemas<'d>,
}

/// `spec`.
#[derive(Clone, Debug, Default)]
pub struct CrdSpec<'d> {
    /// Where it is written, if it is.
    pub source: Option<Value<'d>>,
    /// `group`.
    pub group: &'d str,
    /// The internal `version`: the name of the first version.
    pub version: &'d str,
    /// `names`, with what the server fills in.
    pub names: Names<'d>,
    /// `scope`.
    pub scope: &'d str,
    /// The schema that all versions share.
    pub validation: Option<Validation<'d>>,
    /// The subresources that all versions share.
    pub subresources: Option<Subresources<'d>>,
    /// `versions`; what they share is left out of them.
    pub versions: Vec<CrdVersion<'d>>,
    /// The columns that all versions share.
    pub columns: Vec<Column<'d>>,
    /// The selectable fields that all versions share.
    pub selectable_fields: Vec<SelectableField<'d>>,
    /// `conversion`.
    pub conversion: Option<Conversion<'d>>,
    /// `preserveUnknownFields`; absent only in the layout of v1beta1, where it means `true`.
    pub preserve_unknown_fields: Option<bool>,
}

/// `spec.names` and `status.acceptedNames`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names<'d> {
    /// `plural`.
    pub plural: &'d str,
    /// `singular`; the kind in lower case when it is not written.
    pub singular: Cow<'d, str>,
    /// `shortNames`.
    pub short_names: Vec<&'d str>,
    /// `kind`.
    pub kind: &'d str,
    /// `listKind`; the kind and `List` when it is not written.
    pub list_kind: Cow<'d, str>,
    /// `categories`.
    pub categories: Vec<&'d str>,
}

/// One of `spec.versions`.
#[derive(Clone, Debug)]
pub struct CrdVersion<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `name`.
    pub name: &'d str,
    /// `served`.
    pub served: bool,
    /// `storage`.
    pub storage: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `deprecationWarning`.
    pub deprecation_warning: Option<&'d str>,
    /// `schema`, unless all versions share it.
    pub validation: Option<Validation<'d>>,
    /// `subresources`, unless all versions share them.
    pub subresources: Option<Subresources<'d>>,
    /// `additionalPrinterColumns`, unless all versions share them.
    pub columns: Vec<Column<'d>>,
    /// `selectableFields`, unless all versions share them.
    pub selectable_fields: Vec<SelectableField<'d>>,
}

/// The `schema` of a version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `openAPIV3Schema`.
    pub schema: Option<SchemaId>,
}

/// `subresources`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subresources<'d> {
    /// Where they are written.
    pub source: Value<'d>,
    /// Whether `status` is there.
    pub status: bool,
    /// `scale`.
    pub scale: Option<Scale<'d>>,
}

/// The `scale` subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale<'d> {
    /// `specReplicasPath`.
    pub spec_replicas_path: &'d str,
    /// `statusReplicasPath`.
    pub status_replicas_path: &'d str,
    /// `labelSelectorPath`.
    pub label_selector_path: Option<&'d str>,
}

/// One of `additionalPrinterColumns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `name`.
    pub name: &'d str,
    /// `type`.
    pub type_name: &'d str,
    /// `format`.
    pub format: &'d str,
    /// `description`.
    pub description: &'d str,
    /// `priority`.
    pub priority: i64,
    /// `jsonPath`.
    pub json_path: &'d str,
}

/// One of `selectableFields`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectableField<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `jsonPath`.
    pub json_path: &'d str,
}

/// `spec.conversion`.
#[derive(Clone, Debug)]
pub struct Conversion<'d> {
    /// Where it is written; the server fills in a missing one.
    pub source: Option<Value<'d>>,
    /// `strategy`.
    pub strategy: &'d str,
    /// `webhook.clientConfig`.
    pub client_config: Option<ClientConfig<'d>>,
    /// `webhook.conversionReviewVersions`.
    pub review_versions: Vec<&'d str>,
}

/// How to reach a conversion webhook.
#[derive(Clone, Debug)]
pub struct ClientConfig<'d> {
    /// Where it is written.
    pub source: Value<'d>,
    /// `url`.
    pub url: Option<&'d str>,
    /// `service`.
    pub service: Option<Service<'d>>,
    /// `caBundle`, decoded.
    pub ca_bundle: Vec<u8>,
}

/// A service that answers a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Service<'d> {
    /// `namespace`.
    pub namespace: &'d str,
    /// `name`.
    pub name: &'d str,
    /// `path`.
    pub path: Option<&'d str>,
    /// `port`; 443 when it is not written.
    pub port: i64,
}

/// `status`.
#[derive(Clone, Debug, Default)]
pub struct CrdStatus<'d> {
    /// `conditions`.
    pub conditions: Vec<Condition<'d>>,
    /// `acceptedNames`.
    pub accepted_names: Names<'d>,
    /// `storedVersions`.
    pub stored_versions: Vec<&'d str>,
}

/// One of `status.conditions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition<'d> {
    /// `type`.
    pub type_name: &'d str,
    /// `status`.
    pub status: &'d str,
}

impl<'d> Crd<'d> {
    /// The schema of version number `index`, its own or the one all share.
    pub fn schema(&self, index: usize) -> Option<SchemaId> {
        let version = self.spec.versions.get(index)?;
        version.validation.or(self.spec.validation)?.schema
    }

    /// The subresources of version number `index`, its own or the ones all share.
    pub fn subresources(&self, index: usize) -> Option<Subresources<'d>> {
        self.spec.versions.get(index)?.subresources.or(self.spec.subresources)
    }

    /// The columns of version number `index`, its own or the ones all share.
    pub fn columns(&self, index: usize) -> &[Column<'d>] {
        match self.spec.versions.get(index) {
            Some(version) if !version.columns.is_empty() => &version.columns,
            Some(_) => &self.spec.columns,
            None => &[],
        }
    }

    /// The selectable fields of version number `index`, its own or the ones all share.
    pub fn selectable_fields(&self, index: usize) -> &[SelectableField<'d>] {
        match self.spec.versions.get(index) {
            Some(version) if !version.selectable_fields.is_empty() => &version.selectable_fields,
            Some(_) => &self.spec.selectable_fields,
            None => &[],
        }
    }

    /// The first version marked as the storage version.
    pub fn storage_version(&self) -> Option<&CrdVersion<'d>> {
        self.spec.versions.iter().find(|version| version.storage)
    }

    /// What the server does to a CRD before it checks a create: the status is its own affair.
    pub fn prepare_for_create(&mut self) {
        self.metadata.namespace = "";
        self.status = CrdStatus::default();
        self.status.stored_versions.extend(self.storage_version().map(|it| it.name));
    }

    /// What the server does to a CRD before it checks that it may replace `old`.
    pub fn prepare_for_update(&mut self, old: &Crd<'d>) {
        self.status = old.status.clone();
        if let Some(name) = self.storage_version().map(|it| it.name)
            && !self.status.stored_versions.contains(&name)
        {
            self.status.stored_versions.push(name);
        }
        let (metadata, before) = (&mut self.metadata, &old.metadata);
        metadata.namespace = "";
        metadata.generation = before.generation;
        if metadata.uid.is_empty() {
            metadata.uid = before.uid;
        }
        metadata.creation_timestamp = before.creation_timestamp.or(metadata.creation_timestamp);
        metadata.deletion_timestamp = before.deletion_timestamp.or(metadata.deletion_timestamp);
        if metadata.deletion_grace_period_seconds.is_none() {
            metadata.deletion_grace_period_seconds = before.deletion_grace_period_seconds;
        }
    }

    /// Whether objects lose fields that their schema does not name.
    pub fn prunes(&self) -> bool {
        self.spec.preserve_unknown_fields == Some(false)
    }

    /// Whether the server has begun to serve it.
    pub fn is_established(&self) -> bool {
        let conditions = &self.status.conditions;
        conditions.iter().any(|it| it.type_name == "Established" && it.status == "True")
    }
}
