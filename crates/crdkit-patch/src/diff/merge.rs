//! Merge patch: two-way and three-way.

use super::MAX_DEPTH;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Tag, Value};

/// The merge patch that makes `new` of `old`.
pub fn merge(old: Value<'_>, new: Value<'_>) -> Document {
    merge_three_way(old, old, new)
}

/// The merge patch for `current` that sets what `modified` has and removes what `original`, which was applied last,
/// has and `modified` has not.
pub fn merge_three_way(original: Value<'_>, current: Value<'_>, modified: Value<'_>) -> Document {
    let mut patch = Document::object();
    members(&mut patch, NodeId::ROOT, Some(original), current, modified, MAX_DEPTH);
    patch
}

fn members(
    patch: &mut Document,
    id: NodeId,
    original: Option<Value<'_>>,
    current: Value<'_>,
    modified: Value<'_>,
    depth: usize,
) {
    let now = MemberIndex::new(current);
    let before = original.map(MemberIndex::new);
    let wanted = MemberIndex::new(modified);
    let mut last = None;
    for (key, member) in modified.members().filter(|(_, member)| !member.is_null()) {
        let is_object = |value: &Value<'_>| value.tag() == Tag::Object;
        match now.get(key) {
            Some(now) if is_object(&now) && is_object(&member) && depth > 0 => {
                let before = before.as_ref().and_then(|it| it.get(key)).filter(is_object);
                let Some(inner) = patch.append_member(id, last, key, NewValue::EmptyObject) else {
                    continue;
                };
                members(patch, inner, before, now, member, depth - 1);
                if patch.value(inner).members().len() == 0 {
                    patch.remove(inner);
                } else {
                    last = Some(inner);
                }
            }
            Some(now) if now.is_identical(member) => {}
            _ => last = patch.append_member(id, last, key, member).or(last),
        }
    }
    for (key, member) in original.into_iter().flat_map(Value::members) {
        let is_gone = wanted.get(key).is_none_or(Value::is_null) && !member.is_null();
        if is_gone {
            last = patch.append_member(id, last, key, NewValue::Null).or(last);
        }
    }
}
