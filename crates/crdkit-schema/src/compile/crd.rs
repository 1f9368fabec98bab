//! A compiled CRD: everything it says about the kind it defines, and the schema of each version.

use super::serving::{ColumnRow, Conversion, PrinterColumn};
use super::table::{Id, Table};
use crate::keeps;
use crate::model::{self, Crd, CrdVersion};
use crdkit_text::kind::{GroupVersionKind, compare_versions};
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// A CRD, ready to judge and to serve objects. Owns what it needs; cheap to clone, safe to share between threads.
#[derive(Clone, Debug)]
pub struct CompiledCrd {
    table: Arc<Table>,
    parts: Arc<CrdParts>,
}

/// All of a compiled CRD but the table it shares with others.
#[derive(Debug, Default)]
pub(crate) struct CrdParts {
    group: Box<str>,
    names: ResourceNames,
    namespaced: bool,
    prunes: bool,
    conversion: Conversion,
    versions: Vec<CompiledVersion>,
}

/// `spec.names`, with what the server fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceNames {
    /// `plural`.
    pub plural: Box<str>,
    /// `singular`.
    pub singular: Box<str>,
    /// `kind`.
    pub kind: Box<str>,
    /// `listKind`.
    pub list_kind: Box<str>,
    /// `shortNames`.
    pub short_names: Box<[Box<str>]>,
    /// `categories`.
    pub categories: Box<[Box<str>]>,
}

/// One version of a compiled CRD.
#[derive(Clone, Debug)]
pub struct CompiledVersion {
    /// `name`.
    pub name: Box<str>,
    /// `group/name`.
    pub api_version: Box<str>,
    /// `served`.
    pub served: bool,
    /// `storage`.
    pub storage: bool,
    /// What clients are told on each request to a deprecated version.
    pub deprecation: Option<Box<str>>,
    /// The schema of objects.
    pub schema: Option<Id>,
    /// Whether there is a `status` subresource.
    pub status: bool,
    /// The `scale` subresource.
    pub scale: Option<ReplicaPaths>,
    /// `selectableFields`, each as its JSON path.
    pub selectable_fields: Box<[Box<str>]>,
    /// `additionalPrinterColumns`; see [`CompiledCrd::columns`].
    pub(super) columns: Box<[ColumnRow]>,
    /// Whether objects of this version are kept as they are by the storage version, once somebody has asked.
    pub(super) is_kept: OnceLock<bool>,
}

/// Where the `scale` subresource finds its numbers, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaPaths {
    /// `specReplicasPath`.
    pub spec: Box<str>,
    /// `statusReplicasPath`.
    pub status: Box<str>,
    /// `labelSelectorPath`.
    pub selector: Option<Box<str>>,
}

impl CompiledCrd {
    pub(crate) fn new(table: Arc<Table>, parts: CrdParts) -> Self {
        Self { table, parts: Arc::new(parts) }
    }

    /// The table that the ids of this CRD name nodes of.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// `spec.group`.
    pub fn group(&self) -> &str {
        &self.parts.group
    }

    /// `spec.names`.
    pub fn names(&self) -> &ResourceNames {
        &self.parts.names
    }

    /// `spec.names.kind`.
    pub fn kind(&self) -> &str {
        &self.parts.names.kind
    }

    /// `spec.names.plural`.
    pub fn plural(&self) -> &str {
        &self.parts.names.plural
    }

    /// The kind in one of its versions.
    pub fn kind_in(&self, version: &CompiledVersion) -> GroupVersionKind {
        GroupVersionKind::of(&version.api_version, self.kind())
    }

    /// Whether objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.parts.namespaced
    }

    /// Whether objects lose fields that their schema does not name.
    pub fn prunes(&self) -> bool {
        self.parts.prunes
    }

    /// `spec.conversion`.
    pub fn conversion(&self) -> &Conversion {
        &self.parts.conversion
    }

    /// All versions, in the order they are written.
    pub fn versions(&self) -> &[CompiledVersion] {
        &self.parts.versions
    }

    /// The version called `name`.
    pub fn version(&self, name: &str) -> Option<&CompiledVersion> {
        self.parts.versions.iter().find(|version| &*version.name == name)
    }

    /// The version objects are stored in.
    pub fn storage_version(&self) -> Option<&CompiledVersion> {
        self.parts.versions.iter().find(|version| version.storage)
    }

    /// Whether every object that was pruned and filled in by the schema of `version` stays as it is under that of the
    /// storage version; if not, objects have to be asked.
    pub fn is_kept_in_storage(&self, version: &CompiledVersion) -> bool {
        *version.is_kept.get_or_init(|| {
            let storage = self.storage_version().and_then(|storage| storage.schema);
            let both = version.schema.zip(storage).filter(|_| self.prunes());
            both.is_some_and(|(from, to)| keeps::keeps(&self.table, from, to))
        })
    }

    /// The columns that tables of a version have after the name: those that are written, or else the age.
    pub fn columns<'c>(
        &'c self,
        version: &'c CompiledVersion,
    ) -> impl Iterator<Item = PrinterColumn<'c>> {
        let age = version.columns.is_empty().then_some(PrinterColumn::AGE);
        version.columns.iter().map(|row| row.view(&self.table)).chain(age)
    }
}

impl Default for CompiledCrd {
    fn default() -> Self {
        Self::new(Arc::new(Table::new()), CrdParts::default())
    }
}

impl From<&model::Names<'_>> for ResourceNames {
    fn from(names: &model::Names<'_>) -> Self {
        Self {
            plural: names.plural.into(),
            singular: (&*names.singular).into(),
            kind: names.kind.into(),
            list_kind: (&*names.list_kind).into(),
            short_names: texts(&names.short_names),
            categories: texts(&names.categories),
        }
    }
}

pub(super) fn texts(texts: &[&str]) -> Box<[Box<str>]> {
    texts.iter().map(|text| (*text).into()).collect()
}

/// What is kept of `crd`, whose versions have schemas and columns as `rows` says.
pub(crate) fn parts(crd: &Crd<'_>, rows: Vec<VersionRow>) -> CrdParts {
    let spec = &crd.spec;
    let versions = spec.versions.iter().zip(rows).enumerate();
    let versions = versions.map(|(at, (version, VersionRow { schema, columns }))| {
        let subresources = crd.subresources(at);
        let scale = subresources.and_then(|subresources| subresources.scale);
        let selectable = crd.selectable_fields(at).iter();
        CompiledVersion {
            name: version.name.into(),
            api_version: format!("{}/{}", spec.group, version.name).into(),
            served: version.served,
            storage: version.storage,
            deprecation: deprecation(crd, version),
            schema,
            status: subresources.is_some_and(|subresources| subresources.status),
            scale: scale.map(|scale| ReplicaPaths {
                spec: scale.spec_replicas_path.into(),
                status: scale.status_replicas_path.into(),
                selector: scale.label_selector_path.map(Into::into),
            }),
            selectable_fields: selectable.map(|field| field.json_path.into()).collect(),
            columns,
            is_kept: OnceLock::new(),
        }
    });
    CrdParts {
        group: spec.group.into(),
        names: (&spec.names).into(),
        namespaced: spec.scope == "Namespaced",
        prunes: crd.prunes(),
        conversion: spec.conversion.as_ref().map(Into::into).unwrap_or_default(),
        versions: versions.collect(),
    }
}

/// What of a version refers to the table.
pub(crate) struct VersionRow {
    pub(super) schema: Option<Id>,
    pub(super) columns: Box<[ColumnRow]>,
}

/// The warning of a deprecated version: its own, or one that names the newest version to use instead.
fn deprecation(crd: &Crd<'_>, version: &CrdVersion<'_>) -> Option<Box<str>> {
    if !version.deprecated {
        return None;
    }
    if let Some(warning) = version.deprecation_warning {
        return Some(warning.into());
    }
    let (group, kind) = (crd.spec.group, crd.spec.names.kind);
    let newer = crd.spec.versions.iter().filter(|other| other.served && !other.deprecated);
    let newer = newer
        .filter(|other| compare_versions(other.name, version.name) == Ordering::Greater)
        .max_by(|left, right| compare_versions(left.name, right.name));
    let name = version.name;
    Some(match newer {
        Some(newer) => {
            let newer = newer.name;
            format!("{group}/{name} {kind} is deprecated; use {group}/{newer} {kind}").into()
        }
        None => format!("{group}/{name} {kind} is deprecated").into(),
    })
}
