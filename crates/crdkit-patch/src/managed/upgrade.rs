//! From client-side to server-side apply, as `kubectl apply --server-side` does it before it applies: what was updated by the
//! client's old manager becomes what the new one has applied, so that it is removed when it is not applied any more.
//!
//! Upstream: `client-go/util/csaupgrade`.

use super::managed_fields;
use crate::set;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The manager of `kubectl apply` on the client's side.
pub const CLIENT_SIDE_MANAGER: &str = "kubectl-client-side-apply";

/// Makes what `old` has updated in `object` something that `new` has applied, at the object itself or a subresource. Gives
/// whether there was anything.
///
/// # Errors
/// What is wrong with `managedFields`; the object is as it was then.
pub fn upgrade_to_apply(
    object: &mut Document,
    old: &str,
    new: &str,
    subresource: &str,
) -> Result<bool, String> {
    let Some(list) = managed_fields(object.root()) else { return Ok(false) };
    let is = |entry: Value<'_>, manager: &str, operation: &str| {
        let text = |key| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        text("manager") == manager
            && text("operation") == operation
            && text("subresource") == subresource
    };
    let updates: Vec<Value<'_>> = list.items().filter(|it| is(*it, old, "Update")).collect();
    let Some(first) = updates.first() else { return Ok(false) };
    let applied = list.items().find(|entry| is(*entry, new, "Apply"));
    let target = applied.unwrap_or(*first);
    // Only what was written at the same version has the same fields.
    let same = updates.iter().find(|entry| entry.get("apiVersion") == target.get("apiVersion"));
    let fields = [Some(&target), same]
        .into_iter()
        .flatten()
        .map(|entry| entry.get("fieldsV1").map_or(Ok(set::Set::default()), set::read));
    let fields = set::Set::union_of(fields.collect::<Result<_, _>>()?);
    let mut written = Document::object();
    set::write(&fields, &mut written, NodeId::ROOT);
    let gone: Vec<NodeId> =
        updates.iter().map(|entry| entry.id()).filter(|id| *id != target.id()).collect();
    let target = target.id();
    for id in gone {
        object.remove(id);
    }
    for (key, value) in [("manager", new), ("operation", "Apply")] {
        object.insert(target, key, value);
    }
    object.insert(target, "fieldsV1", NewValue::CopyOf(written.root()));
    Ok(true)
}
