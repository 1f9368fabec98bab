//! Who may do what, by roles and bindings.
//!
//! Takes the objects of the four kinds of `rbac.authorization.k8s.io/v1` and gives an [`AccessPolicy`], a snapshot that never
//! changes; asked about a [`Subject`] and an [`AccessAction`] it gives the reason why the action is allowed, or nothing.
//! Rules only ever add rights: what no rule allows is refused. Roles of bindings are looked up when the policy is made; a
//! binding to a role that is not there allows nothing until the next policy.

mod rule;

pub(crate) use rule::PolicyRule;

use crdkit_value::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s> {
    /// The name of the user.
    pub user: &'s str,
    /// All groups of the user.
    pub groups: &'s [String],
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessAction<'a> {
    /// The verb, as in `get` or `deletecollection`.
    pub verb: &'a str,
    /// What it is done to.
    pub target: AccessTarget<'a>,
}

/// What something is done to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AccessTarget<'a> {
    /// A resource.
    Resource {
        /// Its group, empty for the core one.
        group: &'a str,
        /// Its plural name, with `/` and the subresource where there is one.
        resource: &'a str,
        /// The namespace; empty for all of them and for what is in none.
        namespace: &'a str,
        /// The name of the object; empty where no single one is meant.
        name: &'a str,
    },
    /// A path that is not a resource's.
    Path(&'a str),
}

/// Roles and bindings at one moment.
#[derive(Debug, Default)]
pub(crate) struct AccessPolicy {
    /// What is allowed everywhere, by who holds it.
    cluster: Holders,
    /// What is allowed in a namespace.
    namespaces: HashMap<Box<str>, Holders>,
}

/// A binding, with the rules of its role.
#[derive(Debug)]
struct Grant {
    /// As the reason names it: `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`.
    reason: Box<str>,
    rules: Arc<[PolicyRule]>,
}

/// Grants by user and by group.
#[derive(Debug, Default)]
struct Holders {
    users: BTreeMap<Box<str>, Vec<Grant>>,
    groups: BTreeMap<Box<str>, Vec<Grant>>,
}

impl AccessPolicy {
    /// The policy of all roles and bindings, whatever their order; other objects are passed over.
    pub(crate) fn new<'v>(objects: impl IntoIterator<Item = Value<'v>> + Clone) -> Self {
        let mut granted = HashMap::new();
        for object in objects.clone() {
            if matches!(text(object, "kind"), "Role" | "ClusterRole") {
                let rules: Arc<[PolicyRule]> =
                    items(object, "rules").map(PolicyRule::read).collect();
                granted.insert(key(object), rules);
            }
        }
        let mut policy = Self::default();
        for object in objects {
            if matches!(text(object, "kind"), "RoleBinding" | "ClusterRoleBinding") {
                policy.bind(object, &granted);
            }
        }
        policy
    }

    fn bind<'v>(&mut self, binding: Value<'v>, granted: &HashMap<RoleKey<'v>, Arc<[PolicyRule]>>) {
        let (kind, name, namespace) = key(binding);
        let Some(role) = binding.get("roleRef") else { return };
        let (role_kind, role_name) = (text(role, "kind"), text(role, "name"));
        let home = if role_kind == "ClusterRole" { "" } else { namespace };
        let Some(rules) = granted.get(&(role_kind, role_name, home)) else { return };
        let holders = match kind {
            "ClusterRoleBinding" => &mut self.cluster,
            _ => self.namespaces.entry(namespace.into()).or_default(),
        };
        let placed = |name: &str, namespace: &str| match namespace {
            "" => format!("{name:?}"),
            namespace => format!("\"{name}/{namespace}\""),
        };
        for subject in items(binding, "subjects") {
            let (subject_kind, subject_name) = (text(subject, "kind"), text(subject, "name"));
            let (list, holder) = match subject_kind {
                "User" => (&mut holders.users, subject_name.to_owned()),
                "Group" => (&mut holders.groups, subject_name.to_owned()),
                "ServiceAccount" => {
                    let home = match text(subject, "namespace") {
                        "" => namespace,
                        home => home,
                    };
                    (&mut holders.users, format!("system:serviceaccount:{home}:{subject_name}"))
                }
                _ => continue,
            };
            let shown = placed(subject_name, text(subject, "namespace"));
            let reason = format!(
                "RBAC: allowed by {kind} {} of {role_kind} {role_name:?} to {subject_kind} {shown}",
                placed(name, namespace)
            );
            let grant = Grant { reason: reason.into(), rules: Arc::clone(rules) };
            list.entry(holder.into()).or_default().push(grant);
        }
    }

    /// Why `subject` may do `action`; none where no rule says so.
    pub(crate) fn allows<'p>(
        &'p self,
        subject: Subject<'p>,
        action: AccessAction<'_>,
    ) -> Option<&'p str> {
        let namespace = match action.target {
            AccessTarget::Resource { namespace, .. } => namespace,
            AccessTarget::Path(_) => "",
        };
        let mut grants = self.grants(subject, namespace);
        let grant = grants.find(|grant| grant.rules.iter().any(|rule| rule.allows(action)))?;
        Some(&grant.reason)
    }

    /// All rules that hold for `subject` in a namespace.
    pub(crate) fn rules<'p>(
        &'p self,
        subject: Subject<'p>,
        namespace: &str,
    ) -> impl Iterator<Item = &'p PolicyRule> {
        self.grants(subject, namespace).flat_map(|grant| grant.rules.iter())
    }

    fn grants<'p>(
        &'p self,
        subject: Subject<'p>,
        namespace: &str,
    ) -> impl Iterator<Item = &'p Grant> {
        let holders = [Some(&self.cluster), self.namespaces.get(namespace)];
        holders.into_iter().flatten().flat_map(move |holders| {
            let by_group = subject.groups.iter().filter_map(|group| holders.groups.get(&**group));
            by_group.chain(holders.users.get(subject.user)).flatten()
        })
    }
}

/// Kind, name and namespace of an object.
type RoleKey<'v> = (&'v str, &'v str, &'v str);

fn key(object: Value<'_>) -> RoleKey<'_> {
    let metadata = |key| object.get("metadata").map_or("", |metadata| text(metadata, key));
    (text(object, "kind"), metadata("name"), metadata("namespace"))
}

fn text<'v>(object: Value<'v>, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'v>(object: Value<'v>, key: &str) -> impl Iterator<Item = Value<'v>> {
    object.get(key).into_iter().flat_map(Value::items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::{DecodeOptions, Format};
    use crdkit_value::Document;

    const OBJECTS: &str = r#"
- {kind: ClusterRole, metadata: {name: reader}, rules: [{verbs: [get, list], apiGroups: [""], resources: [pods, "*/scale"]}]}
- {kind: ClusterRole, metadata: {name: metrics}, rules: [{verbs: [get], nonResourceURLs: [/metrics, /debug/*]}]}
- {kind: Role, metadata: {name: one, namespace: a}, rules: [{verbs: ["*"], apiGroups: ["*"], resources: [leases], resourceNames: [x]}]}
- {kind: ClusterRoleBinding, metadata: {name: all}, roleRef: {kind: ClusterRole, name: reader}, subjects: [{kind: Group, name: team}]}
- {kind: ClusterRoleBinding, metadata: {name: scrape}, roleRef: {kind: ClusterRole, name: metrics}, subjects: [{kind: User, name: ann}]}
- {kind: RoleBinding, metadata: {name: own, namespace: a}, roleRef: {kind: Role, name: one}, subjects: [{kind: ServiceAccount, name: bot, namespace: b}]}
- {kind: RoleBinding, metadata: {name: narrow, namespace: a}, roleRef: {kind: ClusterRole, name: reader}, subjects: [{kind: User, name: eve}]}
"#;

    /// Whether and why a user in the group `team` or in none may do something.
    fn why(user: &str, groups: &[&str], verb: &str, target: AccessTarget<'_>) -> Option<String> {
        let objects = Format::Yaml.decode(OBJECTS.as_bytes(), &DecodeOptions::default());
        let objects: Document = objects.expect("objects").document;
        let policy = AccessPolicy::new(objects.root().items().collect::<Vec<_>>());
        let groups: Vec<String> = groups.iter().map(|&group| group.to_owned()).collect();
        let reason =
            policy.allows(Subject { user, groups: &groups }, AccessAction { verb, target });
        reason.map(|reason| reason.trim_start_matches("RBAC: allowed by ").to_owned())
    }

    fn of<'a>(
        group: &'a str,
        resource: &'a str,
        namespace: &'a str,
        name: &'a str,
    ) -> AccessTarget<'a> {
        AccessTarget::Resource { group, resource, namespace, name }
    }

    #[test]
    fn bindings_hold_everywhere_or_in_their_namespace() {
        let pods = |namespace| of("", "pods", namespace, "");
        assert_eq!(
            why("bob", &["team"], "get", pods("z")).as_deref(),
            Some(r#"ClusterRoleBinding "all" of ClusterRole "reader" to Group "team""#)
        );
        assert_eq!(why("bob", &["team"], "delete", pods("z")), None);
        assert_eq!(
            why("eve", &[], "list", pods("a")).as_deref(),
            Some(r#"RoleBinding "narrow/a" of ClusterRole "reader" to User "eve""#)
        );
        assert_eq!(why("eve", &[], "list", pods("z")), None);
        assert_eq!(why("eve", &[], "list", pods("")), None);
    }

    #[test]
    fn rules_name_subresources_objects_and_paths() {
        assert!(why("bob", &["team"], "get", of("", "deployments/scale", "a", "x")).is_some());
        assert!(why("bob", &["team"], "get", of("apps", "deployments/scale", "a", "x")).is_none());
        let bot = "system:serviceaccount:b:bot";
        assert!(why(bot, &[], "update", of("coordination.k8s.io", "leases", "a", "x")).is_some());
        assert!(why(bot, &[], "update", of("coordination.k8s.io", "leases", "a", "y")).is_none());
        assert!(why(bot, &[], "create", of("coordination.k8s.io", "leases", "a", "")).is_none());
        assert!(why("ann", &[], "get", AccessTarget::Path("/debug/pprof")).is_some());
        assert!(why("ann", &[], "get", AccessTarget::Path("/metrics/x")).is_none());
    }
}
