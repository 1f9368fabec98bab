//! What may be changed in a pod that runs: containers are added to it, and others may use more or less.
//!
//! Takes the stored pod and one that was sent, gives the stored one with the part of the other that the path is about. All
//! rules of pods hold for it but that the part cannot change, which has rules of its own.

use super::{Part, Verdict, native};
use crate::options::cause;
use crate::stored;
use crdkit_codec::go_json;
use crdkit_engine::{Input, RequestOptions};
use crdkit_native::NativeKind;
use crdkit_schema::status::{Cause, Subject};
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;

/// The pod that takes the place of `old`.
pub(super) fn update(
    kind: &'static NativeKind,
    part: Part,
    old: &Document,
    new: &Document,
    options: &RequestOptions,
) -> Verdict {
    let mut pod = old.clone();
    let problems = match part {
        Part::Ephemeral => add_containers(&mut pod, new),
        _ => resize(&mut pod, new),
    };
    let causes: Vec<Cause> =
        problems.into_iter().map(|(field, text)| forbidden(field, &text)).collect();
    let metadata = stored::metadata(&mut pod);
    if pod.root().get("spec") != old.root().get("spec") {
        let generation = old.root().pointer("/metadata/generation").and_then(Value::as_i64);
        pod.insert(metadata, "generation", generation.unwrap_or_default().saturating_add(1));
    }
    // For the rules about what may change, the part was there before.
    let before = kind.stored(&pod, options);
    for key in ["managedFields", "resourceVersion"] {
        match new.root().get("metadata").and_then(|it| it.get(key)) {
            Some(value) => {
                pod.insert(metadata, key, value);
            }
            None => stored::remove(&mut pod, metadata, key),
        }
    }
    if !causes.is_empty() {
        return refuse(kind, old, causes);
    }
    let rank = |pod: &Document| -> Option<String> {
        Some(pod.root().pointer("/status/qosClass")?.as_str()?.to_owned())
    };
    let ranked = kind.read(Input::from(pod.clone()), options);
    // A pod that is created says how it ranks.
    let after = ranked.ok().and_then(|read| rank(&read.create().into_document()));
    let read = kind.read(Input::from(pod), options).map_err(native::refused)?;
    let accepted = native::verdict(read.update(&before))?;
    match (rank(old), after) {
        (Some(before), Some(after)) if part == Part::Resources && before != after => {
            let text = format!(
                "Invalid value: \"{after}\": Pod QOS Class may not change as a result of resizing"
            );
            refuse(kind, old, vec![cause("FieldValueInvalid", "spec", text)])
        }
        _ => Ok(accepted),
    }
}

fn refuse(kind: &NativeKind, pod: &Document, causes: Vec<Cause>) -> Verdict {
    let name = stored::metadata_text(pod.root(), "name");
    let subject = Subject { group: kind.group, version: kind.version, kind: kind.kind, name };
    Err(Box::new(subject.refused(causes)).into())
}

fn forbidden(field: &'static str, text: &str) -> Cause {
    cause("FieldValueForbidden", field, format!("Forbidden: {text}"))
}

/// What is wrong: the field, and why.
type Problem = (&'static str, String);

fn containers<'v>(pod: &'v Document, list: &str) -> Vec<Value<'v>> {
    let spec = pod.root().get("spec");
    spec.and_then(|spec| spec.get(list)).into_iter().flat_map(Value::items).collect()
}

fn name(container: Value<'_>) -> &str {
    container.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Gives `pod` the ephemeral containers of `new`. Those that it has are not changed and do not go.
fn add_containers(pod: &mut Document, new: &Document) -> Vec<Problem> {
    const LIST: &str = "ephemeralContainers";
    let field = "spec.ephemeralContainers";
    let mut problems = Vec::new();
    for old in containers(pod, LIST) {
        let name = name(old);
        match containers(new, LIST).into_iter().find(|it| self::name(*it) == name) {
            None => {
                let text = format!("existing ephemeral containers \"{name}\" may not be removed\n");
                problems.push((field, text));
            }
            Some(new) if new != old => {
                let text = format!("existing ephemeral containers \"{name}\" may not be changed\n");
                problems.push((field, text));
            }
            Some(_) => {}
        }
    }
    let given = new.root().get("spec").and_then(|spec| spec.get(LIST));
    if let (Some(spec), Some(given)) = (pod.root().get("spec").map(Value::id), given) {
        pod.insert(spec, LIST, given);
    }
    problems
}

/// Gives the containers of `pod` the resources of those of `new`, which are the same containers.
fn resize(pod: &mut Document, new: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    for list in ["containers", "initContainers"] {
        let (old, wanted) = (containers(pod, list), containers(new, list));
        if !old.iter().copied().map(name).eq(wanted.iter().copied().map(name)) {
            let text = format!("{list} may not be added, removed, re-ordered or renamed on resize");
            problems.push(("spec", text));
            continue;
        }
        let ids: Vec<_> = old.into_iter().map(Value::id).collect();
        for (id, wanted) in ids.into_iter().zip(wanted) {
            problems.extend(misfit(pod.value(id), wanted));
            for key in ["resources", "resizePolicy"] {
                match wanted.get(key) {
                    Some(value) => {
                        pod.insert(id, key, value);
                    }
                    None => stored::remove(pod, id, key),
                }
            }
        }
    }
    problems
}

/// What a container may not get: anything but another amount of processors and memory.
fn misfit(old: Value<'_>, new: Value<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for of in ["requests", "limits"] {
        let (old, new) = (amounts(old, of), amounts(new, of));
        let others = |amounts: &Amounts| -> Amounts {
            let others = amounts.iter().filter(|(key, _)| !RESIZED.contains(&&***key));
            others.map(|(key, amount)| (key.clone(), amount.clone())).collect()
        };
        if others(&old) != others(&new) {
            problems.push(("spec", "only cpu and memory resources are mutable".to_owned()));
        }
        let is_lost = |key: &&str| old.contains_key(*key) && !new.contains_key(*key);
        if of == "requests" && RESIZED.iter().any(is_lost) {
            problems.push(("spec", "resource requests cannot be removed".to_owned()));
        }
    }
    problems
}

/// What there may be more or less of while a pod runs.
const RESIZED: [&str; 2] = ["cpu", "memory"];

/// Amounts by resource, as they are written.
type Amounts = BTreeMap<Box<str>, String>;

fn amounts(container: Value<'_>, of: &str) -> Amounts {
    let amounts = container.get("resources").and_then(|it| it.get(of));
    let amounts = amounts.into_iter().flat_map(Value::members);
    amounts.map(|(key, amount)| (key.into(), go_json::value(amount))).collect()
}
