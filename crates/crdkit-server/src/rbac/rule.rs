//! One rule of a role: which verbs on which resources or paths.
//!
//! `*` stands for all verbs, groups, resources or paths, `*/scale` for that subresource of all resources, and a path that
//! ends in `*` for all that begin so. A rule with names never allows what concerns no single object.

use super::{AccessAction, AccessTarget, items};
use crdkit_value::Value;

/// A rule of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PolicyRule {
    /// Verbs, or `*`.
    pub verbs: Box<[Box<str>]>,
    /// Groups, or `*`.
    pub groups: Box<[Box<str>]>,
    /// Resources, with their subresources, or `*`.
    pub resources: Box<[Box<str>]>,
    /// Names of objects; none means all.
    pub names: Box<[Box<str>]>,
    /// Paths that are not resources'.
    pub paths: Box<[Box<str>]>,
}

impl PolicyRule {
    /// The rule in `value`.
    pub(super) fn read(value: Value<'_>) -> Self {
        let texts = |key: &str| -> Box<[Box<str>]> {
            items(value, key).filter_map(Value::as_str).map(Into::into).collect()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            paths: texts("nonResourceURLs"),
        }
    }

    /// Whether it allows `action`.
    pub(super) fn allows(&self, action: AccessAction<'_>) -> bool {
        has(&self.verbs, action.verb)
            && match action.target {
                AccessTarget::Path(path) => {
                    self.paths.iter().any(|pattern| match pattern.strip_suffix('*') {
                        Some(start) => path.starts_with(start),
                        None => path == &**pattern,
                    })
                }
                AccessTarget::Resource { group, resource, name, .. } => {
                    has(&self.groups, group)
                        && self.resources.iter().any(|pattern| covers(pattern, resource))
                        && (self.names.is_empty() || self.names.iter().any(|it| &**it == name))
                }
            }
    }
}

fn has(list: &[Box<str>], wanted: &str) -> bool {
    list.iter().any(|it| &**it == "*" || &**it == wanted)
}

fn covers(pattern: &str, resource: &str) -> bool {
    let subresource = resource.split_once('/').map(|(_, subresource)| subresource);
    let of_all = subresource.is_some() && pattern.strip_prefix("*/") == subresource;
    pattern == "*" || pattern == resource || of_all
}
