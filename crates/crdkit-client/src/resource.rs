//! What requests are about, and the paths they go to.

use crdkit_text::kind::GroupVersionKind;
use std::fmt::Write as _;

/// A resource in one version, as paths name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural.
    pub plural: String,
}

impl Resource {
    /// A resource by its names.
    pub fn new(group: &str, version: &str, plural: &str) -> Self {
        Self { group: group.to_owned(), version: version.to_owned(), plural: plural.to_owned() }
    }

    /// The resource of a type that `kube` or `k8s-openapi` knows.
    pub fn of<K: kube::Resource<DynamicType = ()>>() -> Self {
        Self::new(&K::group(&()), &K::version(&()), &K::plural(&()))
    }

    /// The path of its objects, of one of them, or of a subresource. Names go into a path as they are, whatever is in them.
    pub(crate) fn path(
        &self,
        namespace: Option<&str>,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> String {
        let mut path = group_version_path(&self.group, &self.version);
        let in_namespace = namespace.map(|namespace| ["namespaces", namespace]);
        let parts = in_namespace.iter().flatten().copied();
        let parts = parts.chain([self.plural.as_str()]).chain(name).chain(subresource);
        for part in parts {
            path.push('/');
            encode(part, &mut path);
        }
        path
    }
}

/// Where the resources of a version are.
pub(crate) fn group_version_path(group: &str, version: &str) -> String {
    let mut path = String::from(if group.is_empty() { "/api/" } else { "/apis/" });
    if !group.is_empty() {
        encode(group, &mut path);
        path.push('/');
    }
    encode(version, &mut path);
    path
}

/// Where the kinds of a version are listed.
pub(crate) fn discovery_path(kind: &GroupVersionKind) -> String {
    group_version_path(&kind.group, &kind.version)
}

/// Appends text as part of an address.
pub(crate) fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_where_kubernetes_has_them() {
        let lamps = Resource::new("example.com", "v1", "lamps");
        let pods = Resource::new("", "v1", "pods");
        assert_eq!(lamps.path(None, None, None), "/apis/example.com/v1/lamps");
        assert_eq!(
            lamps.path(Some("a"), Some("b"), Some("status")),
            "/apis/example.com/v1/namespaces/a/lamps/b/status"
        );
        assert_eq!(
            pods.path(Some("a"), Some("x/../y?z"), None),
            "/api/v1/namespaces/a/pods/x%2F..%2Fy%3Fz"
        );
    }
}
