//! What tells the items of a list apart: they are held against those before them, and paired with those they replace.
//!
//! Items come in as far as they are held; findings come out. An item that was opened has left nothing but its keys, and of a key
//! that was opened itself only that it was there.

use super::issue;
use super::seen::Seen;
use crate::compiled::CompiledSchema;
use crate::validate::{Identity, ItemKeys, has_unique_items, has_unique_keys, is_the_servers};
use crdkit_issue::Issue;
use crdkit_schema::compile::Id;
use crdkit_value::{Document, Value};
use std::collections::HashMap;

/// What an item remembers of itself while it is open.
pub(super) struct ItemIdentity<'t> {
    pub(super) names: Vec<&'t str>,
    pub(super) keys: Document,
    /// Whether a key was opened itself, so that nothing but its presence is known.
    pub(super) is_partial: bool,
}

impl ItemIdentity<'_> {
    /// What is left of the item when it has ended.
    pub(super) fn value(&self) -> ChildValue<'_> {
        let keys = self.keys.root();
        if self.is_partial { ChildValue::Partial(keys) } else { ChildValue::Held(keys) }
    }
}

/// What is there of a child when it is counted.
#[derive(Clone, Copy)]
pub(super) enum ChildValue<'v> {
    /// All of it, or of an item its keys.
    Held(Value<'v>),
    /// The keys of an item, one of which cannot be compared.
    Partial(Value<'v>),
    /// It was opened.
    Gone,
}

/// The bytes that tell an item of a list apart, if it has all its keys.
pub(super) fn list_keys(schema: &CompiledSchema, list: Id, item: Value<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let identity = ItemKeys::new(schema).write_list_keys(schema.node(list), item, &mut bytes);
    (identity == Identity::Bytes).then_some(bytes)
}

/// The items of `old` by their keys, if the list has any.
pub(super) fn old_items<'t>(
    schema: &CompiledSchema,
    lists: &[Id],
    old: Value<'t>,
) -> Option<HashMap<Vec<u8>, Value<'t>>> {
    let list = lists.iter().find(|id| has_unique_keys(schema.node(**id)))?;
    Some(old.items().filter_map(|item| Some((list_keys(schema, *list, item)?, item))).collect())
}

/// That an item lacks a key of its list, if it does.
pub(super) fn missing_key(
    schema: &CompiledSchema,
    list: Id,
    index: usize,
    keys: Value<'_>,
) -> Option<Issue> {
    let list = Some(schema.node(list)).filter(|list| has_unique_keys(list))?;
    match ItemKeys::new(schema).write_list_keys(list, keys, &mut Vec::new()) {
        Identity::Missing(name) => Some(issue::key_missing(index, schema.table().name(name))),
        Identity::Bytes | Identity::None => None,
    }
}

/// Holds an item against those before it.
pub(super) fn repeated(
    schema: &CompiledSchema,
    id: Id,
    index: usize,
    value: Value<'_>,
    is_wrong: bool,
    seen: &mut Seen,
    found: &mut Vec<Issue>,
) {
    let list = schema.node(id);
    let mut first = |bytes: &[u8]| seen.note(bytes, index).map(|(first, _)| (first, index));
    // The server compares items whatever their type.
    if has_unique_items(list) && (!is_wrong || is_the_servers(schema.settings(), list)) {
        let mut bytes = vec![0];
        ItemKeys::new(schema).write(value, list.item(index), &mut bytes);
        found.extend(first(&bytes).map(|at| issue::repeated_item(list, at, value)));
    }
    if has_unique_keys(list) {
        let mut bytes = vec![1];
        match ItemKeys::new(schema).write_list_keys(list, value, &mut bytes) {
            Identity::Bytes => {
                let repeated = first(&bytes);
                found.extend(repeated.map(|at| issue::repeated_keys(schema, id, at, value)));
            }
            Identity::Missing(name) => {
                found.push(issue::key_missing(index, schema.table().name(name)));
            }
            Identity::None => {}
        }
    }
}
