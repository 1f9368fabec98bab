//! `PodSecurity`: pods are held against the level that labels of their namespace name.
//!
//! What is enforced refuses pods; what is only warned about also looks at the kinds that make pods. A namespace whose
//! labels are no levels is refused, and one that becomes stricter is told which of its pods would not be let in again.
//!
//! Upstream: `pod-security-admission/admission`, `pod-security-admission/policy`.

mod checks;

use super::FindObjects;
use crate::request::{AdmissionRequest, Operation, Remarks};
use checks::{Pod, Violation, violations};
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Value};
use std::collections::{BTreeMap, HashSet};

/// How strict the standards are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Level {
    #[default]
    Privileged,
    Baseline,
    Restricted,
}

/// A level of one version of the standards: that of Kubernetes 1.`version`, or the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct LevelVersion {
    level: Level,
    version: Option<u32>,
}

/// What labels of a namespace ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NamespacePolicy {
    enforce: LevelVersion,
    audit: LevelVersion,
    warn: LevelVersion,
}

/// A label that says nothing: its name, its value, and what it should be.
type BadLabel = (String, String, &'static str);

const PREFIX: &str = "pod-security.kubernetes.io/";
/// How many pods of a namespace are looked at when its level changes.
const MOST_PODS: usize = 3000;

impl Level {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "privileged" => Some(Self::Privileged),
            "baseline" => Some(Self::Baseline),
            "restricted" => Some(Self::Restricted),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

impl std::fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.level.as_str())?;
        match self.version {
            None => f.write_str(":latest"),
            Some(minor) => write!(f, ":v1.{minor}"),
        }
    }
}

/// `v1.N`.
fn parse_version(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("v1.")?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let padded = digits.len() > 1 && digits.starts_with('0');
    if plain && !padded { digits.parse().ok() } else { None }
}

impl NamespacePolicy {
    /// What the labels of `namespace` ask for, and those that make no sense.
    fn read(namespace: Value<'_>) -> (Self, Vec<BadLabel>) {
        let labels = namespace.get("metadata").and_then(|metadata| metadata.get("labels"));
        let label = |name: &str| labels.and_then(|it| it.get(&format!("{PREFIX}{name}"))?.as_str());
        let mut bad = Vec::new();
        let mut level = |name: &str, otherwise: Level| {
            let text = label(name)?;
            Some(Level::parse(text).ok_or(otherwise).inspect_err(|_| {
                let wanted = "must be one of privileged, baseline, restricted";
                bad.push((format!("{PREFIX}{name}"), text.to_owned(), wanted));
            }))
        };
        let mut policy = Self::default();
        let enforce = level("enforce", Level::Restricted);
        let audit = level("audit", Level::Privileged);
        let warn = level("warn", Level::Privileged);
        let plain = |found: Option<Result<Level, Level>>| match found {
            None => Level::default(),
            Some(Ok(level) | Err(level)) => level,
        };
        policy.enforce.level = plain(enforce);
        policy.audit.level = plain(audit);
        policy.warn.level = plain(warn);
        let mut version = |name: &str| {
            let text = label(name)?;
            let version = parse_version(text);
            if version.is_none() && text != "latest" {
                let wanted = "must be \"latest\" or \"v1.x\"";
                bad.push((format!("{PREFIX}{name}"), text.to_owned(), wanted));
            }
            Some(version)
        };
        policy.enforce.version = version("enforce-version").flatten();
        policy.audit.version = version("audit-version").flatten();
        let warn_version = version("warn-version");
        policy.warn.version = warn_version.flatten();
        // What is enforced is warned about where nothing else is said.
        if let (Some(Ok(enforced)), None) = (enforce, warn)
            && enforced > policy.warn.level
        {
            policy.warn.level = enforced;
            policy.warn.version = warn_version.unwrap_or(policy.enforce.version);
        }
        (policy, bad)
    }
}

/// Judges pods, what makes pods, and namespaces.
///
/// # Errors
/// The answer, when the request is refused.
pub(super) fn validate(
    request: &AdmissionRequest<'_>,
    find: FindObjects<'_>,
    remarks: &mut Remarks,
) -> Result<(), Box<Status>> {
    if !matches!(request.operation, Operation::Create | Operation::Update) {
        return Ok(());
    }
    let Some(object) = request.object.map(Document::root) else { return Ok(()) };
    match (&*request.resource.group, &*request.resource.resource) {
        ("", "namespaces") => validate_namespace(request, object, find, remarks),
        ("", "pods") => validate_pod(request, object, remarks),
        (group, resource) => {
            if let Some(pod) = template(group, resource, object)
                && request.subresource.is_empty()
                && let Some(namespace) = request.namespace_object
            {
                let (policy, _) = NamespacePolicy::read(namespace.root());
                warn(policy, pod, remarks);
            }
            Ok(())
        }
    }
}

fn validate_pod(
    request: &AdmissionRequest<'_>,
    object: Value<'_>,
    remarks: &mut Remarks,
) -> Result<(), Box<Status>> {
    const IGNORED: [&str; 8] =
        ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
    if IGNORED.contains(&request.subresource) {
        return Ok(());
    }
    let Some(namespace) = request.namespace_object else { return Ok(()) };
    let (policy, _) = NamespacePolicy::read(namespace.root());
    let Some(spec) = object.get("spec") else { return Ok(()) };
    let unchanged = |old: &Document| !is_significant(object, old.root());
    if policy == NamespacePolicy::default() || request.old_object.is_some_and(unchanged) {
        return Ok(());
    }
    let pod = Pod { metadata: object.get("metadata"), spec };
    let found = violations(pod, policy.enforce.level, policy.enforce.version);
    remarks.audit_annotations.push((format!("{PREFIX}enforce-policy"), policy.enforce.to_string()));
    if !found.is_empty() {
        audit(policy, pod, remarks);
        let listed = told(&found);
        let why = format!("violates PodSecurity \"{}\": {listed}", policy.enforce);
        return Err(request.forbidden(&why).into());
    }
    warn(policy, pod, remarks);
    Ok(())
}

fn audit(policy: NamespacePolicy, pod: Pod<'_>, remarks: &mut Remarks) {
    let found = violations(pod, policy.audit.level, policy.audit.version);
    if !found.is_empty() {
        let text = format!("would violate PodSecurity \"{}\": {}", policy.audit, told(&found));
        remarks.audit_annotations.push((format!("{PREFIX}audit-violations"), text));
    }
}

fn warn(policy: NamespacePolicy, pod: Pod<'_>, remarks: &mut Remarks) {
    audit(policy, pod, remarks);
    let found = violations(pod, policy.warn.level, policy.warn.version);
    if !found.is_empty() {
        let text = format!("would violate PodSecurity \"{}\": {}", policy.warn, told(&found));
        remarks.warnings.push(text);
    }
}

/// Violations in one line.
fn told(violations: &[Violation]) -> String {
    let each = violations.iter().map(|it| match &*it.detail {
        "" => it.reason.clone(),
        detail => format!("{} ({detail})", it.reason),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// What pods are made from, of the kinds that make pods.
fn template<'v>(group: &str, resource: &str, object: Value<'v>) -> Option<Pod<'v>> {
    let template = match (group, resource) {
        ("", "podtemplates") => object.get("template"),
        ("", "replicationcontrollers")
        | ("apps", "daemonsets" | "deployments" | "replicasets" | "statefulsets")
        | ("batch", "jobs") => object.get("spec")?.get("template"),
        ("batch", "cronjobs") => object.pointer("/spec/jobTemplate/spec/template"),
        _ => None,
    }?;
    Some(Pod { metadata: template.get("metadata"), spec: template.get("spec")? })
}

/// Whether a pod runs something else than before.
fn is_significant(new: Value<'_>, old: Value<'_>) -> bool {
    fn containers<'v>(pod: Value<'v>, key: &str) -> impl ExactSizeIterator<Item = Value<'v>> {
        let list = pod.get("spec").and_then(|spec| spec.get(key));
        list.into_iter().flat_map(Value::items).collect::<Vec<_>>().into_iter()
    }
    fn text<'v>(container: Value<'v>, key: &str) -> &'v str {
        container.get(key).and_then(Value::as_str).unwrap_or_default()
    }
    let image = |container: Value<'_>| text(container, "image").to_owned();
    let differs = |key: &str| !containers(new, key).map(image).eq(containers(old, key).map(image));
    differs("containers")
        || differs("initContainers")
        || containers(new, "ephemeralContainers").any(|it| {
            let before = containers(old, "ephemeralContainers");
            let mut before = before.filter(|old| text(*old, "name") == text(it, "name"));
            before.next().is_none_or(|before| image(before) != image(it))
        })
}

fn validate_namespace(
    request: &AdmissionRequest<'_>,
    object: Value<'_>,
    find: FindObjects<'_>,
    remarks: &mut Remarks,
) -> Result<(), Box<Status>> {
    if !request.subresource.is_empty() {
        return Ok(());
    }
    let (policy, bad) = NamespacePolicy::read(object);
    let (before, bad_before) = match request.old_object {
        Some(old) => NamespacePolicy::read(old.root()),
        None => (NamespacePolicy::default(), Vec::new()),
    };
    if !bad.is_empty() && bad != bad_before {
        return Err(invalid(request, &bad).into());
    }
    let (new, old) = (policy.enforce, before.enforce);
    let is_looser = new.version == old.version && new.level <= old.level;
    if request.old_object.is_some() && new.level != Level::Privileged && !is_looser {
        remarks.warnings.extend(violating_pods(request.name, new, &find("", "pods", request.name)));
    }
    Ok(())
}

fn invalid(request: &AdmissionRequest<'_>, bad: &[BadLabel]) -> Status {
    let subject = Subject {
        group: &request.kind.group,
        version: &request.kind.version,
        kind: &request.kind.kind,
        name: request.name,
    };
    let causes = bad.iter().map(|(label, value, wanted)| Cause {
        reason: "FieldValueInvalid".into(),
        field: format!("metadata.labels[{label}]"),
        message: format!("Invalid value: {}: {wanted}", quote(value)),
    });
    subject.refused(causes.collect())
}

/// Warnings about pods that a namespace would not let in any more.
fn violating_pods(namespace: &str, enforce: LevelVersion, pods: &[Document]) -> Vec<String> {
    let mut controllers = HashSet::new();
    let (first, rest): (Vec<Value<'_>>, Vec<Value<'_>>) =
        pods.iter().map(Document::root).partition(|pod| {
            let owners =
                pod.pointer("/metadata/ownerReferences").into_iter().flat_map(Value::items);
            let mut owners =
                owners.filter(|it| it.get("controller").and_then(Value::as_bool) == Some(true));
            let uid = owners.next().and_then(|owner| owner.get("uid")?.as_str());
            uid.is_none_or(|uid| controllers.insert(uid))
        });
    let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for pod in first.into_iter().chain(rest).take(MOST_PODS) {
        let Some(spec) = pod.get("spec") else { continue };
        let metadata = pod.get("metadata");
        let violations = violations(Pod { metadata, spec }, enforce.level, enforce.version);
        if violations.is_empty() {
            continue;
        }
        let name = metadata.and_then(|it| it.get("name")?.as_str()).unwrap_or_default();
        let reasons: Vec<&str> = violations.iter().map(|it| &*it.reason).collect();
        let entry = found.entry(reasons.join(", ")).or_insert_with(|| (name.to_owned(), 0));
        if name < entry.0.as_str() {
            name.clone_into(&mut entry.0);
        }
        entry.1 += 1;
    }
    let mut warnings = Vec::new();
    if pods.len() > MOST_PODS {
        let all = pods.len();
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {MOST_PODS} of {all} existing pods"
        ));
    }
    if !found.is_empty() {
        warnings.push(format!(
            "existing pods in namespace {} violate the new PodSecurity enforce level \"{enforce}\"",
            quote(namespace)
        ));
    }
    let mut listed: Vec<String> = found
        .into_iter()
        .map(|(reasons, (name, count))| match count {
            1 => format!("{name}: {reasons}"),
            2 => format!("{name} (and 1 other pod): {reasons}"),
            count => format!("{name} (and {} other pods): {reasons}", count - 1),
        })
        .collect();
    listed.sort();
    warnings.extend(listed);
    warnings
}
