//! All of discovery in one document: `APIGroupDiscoveryList` of `apidiscovery.k8s.io`.
//!
//! `/api` has the core group, `/apis` all others. Both versions of the document have the same form.

use super::Group;
use super::legacy::{names, verbs};
use crate::catalogue::resource::{Resource, Subresource};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Writer};

/// The version of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryVersion {
    /// `v2`.
    V2,
    /// `v2beta1`, for older clients.
    V2Beta1,
}

impl DiscoveryVersion {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V2Beta1 => "v2beta1",
        }
    }
}

/// The document of `groups`, which are in order.
pub fn discovery<'g, 'r: 'g>(
    version: DiscoveryVersion,
    groups: impl IntoIterator<Item = &'g Group<'r>>,
) -> Document {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("kind", "APIGroupDiscoveryList");
        writer.text("apiVersion", &format!("apidiscovery.k8s.io/{}", version.as_str()));
        writer.nested("metadata", |_| {});
        writer.list("items", groups, group);
    });
    writer.finish()
}

fn group(writer: &mut Writer, group: &Group<'_>) {
    writer.object(|writer| {
        writer.nested("metadata", |writer| {
            if !group.name.is_empty() {
                writer.text("name", group.name);
            }
        });
        writer.list("versions", &group.versions, |writer, (version, resources)| {
            writer.object(|writer| {
                writer.text("version", version);
                writer.list("resources", resources, |writer, one| resource(writer, one));
                writer.text("freshness", "Current");
            });
        });
    });
}

fn resource(writer: &mut Writer, resource: &Resource) {
    writer.object(|writer| {
        writer.text("resource", &resource.plural);
        // Native kinds leave out what the version says already.
        if resource.is_custom() {
            kind(writer, &resource.kind);
        } else {
            let alone = GroupVersionKind { kind: resource.kind.kind.clone(), ..Default::default() };
            kind(writer, &alone);
        }
        writer.text("scope", if resource.namespaced { "Namespaced" } else { "Cluster" });
        writer.text("singularResource", &resource.singular);
        verbs(writer, &resource.verbs);
        names(writer, resource);
        if !resource.subresources.is_empty() {
            writer.list("subresources", &resource.subresources, |writer, one| {
                subresource(writer, resource, one);
            });
        }
    });
}

fn subresource(writer: &mut Writer, resource: &Resource, subresource: &Subresource) {
    writer.object(|writer| {
        writer.text("subresource", &subresource.name);
        let own = resource.is_custom() && subresource.kind.version.is_empty();
        kind(writer, if own { &resource.kind } else { &subresource.kind });
        verbs(writer, &subresource.verbs);
    });
}

fn kind(writer: &mut Writer, kind: &GroupVersionKind) {
    writer.nested("responseKind", |writer| {
        writer.text("group", &kind.group);
        writer.text("version", &kind.version);
        writer.text("kind", &kind.kind);
    });
}
