//! What all objects of a suite have in common, put into each of them.

use crdkit_value::{Document, NodeId, Value};

/// Gives `object` the members of `base` that it does not have, at every level.
pub(super) fn merge(object: &mut Document, base: Value<'_>) {
    let mut pending = vec![(NodeId::ROOT, base)];
    while let Some((id, base)) = pending.pop() {
        for (key, value) in base.members() {
            match object.value(id).get(key) {
                Some(member) if member.as_object().is_some() => pending.push((member.id(), value)),
                Some(_) => {}
                None => drop(object.insert(id, key, value)),
            }
        }
    }
}
