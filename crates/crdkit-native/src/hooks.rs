//! What defaults and checks cannot say: one table of functions, the only place that knows kinds by name.

use crate::check::Operation;
use crate::pipeline::{Request, keep};
use crdkit_engine::steps;
use crdkit_value::{Document, NodeId, Value};

/// What is done for one kind.
struct Hooks {
    kind: (&'static str, &'static str),
    /// Sets what the server decides when an object is created.
    create: fn(&mut Request<'_>),
    /// Keeps what an update does not change.
    update: fn(&mut Request<'_>, Value<'_>),
}

const NONE: Hooks = Hooks { kind: ("", ""), create: |_| {}, update: |_, _| {} };

const HOOKS: &[Hooks] = &[
    Hooks { kind: ("", "Namespace"), update: keep_spec, ..NONE },
    Hooks { kind: ("certificates.k8s.io", "CertificateSigningRequest"), update: keep_spec, ..NONE },
    Hooks { kind: ("", "Service"), update: keep_addresses, ..NONE },
    Hooks { kind: ("apps", "DaemonSet"), update: count_templates, ..NONE },
];

fn of(request: &Request<'_>) -> &'static Hooks {
    let kind = (request.kind.group, request.kind.kind);
    HOOKS.iter().find(|hooks| hooks.kind == kind).unwrap_or(&NONE)
}

pub(crate) fn create(request: &mut Request<'_>) {
    (of(request).create)(request);
}

pub(crate) fn update(request: &mut Request<'_>, old: Value<'_>) {
    (of(request).update)(request, old);
}

pub(crate) fn update_status(request: &mut Request<'_>, old: Value<'_>) {
    // How a pod ranks was decided when it was created.
    if request.kind.is_admitted {
        let rank = old.get("status").and_then(|status| status.get("qosClass"));
        keep(&mut request.document, "status", "qosClass", rank);
    }
}

pub(crate) fn check(_request: &mut Request<'_>, _operation: Operation, _old: Option<Value<'_>>) {}

/// The specification is changed through subresources only.
fn keep_spec(request: &mut Request<'_>, old: Value<'_>) {
    steps::copy_root(&mut request.document, "spec", old);
}

/// Addresses and ports that were given out stay, unless the request asks for others.
fn keep_addresses(request: &mut Request<'_>, old: Value<'_>) {
    let document = &mut request.document;
    let text = |object: Value<'_>, key: &str| {
        object.get("spec").and_then(|spec| spec.get(key)?.as_str().map(str::to_owned))
    };
    let Some(before) = old.get("spec") else { return };
    let is_external = |object| text(object, "type").as_deref() == Some("ExternalName");
    if is_external(document.root()) || is_external(old) {
        return;
    }
    for key in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"] {
        let absent = document.root().get("spec").is_some_and(|spec| spec.get(key).is_none());
        if let Some(value) = before.get(key).filter(|_| absent) {
            keep(document, "spec", key, Some(value));
        }
    }
    let takes_ports = matches!(text(document.root(), "type").as_deref(), Some("NodePort" | "LoadBalancer"));
    if takes_ports {
        keep_ports(document, before);
    }
}

fn keep_ports(document: &mut Document, before: Value<'_>) {
    let same = |port: Value<'_>, other: Value<'_>| {
        ["port", "protocol"].iter().all(|key| port.get(key) == other.get(key))
    };
    let ports = document.root().get("spec").and_then(|spec| spec.get("ports"));
    let mut kept: Vec<(NodeId, i64)> = Vec::new();
    for port in ports.into_iter().flat_map(Value::items) {
        if port.get("nodePort").is_some() {
            continue;
        }
        let old = before.get("ports").into_iter().flat_map(Value::items).find(|old| same(port, *old));
        if let Some(number) = old.and_then(|old| old.get("nodePort")?.as_i64()) {
            kept.push((port.id(), number));
        }
    }
    for (port, number) in kept {
        document.insert(port, "nodePort", number);
    }
}

/// The annotation that counts changes of the template.
fn count_templates(request: &mut Request<'_>, old: Value<'_>) {
    const KEY: &str = "deprecated.daemonset.template.generation";
    let template = |object: Value<'_>| object.get("spec").and_then(|spec| spec.get("template")).map(Document::copy_of);
    let changed = match (template(request.document.root()), template(old)) {
        (Some(new), Some(old)) => new.root() != old.root(),
        (new, old) => new.is_some() != old.is_some(),
    };
    let before = old.get("metadata").and_then(|it| it.get("annotations")?.get(KEY)?.as_str()?.parse().ok());
    let count: i64 = before.unwrap_or_default();
    let metadata = steps::ensure(&mut request.document);
    let found = request.document.value(metadata).get("annotations").map(Value::id);
    let made = || request.document.insert(metadata, "annotations", crdkit_value::NewValue::EmptyObject);
    if let Some(annotations) = found.or_else(made) {
        let text = (count + i64::from(changed)).to_string();
        request.document.insert(annotations, KEY, &text);
    }
}
