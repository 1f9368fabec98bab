//! Cells that no expression makes, by the name that the data calls them.

use super::NativeCell;
use super::pod::PodState;
use super::text::{age, at, duration, find, items, join, or};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// The cell called `name` of `object`.
pub(super) fn cell(name: &str, object: Value<'_>, now: Timestamp) -> NativeCell {
    let text = match name {
        "podReady" => PodState::of(object, now).ready,
        "podStatus" => PodState::of(object, now).status,
        "podRestarts" => PodState::of(object, now).restarts,
        "readinessGates" => readiness_gates(object),
        "controller owner" => controller(object),
        "jobStatus" => job_status(object).to_owned(),
        "jobCompletions" => job_completions(object),
        "jobDuration" => job_duration(object, now),
        "True or False" => title(find(object, "spec.suspend").and_then(Value::as_bool)),
        "externalIP" => external_address(object),
        "ports" => ports(object),
        "endpoints" => endpoints(object),
        "phase or Terminating" => match find(object, "metadata.deletionTimestamp") {
            Some(_) => "Terminating".to_owned(),
            None => at(object, "status.phase").to_owned(),
        },
        "capacity when bound" if is_bound(object) => {
            at(object, "status.capacity.storage").to_owned()
        }
        "accessModes when bound" if is_bound(object) => access_modes(object, "status.accessModes"),
        "accessModes" => access_modes(object, "spec.accessModes"),
        "claim namespace/name" => match find(object, "spec.claimRef") {
            Some(claim) => format!("{}/{}", at(claim, "namespace"), at(claim, "name")),
            None => String::new(),
        },
        "nodeStatus" => node_status(object),
        "nodeRoles" => node_roles(object),
        "nodeAddress InternalIP" => node_address(object, "InternalIP"),
        "nodeAddress ExternalIP" => node_address(object, "ExternalIP"),
        "kernel (arch)" => kernel(object),
        "lower(involvedObject.kind)/name" => reference(object, "involvedObject"),
        "lower(regarding.kind)/name" => reference(object, "regarding"),
        "eventSource" => event_source(object),
        "used/hard without limits." => quota(object, false),
        "used/hard of limits." => quota(object, true),
        "hosts" => hosts(object),
        "addresses" => load_balancer(object),
        "80 or 80, 443" => match find(object, "spec.tls").map(Value::items) {
            Some(tls) if tls.len() > 0 => "80, 443".to_owned(),
            _ => "80".to_owned(),
        },
        "name (default)" => default_name(object),
        "kind.group/name" => parameters(object),
        "parentRef" => parent(object),
        "hpaMetrics" => metrics(object),
        "subjects User" => subjects(object, "User"),
        "subjects Group" => subjects(object, "Group"),
        "subjects ServiceAccount" => subjects(object, "ServiceAccount"),
        "token audiences or <unset>" => {
            let audiences = items(object, "spec.tokenRequests").map(|it| at(it, "audience"));
            or(join(audiences, ","), "<unset>")
        }
        "paramKind" => match find(object, "spec.paramKind") {
            Some(kind) => format!("{}/{}", at(kind, "apiVersion"), at(kind, "kind")),
            None => "<unset>".to_owned(),
        },
        "paramRef" => param_reference(object),
        "duration of expirationSeconds" => {
            let seconds = find(object, "spec.expirationSeconds").and_then(Value::as_i64);
            seconds.map_or_else(|| "<none>".to_owned(), duration)
        }
        "csrCondition" => request_condition(object),
        "Dangling condition or ?" => or(condition_status(object, "Dangling"), "?"),
        "claimState" => claim_state(object),
        "Local or namespace/name" => match find(object, "spec.service") {
            Some(service) => format!("{}/{}", at(service, "namespace"), at(service, "name")),
            None => "Local".to_owned(),
        },
        "Available condition" => available(object),
        "resource.group" => qualified(object),
        "condition" => migration_status(object),
        "Issued Denied Failed Pending" => request_state(object),
        "served versions" => served_versions(object),
        "shortNames" => {
            let names = items(object, "spec.names.shortNames").filter_map(Value::as_str);
            join(names, ",")
        }
        "Established" => return NativeCell::Bool(condition_status(object, name) == "True"),
        _ => String::new(),
    };
    NativeCell::Text(text)
}

/// Cells after the last column.
pub(super) fn further(plural: &str, object: Value<'_>, now: Timestamp) -> Option<NativeCell> {
    let time = find(object, "metadata.creationTimestamp").and_then(Value::as_str);
    (plural == "ipaddresses").then(|| NativeCell::Text(age(time, now)))
}

fn title(truth: Option<bool>) -> String {
    match truth {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
    .to_owned()
}

/// The status of the condition called `name`.
fn condition_status(object: Value<'_>, name: &str) -> String {
    let mut conditions = items(object, "status.conditions");
    let found = conditions.find(|condition| at(*condition, "type") == name);
    found.map(|condition| at(condition, "status").to_owned()).unwrap_or_default()
}

fn readiness_gates(pod: Value<'_>) -> String {
    let gates = items(pod, "spec.readinessGates");
    let total = gates.clone().count();
    if total == 0 {
        return "<none>".to_owned();
    }
    let is_met = |gate: &Value<'_>| condition_status(pod, at(*gate, "conditionType")) == "True";
    format!("{}/{total}", gates.filter(is_met).count())
}

fn controller(object: Value<'_>) -> String {
    let owner = items(object, "metadata.ownerReferences")
        .find(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
    let Some(owner) = owner else { return "<none>".to_owned() };
    let (group, _) = at(owner, "apiVersion").split_once('/').unwrap_or_default();
    let dot = if group.is_empty() { "" } else { "." };
    format!("{}{dot}{group}/{}", at(owner, "kind").to_lowercase(), at(owner, "name"))
}

fn job_status(job: Value<'_>) -> &'static str {
    let is = |name| condition_status(job, name) == "True";
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if find(job, "metadata.deletionTimestamp").is_some() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn job_completions(job: Value<'_>) -> String {
    let number = |path| find(job, path).and_then(Value::as_i64);
    let succeeded = number("status.succeeded").unwrap_or_default();
    match (number("spec.completions"), number("spec.parallelism").unwrap_or_default()) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallelism) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn job_duration(job: Value<'_>, now: Timestamp) -> String {
    let time = |path| Timestamp::parse_rfc3339(at(job, path)).ok();
    match (time("status.startTime"), time("status.completionTime")) {
        (None, _) => String::new(),
        (Some(start), end) => duration(end.unwrap_or(now).seconds.saturating_sub(start.seconds)),
    }
}

fn external_address(service: Value<'_>) -> String {
    let external = join(items(service, "spec.externalIPs").filter_map(Value::as_str), ",");
    let balanced = load_balancer(service);
    match at(service, "spec.type") {
        "ClusterIP" | "NodePort" => or(external, "<none>"),
        "LoadBalancer" => match (balanced.is_empty(), external.is_empty()) {
            (false, true) => balanced,
            (false, false) => format!("{balanced},{external}"),
            (true, false) => external,
            (true, true) => "<pending>".to_owned(),
        },
        "ExternalName" => at(service, "spec.externalName").to_owned(),
        _ => "<unknown>".to_owned(),
    }
}

fn load_balancer(object: Value<'_>) -> String {
    let ingress = items(object, "status.loadBalancer.ingress").map(|ingress| {
        let ip = at(ingress, "ip");
        if ip.is_empty() { at(ingress, "hostname") } else { ip }
    });
    join(ingress.filter(|it| !it.is_empty()), ",")
}

/// Ports of a Service with their protocol, or of an `EndpointSlice` by number.
fn ports(object: Value<'_>) -> String {
    let number = |port: Value<'_>, key| port.get(key).and_then(Value::as_i64);
    if find(object, "spec").is_some() {
        let shown: Vec<String> = items(object, "spec.ports")
            .map(|port| {
                let own = number(port, "port").unwrap_or_default();
                let protocol = at(port, "protocol");
                match number(port, "nodePort") {
                    Some(node) if node > 0 => format!("{own}:{node}/{protocol}"),
                    _ => format!("{own}/{protocol}"),
                }
            })
            .collect();
        return or(shown.join(","), "<none>");
    }
    let shown = items(object, "ports").map(|port| match number(port, "port") {
        Some(number) => number.to_string(),
        None => "*".to_owned(),
    });
    or(some(shown.collect()), "<unset>")
}

/// The first three of a list, and how many more there are.
fn some(texts: Vec<String>) -> String {
    const SHOWN: usize = 3;
    let more = texts.len().saturating_sub(SHOWN);
    let shown = texts.into_iter().take(SHOWN).collect::<Vec<_>>().join(",");
    if more > 0 { format!("{shown} + {more} more...") } else { shown }
}

fn endpoints(object: Value<'_>) -> String {
    if find(object, "addressType").is_some() {
        let addresses =
            items(object, "endpoints").flat_map(|endpoint| items(endpoint, "addresses"));
        let addresses = addresses.filter_map(Value::as_str).map(str::to_owned).collect();
        return or(some(addresses), "<unset>");
    }
    let mut shown = Vec::new();
    for subset in items(object, "subsets") {
        let ports = items(subset, "ports");
        for address in items(subset, "addresses") {
            let ip = at(address, "ip");
            if ports.clone().next().is_none() {
                shown.push(ip.to_owned());
            }
            for port in ports.clone() {
                let number = port.get("port").and_then(Value::as_i64).unwrap_or_default();
                let is_v6 = ip.contains(':');
                shown.push(if is_v6 {
                    format!("[{ip}]:{number}")
                } else {
                    format!("{ip}:{number}")
                });
            }
        }
    }
    or(some(shown), "<none>")
}

fn is_bound(claim: Value<'_>) -> bool {
    !at(claim, "spec.volumeName").is_empty()
}

fn access_modes(object: Value<'_>, path: &str) -> String {
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |mode| items(object, path).any(|it| it.as_str() == Some(mode));
    join(known.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short), ",")
}

fn node_status(node: Value<'_>) -> String {
    let mut status = match &*condition_status(node, "Ready") {
        "True" => "Ready",
        "" => "Unknown",
        _ => "NotReady",
    }
    .to_owned();
    if find(node, "spec.unschedulable").and_then(Value::as_bool) == Some(true) {
        status += ",SchedulingDisabled";
    }
    status
}

fn node_roles(node: Value<'_>) -> String {
    let labels = find(node, "metadata.labels").into_iter().flat_map(Value::members);
    let mut roles: Vec<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role).filter(|role| !role.is_empty()),
            None if key == "kubernetes.io/role" => value.as_str().filter(|role| !role.is_empty()),
            None => None,
        })
        .collect();
    roles.sort_unstable();
    roles.dedup();
    or(roles.join(","), "<none>")
}

fn node_address(node: Value<'_>, name: &str) -> String {
    let mut addresses = items(node, "status.addresses");
    let found = addresses.find(|address| at(*address, "type") == name);
    or(found.map(|address| at(address, "address").to_owned()).unwrap_or_default(), "<none>")
}

fn kernel(node: Value<'_>) -> String {
    let version = at(node, "status.nodeInfo.kernelVersion");
    match (version, at(node, "status.nodeInfo.architecture")) {
        ("", _) => "<unknown>".to_owned(),
        (version, "") => version.to_owned(),
        (version, architecture) => format!("{version} ({architecture})"),
    }
}

fn reference(object: Value<'_>, key: &str) -> String {
    let Some(target) = find(object, key) else { return "/".to_owned() };
    let (kind, name) = (at(target, "kind").to_lowercase(), at(target, "name"));
    if name.is_empty() { kind } else { format!("{kind}/{name}") }
}

fn event_source(event: Value<'_>) -> String {
    let source = ["source", "deprecatedSource"].iter().find_map(|key| find(event, key));
    let of_source = |key| source.map(|source| at(source, key)).unwrap_or_default();
    let first = |texts: [&str; 3]| {
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    };
    let component = first([
        of_source("component"),
        at(event, "reportingComponent"),
        at(event, "reportingController"),
    ]);
    let host = first([of_source("host"), at(event, "reportingInstance"), ""]);
    if host.is_empty() { component } else { format!("{component}, {host}") }
}

fn quota(quota: Value<'_>, limits: bool) -> String {
    let mut parts: Vec<String> = find(quota, "status.hard")
        .into_iter()
        .flat_map(Value::members)
        .filter(|(name, _)| name.starts_with("limits.") == limits)
        .map(|(name, hard)| {
            let used = find(quota, "status.used").and_then(|used| used.get(name)?.as_str());
            format!("{name}: {}/{}", used.unwrap_or("0"), hard.as_str().unwrap_or_default())
        })
        .collect();
    parts.sort_unstable();
    parts.join(", ")
}

fn hosts(ingress: Value<'_>) -> String {
    let hosts = items(ingress, "spec.rules").map(|rule| at(rule, "host"));
    let hosts: Vec<String> = hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect();
    or(some(hosts), "*")
}

fn default_name(class: Value<'_>) -> String {
    const DEFAULT: [&str; 3] = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
        "ingressclass.kubernetes.io/is-default-class",
    ];
    let annotations = find(class, "metadata.annotations");
    let is_default =
        DEFAULT.iter().any(|key| annotations.and_then(|it| it.get(key)?.as_str()) == Some("true"));
    let is_storage = find(class, "provisioner").is_some();
    let name = at(class, "metadata.name");
    if is_default && is_storage { format!("{name} (default)") } else { name.to_owned() }
}

fn parameters(class: Value<'_>) -> String {
    let Some(parameters) = find(class, "spec.parameters") else { return "<none>".to_owned() };
    let group = at(parameters, "apiGroup");
    let dot = if group.is_empty() { "" } else { "." };
    format!("{}{dot}{group}/{}", at(parameters, "kind"), at(parameters, "name"))
}

fn parent(address: Value<'_>) -> String {
    let Some(parent) = find(address, "spec.parentRef") else { return "<none>".to_owned() };
    let (group, namespace) = (at(parent, "group"), at(parent, "namespace"));
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if namespace.is_empty() { "" } else { "/" };
    let (resource, name) = (at(parent, "resource"), at(parent, "name"));
    format!("{resource}{dot}{group}/{namespace}{slash}{name}")
}

fn subjects(binding: Value<'_>, kind: &str) -> String {
    let names = items(binding, "subjects").filter(|subject| at(*subject, "kind") == kind);
    let names: Vec<String> = names
        .map(|subject| match kind {
            "ServiceAccount" => format!("{}/{}", at(subject, "namespace"), at(subject, "name")),
            _ => at(subject, "name").to_owned(),
        })
        .collect();
    names.join(", ")
}

fn param_reference(binding: Value<'_>) -> String {
    let Some(reference) = find(binding, "spec.paramRef") else { return "<unset>".to_owned() };
    match (at(reference, "name"), at(reference, "namespace")) {
        ("", _) => "*".to_owned(),
        (name, "") => format!("*/{name}"),
        (name, namespace) => format!("{namespace}/{name}"),
    }
}

fn request_condition(request: Value<'_>) -> String {
    let has = |name| items(request, "status.conditions").any(|it| at(it, "type") == name);
    let mut status = match () {
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        status += ",Failed";
    }
    if !at(request, "status.certificate").is_empty() {
        status += ",Issued";
    }
    status
}

fn request_state(request: Value<'_>) -> String {
    let has = |name: &&str| items(request, "status.conditions").any(|it| at(it, "type") == *name);
    let state = ["Issued", "Denied", "Failed"].into_iter().find(|name| has(name));
    state.unwrap_or("Pending").to_owned()
}

fn claim_state(claim: Value<'_>) -> String {
    let mut states = Vec::new();
    if find(claim, "metadata.deletionTimestamp").is_some() {
        states.push("deleted");
    }
    if find(claim, "status.allocation").is_none() {
        if find(claim, "metadata.deletionTimestamp").is_none() {
            states.push("pending");
        }
    } else {
        states.push("allocated");
        if items(claim, "status.reservedFor").next().is_some() {
            states.push("reserved");
        }
    }
    states.join(",")
}

fn available(service: Value<'_>) -> String {
    let mut conditions = items(service, "status.conditions");
    let found = conditions.find(|condition| at(*condition, "type") == "Available");
    let Some(found) = found else { return "Unknown".to_owned() };
    match (at(found, "status"), at(found, "reason")) {
        ("True", _) => "True".to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

fn qualified(migration: Value<'_>) -> String {
    let (resource, group) =
        (at(migration, "spec.resource.resource"), at(migration, "spec.resource.group"));
    let dot = if group.is_empty() { "" } else { "." };
    format!("{resource}{dot}{group}")
}

fn migration_status(migration: Value<'_>) -> String {
    let is = |name: &&str| condition_status(migration, name) == "True";
    let status = ["Succeeded", "Failed", "Running"].into_iter().find(|name| is(name));
    status.unwrap_or("Unknown").to_owned()
}

fn served_versions(definition: Value<'_>) -> String {
    let flag = |version: Value<'_>, key| version.get(key).and_then(Value::as_bool) == Some(true);
    let versions: Vec<String> = items(definition, "spec.versions")
        .filter(|version| flag(*version, "served"))
        .map(|version| {
            let storage = if flag(version, "storage") { "(storage)" } else { "" };
            format!("{}{storage}", at(version, "name"))
        })
        .collect();
    versions.join(",")
}

/// What an autoscaler measures, and what it aims at.
fn metrics(scaler: Value<'_>) -> String {
    let old = find(scaler, "spec.targetCPUUtilizationPercentage").and_then(Value::as_i64);
    if let Some(target) = old {
        let current = find(scaler, "status.currentCPUUtilizationPercentage");
        let current = current.and_then(Value::as_i64);
        let current = current.map_or("<unknown>".to_owned(), |current| format!("{current}%"));
        return format!("cpu: {current}/{target}%");
    }
    let mut shown = Vec::new();
    for (index, metric) in items(scaler, "spec.metrics").enumerate() {
        let current = items(scaler, "status.currentMetrics").nth(index);
        shown.push(metric_text(metric, current));
    }
    let more = shown.len().saturating_sub(2);
    let text = shown.into_iter().take(2).collect::<Vec<_>>().join(", ");
    match more {
        0 => or(text, "<none>"),
        more => format!("{text} + {more} more..."),
    }
}

fn metric_text(metric: Value<'_>, current: Option<Value<'_>>) -> String {
    let (key, is_resource) = match at(metric, "type") {
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "External" => ("external", false),
        _ => return "<unknown type>".to_owned(),
    };
    let target = |field: &str| find(metric, &format!("{key}.target.{field}"));
    let measured = |field: &str| current.and_then(|it| find(it, &format!("{key}.current.{field}")));
    let text = |value: Option<Value<'_>>| value.and_then(Value::as_str).map(str::to_owned);
    let percent = |value: Option<Value<'_>>| {
        value.and_then(Value::as_i64).map(|percent| format!("{percent}%"))
    };
    let unknown = || "<unknown>".to_owned();
    if is_resource {
        let name = match key {
            "resource" => at(metric, "resource.name"),
            _ => at(metric, "containerResource.name"),
        };
        let (current, wanted) = if let Some(wanted) = text(target("averageValue")) {
            (text(measured("averageValue")), wanted)
        } else {
            let wanted = percent(target("averageUtilization"));
            (percent(measured("averageUtilization")), wanted.unwrap_or("<auto>".to_owned()))
        };
        return format!("{name}: {}/{wanted}", current.unwrap_or_else(unknown));
    }
    if let Some(wanted) = text(target("averageValue")) {
        let suffix = if key == "pods" { "" } else { " (avg)" };
        return format!(
            "{}/{wanted}{suffix}",
            text(measured("averageValue")).unwrap_or_else(unknown)
        );
    }
    let wanted = text(target("value")).unwrap_or_default();
    format!("{}/{wanted}", text(measured("value")).unwrap_or_else(unknown))
}
