//! Whether a webhook or policy concerns a request, and in which version it wants to see it.
//!
//! Upstream: `apiserver/pkg/admission/plugin/webhook/predicates`.

use crate::request::{AdmissionRequest, Operation};
use crate::selector::ObjectSelector;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, Value};

/// Another version of the resource of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// The resource in that version.
    pub resource: GroupVersionResource,
    /// Its kind.
    pub kind: GroupVersionKind,
}

/// The form in which a request is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The resource.
    pub resource: GroupVersionResource,
    /// The kind that objects are converted to.
    pub kind: GroupVersionKind,
}

/// Whether rules mean all versions of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchPolicy {
    /// Only those that they name.
    Exact,
    /// All of them; requests are converted to one that is named.
    #[default]
    Equivalent,
}

/// Where objects are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere.
    #[default]
    All,
    /// In no namespace.
    Cluster,
    /// In a namespace.
    Namespaced,
}

/// Operations on resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceRule {
    /// Operations, or `*`.
    operations: Box<[Box<str>]>,
    groups: Box<[Box<str>]>,
    versions: Box<[Box<str>]>,
    /// `pods`, `pods/status`, `pods/*`, `*` (without subresources), `*/scale`, `*/*`.
    resources: Box<[Box<str>]>,
    /// Names of objects; none means all.
    names: Box<[Box<str>]>,
    scope: Scope,
}

/// What a webhook or policy says about the requests that concern it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) rules: Box<[ResourceRule]>,
    pub(crate) excluded: Box<[ResourceRule]>,
    pub(crate) policy: MatchPolicy,
    pub(crate) namespaces: ObjectSelector,
    pub(crate) objects: ObjectSelector,
}

impl ResourceRule {
    /// The rule in `value`.
    pub fn read(value: Value<'_>) -> Self {
        let texts = |key: &str| {
            let texts = value.get(key).into_iter().flat_map(Value::items);
            texts.filter_map(Value::as_str).map(Into::into).collect()
        };
        Self {
            operations: texts("operations"),
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            scope: match value.get("scope").and_then(Value::as_str) {
                Some("Cluster") => Scope::Cluster,
                Some("Namespaced") => Scope::Namespaced,
                _ => Scope::All,
            },
        }
    }

    /// Whether it means `request`, were that about `resource`.
    fn matches(&self, request: &AdmissionRequest<'_>, resource: &GroupVersionResource) -> bool {
        let is_placed = !request.namespace.is_empty() && !is_namespace(request.resource);
        let scoped = match self.scope {
            Scope::All => true,
            Scope::Cluster => !is_placed,
            Scope::Namespaced => is_placed,
        };
        let among = |list: &[Box<str>], text: &str| {
            list.iter().any(|it| matches!(&**it, "*") || &**it == text)
        };
        let is_resource = |pattern: &str| {
            let (name, subresource) = pattern.split_once('/').unwrap_or((pattern, ""));
            let matches = |pattern: &str, text: &str| pattern == "*" || pattern == text;
            matches(name, &resource.resource) && matches(subresource, request.subresource)
        };
        scoped
            && among(&self.operations, request.operation.as_str())
            && among(&self.groups, &resource.group)
            && among(&self.versions, &resource.version)
            && self.resources.iter().any(|pattern| is_resource(pattern))
            && (self.names.is_empty() || self.names.iter().any(|name| &**name == request.name))
    }
}

impl Constraints {
    /// The form in which `request` is seen; none if it does not concern whoever has these constraints.
    pub(crate) fn find(&self, request: &AdmissionRequest<'_>) -> Option<Match> {
        if is_exempt(request.resource) || !self.selects_namespace(request) {
            return None;
        }
        if first(&self.excluded, self.policy, request).is_some() {
            return None;
        }
        let matched = first(&self.rules, self.policy, request)?;
        self.selects_object(request).then_some(matched)
    }

    /// Whether a request that a policy concerns is also one that its binding means: without rules all of
    /// them are.
    pub(crate) fn narrows_to(&self, request: &AdmissionRequest<'_>) -> bool {
        self.selects_namespace(request)
            && first(&self.excluded, self.policy, request).is_none()
            && (self.rules.is_empty() || first(&self.rules, self.policy, request).is_some())
            && self.selects_object(request)
    }

    fn selects_namespace(&self, request: &AdmissionRequest<'_>) -> bool {
        if self.namespaces.is_empty() {
            return true;
        }
        let namespace = if is_namespace(request.resource) {
            match request.operation {
                Operation::Create => request.object,
                _ => request.old_object.or(request.namespace_object).or(request.object),
            }
        } else if request.namespace.is_empty() {
            // What is in no namespace is never left out by this.
            return true;
        } else {
            request.namespace_object
        };
        namespace.is_some_and(|namespace| self.namespaces.matches(namespace.root()))
    }

    fn selects_object(&self, request: &AdmissionRequest<'_>) -> bool {
        let matches = |object: &Document| self.objects.matches(object.root());
        let mut objects = [request.object, request.old_object].into_iter().flatten();
        self.objects.is_empty() || objects.any(matches)
    }
}

/// The first rule that means the request as it was sent, then the first that means another version of it.
fn first(
    rules: &[ResourceRule],
    policy: MatchPolicy,
    request: &AdmissionRequest<'_>,
) -> Option<Match> {
    let found = |resource: &GroupVersionResource, kind: &GroupVersionKind| Match {
        resource: resource.clone(),
        kind: kind.clone(),
    };
    if rules.iter().any(|rule| rule.matches(request, request.resource)) {
        return Some(found(request.resource, request.kind));
    }
    if policy == MatchPolicy::Exact {
        return None;
    }
    let others = |rule: &ResourceRule| {
        request.equivalents.iter().find(|it| rule.matches(request, &it.resource)).cloned()
    };
    let Equivalent { resource, kind } = rules.iter().find_map(others)?;
    Some(Match { resource, kind })
}

fn is_namespace(resource: &GroupVersionResource) -> bool {
    resource.group.is_empty() && resource.resource == "namespaces"
}

/// What configures admission is never subject to it, so that mistakes can be mended.
fn is_exempt(resource: &GroupVersionResource) -> bool {
    const KINDS: [&str; 6] = [
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "validatingwebhookconfigurations",
    ];
    resource.group == "admissionregistration.k8s.io" && KINDS.contains(&&*resource.resource)
}
