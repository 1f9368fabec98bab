//! What the server does with volumes of pods that no rule about one value can say.
//!
//! A volume with anything wrong is as good as missing, so whoever mounts it is told that there is none. The pods of a
//! `StatefulSet` have the volumes of the claims that are made for them.

use crdkit_issue::{FieldPath, Issue, Segment, codes::native};
use crdkit_schema::validate::shown;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::collections::BTreeSet;

/// A volume: the pod it is in and its number there.
type Volume = (FieldPath, usize);

/// Says of every mount of a volume that `found` is about that there is no such volume.
pub(crate) fn unusable_volumes(object: Value<'_>, found: &mut Vec<(NodeId, Issue)>) {
    let broken: BTreeSet<Volume> = found.iter().filter_map(|(_, issue)| volume(issue)).collect();
    let mut missing = Vec::new();
    for (path, index) in &broken {
        let Some(pod) = object.find(path) else { continue };
        let volumes = || pod.get("volumes").into_iter().flat_map(Value::items).enumerate();
        let name = volumes().find(|(at, _)| at == index).and_then(|(_, volume)| volume.get("name"));
        let is_usable = |(at, volume): (usize, Value<'_>)| {
            volume.get("name") == name && !broken.contains(&(path.clone(), at))
        };
        if name.is_some() && !volumes().any(is_usable) {
            mounts(pod, path, name, &mut missing);
        }
    }
    for (id, issue) in missing {
        let is_known = |(_, known): &(NodeId, Issue)| {
            known.code == native::NOT_FOUND && known.path == issue.path
        };
        if !found.iter().any(is_known) {
            found.push((id, issue));
        }
    }
}

/// The volume that an issue is about.
fn volume(issue: &Issue) -> Option<Volume> {
    let segments = issue.path.segments();
    let at = segments.windows(2).position(
        |pair| matches!(pair, [Segment::Field(name), Segment::Index(_)] if &**name == "volumes"),
    )?;
    let Some(Segment::Index(index)) = segments.get(at + 1) else { return None };
    Some((segments.get(..at)?.iter().cloned().collect(), *index))
}

/// The places in a pod that use the volume `name`.
fn mounts(
    pod: Value<'_>,
    path: &FieldPath,
    name: Option<Value<'_>>,
    missing: &mut Vec<(NodeId, Issue)>,
) {
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for (at, container) in pod.get(list).into_iter().flat_map(Value::items).enumerate() {
            for uses in ["volumeMounts", "volumeDevices"] {
                let items = container.get(uses).into_iter().flat_map(Value::items).enumerate();
                for (number, mount) in items.filter(|(_, mount)| mount.get("name") == name) {
                    let path = path.clone().field(list).index(at).field(uses).index(number);
                    let mut issue = Issue::error(native::NOT_FOUND)
                        .with("check", "volume")
                        .with("text", "there is no usable volume of this name")
                        .with("detail", "");
                    issue.value = name.map(shown);
                    missing.push((mount.id(), issue.at(path.field("name"))));
                }
            }
        }
    }
}

/// A `StatefulSet` as its checks see it: the volumes of a pod begin with those of the claims that are made for it, and
/// the names of hosts are made too.
pub(crate) fn with_claimed_volumes(object: &Document) -> Option<Document> {
    let spec = object.root().get("spec")?;
    let claims = spec.get("volumeClaimTemplates").into_iter().flat_map(Value::items);
    let names: Vec<&str> = claims
        .map(|claim| claim.get("metadata").and_then(|it| it.get("name")?.as_str()).unwrap_or(""))
        .collect();
    let pod = spec.get("template")?.get("spec")?;
    let made = ["hostname", "subdomain"].map(|key| pod.get(key).map(Value::id));
    if names.is_empty() && made == [None, None] {
        return None;
    }
    let mut view = object.clone();
    for id in made.into_iter().flatten() {
        view.remove(id);
    }
    let found = pod.get("volumes").map(Value::id);
    let volumes = found.or_else(|| view.insert(pod.id(), "volumes", NewValue::EmptyArray))?;
    let is_claimed = |volume: &Value<'_>| {
        volume.get("name").and_then(Value::as_str).is_some_and(|name| names.contains(&name))
    };
    for volume in pod.get("volumes").into_iter().flat_map(Value::items).filter(is_claimed) {
        view.remove(volume.id());
    }
    let mut at = 0;
    for (index, name) in names.iter().enumerate() {
        if names.get(..index).is_some_and(|earlier| earlier.contains(name)) {
            continue;
        }
        let volume = view.insert_item(volumes, at, NewValue::EmptyObject)?;
        view.insert(volume, "name", *name);
        let claim = view.insert(volume, "persistentVolumeClaim", NewValue::EmptyObject)?;
        view.insert(claim, "claimName", *name);
        at += 1;
    }
    Some(view)
}
