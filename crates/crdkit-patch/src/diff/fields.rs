//! Fields that differ between two objects, as their schema sees them.

use crate::Schema;
use crate::set::{Element, Set, find};
use crate::typed::{MAX_DEPTH, compare};
use crdkit_value::{NodeId, Value};
use std::fmt::Write as _;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Its path, as messages about owners show it.
    pub path: String,
    /// The value in the old object; none if it was added.
    pub old: Option<NodeId>,
    /// The value in the new object; none if it was removed.
    pub new: Option<NodeId>,
}

/// How `new` differs from `old`, sorted by path: items of lists that are told apart by a key are compared whatever their
/// order. Of what was added or removed as a whole, the parts are not listed.
pub fn fields(schema: &Schema<'_>, old: Value<'_>, new: Value<'_>) -> Vec<FieldChange> {
    let changes = compare(schema, Some(old), Some(new));
    let all = changes.removed.union(changes.added).union(changes.modified);
    let mut found = Vec::new();
    collect(&all, &mut Vec::new(), MAX_DEPTH, &mut |path| {
        let text = path.iter().fold(String::new(), |mut text, element| {
            let _ = write!(text, "{element}");
            text
        });
        let [old, new] = [old, new].map(|side| find(side, path).map(Value::id));
        found.push(FieldChange { path: text, old, new });
    });
    found
}

/// Calls `f` with the paths that are in `set` and not below another one.
fn collect<'s, 'a>(
    set: &'s Set<'a>,
    path: &mut Vec<&'s Element<'a>>,
    depth: usize,
    f: &mut impl FnMut(&[&Element<'a>]),
) {
    for entry in &set.entries {
        path.push(&entry.element);
        if entry.owned || depth == 0 {
            f(path);
        } else {
            collect(&entry.below, path, depth - 1, f);
        }
        path.pop();
    }
}
