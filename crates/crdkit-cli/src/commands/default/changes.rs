//! What became of an object on its way: what was added and removed, and why.

use super::definitions::LocatedCrd;
use crdkit_codec::json;
use crdkit_engine::Changes;
use crdkit_value::{Document, NodeId, Value};
use std::collections::HashSet;

/// A remark about an object as it would be stored.
pub(crate) enum Note {
    /// About a value that was added.
    Added(NodeId, String),
    /// About a member that was removed from this object.
    Removed(NodeId, String),
}

/// The longest value that is shown of what was removed.
const LONGEST: usize = 60;

/// Remarks about all differences between an object as written and as stored, in document order.
///
/// Ids are the same in both; what is new has ids that the original does not.
pub(crate) fn notes(
    [original, stored]: [&Document; 2],
    changes: &Changes,
    definition: Option<&LocatedCrd>,
    version: &str,
) -> Vec<Note> {
    let before: HashSet<NodeId> = original.root().ids().collect();
    let after: HashSet<NodeId> = stored.root().ids().collect();
    let set = |ids: &[NodeId]| ids.iter().copied().collect::<HashSet<NodeId>>();
    let [defaulted, pruned, dropped] =
        [&changes.defaulted, &changes.pruned, &changes.dropped].map(|ids| set(ids));
    let mut notes = Vec::new();
    for id in stored.root().ids() {
        let value = stored.value(id);
        let new = |id: &NodeId| !before.contains(id) || defaulted.contains(id);
        // Below something new everything is.
        if !new(&id) || value.parent().is_some_and(|parent| new(&parent.id())) {
            continue;
        }
        let origin = definition.and_then(|definition| definition.origin(version, value));
        let text = match (defaulted.contains(&id), origin) {
            (true, Some(origin)) => format!("default of {origin}"),
            (true, None) => "default".to_owned(),
            (false, _) => "set by the server".to_owned(),
        };
        notes.push(Note::Added(id, text));
    }
    for id in original.root().ids() {
        let value = original.value(id);
        let Some(parent) = value.parent() else { continue };
        let (Some(key), true) = (value.key(), after.contains(&parent.id())) else { continue };
        let replaced = stored.value(parent.id()).get(key).is_some();
        if after.contains(&id) || replaced {
            continue;
        }
        let why = if pruned.contains(&id) {
            "removed, not in the schema"
        } else if dropped.contains(&id) {
            "removed, null is not allowed"
        } else if key == "status" && parent.parent().is_none() {
            "removed, status is written through its subresource"
        } else {
            "removed by the server"
        };
        notes.push(Note::Removed(parent.id(), format!("{key}: {} ({why})", shown(value))));
    }
    notes
}

/// A value on one line, cut if it is long.
fn shown(value: Value<'_>) -> String {
    let text = json::text(value, json::Layout::Compact);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
