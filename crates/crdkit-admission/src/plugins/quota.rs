//! `ResourceQuota`: how much of something a namespace may hold.
//!
//! What a quota allows and what is used stands in its status; a quota without one binds nothing. [`charge`] says what a
//! request uses, and gives the new counts, or the answer when something is exceeded. Storing the counts is for the
//! caller, who starts over if a quota has changed meanwhile.
//!
//! Upstream: `apiserver/pkg/admission/plugin/resourcequota`, `kubernetes/pkg/quota/v1/evaluator/core`.

use super::classes::claim_class;
use super::resources::{self, ResourceList, show};
use crate::request::{AdmissionRequest, Operation};
use crdkit_schema::status::Status;
use crdkit_text::quantity::{Quantity, QuantityFormat};
use crdkit_value::{Document, NodeId, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A quota whose counts change.
#[derive(Debug)]
pub struct Charge {
    /// Its name.
    pub name: String,
    /// The quota with its new counts.
    pub quota: Document,
}

/// Whether a request can use up quota at all.
pub fn concerns(request: &AdmissionRequest<'_>) -> bool {
    const UNCOUNTED: [(&str, &str); 7] = [
        ("", "bindings"),
        ("", "componentstatuses"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
    ];
    let resource = (&*request.resource.group, &*request.resource.resource);
    let is_placed = !request.namespace.is_empty() && resource != ("", "namespaces");
    is_placed && !UNCOUNTED.contains(&resource) && Counted::of(resource).handles(request)
}

/// The new counts of the quotas among `quotas` that a request uses up; those that stay as they are are left out.
///
/// # Errors
/// The answer, when a quota does not allow the request.
pub fn charge(
    request: &AdmissionRequest<'_>,
    quotas: &[Document],
) -> Result<Vec<Charge>, Box<Status>> {
    let refuse = |why: String| Box::new(request.forbidden(&why));
    let Some(object) = request.object.map(Document::root) else { return Ok(Vec::new()) };
    let resource = (&*request.resource.group, &*request.resource.resource);
    let counted = Counted::of(resource);
    let mut concerned = Vec::new();
    for quota in quotas.iter().map(Document::root) {
        let (hard, used) = status(quota);
        let limited: BTreeSet<&str> =
            hard.keys().map(String::as_str).filter(|name| counted.counts(resource, name)).collect();
        if limited.is_empty() || !counted.in_scopes(quota, object) {
            continue;
        }
        let name = quota.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if let Some(missing) = counted.missing(&limited, object) {
            return Err(refuse(format!("failed quota: {name}: must specify {missing}")));
        }
        if limited.iter().any(|name| !used.contains_key(*name)) {
            let limited: Vec<&str> = limited.into_iter().collect();
            let why = format!("status unknown for quota: {name}, resources: {}", limited.join(","));
            return Err(refuse(why));
        }
        concerned.push((name, quota, hard, used));
    }
    let usage = counted.usage(resource, object);
    let before = request.old_object.map(Document::root);
    let mut charges = Vec::new();
    for (name, quota, hard, used) in concerned {
        let mut asked = usage.clone();
        if let Some(before) = before.filter(|before| counted.in_scopes(quota, *before)) {
            asked = more(&asked, &counted.usage(resource, before));
        }
        asked.retain(|name, quantity| !resources::is_zero(quantity) && hard.contains_key(name));
        if asked.is_empty() {
            continue;
        }
        let mut new = used.clone();
        resources::add(&mut new, &asked);
        let exceeds = |name: &String| new.get(name) > hard.get(name);
        let exceeded: Vec<String> = asked.keys().filter(|name| exceeds(name)).cloned().collect();
        if !exceeded.is_empty() && request.subresource != "status" {
            let only = |list: &ResourceList| {
                let kept = list.iter().filter(|(name, _)| exceeded.contains(*name));
                show(&kept.map(|(name, it)| (name.clone(), it.clone())).collect())
            };
            let (asked, used, hard) = (only(&asked), only(&used), only(&hard));
            return Err(refuse(format!(
                "exceeded quota: {name}, requested: {asked}, used: {used}, limited: {hard}"
            )));
        }
        charges.push(Charge { name: name.to_owned(), quota: counting(quota, &new) });
    }
    Ok(charges)
}

/// What a quota allows, and what is used of it.
fn status(quota: Value<'_>) -> (ResourceList, ResourceList) {
    let of = |key: &str| resources::read(quota.get("status").and_then(|status| status.get(key)));
    (of("hard"), of("used"))
}

/// A quota with new counts.
fn counting(quota: Value<'_>, used: &ResourceList) -> Document {
    let mut quota = Document::copy_of(quota);
    let mut counts = Document::object();
    for (name, quantity) in used {
        counts = counts.with(name, &quantity.to_string());
    }
    if let Some(status) = quota.root().get("status").map(Value::id).filter(|it| *it != NodeId::ROOT)
    {
        quota.insert(status, "used", &counts);
    }
    quota
}

/// What is more than `before`.
fn more(list: &ResourceList, before: &ResourceList) -> ResourceList {
    let rest = list.iter().map(|(name, quantity)| {
        let rest = before.get(name).and_then(|it| quantity.checked_sub(it));
        (name.clone(), rest.unwrap_or_else(|| quantity.clone()))
    });
    rest.filter(|(_, quantity)| quantity.sign().is_gt()).collect()
}

/// How objects of a resource are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Pods,
    Services,
    Claims,
    /// Each is one.
    Others,
}

const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

impl Counted {
    fn of(resource: (&str, &str)) -> Self {
        match resource {
            ("", "pods") => Self::Pods,
            ("", "services") => Self::Services,
            ("", "persistentvolumeclaims") => Self::Claims,
            _ => Self::Others,
        }
    }

    fn handles(self, request: &AdmissionRequest<'_>) -> bool {
        let is_main = request.subresource.is_empty();
        match (self, request.operation) {
            (_, Operation::Create) | (Self::Services | Self::Claims, Operation::Update) => is_main,
            (Self::Pods, Operation::Update) => {
                let of = |it: Option<&Document>| it.map(|it| has_deadline(it.root()));
                request.subresource == "resize"
                    || is_main && of(request.object) != of(request.old_object)
            }
            _ => false,
        }
    }

    /// Whether the limit called `name` is about the resource.
    fn counts(self, resource: (&str, &str), name: &str) -> bool {
        if name == count_name(resource) {
            return true;
        }
        match self {
            Self::Pods => {
                let (kind, plain) = name.split_once('.').unwrap_or(("", name));
                let known = ["cpu", "memory", "ephemeral-storage"];
                name == "pods"
                    || known.contains(&name)
                    || matches!(kind, "requests" | "limits") && known.contains(&plain)
                    || name.starts_with("hugepages-")
                    || name.starts_with("requests.hugepages-")
                    || kind == "requests" && plain.contains('/')
            }
            Self::Services => {
                matches!(name, "services" | "services.nodeports" | "services.loadbalancers")
            }
            Self::Claims => {
                let plain = name.split_once(OF_CLASS).map_or(name, |(_, plain)| plain);
                matches!(plain, "persistentvolumeclaims" | "requests.storage")
            }
            Self::Others => Some(name) == alias(resource),
        }
    }

    /// What an object uses.
    fn usage(self, resource: (&str, &str), object: Value<'_>) -> ResourceList {
        let mut usage = ResourceList::from([(count_name(resource), number(1))]);
        match self {
            Self::Pods => pod_usage(object, &mut usage),
            Self::Services => {
                usage.insert("services".into(), number(1));
                let spec = object.get("spec");
                let kind = spec.and_then(|spec| spec.get("type")?.as_str());
                let ports =
                    || spec.and_then(|it| it.get("ports")).into_iter().flat_map(Value::items);
                let allocated =
                    spec.and_then(|it| it.get("allocateLoadBalancerNodePorts")?.as_bool());
                let given = |port: &Value<'_>| {
                    port.get("nodePort").and_then(Value::as_i64).unwrap_or_default() != 0
                };
                let count = match kind {
                    Some("LoadBalancer") if allocated == Some(false) => {
                        ports().filter(given).count()
                    }
                    Some("LoadBalancer" | "NodePort") => ports().count(),
                    _ => 0,
                };
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                usage.insert("services.nodeports".into(), number(count));
                let balanced = i64::from(kind == Some("LoadBalancer"));
                usage.insert("services.loadbalancers".into(), number(balanced));
            }
            Self::Claims => {
                let requests = object.pointer("/spec/resources/requests");
                let mut own =
                    ResourceList::from([("persistentvolumeclaims".to_owned(), number(1))]);
                if let Some(storage) = resources::read(requests).remove("storage") {
                    own.insert("requests.storage".into(), storage);
                }
                let class = claim_class(object);
                if !class.is_empty() {
                    let of_class = own
                        .iter()
                        .map(|(name, it)| (format!("{class}{OF_CLASS}{name}"), it.clone()));
                    usage.extend(of_class.collect::<Vec<_>>());
                }
                usage.extend(own);
            }
            Self::Others => {
                if let Some(name) = alias(resource) {
                    usage.insert(name.to_owned(), number(1));
                }
            }
        }
        usage
    }

    /// Whether an object is in all scopes of a quota.
    fn in_scopes(self, quota: Value<'_>, object: Value<'_>) -> bool {
        let scopes = quota.pointer("/spec/scopes").into_iter().flat_map(Value::items);
        let simple = scopes.filter_map(Value::as_str).map(|name| (name, "Exists", Vec::new()));
        let selected = quota.pointer("/spec/scopeSelector/matchExpressions");
        let selected = selected.into_iter().flat_map(Value::items).map(|it| {
            let text = |key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default();
            let values = it.get("values").into_iter().flat_map(Value::items);
            (text("scopeName"), text("operator"), values.filter_map(Value::as_str).collect())
        });
        let mut all = simple.chain(selected);
        all.all(|(name, operator, values): (&str, &str, Vec<&str>)| match (self, name) {
            (Self::Pods, "Terminating") => has_deadline(object),
            (Self::Pods, "NotTerminating") => !has_deadline(object),
            (Self::Pods, "BestEffort") => is_best_effort(object),
            (Self::Pods, "NotBestEffort") => !is_best_effort(object),
            (Self::Pods, "PriorityClass") => {
                let class = object.pointer("/spec/priorityClassName").and_then(Value::as_str);
                let class = class.filter(|class| !class.is_empty());
                selects(operator, &values, class.as_slice())
            }
            (Self::Pods, "CrossNamespacePodAffinity") => crosses_namespaces(object),
            (Self::Claims, "VolumeAttributesClass") => {
                let pointers = [
                    "/spec/volumeAttributesClassName",
                    "/status/currentVolumeAttributesClassName",
                    "/status/modifyVolumeStatus/targetVolumeAttributesClassName",
                ];
                let names = pointers.into_iter().filter_map(|at| object.pointer(at)?.as_str());
                let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
                selects(operator, &values, &names)
            }
            _ => false,
        })
    }

    /// What containers have to say so that it can be counted, and which of them do not.
    fn missing(self, limited: &BTreeSet<&str>, object: Value<'_>) -> Option<String> {
        const REQUIRED: [&str; 6] =
            ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
        if self != Self::Pods {
            return None;
        }
        let spec = object.get("spec")?;
        let whole = spec.get("resources");
        let is_set = |key: &str| {
            whole.and_then(|it| it.get(key)).is_some_and(|it| it.members().next().is_some())
        };
        if is_set("requests") || is_set("limits") {
            return None;
        }
        let required = REQUIRED.into_iter().filter(|name| limited.contains(name));
        let required: Vec<&str> = required.collect();
        let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let lists = ["containers", "initContainers"].into_iter().filter_map(|key| spec.get(key));
        for container in lists.flat_map(Value::items) {
            let of = |which| resources::of_container(container, which);
            let mut usage = ResourceList::new();
            compute_usage(&of("requests"), &of("limits"), &mut usage);
            let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
            for resource in required.iter().filter(|resource| !usage.contains_key(**resource)) {
                missing.entry(resource).or_default().insert(name);
            }
        }
        let each = missing.iter().map(|(resource, names)| {
            let names: Vec<&str> = names.iter().copied().collect();
            format!("{resource} for: {}", names.join(","))
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join("; "))
    }
}

fn number(value: i64) -> Quantity {
    Quantity::from_i64(value, QuantityFormat::DecimalSi)
}

/// The limit for the number of objects of a resource.
fn count_name((group, resource): (&str, &str)) -> String {
    if group.is_empty() { format!("count/{resource}") } else { format!("count/{resource}.{group}") }
}

/// The older name of such a limit.
fn alias<'r>((group, resource): (&str, &'r str)) -> Option<&'r str> {
    let known = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];
    (group.is_empty() && known.contains(&resource)).then_some(resource)
}

fn has_deadline(pod: Value<'_>) -> bool {
    let deadline = pod.pointer("/spec/activeDeadlineSeconds").and_then(Value::as_i64);
    deadline.is_some_and(|seconds| seconds >= 0)
}

/// Whether no container asks for processor time or memory.
fn is_best_effort(pod: Value<'_>) -> bool {
    let spec = pod.get("spec");
    let lists = ["containers", "initContainers"];
    let lists = lists.into_iter().filter_map(|key| spec.and_then(|spec| spec.get(key)));
    let mut all = lists.flat_map(Value::items).chain(spec);
    !all.any(|it| {
        ["requests", "limits"].into_iter().any(|which| {
            let list = resources::of_container(it, which);
            ["cpu", "memory"]
                .iter()
                .any(|name| list.get(*name).is_some_and(|it| !resources::is_zero(it)))
        })
    })
}

fn selects(operator: &str, values: &[&str], names: &[&str]) -> bool {
    match operator {
        "Exists" => !names.is_empty(),
        "DoesNotExist" => names.is_empty(),
        "In" => names.iter().any(|name| values.contains(name)),
        "NotIn" => names.is_empty() || names.iter().any(|name| !values.contains(name)),
        _ => false,
    }
}

fn crosses_namespaces(pod: Value<'_>) -> bool {
    let affinity = pod.pointer("/spec/affinity");
    let kinds = ["podAffinity", "podAntiAffinity"];
    let kinds = kinds.into_iter().filter_map(|key| affinity.and_then(|it| it.get(key)));
    let mut terms = kinds.flat_map(|kind| {
        let required = kind.get("requiredDuringSchedulingIgnoredDuringExecution");
        let preferred = kind.get("preferredDuringSchedulingIgnoredDuringExecution");
        let preferred = preferred.into_iter().flat_map(Value::items);
        let preferred = preferred.filter_map(|it| it.get("podAffinityTerm"));
        required.into_iter().flat_map(Value::items).chain(preferred)
    });
    terms.any(|term| {
        let names = term.get("namespaces").is_some_and(|it| it.items().next().is_some());
        names || term.get("namespaceSelector").is_some_and(|it| !it.is_null())
    })
}

fn pod_usage(pod: Value<'_>, usage: &mut ResourceList) {
    let phase = pod.pointer("/status/phase").and_then(Value::as_str);
    let Some(spec) = pod.get("spec") else { return };
    if matches!(phase, Some("Failed" | "Succeeded")) {
        return;
    }
    let mut requests = resources::of_pod(spec, "requests");
    let mut limits = resources::of_pod(spec, "limits");
    let overhead = resources::read(spec.get("overhead"));
    resources::add(&mut requests, &overhead);
    let mut bounded = overhead;
    bounded.retain(|name, _| limits.get(name).is_some_and(|it| !resources::is_zero(it)));
    resources::add(&mut limits, &bounded);
    compute_usage(&requests, &limits, usage);
}

/// What requests and limits mean for quotas.
fn compute_usage(requests: &ResourceList, limits: &ResourceList, usage: &mut ResourceList) {
    usage.insert("pods".into(), number(1));
    for (name, quantity) in requests {
        let is_plain = ["cpu", "memory", "ephemeral-storage"].contains(&&**name)
            || name.starts_with("hugepages-");
        if is_plain {
            usage.insert(name.clone(), quantity.clone());
        }
        if is_plain || name.contains('/') {
            usage.insert(format!("requests.{name}"), quantity.clone());
        }
    }
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(quantity) = limits.get(name) {
            usage.insert(format!("limits.{name}"), quantity.clone());
        }
    }
}
