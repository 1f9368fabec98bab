//! Who owns which fields: `metadata.managedFields`, updates that are tracked, and server-side apply.
//!
//! A [`Writer`] is one write to an object: who, when, at which version and subresource. [`Writer::update`] notes what a
//! create, an update or a patch has changed; [`Writer::apply`] lays a configuration over an object, and refuses
//! to take fields from others unless it is forced to. Objects come in the version of the request; [`Versions`] knows
//! the schemas of all versions and converts between them.
//!
//! Entries that a write does not touch are written back as they are.
//!
//! Upstream: `apimachinery/pkg/util/managedfields`, `structured-merge-diff/merge`.

mod apply;
mod cap;
mod conflict;
mod entry;
mod error;
mod extract;
mod last_applied;
mod owned_fields;
mod owners;
mod prune;
mod scale;
mod times;
mod update;
mod upgrade;
mod versions;

pub use conflict::Conflict;
pub use error::ApplyError;
pub use extract::extract_applied;
pub use owners::{Owned, owners};
pub use scale::AppliedScale;
pub use times::keep_times;
pub use upgrade::{CLIENT_SIDE_MANAGER, upgrade_to_apply};
pub use versions::{CrdVersions, Versions};

use crate::set::Set;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::sync::LazyLock;

/// One write to an object.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    /// Who writes.
    pub manager: &'a str,
    /// The `apiVersion` of the request.
    pub api_version: &'a str,
    /// The subresource that is written; empty for the object itself.
    pub subresource: &'a str,
    /// When.
    pub time: Timestamp,
    /// Fields, as names from the root, that the request cannot change, such as `status` beside a subresource of that
    /// name. Nobody owns them because of the request.
    pub reset: &'a [&'a [&'a str]],
    /// The versions of the kind.
    pub versions: &'a dyn Versions,
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { manager, api_version, subresource, .. } = self;
        write!(f, "{manager} at {api_version} {subresource}")
    }
}

/// What an apply has made.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The object, with `managedFields`; still without the defaults of what was added.
    pub document: Document,
    /// Whether anything but `managedFields` is other than before.
    pub changed: bool,
}

impl Writer<'_> {
    /// The fields that the request cannot change.
    fn reset_fields(&self) -> Set<'_> {
        self.reset.iter().fold(Set::default(), |set, path| set.union(Set::of_path(path)))
    }
}

/// Fields that are not owned by anybody.
static IDENTITY: LazyLock<Set<'static>> = LazyLock::new(|| {
    const PATHS: [&[&str]; 12] = [
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ];
    PATHS.iter().fold(Set::default(), |set, path| set.union(Set::of_path(path)))
});

/// `metadata.managedFields`.
fn managed_fields(object: Value<'_>) -> Option<Value<'_>> {
    object.get("metadata")?.get("managedFields")
}

/// Makes the owners of `from` those of `to`.
pub fn copy_owners(from: &Document, to: &mut Document) {
    forget(to);
    if let Some(list) = managed_fields(from.root())
        && let Some(metadata) = metadata(to)
    {
        to.append_member(metadata, None, "managedFields", list);
    }
}

/// Removes `metadata.managedFields`.
fn forget(object: &mut Document) {
    if let Some(id) = managed_fields(object.root()).map(Value::id) {
        object.remove(id);
    }
}

/// `metadata` of `object`, which is made if it is not there.
fn metadata(object: &mut Document) -> Option<NodeId> {
    let found = object.root().get("metadata").map(Value::id);
    found.or_else(|| object.insert(NodeId::ROOT, "metadata", NewValue::EmptyObject))
}
