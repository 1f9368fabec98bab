//! A compiled CRD: names, versions, and the schema of each version.

use super::table::{Id, Table};
use crate::model::{Crd, CrdVersion};
use std::cmp::Ordering;
use std::sync::Arc;

/// A CRD, ready to judge objects. Owns what it needs; cheap to share between threads.
#[derive(Clone, Debug)]
pub struct CompiledCrd {
    table: Arc<Table>,
    parts: CrdParts,
}

/// All of a compiled CRD but the table it shares with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrdParts {
    group: Box<str>,
    kind: Box<str>,
    plural: Box<str>,
    namespaced: bool,
    prunes: bool,
    versions: Vec<CompiledVersion>,
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
        Self { table, parts }
    }

    /// The table that the ids of this CRD name nodes of.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// `spec.group`.
    pub fn group(&self) -> &str {
        &self.parts.group
    }

    /// `spec.names.kind`.
    pub fn kind(&self) -> &str {
        &self.parts.kind
    }

    /// `spec.names.plural`.
    pub fn plural(&self) -> &str {
        &self.parts.plural
    }

    /// Whether objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.parts.namespaced
    }

    /// Whether objects lose fields that their schema does not name.
    pub fn prunes(&self) -> bool {
        self.parts.prunes
    }

    /// All versions, in the order they are written.
    pub fn versions(&self) -> &[CompiledVersion] {
        &self.parts.versions
    }

    /// The version objects are stored in.
    pub fn storage_version(&self) -> Option<&CompiledVersion> {
        self.parts.versions.iter().find(|version| version.storage)
    }
}

impl Default for CompiledCrd {
    fn default() -> Self {
        Self::new(Arc::new(Table::new()), CrdParts::default())
    }
}

/// What is kept of `crd`, whose versions have the schemas `roots`.
pub(crate) fn parts(crd: &Crd<'_>, roots: Vec<Option<Id>>) -> CrdParts {
    let spec = &crd.spec;
    let versions = spec.versions.iter().zip(roots).enumerate();
    let versions = versions.map(|(at, (version, schema))| {
        let subresources = crd.subresources(at);
        let scale = subresources.and_then(|subresources| subresources.scale);
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
        }
    });
    CrdParts {
        group: spec.group.into(),
        kind: spec.names.kind.into(),
        plural: spec.names.plural.into(),
        namespaced: spec.scope == "Namespaced",
        prunes: crd.prunes(),
        versions: versions.collect(),
    }
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

/// Kubernetes' order of version names: `v2` before `v1` before `v1beta1` before `v1alpha1` before names
/// of any other form, which stand in reverse alphabetical order. Greater means newer.
pub fn compare_versions(left: &str, right: &str) -> Ordering {
    match (parse_version(left), parse_version(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => right.cmp(left),
    }
}

/// Stability, major and minor number of a name like `v1beta2`.
fn parse_version(name: &str) -> Option<(u8, u64, u64)> {
    let number = |digits: &str| {
        let valid = !digits.is_empty() && !digits.starts_with('0');
        valid.then(|| digits.parse().ok()).flatten()
    };
    let rest = name.strip_prefix('v')?;
    let split = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at_checked(split)?;
    let major = number(major)?;
    let (stability, minor) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
        _ if rest.is_empty() => return Some((2, major, 0)),
        (Some(minor), _) => (0, minor),
        (_, Some(minor)) => (1, minor),
        _ => return None,
    };
    Some((stability, major, number(minor)?))
}
