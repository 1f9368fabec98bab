//! `LimitRanger`: what containers ask for if they say nothing, and how much containers, pods and claims may ask for.
//!
//! Upstream: `kubernetes/plugin/pkg/admission/limitranger`.

use super::resources::{self, ResourceList};
use super::{FindObjects, NodePlace, aggregate, ensure};
use crate::request::{AdmissionRequest, Operation};
use crdkit_schema::status::Status;
use crdkit_text::quantity::Quantity;
use crdkit_value::{Document, NewValue, NodeId, Value};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// The limits of a namespace, as far as they concern the request.
fn ranges(request: &AdmissionRequest<'_>, find: FindObjects<'_>) -> Vec<Document> {
    let concerned = match (&*request.kind.group, &*request.kind.kind, request.subresource) {
        ("", "Pod", "") => request.operation == Operation::Create,
        ("", "Pod", "resize") => request.operation == Operation::Update,
        ("", "PersistentVolumeClaim", "") => {
            matches!(request.operation, Operation::Create | Operation::Update)
        }
        _ => false,
    };
    let going = |old: &Document| old.root().pointer("/metadata/deletionTimestamp").is_some();
    if !concerned || request.old_object.is_some_and(going) {
        return Vec::new();
    }
    find("", "limitranges", request.namespace)
}

fn limits<'v>(range: &'v Document, kind: &str) -> impl Iterator<Item = Value<'v>> {
    let limits = range.root().pointer("/spec/limits").into_iter().flat_map(Value::items);
    limits.filter(move |limit| limit.get("type").and_then(Value::as_str) == Some(kind))
}

/// Gives containers of a pod what they do not ask for.
pub(super) fn mutate(request: &AdmissionRequest<'_>, object: &mut Document, find: FindObjects<'_>) {
    if request.kind.kind != "Pod" {
        return;
    }
    for range in ranges(request, find) {
        let (mut requests, mut most) = (ResourceList::new(), ResourceList::new());
        for limit in limits(&range, "Container") {
            requests.extend(resources::read(limit.get("defaultRequest")));
            most.extend(resources::read(limit.get("default")));
        }
        let mut notes = Vec::new();
        for (key, word) in [("containers", "container"), ("initContainers", "init container")] {
            let containers = object.root().pointer(&format!("/spec/{key}"));
            let containers: Vec<NodeId> =
                containers.into_iter().flat_map(Value::items).map(Value::id).collect();
            for container in containers {
                let name = object.value(container).get("name").and_then(Value::as_str);
                let name = name.unwrap_or_default().to_owned();
                for (member, what, defaults) in
                    [("requests", "request", &requests), ("limits", "limit", &most)]
                {
                    let set = fill(object, container, member, defaults);
                    if !set.is_empty() {
                        notes.push(format!("{} {what} for {word} {name}", set.join(", ")));
                    }
                }
            }
        }
        if !notes.is_empty() {
            let text = format!("LimitRanger plugin set: {}", notes.join("; "));
            if let Some(at) = ensure(object, &["metadata", "annotations"], NewValue::EmptyObject) {
                object.insert(at, ANNOTATION, &text);
            }
        }
    }
}

/// Adds what a container does not say, and names it.
fn fill(
    object: &mut Document,
    container: NodeId,
    member: &str,
    defaults: &ResourceList,
) -> Vec<String> {
    let given = resources::of_container(object.value(container), member);
    let missing: Vec<(&String, &Quantity)> =
        defaults.iter().filter(|(name, _)| !given.contains_key(*name)).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let place = NodePlace(object, container);
    let Some(list) = place.ensure(&["resources", member], NewValue::EmptyObject) else {
        return Vec::new();
    };
    for (name, quantity) in &missing {
        object.insert(list, name, &quantity.to_string());
    }
    missing.into_iter().map(|(name, _)| name.clone()).collect()
}

/// Refuses what asks for too little or too much.
///
/// # Errors
/// The answer, when something does.
pub(super) fn validate(
    request: &AdmissionRequest<'_>,
    find: FindObjects<'_>,
) -> Result<(), Box<Status>> {
    let Some(spec) = request.object.and_then(|it| it.root().get("spec")) else { return Ok(()) };
    for range in ranges(request, find) {
        let problems = match &*request.kind.kind {
            "Pod" => pod_problems(&range, spec),
            _ => claim_problems(&range, spec),
        };
        if !problems.is_empty() {
            return Err(request.forbidden(&aggregate(&problems)).into());
        }
    }
    Ok(())
}

fn pod_problems(range: &Document, spec: Value<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    let all = range.root().pointer("/spec/limits").into_iter().flat_map(Value::items);
    for limit in all {
        match limit.get("type").and_then(Value::as_str) {
            Some("Container") => {
                let lists = ["containers", "initContainers"];
                let lists = lists.into_iter().filter_map(|key| spec.get(key));
                for container in lists.flat_map(Value::items) {
                    let of = |which| resources::of_container(container, which);
                    bounds("Container", limit, &of("requests"), &of("limits"), &mut problems);
                }
            }
            Some("Pod") => {
                let of = |which| resources::of_pod(spec, which);
                bounds("Pod", limit, &of("requests"), &of("limits"), &mut problems);
            }
            _ => {}
        }
    }
    problems
}

fn claim_problems(range: &Document, spec: Value<'_>) -> Vec<String> {
    const KIND: &str = "PersistentVolumeClaim";
    let requests = resources::read(spec.get("resources").and_then(|it| it.get("requests")));
    let mut problems = Vec::new();
    for limit in limits(range, KIND) {
        least(KIND, limit, &requests, &ResourceList::new(), &mut problems);
        for (name, bound) in resources::read(limit.get("max")) {
            let start = format!("maximum {name} usage per {KIND} is {bound}");
            match requests.get(&name) {
                None => problems.push(format!("{start}.  No request is specified")),
                Some(request) if *request > bound => {
                    problems.push(format!("{start}, but request is {request}"));
                }
                Some(_) => {}
            }
        }
    }
    problems
}

/// Notes what is outside of all bounds of a limit.
fn bounds(
    kind: &str,
    limit: Value<'_>,
    requests: &ResourceList,
    limits: &ResourceList,
    problems: &mut Vec<String>,
) {
    least(kind, limit, requests, limits, problems);
    for (name, bound) in resources::read(limit.get("max")) {
        let start = format!("maximum {name} usage per {kind} is {bound}");
        match (limits.get(&name), requests.get(&name)) {
            (None, _) => problems.push(format!("{start}.  No limit is specified")),
            (Some(most), _) if *most > bound => {
                problems.push(format!("{start}, but limit is {most}"));
            }
            (_, Some(request)) if *request > bound => {
                problems.push(format!("{start}, but request is {request}"));
            }
            _ => {}
        }
    }
    for (name, bound) in resources::read(limit.get("maxLimitRequestRatio")) {
        let start = format!("{name} max limit to request ratio per {kind} is {bound}, but");
        let some =
            |list: &ResourceList| list.get(&name).filter(|it| !resources::is_zero(it)).cloned();
        let (Some(request), Some(most)) = (some(requests), some(limits)) else {
            let which = if some(requests).is_none() { "request" } else { "limit" };
            problems.push(format!("{start} no {which} is specified or {which} is 0"));
            continue;
        };
        let ratio = most.as_f64() / request.as_f64();
        if ratio > bound.as_f64() {
            problems.push(format!("{start} provided ratio is {ratio:.6}"));
        }
    }
}

fn least(
    kind: &str,
    limit: Value<'_>,
    requests: &ResourceList,
    limits: &ResourceList,
    problems: &mut Vec<String>,
) {
    for (name, bound) in resources::read(limit.get("min")) {
        let start = format!("minimum {name} usage per {kind} is {bound}");
        match (requests.get(&name), limits.get(&name)) {
            (None, _) => problems.push(format!("{start}.  No request is specified")),
            (Some(request), _) if *request < bound => {
                problems.push(format!("{start}, but request is {request}"));
            }
            (_, Some(most)) if *most < bound => {
                problems.push(format!("{start}, but limit is {most}"));
            }
            _ => {}
        }
    }
}
