//! What a request is about, by its method, its path and a little of its query.
//!
//! Upstream: `apiserver/pkg/endpoints/request/requestinfo.go`.

use crate::query::Query;
use hyper::Method;

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route<'r> {
    /// Objects.
    Resource(ResourceRoute<'r>),
    /// Anything else; the verb is the method.
    Path { verb: &'r str, path: &'r str },
}

/// Objects, and what is to be done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResourceRoute<'r> {
    pub(crate) verb: Verb,
    pub(crate) group: &'r str,
    pub(crate) version: &'r str,
    pub(crate) namespace: Option<&'r str>,
    pub(crate) plural: &'r str,
    pub(crate) name: Option<&'r str>,
    pub(crate) subresource: Option<&'r str>,
    /// Whether the path says that it is a watch.
    pub(crate) watch_prefix: bool,
}

/// What is to be done with objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Get,
    List,
    Watch,
    Update,
    Patch,
    Delete,
    DeleteCollection,
    /// A method that means nothing.
    Unknown,
}

impl<'r> Route<'r> {
    /// Takes a request apart. `method` is in lower case.
    pub(crate) fn parse(method: &'r str, path: &'r str, query: &Query) -> Self {
        Self::resource(method, path, query).unwrap_or(Self::Path { verb: method, path })
    }

    fn resource(method: &str, path: &'r str, query: &Query) -> Option<Self> {
        let mut parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        if parts.len() < 3 {
            return None;
        }
        let (group, version) = match parts.remove(0) {
            "api" => ("", parts.remove(0)),
            "apis" if parts.len() >= 3 => {
                let group = parts.remove(0);
                (group, parts.remove(0))
            }
            _ => return None,
        };
        if parts.is_empty() {
            return None;
        }
        let mut verb = match method {
            "post" => Verb::Create,
            "get" | "head" => Verb::Get,
            "put" => Verb::Update,
            "patch" => Verb::Patch,
            "delete" => Verb::Delete,
            _ => Verb::Unknown,
        };
        let watch_prefix = parts.first() == Some(&"watch") && parts.len() > 1;
        if watch_prefix {
            parts.remove(0);
            verb = Verb::Watch;
        }
        let mut namespace = None;
        if let ["namespaces", name, rest @ ..] = parts.as_slice() {
            namespace = Some(*name);
            if let [next, ..] = rest
                && !matches!(*next, "status" | "finalize")
            {
                parts.drain(..2);
            }
        }
        let mut parts = parts.into_iter();
        let plural = parts.next()?;
        let name = parts.next();
        let subresource = parts.next();
        if name.is_none() {
            verb = match verb {
                Verb::Get if query.flag("watch") => Verb::Watch,
                Verb::Get => Verb::List,
                Verb::Delete => Verb::DeleteCollection,
                other => other,
            };
        }
        Some(Self::Resource(ResourceRoute {
            verb,
            group,
            version,
            namespace: namespace.filter(|it| !it.is_empty()),
            plural,
            name,
            subresource,
            watch_prefix,
        }))
    }
}

/// The name of a method in lower case.
pub(crate) fn method_name(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(method: &str, target: &str) -> String {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        match Route::parse(method, path, &Query::parse(query)) {
            Route::Path { verb, path } => format!("{verb} {path}"),
            Route::Resource(it) => {
                let ResourceRoute { verb, group, plural, namespace, name, subresource, .. } = it;
                format!("{verb:?} {group} {namespace:?} {plural} {name:?} {subresource:?}")
            }
        }
    }

    #[test]
    fn paths_are_taken_apart() {
        for (method, target, expected) in [
            ("get", "/apis/g/v1", "get /apis/g/v1"),
            ("get", "/api/v1", "get /api/v1"),
            ("get", "/apis/g/v1/ws", "List g None ws None None"),
            ("get", "/apis/g/v1/ws?watch", "Watch g None ws None None"),
            ("get", "/apis/g/v1/namespaces/n/ws/a/", "Get g Some(\"n\") ws Some(\"a\") None"),
            ("delete", "/apis/g/v1/namespaces/n/ws", "DeleteCollection g Some(\"n\") ws None None"),
            ("get", "/api/v1/namespaces/n", "Get  Some(\"n\") namespaces Some(\"n\") None"),
            (
                "put",
                "/api/v1/namespaces/n/finalize",
                "Update  Some(\"n\") namespaces Some(\"n\") Some(\"finalize\")",
            ),
            ("get", "/apis/g/v1/watch/namespaces/n/ws", "Watch g Some(\"n\") ws None None"),
            ("foo", "/apis/g/v1/ws", "Unknown g None ws None None"),
        ] {
            assert_eq!(shown(method, target), expected, "{method} {target}");
        }
    }
}
