//! One document for each question: which versions, which groups, which resources.
//!
//! The entries of a resource stand together: the resource, then its subresources.

use super::Group;
use crate::catalogue::resource::{Resource, Verb};
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Writer};

/// `/api`: the versions of the core group. `address` is where this server is reached.
pub fn api_versions<'t>(versions: impl IntoIterator<Item = &'t str>, address: &str) -> Document {
    document("APIVersions", None, |writer| {
        writer.texts("versions", versions);
        writer.list("serverAddressByClientCIDRs", [address], |writer, address| {
            writer.object(|writer| {
                writer.text("clientCIDR", "0.0.0.0/0");
                writer.text("serverAddress", address);
            });
        });
    })
}

/// `/apis`: all groups but the core group.
pub fn group_list(groups: &[Group<'_>]) -> Document {
    document("APIGroupList", Some("v1"), |writer| {
        let named = groups.iter().filter(|group| !group.name.is_empty());
        writer.list("groups", named, |writer, group| {
            writer.object(|writer| describe(writer, group));
        });
    })
}

/// `/apis/GROUP`.
pub fn group(group: &Group<'_>) -> Document {
    document("APIGroup", Some("v1"), |writer| describe(writer, group))
}

/// `/api/v1` and `/apis/GROUP/VERSION`.
pub fn resource_list<'r>(
    group_version: GroupVersion<'_>,
    resources: impl IntoIterator<Item = &'r Resource>,
) -> Document {
    document("APIResourceList", Some("v1"), |writer| {
        writer.text("groupVersion", &group_version.to_string());
        writer.list("resources", resources, entries);
    })
}

fn document(kind: &str, api_version: Option<&str>, members: impl FnOnce(&mut Writer)) -> Document {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("kind", kind);
        if let Some(api_version) = api_version {
            writer.text("apiVersion", api_version);
        }
        members(writer);
    });
    writer.finish()
}

fn describe(writer: &mut Writer, group: &Group<'_>) {
    let version = |writer: &mut Writer, version: &str| {
        writer.object(|writer| {
            let group_version = GroupVersion { group: group.name, version };
            writer.text("groupVersion", &group_version.to_string());
            writer.text("version", version);
        });
    };
    let versions = || group.versions.iter().map(|(name, _)| *name);
    writer.text("name", group.name);
    writer.list("versions", versions(), version);
    if let Some(preferred) = versions().next() {
        writer.key("preferredVersion");
        version(writer, preferred);
    }
}

/// A resource and its subresources.
fn entries(writer: &mut Writer, resource: &Resource) {
    writer.object(|writer| {
        writer.text("name", &resource.plural);
        writer.text("singularName", &resource.singular);
        writer.flag("namespaced", resource.namespaced);
        writer.text("kind", &resource.kind.kind);
        verbs(writer, &resource.verbs);
        names(writer, resource);
        if let Some(hash) = resource.storage_version_hash() {
            writer.text("storageVersionHash", &hash);
        }
    });
    for subresource in &resource.subresources {
        writer.object(|writer| {
            writer.text("name", &format!("{}/{}", resource.plural, subresource.name));
            writer.text("singularName", "");
            writer.flag("namespaced", resource.namespaced);
            let kind = &subresource.kind;
            for (key, text) in [("group", &kind.group), ("version", &kind.version)] {
                if !text.is_empty() {
                    writer.text(key, text);
                }
            }
            writer.text("kind", &kind.kind);
            verbs(writer, &subresource.verbs);
        });
    }
}

pub(super) fn verbs(writer: &mut Writer, verbs: &[Verb]) {
    writer.texts("verbs", verbs.iter().map(|verb| verb.as_str()));
}

/// Names that stand only where there are some.
pub(super) fn names(writer: &mut Writer, resource: &Resource) {
    for (key, names) in
        [("shortNames", &resource.short_names), ("categories", &resource.categories)]
    {
        if !names.is_empty() {
            writer.texts(key, names);
        }
    }
}
