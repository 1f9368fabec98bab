//! Directives: members of a patch that say how to merge instead of what.

use crdkit_value::{Document, NodeId, Value};

pub(super) const PATCH: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const SET_ORDER: &str = "$setElementOrder";
pub(super) const DELETE_FROM: &str = "$deleteFromPrimitiveList";

/// Whether `key` is a directive.
pub(super) fn is_directive(key: &str) -> bool {
    key == PATCH || key == RETAIN_KEYS || key.starts_with(SET_ORDER) || key.starts_with(DELETE_FROM)
}

/// The field that a directive of this prefix is about.
pub(super) fn field<'k>(key: &'k str, prefix: &str) -> Option<&'k str> {
    key.strip_prefix(prefix)?.strip_prefix('/')
}

/// What the directive `$patch` of `value` says.
pub(super) fn of(value: Value<'_>) -> Option<Value<'_>> {
    value.get(PATCH)
}

/// Whether `value` says that it is to be deleted.
pub(super) fn deletes(value: Value<'_>) -> bool {
    of(value).and_then(Value::as_str) == Some("delete")
}

/// Makes a part of a patch a value: without directives and nulls, and without items that are to be deleted.
pub(super) fn drop_all(document: &mut Document, id: NodeId) {
    let mut gone = Vec::new();
    let mut pending = vec![document.value(id)];
    while let Some(value) = pending.pop() {
        for (key, member) in value.members() {
            if is_directive(key) || member.is_null() {
                gone.push(member.id());
            } else {
                pending.push(member);
            }
        }
        for item in value.items() {
            if deletes(item) {
                gone.push(item.id());
            } else {
                pending.push(item);
            }
        }
    }
    for id in gone {
        document.remove(id);
    }
}
