//! Groups and their versions, in the order clients prefer them.
//!
//! Native groups come first, in an order of their own; groups of CRDs follow by name. Within a group the newest stable
//! version comes first, and is the preferred one.

use crate::catalogue::resource::Resource;
use crdkit_text::kind::compare_versions;
use std::collections::BTreeMap;

/// A group with all that it serves.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// Its name; the core group has none.
    pub name: &'r str,
    /// Its versions, the preferred one first, each with its resources by name.
    pub versions: Vec<(&'r str, Vec<&'r Resource>)>,
}

/// Native groups, the most important first. Those that are not here come after them, by name.
const NATIVE: [&str; 22] = [
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "resource.k8s.io",
    "storagemigration.k8s.io",
];

/// The groups of `resources`, in order.
pub fn groups<'r>(resources: impl IntoIterator<Item = &'r Resource>) -> Vec<Group<'r>> {
    let mut by_name: BTreeMap<&str, BTreeMap<&str, Vec<&Resource>>> = BTreeMap::new();
    for resource in resources {
        let versions = by_name.entry(&resource.kind.group).or_default();
        versions.entry(&resource.kind.version).or_default().push(resource);
    }
    let group = |(name, versions): (&'r str, BTreeMap<&'r str, Vec<&'r Resource>>)| {
        let mut versions: Vec<_> = versions.into_iter().collect();
        versions.sort_by(|(left, _), (right, _)| compare_versions(right, left));
        for (_, resources) in &mut versions {
            resources.sort_by(|left, right| left.plural.cmp(&right.plural));
        }
        Group { name, versions }
    };
    let mut groups: Vec<_> = by_name.into_iter().map(group).collect();
    let place = |group: &Group<'_>| {
        NATIVE.iter().position(|native| *native == group.name).unwrap_or(NATIVE.len())
    };
    groups.sort_by_key(place);
    groups
}
