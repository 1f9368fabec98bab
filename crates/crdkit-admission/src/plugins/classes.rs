//! Classes that objects name, or get if they name none: priority, runtime, storage and ingress classes.
//!
//! Upstream: `kubernetes/plugin/pkg/admission/{priority,runtimeclass,defaulttolerationseconds,storage,network}`.

use super::resources::{self, ResourceList};
use super::{FindObjects, ensure};
use crate::request::{AdmissionRequest, Operation};
use crdkit_schema::status::Status;
use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, NodeId, Value};

fn name(object: Value<'_>) -> &str {
    object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

fn named(objects: &[Document], wanted: &str) -> Option<usize> {
    objects.iter().position(|object| name(object.root()) == wanted)
}

fn text<'v>(object: Value<'v>, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn spec(object: &Document) -> Option<NodeId> {
    object.root().get("spec").map(Value::id)
}

/// Resolves the priority of a pod.
///
/// # Errors
/// The answer, when there is no such class, or the pod says something else than the class.
pub(super) fn set_priority(
    request: &AdmissionRequest<'_>,
    object: &mut Document,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let Some(spec) = spec(object) else { return Ok(()) };
    if request.operation == Operation::Update {
        for key in ["priority", "preemptionPolicy"] {
            let old = request.old_object.and_then(|old| old.root().get("spec")?.get(key));
            if let (Some(old), None) = (old, object.value(spec).get(key)) {
                object.insert(spec, key, old);
            }
        }
        return Ok(());
    }
    let classes = find("scheduling.k8s.io", "priorityclasses", "");
    let wanted = text(object.root(), "/spec/priorityClassName").to_owned();
    let class = match &*wanted {
        "" => default_priority(&classes),
        wanted => {
            Some(named(&classes, wanted).and_then(|at| classes.get(at)).ok_or_else(|| {
                request.forbidden(&format!("no PriorityClass with name {wanted} was found"))
            })?)
        }
    };
    let class = class.map(Document::root);
    let priority =
        class.map_or(0, |it| it.get("value").and_then(Value::as_i64).unwrap_or_default());
    let policy = match class {
        Some(class) => class.get("preemptionPolicy").and_then(Value::as_str),
        None => Some("PreemptLowerPriority"),
    };
    let given = object.value(spec).get("priority").and_then(Value::as_i64);
    if let Some(given) = given.filter(|given| *given != priority) {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission \
             controller computed {priority} from the given PriorityClass name"
        );
        return Err(request.forbidden(&why).into());
    }
    let given = object.value(spec).get("preemptionPolicy").and_then(Value::as_str);
    if let (Some(given), Some(policy)) = (given, policy)
        && given != policy
    {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority \
             admission controller computed {policy} from the given PriorityClass name"
        );
        return Err(request.forbidden(&why).into());
    }
    if let Some(class) = class.filter(|_| wanted.is_empty()) {
        object.insert(spec, "priorityClassName", name(class));
    }
    object.insert(spec, "priority", priority);
    if let Some(policy) = policy {
        object.insert(spec, "preemptionPolicy", policy);
    }
    Ok(())
}

/// The class of pods that name none: of those that are marked so, that with the lowest value.
fn default_priority(classes: &[Document]) -> Option<&Document> {
    let marked = classes
        .iter()
        .filter(|class| class.root().get("globalDefault").and_then(Value::as_bool) == Some(true));
    marked.min_by_key(|class| class.root().get("value").and_then(Value::as_i64))
}

/// Refuses a second class for pods that name none.
///
/// # Errors
/// The answer, when there is one already.
pub(super) fn check_priority_class(
    request: &AdmissionRequest<'_>,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let Some(class) = request.object.map(Document::root) else { return Ok(()) };
    if class.get("globalDefault").and_then(Value::as_bool) != Some(true) {
        return Ok(());
    }
    let classes = find("scheduling.k8s.io", "priorityclasses", "");
    let Some(marked) = default_priority(&classes).map(|it| name(it.root())) else { return Ok(()) };
    if request.operation == Operation::Update && marked == name(class) {
        return Ok(());
    }
    let why =
        format!("PriorityClass {marked} is already marked as default. Only one default can exist");
    Err(request.forbidden(&why).into())
}

/// Lets pods stay for a while on nodes that have become unusable.
pub(super) fn set_tolerations(object: &mut Document) {
    const SECONDS: i64 = 300;
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let given = object.root().pointer("/spec/tolerations").into_iter().flat_map(Value::items);
        let among = |it: Value<'_>, member: &str, wanted: &str| {
            let found = it.get(member).and_then(Value::as_str).unwrap_or_default();
            found.is_empty() || found == wanted
        };
        let mut given = given;
        if given.any(|it| among(it, "key", key) && among(it, "effect", "NoExecute")) {
            continue;
        }
        let toleration = Document::object()
            .with("key", key)
            .with("operator", "Exists")
            .with("effect", "NoExecute")
            .with("tolerationSeconds", SECONDS);
        if let Some(list) = ensure(object, &["spec", "tolerations"], NewValue::EmptyArray) {
            object.push(list, &toleration);
        }
    }
}

/// The runtime class that a pod names, if it names one.
fn runtime_class(
    request: &AdmissionRequest<'_>,
    pod: Value<'_>,
    find: FindObjects<'_>,
) -> Result<Option<Document>, Box<Status>> {
    let Some(wanted) = pod.pointer("/spec/runtimeClassName").and_then(Value::as_str) else {
        return Ok(None);
    };
    let mut classes = find("node.k8s.io", "runtimeclasses", "");
    let Some(at) = named(&classes, wanted) else {
        let why = format!("pod rejected: RuntimeClass {} not found", quote(wanted));
        return Err(request.forbidden(&why).into());
    };
    Ok(Some(classes.swap_remove(at)))
}

const OTHER_OVERHEAD: &str =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

fn overhead(class: &Document) -> Option<Value<'_>> {
    class.root().get("overhead").filter(|it| !it.is_null())
}

/// What a pod gets from its runtime class: overhead, and where it may run.
///
/// # Errors
/// The answer, when there is no such class, or the pod contradicts it.
pub(super) fn set_runtime(
    request: &AdmissionRequest<'_>,
    object: &mut Document,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let Some(class) = runtime_class(request, object.root(), find)? else { return Ok(()) };
    let Some(spec) = spec(object) else { return Ok(()) };
    if let Some(overhead) = overhead(&class) {
        let fixed = overhead.get("podFixed");
        let given = resources::read(object.value(spec).get("overhead"));
        if !given.is_empty() && given != resources::read(fixed) {
            return Err(request.forbidden(OTHER_OVERHEAD).into());
        }
        if let Some(fixed) = fixed {
            object.insert(spec, "overhead", fixed);
        }
    }
    let Some(scheduling) = class.root().get("scheduling").filter(|it| !it.is_null()) else {
        return Ok(());
    };
    let selector = scheduling.get("nodeSelector").into_iter().flat_map(Value::members);
    for (key, value) in selector {
        let (given, wanted) = (
            object.value(spec).get("nodeSelector").and_then(|it| it.get(key)?.as_str()),
            value.as_str().unwrap_or_default(),
        );
        if let Some(given) = given.filter(|given| *given != wanted) {
            let why = format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {given}"
            );
            return Err(request.forbidden(&why).into());
        }
        if let Some(at) = ensure(object, &["spec", "nodeSelector"], NewValue::EmptyObject) {
            object.insert(at, key, wanted);
        }
    }
    merge_tolerations(object, scheduling.get("tolerations"));
    Ok(())
}

/// Adds tolerations, without those that others include.
fn merge_tolerations(object: &mut Document, more: Option<Value<'_>>) {
    let items = |list: Option<Value<'_>>| -> Vec<Document> {
        list.into_iter().flat_map(Value::items).map(Document::copy_of).collect()
    };
    let more = items(more);
    if more.is_empty() {
        return;
    }
    let mut all = items(object.root().pointer("/spec/tolerations"));
    all.extend(more);
    let mut merged: Vec<&Document> = Vec::new();
    for (at, item) in all.iter().enumerate() {
        let is_included = merged.iter().any(|other| includes(other.root(), item.root()));
        let mut later = all.iter().skip(at + 1);
        let by_later =
            later.any(|other| other.root() != item.root() && includes(other.root(), item.root()));
        if !is_included && !by_later {
            merged.push(item);
        }
    }
    let list = Document::array_of(merged);
    if let Some(spec) = spec(object) {
        object.insert(spec, "tolerations", &list);
    }
}

/// Whether whatever the toleration `inner` tolerates, `outer` does.
fn includes(outer: Value<'_>, inner: Value<'_>) -> bool {
    if outer == inner {
        return true;
    }
    let of = |it, key| text(it, key);
    let same = |key| of(outer, key) == of(inner, key);
    let exists = of(outer, "/operator") == "Exists";
    let keys = same("/key") || of(outer, "/key").is_empty() && exists;
    let effects = same("/effect") || of(outer, "/effect").is_empty();
    let seconds = |it: Value<'_>| it.get("tolerationSeconds").and_then(Value::as_i64);
    let lasts = match (of(outer, "/effect"), seconds(outer)) {
        ("NoExecute", Some(most)) => seconds(inner).is_some_and(|given| given <= most),
        _ => true,
    };
    keys && effects && lasts && (exists || of(inner, "/operator") == "Equal" && same("/value"))
}

/// Refuses a pod whose overhead is not that of its runtime class.
///
/// # Errors
/// The answer, when it is not.
pub(super) fn check_runtime(
    request: &AdmissionRequest<'_>,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let Some(pod) = request.object.map(Document::root) else { return Ok(()) };
    let class = runtime_class(request, pod, find)?;
    let given = pod.pointer("/spec/overhead").filter(|it| !it.is_null());
    let overhead = class.as_ref().and_then(overhead).map(|it| resources::read(it.get("podFixed")));
    let why = match (overhead, given) {
        (Some(fixed), given)
            if fixed != given.map_or_else(ResourceList::new, |it| resources::read(Some(it))) =>
        {
            OTHER_OVERHEAD
        }
        (None, Some(_)) => {
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        }
        _ => return Ok(()),
    };
    Err(request.forbidden(why).into())
}

/// The class that is marked by one of `annotations`: the newest, then the first by name.
fn default_class<'o>(classes: &'o [Document], annotations: &[&str]) -> Option<&'o str> {
    let is_marked = |class: Value<'_>| {
        let marks = class.pointer("/metadata/annotations");
        annotations.iter().any(|key| marks.and_then(|it| it.get(key)?.as_str()) == Some("true"))
    };
    let marked = classes.iter().map(Document::root).filter(|class| is_marked(*class));
    let newest = marked.max_by(|left, right| {
        let time = |class: &Value<'o>| text(*class, "/metadata/creationTimestamp");
        time(left).cmp(time(right)).then_with(|| name(*right).cmp(name(*left)))
    });
    newest.map(name)
}

/// Gives a claim the class that is marked as default, if it names none.
pub(super) fn set_storage(object: &mut Document, find: FindObjects<'_>) {
    let annotations = object.root().pointer("/metadata/annotations");
    let is_named = object.root().pointer("/spec/storageClassName").is_some_and(|it| !it.is_null())
        || annotations
            .is_some_and(|it| it.get("volume.beta.kubernetes.io/storage-class").is_some());
    if is_named {
        return;
    }
    let classes = find("storage.k8s.io", "storageclasses", "");
    let marks = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ];
    if let (Some(class), Some(spec)) = (default_class(&classes, &marks), spec(object)) {
        object.insert(spec, "storageClassName", class);
    }
}

/// Gives an ingress the class that is marked as default, if it names none.
pub(super) fn set_ingress(object: &mut Document, find: FindObjects<'_>) {
    let annotations = object.root().pointer("/metadata/annotations");
    let is_named = object.root().pointer("/spec/ingressClassName").is_some_and(|it| !it.is_null())
        || annotations.is_some_and(|it| it.get("kubernetes.io/ingress.class").is_some());
    if is_named {
        return;
    }
    let classes = find("networking.k8s.io", "ingressclasses", "");
    let marks = ["ingressclass.kubernetes.io/is-default-class"];
    if let (Some(class), Some(spec)) = (default_class(&classes, &marks), spec(object)) {
        object.insert(spec, "ingressClassName", class);
    }
}

/// What whoever names the class of an ingress by an annotation is told.
pub(super) fn annotated_ingress(request: &AdmissionRequest<'_>) -> Option<String> {
    const KEY: &str = "kubernetes.io/ingress.class";
    request.object?.root().pointer("/metadata/annotations")?.get(KEY)?;
    let annotation = quote(KEY);
    Some(format!(
        "annotation {annotation} is deprecated, please use 'spec.ingressClassName' instead"
    ))
}

/// Refuses claims that grow although their class does not allow it.
///
/// # Errors
/// The answer, when one does.
pub(super) fn check_resize(
    request: &AdmissionRequest<'_>,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let (Some(new), Some(old)) = (request.object, request.old_object) else { return Ok(()) };
    let (new, old) = (new.root(), old.root());
    let size = |claim: Value<'_>| {
        resources::read(claim.pointer("/spec/resources/requests")).remove("storage")
    };
    if size(new) <= size(old) {
        return Ok(());
    }
    if text(old, "/status/phase") != "Bound" {
        let why = "Only bound persistent volume claims can be expanded";
        return Err(request.forbidden(why).into());
    }
    let class = claim_class(new);
    let classes = find("storage.k8s.io", "storageclasses", "");
    let found = named(&classes, class).and_then(|at| classes.get(at)).map(Document::root);
    let grows = found.and_then(|it| it.get("allowVolumeExpansion")?.as_bool()) == Some(true);
    if class.is_empty() || class != claim_class(old) || !grows {
        let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions \
                   the pvc must support resize";
        return Err(request.forbidden(why).into());
    }
    Ok(())
}

/// The storage class that a claim names.
pub(super) fn claim_class(claim: Value<'_>) -> &str {
    let annotation = claim
        .pointer("/metadata/annotations")
        .and_then(|it| it.get("volume.beta.kubernetes.io/storage-class")?.as_str());
    annotation.unwrap_or_else(|| text(claim, "/spec/storageClassName"))
}
