//! Unknown members gathered in one place of the program's value, and put back beside the others when it is
//! written.
//!
//! Those of the whole document are gathered; unknown members further down stay where they are, so that
//! nothing is lost and nothing has to be told apart later.

use crdkit_issue::{FieldPath, Segment};
use crdkit_value::{Document, NewValue, NodeId, PresenceMap, Value};

/// Moves `members` of the root below `target`, where objects are made that are not there. Gives where each
/// of them was and is.
pub(super) fn gather(
    document: &mut Document,
    target: &FieldPath,
    members: &[NodeId],
) -> Vec<(FieldPath, FieldPath)> {
    if members.is_empty() {
        return Vec::new();
    }
    let Some(object) = ensure(document, target) else { return Vec::new() };
    let mut moved = Vec::with_capacity(members.len());
    for id in members {
        let Some(key) = document.value(*id).key().map(str::to_owned) else { continue };
        document.insert(object, &key, NewValue::Moved(*id));
        let step = Segment::named(&key);
        moved.push((FieldPath::root().join(step.clone()), target.clone().join(step)));
    }
    moved
}

/// Moves what is below `target` back to the root, and removes `target` and the objects around it that hold
/// nothing else and were not in the input.
pub(super) fn scatter(document: &mut Document, target: &FieldPath, presence: Option<&PresenceMap>) {
    let Some(gathered) = document.find(target).filter(|it| it.as_object().is_some()) else {
        return;
    };
    let gathered_id = gathered.id();
    let members: Vec<(NodeId, String)> = gathered
        .members()
        .filter(|(key, _)| document.root().get(key).is_none())
        .map(|(key, member)| (member.id(), key.to_owned()))
        .collect();
    for (id, _) in &members {
        document.remove(*id);
    }
    let (mut id, mut path) = (gathered_id, target.clone());
    while document.value(id).members().len() == 0
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
    for (id, key) in members {
        document.insert(NodeId::ROOT, &key, NewValue::Moved(id));
    }
}

/// The object at `target`, made if it is not there; none if something else is.
fn ensure(document: &mut Document, target: &FieldPath) -> Option<NodeId> {
    target.segments().iter().try_fold(NodeId::ROOT, |id, step| {
        let key = step.text();
        match document.value(id).get(&key) {
            Some(member) => member.as_object().map(|_| member.id()),
            None => document.insert(id, &key, NewValue::EmptyObject),
        }
    })
}
