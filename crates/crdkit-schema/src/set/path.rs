//! Paths of requests: `/apis/GROUP/VERSION/[namespaces/NAMESPACE/]PLURAL[/NAME[/SUBRESOURCE]]`, and the same under
//! `/api/VERSION` for the core group.
//!
//! Upstream: `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`.

use std::fmt;

/// What the path of a request is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourcePath<'p> {
    /// The API group; empty for the core one.
    pub group: &'p str,
    /// The version.
    pub version: &'p str,
    /// The namespace, if one is named.
    pub namespace: Option<&'p str>,
    /// The resource.
    pub plural: &'p str,
    /// The object; none for all of them.
    pub name: Option<&'p str>,
    /// The part of the object.
    pub subresource: Option<&'p str>,
}

impl<'p> ResourcePath<'p> {
    /// Takes a path apart, which ends before the query; none when it is not about a resource.
    pub fn parse(path: &'p str) -> Option<Self> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let (group, rest) = match path.strip_prefix("/apis/") {
            Some(rest) => rest.split_once('/')?,
            None => ("", path.strip_prefix("/api/")?),
        };
        let (version, rest) = rest.split_once('/')?;
        let mut parts = rest.split('/');
        let mut namespace = None;
        let mut plural = parts.next()?;
        let mut name = parts.next();
        // The parts of a namespace itself are the only ones that follow its name.
        let next = parts.clone().next();
        if plural == "namespaces" && next.is_some_and(|it| !matches!(it, "status" | "finalize")) {
            namespace = name;
            plural = parts.next()?;
            name = parts.next();
        }
        let subresource = parts.next();
        let found = Self { group, version, namespace, plural, name, subresource };
        let is_whole = parts.next().is_none() && !version.is_empty() && !plural.is_empty();
        let options = [namespace, name, subresource];
        (is_whole && !options.contains(&Some(""))).then_some(found)
    }
}

impl fmt::Display for ResourcePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group {
            "" => write!(f, "/api/{}", self.version)?,
            group => write!(f, "/apis/{group}/{}", self.version)?,
        }
        if let Some(namespace) = self.namespace {
            write!(f, "/namespaces/{namespace}")?;
        }
        write!(f, "/{}", self.plural)?;
        let rest = [self.name, self.subresource];
        rest.into_iter().flatten().try_for_each(|part| write!(f, "/{part}"))
    }
}
