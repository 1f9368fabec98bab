//! Names of kinds and resources: group, version, kind or plural.
//!
//! Takes the text of `apiVersion` and `kind`, gives its parts. The core group is the empty one. Versions stand in
//! Kubernetes' order, in which greater means newer.
//! Upstream: `k8s.io/apimachinery/pkg/runtime/schema` and `pkg/version`.

use std::cmp::Ordering;
use std::fmt;

/// What `apiVersion` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupVersion<'t> {
    /// The API group.
    pub group: &'t str,
    /// The version.
    pub version: &'t str,
}

/// A kind, whatever its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

/// A kind in one version: what an object says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupVersionKind {
    /// The API group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// A resource in one version: what a request is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupVersionResource {
    /// The API group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural.
    pub resource: String,
}

impl<'t> GroupVersion<'t> {
    /// Group and version; the group may be absent, a lone slash is nothing. More than one slash is neither.
    pub fn parse(api_version: &'t str) -> Option<Self> {
        let (group, version) = match api_version {
            "/" => ("", ""),
            text => text.split_once('/').unwrap_or(("", text)),
        };
        (!version.contains('/')).then_some(Self { group, version })
    }

    /// A kind of this version.
    pub fn kind(self, kind: &str) -> GroupVersionKind {
        let Self { group, version } = self;
        GroupVersionKind { group: group.into(), version: version.into(), kind: kind.into() }
    }
}

impl GroupVersionKind {
    /// What `apiVersion` and `kind` say. More than one slash makes no version.
    pub fn of(api_version: &str, kind: &str) -> Self {
        GroupVersion::parse(api_version).unwrap_or_default().kind(kind)
    }

    /// Group and version, which are written as `apiVersion`.
    pub fn group_version(&self) -> GroupVersion<'_> {
        GroupVersion { group: &self.group, version: &self.version }
    }

    /// Group and kind.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Whether this is a `CustomResourceDefinition`, of any version.
    pub fn is_crd(&self) -> bool {
        self.group == "apiextensions.k8s.io" && self.kind == "CustomResourceDefinition"
    }
}

impl GroupVersionResource {
    /// Group and version, which are written as `apiVersion`.
    pub fn group_version(&self) -> GroupVersion<'_> {
        GroupVersion { group: &self.group, version: &self.version }
    }
}

impl Ord for GroupVersion<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let versions = || compare_versions(self.version, other.version);
        self.group.cmp(other.group).then_with(versions)
    }
}

impl PartialOrd for GroupVersion<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GroupVersionKind {
    fn cmp(&self, other: &Self) -> Ordering {
        let kinds = || self.kind.cmp(&other.kind);
        self.group_version().cmp(&other.group_version()).then_with(kinds)
    }
}

impl PartialOrd for GroupVersionKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for GroupVersion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group {
            "" => f.write_str(self.version),
            group => write!(f, "{group}/{}", self.version),
        }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{}.{group}", self.kind),
        }
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Resource={}", self.group, self.version, self.resource)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_versions_are_taken_apart() {
        for (text, parts) in [
            ("v1", Some(("", "v1"))),
            ("apps/v1", Some(("apps", "v1"))),
            ("/v1", Some(("", "v1"))),
            ("apps/", Some(("apps", ""))),
            ("/", Some(("", ""))),
            ("", Some(("", ""))),
            ("a/b/c", None),
            ("//", None),
        ] {
            let parsed = GroupVersion::parse(text);
            assert_eq!(parsed.map(|it| (it.group, it.version)), parts, "{text}");
        }
    }

    #[test]
    fn names_are_written_as_the_server_does() {
        let lamp = GroupVersionKind::of("example.com/v1", "Lamp");
        let pod = GroupVersionKind::of("v1", "Pod");
        let shown = |kind: &GroupVersionKind| {
            [kind.to_string(), kind.group_version().to_string(), kind.group_kind().to_string()]
        };
        assert_eq!(
            shown(&lamp),
            ["example.com/v1, Kind=Lamp", "example.com/v1", "Lamp.example.com"]
        );
        assert_eq!(shown(&pod), ["/v1, Kind=Pod", "v1", "Pod"]);
        let lamps = GroupVersionResource {
            group: lamp.group,
            version: lamp.version,
            resource: "lamps".into(),
        };
        assert_eq!(lamps.to_string(), "example.com/v1, Resource=lamps");
    }

    #[test]
    fn kinds_stand_by_group_then_age_then_name() {
        let sorted = [
            ("v1", "Pod"),
            ("a.io/zeta", "A"),
            ("a.io/alpha", "A"),
            ("a.io/v1alpha1", "A"),
            ("a.io/v1beta1", "A"),
            ("a.io/v1", "A"),
            ("a.io/v1", "B"),
            ("a.io/v11", "A"),
            ("b.io/v1", "A"),
        ];
        let kinds: Vec<_> =
            sorted.iter().map(|(version, kind)| GroupVersionKind::of(version, kind)).collect();
        assert!(kinds.is_sorted(), "{kinds:#?}");
    }
}
