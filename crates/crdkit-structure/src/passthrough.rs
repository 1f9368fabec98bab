//! Unknown members gathered in one place of the object they belong to, and put back beside the others when it is
//! written.
//!
//! The target is relative to each object, at every depth. It is the program's own place: an input that has something
//! there already gets a finding, so that what is below the target is always what was gathered, and nothing is lost.

use super::project::is_container;
use super::scope::Scope;
use crate::compiled::CompiledSchema;
use crdkit_issue::{FieldPath, Issue, Segment, codes};
use crdkit_schema::compile::Member;
use crdkit_value::{Document, NewValue, NodeId, PresenceMap, Value};
use std::collections::BTreeMap;

/// Where each member was and is.
type Moves = Vec<(FieldPath, FieldPath)>;

/// Moves `unknown` members of `objects`, which come before what is in them, below the target. Values from `n_source`
/// on were put into the document by a schema.
pub(super) fn gather(
    document: &mut Document,
    target: &FieldPath,
    objects: &[NodeId],
    unknown: &[NodeId],
    n_source: usize,
) -> (Moves, Vec<(NodeId, Issue)>) {
    let mut by_object: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for id in unknown {
        if let Some(object) = document.value(*id).parent() {
            by_object.entry(object.id()).or_default().push(*id);
        }
    }
    let (mut moves, mut found) = (Vec::new(), Vec::new());
    for object in objects.iter().rev() {
        let mut members = by_object.remove(object).unwrap_or_default();
        if let Some(taken) = taken(document.value(*object), target, &members, n_source) {
            found.push(collision(taken));
            continue;
        }
        if members.is_empty() {
            continue;
        }
        // The one that is called like the target leaves its name before the others come there.
        members.sort_by_key(|id| document.value(*id).key() != first_step(target).as_deref());
        let base = document.path(*object);
        let keys: Vec<String> = members
            .iter()
            .map(|id| document.value(*id).key().unwrap_or_default().to_owned())
            .collect();
        for id in &members {
            document.remove(*id);
        }
        let Some(place) = ensure(document, *object, target) else { continue };
        for (id, key) in members.into_iter().zip(keys) {
            document.insert(place, &key, NewValue::Moved(id));
            let step = Segment::named(&key);
            moves.push((base.clone().join(step.clone()), target.rebase(&base).join(step)));
        }
    }
    (moves, found)
}

/// What of the input stands in the way of the target, if something does.
fn taken<'d>(
    object: Value<'d>,
    target: &FieldPath,
    members: &[NodeId],
    n_source: usize,
) -> Option<Value<'d>> {
    let mut here = object;
    for step in target.segments() {
        here = here.get(&step.text())?;
        if members.contains(&here.id()) {
            return None;
        }
        if here.as_object().is_none() {
            return Some(here);
        }
    }
    (here.id().index() < n_source && here.members().len() > 0).then_some(here)
}

fn collision(value: Value<'_>) -> (NodeId, Issue) {
    let issue = Issue::error(codes::domain::PASSTHROUGH_COLLISION).at(value.path());
    (value.id(), issue)
}

/// Moves what is below the target of every object that `schema` knows back beside its other members, and removes the
/// target and what is around it that holds nothing else and was not in the input. The presence follows.
pub(super) fn scatter(
    schema: &CompiledSchema,
    document: &mut Document,
    target: &FieldPath,
    mut presence: Option<&mut PresenceMap>,
) -> Vec<(NodeId, Issue)> {
    let scope = Scope::new(schema);
    let mut found = Vec::new();
    let mut pending = vec![(NodeId::ROOT, FieldPath::root(), scope.root())];
    while let Some((id, path, ids)) = pending.pop() {
        let place = target.rebase(&path);
        let moved = put_back(document, id, target, &mut found);
        for (_, key) in &moved {
            let step = Segment::named(key);
            if let Some(presence) = &mut presence {
                presence.relocate(&place.clone().join(step.clone()), &path.clone().join(step));
            }
        }
        remove_empty(document, id, target, &place, presence.as_deref());
        for (id_of, key) in &moved {
            document.insert(id, key, NewValue::Moved(*id_of));
        }
        let nodes = scope.nodes(&ids);
        let value = document.value(id);
        for (key, member) in value.members().filter(|(_, member)| is_container(*member)) {
            let is_moved = moved.iter().any(|(id, _)| *id == member.id());
            if let (false, Member::Known(ids)) = (is_moved, scope.member(&nodes, key, false)) {
                pending.push((member.id(), path.clone().join(Segment::named(key)), ids));
            }
        }
        for (index, item) in value.items().enumerate().filter(|(_, item)| is_container(*item)) {
            pending.push((item.id(), path.clone().index(index), nodes.item(index)));
        }
    }
    found
}

/// Takes what is below the target of `object` out of the document; gives it with its keys.
fn put_back(
    document: &mut Document,
    object: NodeId,
    target: &FieldPath,
    found: &mut Vec<(NodeId, Issue)>,
) -> Vec<(NodeId, String)> {
    let object = document.value(object);
    let gathered = object.find(target).filter(|it| it.as_object().is_some());
    let first = first_step(target);
    let mut moved = Vec::new();
    for (key, member) in gathered.into_iter().flat_map(Value::members) {
        // The target itself goes when it is empty, so its name is free.
        if object.get(key).is_some() && first.as_deref() != Some(key) {
            found.push(collision(member));
        } else {
            moved.push((member.id(), key.to_owned()));
        }
    }
    // The one that is called like the target takes its name when the others have left.
    moved.sort_by_key(|(_, key)| first.as_deref() == Some(key));
    for (id, _) in &moved {
        document.remove(*id);
    }
    moved
}

fn first_step(target: &FieldPath) -> Option<String> {
    target.segments().first().map(|step| step.text().into_owned())
}

/// Removes the target of `object`, and what is around it, as far as it is empty and was not in the input.
fn remove_empty(
    document: &mut Document,
    object: NodeId,
    target: &FieldPath,
    place: &FieldPath,
    presence: Option<&PresenceMap>,
) {
    let Some(mut id) = document.value(object).find(target).map(Value::id) else { return };
    let mut path = place.clone();
    while id != object
        && document.value(id).as_object().is_some_and(|members| members.len() == 0)
        && presence.is_none_or(|presence| presence.get(&path).is_missing())
    {
        let (Some(parent), Some(above)) =
            (document.value(id).parent().map(Value::id), path.parent())
        else {
            break;
        };
        document.remove(id);
        (id, path) = (parent, above);
    }
}

/// The object at `target` of `object`, made if it is not there; none if something else is.
fn ensure(document: &mut Document, object: NodeId, target: &FieldPath) -> Option<NodeId> {
    target.segments().iter().try_fold(object, |id, step| {
        let key = step.text();
        match document.value(id).get(&key) {
            Some(member) => member.as_object().map(|_| member.id()),
            None => document.insert(id, &key, NewValue::EmptyObject),
        }
    })
}
