//! What defaults and checks cannot say: one table of functions, the only place that knows kinds by name.

use crate::NativeKind;
use crate::check::WriteOperation;
use crate::data::DefaultPhase;
use crate::pipeline::Request;
use crate::pod;
use crate::prepare::keep;
use crate::scalar;
use crdkit_engine::steps;
use crdkit_issue::Issue;
use crdkit_schema::{check as crd_check, read};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// What is done for one kind.
struct Hooks {
    kind: (&'static str, &'static str),
    /// Sets what the server decides when an object is created.
    create: fn(&mut Request<'_>),
    /// Keeps what an update does not change.
    update: fn(&mut Request<'_>, Value<'_>),
    /// The same for an update of the status.
    update_status: fn(&mut Request<'_>, Value<'_>),
    /// The object as its checks see it, if that is not as it is.
    view: fn(&Document) -> Option<Document>,
    /// Checks an object, in place of all other checks.
    check: Option<UpdateCheck>,
    /// Whether nobody owns the `spec`, which cannot change.
    keeps_spec: bool,
}

/// What is wrong with an object that may replace another.
type UpdateCheck = fn(Value<'_>, WriteOperation, Option<Value<'_>>) -> Vec<Issue>;

const NONE: Hooks = Hooks {
    kind: ("", ""),
    create: |_| {},
    update: |_, _| {},
    update_status: |_, _| {},
    view: |_| None,
    check: None,
    keeps_spec: false,
};

const HOOKS: &[Hooks] = &[
    Hooks { kind: ("", "LimitRange"), create: name_by_uid, ..NONE },
    Hooks { kind: ("", "Namespace"), update: keep_spec, ..NONE },
    Hooks { kind: ("", "PersistentVolume"), update_status: note_phase, ..NONE },
    Hooks { kind: ("", "Pod"), update_status: keep_rank, ..NONE },
    Hooks { kind: ("", "Service"), update: keep_addresses, ..NONE },
    Hooks { kind: ("apps", "DaemonSet"), update: count_templates, ..NONE },
    Hooks { kind: ("batch", "Job"), create: read_again, ..NONE },
    Hooks { kind: ("apps", "StatefulSet"), view: pod::with_claimed_volumes, ..NONE },
    Hooks {
        kind: ("autoscaling", "HorizontalPodAutoscaler"),
        update_status: annotate_metrics,
        ..NONE
    },
    Hooks {
        kind: ("apiextensions.k8s.io", "CustomResourceDefinition"),
        check: Some(check_definition),
        ..NONE
    },
    Hooks {
        kind: ("certificates.k8s.io", "CertificateSigningRequest"),
        update: keep_spec,
        keeps_spec: true,
        ..NONE
    },
];

fn of(request: &Request<'_>) -> &'static Hooks {
    of_kind(request.kind)
}

fn of_kind(kind: &NativeKind) -> &'static Hooks {
    let kind = (kind.group, kind.kind);
    HOOKS.iter().find(|hooks| hooks.kind == kind).unwrap_or(&NONE)
}

/// Whether nobody owns the `spec` of objects of a kind.
pub(crate) fn keeps_spec(kind: &NativeKind) -> bool {
    of_kind(kind).keeps_spec
}

/// Runs what a kind needs when an object is created.
pub(crate) fn create(request: &mut Request<'_>) {
    (of(request).create)(request);
}

/// Runs what a kind needs when an object replaces `old`.
pub(crate) fn update(request: &mut Request<'_>, old: Value<'_>) {
    (of(request).update)(request, old);
}

/// Runs what a kind needs when the status of `old` is replaced.
pub(crate) fn update_status(request: &mut Request<'_>, old: Value<'_>) {
    (of(request).update_status)(request, old);
}

/// The object as its checks see it, if that is not as it is.
pub(crate) fn view(request: &Request<'_>) -> Option<Document> {
    (of(request).view)(&request.document)
}

/// What is wrong with an object, if its kind has checks of its own.
pub(crate) fn check(
    request: &Request<'_>,
    operation: WriteOperation,
    old: Option<Value<'_>>,
) -> Option<Vec<Issue>> {
    of(request).check.map(|check| check(request.as_given().root(), operation, old))
}

/// An object that asks for no name is called by its identity.
fn name_by_uid(request: &mut Request<'_>) {
    let metadata = steps::ensure(&mut request.document);
    let value = request.document.value(metadata);
    if let (None, Some(uid)) = (value.get("name"), value.get("uid").and_then(Value::as_str)) {
        let uid = uid.to_owned();
        request.document.insert(metadata, "name", &uid);
    }
}

/// What the server has decided is followed by the defaults that go by it, as when the object is read back.
fn read_again(request: &mut Request<'_>) {
    request.apply(DefaultPhase::Read);
}

/// The specification is changed through subresources only.
fn keep_spec(request: &mut Request<'_>, old: Value<'_>) {
    steps::copy_root(&mut request.document, "spec", old);
}

/// How a pod ranks was decided when it was created.
fn keep_rank(request: &mut Request<'_>, old: Value<'_>) {
    let rank = |object: Value<'_>| object.get("status").and_then(|it| it.get("qosClass")).is_some();
    if !rank(request.document.root()) {
        let rank = old.get("status").and_then(|status| status.get("qosClass"));
        keep(&mut request.document, "status", "qosClass", rank);
    }
}

/// Notes when the phase changed.
fn note_phase(request: &mut Request<'_>, old: Value<'_>) {
    const TIME: &str = "lastPhaseTransitionTime";
    let of = |object: Value<'_>, key: &str| {
        object.get("status").and_then(|status| status.get(key)).map(Document::copy_of)
    };
    let same = |key: &str| match (of(request.document.root(), key), of(old, key)) {
        (Some(new), Some(old)) => new.root() == old.root(),
        (new, old) => new.is_none() && old.is_none(),
    };
    let is_given = of(request.document.root(), TIME).is_some() && !same(TIME);
    if is_given {
        return;
    }
    if same("phase") {
        let before = old.get("status").and_then(|status| status.get(TIME));
        return keep(&mut request.document, "status", TIME, before);
    }
    if let Some(now) = request.options.time.as_ref().map(scalar::seconds)
        && let Some(status) = request.document.root().get("status").map(Value::id)
    {
        request.document.insert(status, TIME, &now);
    }
}

/// What a Service is, as far as what it needs depends on it.
#[expect(clippy::struct_excessive_bools, reason = "each decides about fields of its own")]
struct ServiceKind {
    is_external: bool,
    takes_ports: bool,
    is_balanced: bool,
    is_checked: bool,
    is_reached: bool,
}

impl ServiceKind {
    fn of(service: Value<'_>) -> Self {
        let spec = service.get("spec");
        let get = |key| spec.and_then(|spec| spec.get(key));
        let text = |key| get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        let takes_ports = matches!(kind, "NodePort" | "LoadBalancer");
        let has_addresses = get("externalIPs").is_some_and(|list| list.items().len() > 0);
        Self {
            is_external: kind == "ExternalName",
            takes_ports,
            is_balanced: kind == "LoadBalancer",
            is_checked: kind == "LoadBalancer" && text("externalTrafficPolicy") == "Local",
            is_reached: takes_ports || kind == "ClusterIP" && has_addresses,
        }
    }
}

/// Addresses and ports that were given out stay where they are still needed and the request asks for no others; they and
/// other fields go where a Service of the new type has no use for them and the request leaves them as they were.
fn keep_addresses(request: &mut Request<'_>, old: Value<'_>) {
    let document = &mut request.document;
    let (new, before) = (ServiceKind::of(document.root()), ServiceKind::of(old));
    let Some(stored) = old.get("spec") else { return };
    let of_new = |document: &Document, key: &str| {
        document.root().get("spec").and_then(|spec| spec.get(key)).map(Document::copy_of)
    };
    keep_cluster_addresses(document, stored, &new, &before);
    let kept = [
        ("ipFamilies", !new.is_external, !before.is_external),
        ("ipFamilyPolicy", !new.is_external, !before.is_external),
        ("healthCheckNodePort", new.is_checked, before.is_checked),
    ];
    for (key, is_needed, was_needed) in kept {
        if is_needed && was_needed && of_new(document, key).is_none() {
            keep(document, "spec", key, stored.get(key));
        }
    }
    let dropped = [
        ("clusterIP", new.is_external, before.is_external),
        ("clusterIPs", new.is_external, before.is_external),
        ("ipFamilies", new.is_external, before.is_external),
        ("ipFamilyPolicy", new.is_external, before.is_external),
        ("healthCheckNodePort", !new.is_checked, !before.is_checked),
        ("allocateLoadBalancerNodePorts", !new.is_balanced, !before.is_balanced),
        ("loadBalancerClass", !new.is_balanced, !before.is_balanced),
        ("externalTrafficPolicy", !new.is_reached, !before.is_reached),
    ];
    for (key, is_useless, was_useless) in dropped {
        let is_same = of_new(document, key).as_ref().map(Document::root) == stored.get(key);
        if is_useless && !was_useless && is_same {
            keep(document, "spec", key, None);
        }
    }
    if before.is_external && !new.is_external {
        for (key, value) in [("ipFamilies", "[\"IPv4\"]"), ("ipFamilyPolicy", "\"SingleStack\"")] {
            let made = crdkit_codec::json::decode(
                value.as_bytes(),
                &crdkit_codec::DecodeOptions::default(),
            );
            if let (Ok(made), None) = (made, of_new(document, key)) {
                keep(document, "spec", key, Some(made.document.root()));
            }
        }
    }
    match (new.takes_ports, before.takes_ports) {
        (true, true) => keep_ports(document, stored),
        (false, true) => drop_ports(document, stored),
        _ => {}
    }
}

/// The address of a Service and the list that begins with it: what the request leaves out is what it was, or follows from the
/// other.
fn keep_cluster_addresses(
    document: &mut Document,
    stored: Value<'_>,
    new: &ServiceKind,
    before: &ServiceKind,
) {
    const ONE: &str = "clusterIP";
    const ALL: &str = "clusterIPs";
    if new.is_external || before.is_external {
        return;
    }
    let of_new = |document: &Document, key: &str| {
        document.root().get("spec").and_then(|spec| spec.get(key)).map(Document::copy_of)
    };
    let is_same = |document: &Document, key: &str| {
        of_new(document, key).as_ref().map(Document::root) == stored.get(key)
    };
    if of_new(document, ONE).is_none() {
        keep(document, "spec", ONE, stored.get(ONE));
    }
    if is_same(document, ONE) {
        if of_new(document, ALL).is_none() {
            keep(document, "spec", ALL, stored.get(ALL));
        }
    } else if (of_new(document, ALL).is_none() || is_same(document, ALL))
        && let Some(address) = of_new(document, ONE)
    {
        let all = Document::array_of([&address]);
        keep(document, "spec", ALL, Some(all.root()));
    }
}

fn ports(spec: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    spec.and_then(|spec| spec.get("ports")).into_iter().flat_map(Value::items)
}

/// Gives ports the number that the one of their name had, unless another port has it now.
fn keep_ports(document: &mut Document, before: Value<'_>) {
    let number = |port: Value<'_>| port.get("nodePort").and_then(Value::as_i64);
    let mut used: Vec<i64> = ports(document.root().get("spec")).filter_map(number).collect();
    let mut kept: Vec<(NodeId, i64)> = Vec::new();
    for port in ports(document.root().get("spec")).filter(|port| number(*port).is_none()) {
        let old = ports(Some(before)).filter(|old| old.get("name") == port.get("name")).last();
        if let Some(number) = old.and_then(number).filter(|number| !used.contains(number)) {
            used.push(number);
            kept.push((port.id(), number));
        }
    }
    for (port, number) in kept {
        document.insert(port, "nodePort", number);
    }
}

/// Takes numbers away if there are none among them that were not there before.
fn drop_ports(document: &mut Document, before: Value<'_>) {
    let number = |port: Value<'_>| port.get("nodePort").and_then(Value::as_i64);
    let known: Vec<i64> = ports(Some(before)).filter_map(number).collect();
    let numbers: Vec<i64> = ports(document.root().get("spec")).filter_map(number).collect();
    let same = numbers.iter().all(|number| known.contains(number));
    let given = ports(document.root().get("spec")).filter_map(|port| port.get("nodePort"));
    let given: Vec<NodeId> = given.filter(|_| same).map(Value::id).collect();
    for id in given {
        document.remove(id);
    }
}

/// The first version keeps in an annotation what its status has no other room for.
fn annotate_metrics(request: &mut Request<'_>, _: Value<'_>) {
    const KEY: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
    if request.kind.version != "v1" {
        return;
    }
    let status = request.document.root().get("status");
    let used = status.and_then(|it| it.get("currentCPUUtilizationPercentage")?.as_i64());
    let Some(used) = used else { return };
    let text = format!(
        r#"[{{"type":"Resource","resource":{{"name":"cpu","currentAverageUtilization":{used},"currentAverageValue":"0"}}}}]"#
    );
    let metadata = steps::ensure(&mut request.document);
    if let Some(annotations) = ensure_annotations(&mut request.document, metadata) {
        request.document.insert(annotations, KEY, &text);
    }
}

fn ensure_annotations(document: &mut Document, metadata: NodeId) -> Option<NodeId> {
    let found = document.value(metadata).get("annotations").map(Value::id);
    found.or_else(|| document.insert(metadata, "annotations", NewValue::EmptyObject))
}

/// The annotation that counts changes of the template.
fn count_templates(request: &mut Request<'_>, old: Value<'_>) {
    const KEY: &str = "deprecated.daemonset.template.generation";
    let template = |object: Value<'_>| {
        object.get("spec").and_then(|spec| spec.get("template")).map(Document::copy_of)
    };
    let changed = match (template(request.document.root()), template(old)) {
        (Some(new), Some(old)) => new.root() != old.root(),
        (new, old) => new.is_some() != old.is_some(),
    };
    let annotations = old.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let before = annotations.and_then(|it| it.get(KEY)?.as_str()?.parse().ok());
    let count: i64 = before.unwrap_or_default();
    let metadata = steps::ensure(&mut request.document);
    if let Some(annotations) = ensure_annotations(&mut request.document, metadata) {
        let text = (count + i64::from(changed)).to_string();
        request.document.insert(annotations, KEY, &text);
    }
}

/// The rules for CRDs.
fn check_definition(
    object: Value<'_>,
    operation: WriteOperation,
    old: Option<Value<'_>>,
) -> Vec<Issue> {
    let (mut definition, mut issues) = read::crd(object);
    match (operation, old) {
        (WriteOperation::Create, _) | (_, None) => {
            definition.prepare_for_create();
            issues.extend(crd_check::create(&definition));
        }
        (WriteOperation::Update, Some(old)) => {
            issues.extend(crd_check::update(&definition, &read::crd(old).0));
        }
        (WriteOperation::UpdateStatus, Some(old)) => {
            issues.extend(crd_check::update_status(&definition, &read::crd(old).0));
        }
    }
    issues
}
