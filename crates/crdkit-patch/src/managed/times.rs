//! Times of owners: a write that would change nothing else changes no time either.

use super::managed_fields;
use crdkit_value::{Document, Value};

/// Gives the entries of `new`'s `managedFields` the times they have in `old`, if nothing else differs between
/// the two.
pub fn keep_times(old: &Document, new: &mut Document) {
    let (Some(before), Some(after)) = (managed_fields(old.root()), managed_fields(new.root()))
    else {
        return;
    };
    if before.items().len() != after.items().len()
        || !before.items().zip(after.items()).all(|(before, after)| same_but_time(before, after))
    {
        return;
    }
    let list = after.id();
    let mut candidate = new.clone();
    candidate.set(list, before);
    if candidate == *old {
        *new = candidate;
    }
}

fn same_but_time(before: Value<'_>, after: Value<'_>) -> bool {
    let others = |entry: Value<'_>| entry.members().filter(|(key, _)| *key != "time").count();
    let is_same = |(key, member): (&str, Value<'_>)| {
        key == "time" || after.get(key).is_some_and(|other| other == member)
    };
    others(before) == others(after) && before.members().all(is_same)
}
