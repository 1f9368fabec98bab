//! What tells the items of one list apart, for whoever sees them one at a time.

use super::unique::{ItemKeys, Key, key_value};
use crate::compile::{Id, ListType, Name};
use crate::schema::Schema;
use crdkit_value::Value;

/// What must differ between the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The bytes that were written: equal exactly if the items are the same.
    Bytes,
    /// The item lacks this key, which the schema of items does not require.
    Missing(Name),
    /// Items of this list need not differ, or this one cannot be compared.
    None,
}

/// Whether the whole items of the list with the schema `list` must differ.
pub fn has_unique_items(schema: &Schema, list: Id) -> bool {
    let node = schema.node(list);
    node.list_type == ListType::Set || node.more().is_some_and(|more| more.unique_items)
}

/// Whether the items of the list with the schema `list` must differ in their keys.
pub fn has_unique_keys(schema: &Schema, list: Id) -> bool {
    let node = schema.node(list);
    node.list_type == ListType::Map && !node.list_map_keys().is_empty()
}

/// Adds what tells the whole of `item`, the one at `index`, apart to `out`.
pub fn of_item(schema: &Schema, list: Id, index: usize, item: Value<'_>, out: &mut Vec<u8>) {
    ItemKeys::new(schema).write(item, schema.node(list).item(index), out);
}

/// Adds what the keys of `item` are to `out`.
pub fn of_keys(schema: &Schema, list: Id, item: Value<'_>, out: &mut Vec<u8>) -> Identity {
    let (table, node) = (schema.table(), schema.node(list));
    if item.as_object().is_none() {
        return Identity::None;
    }
    let items = node.items.map(|id| table.resolve(id));
    let names = node.list_map_keys();
    let key_of = |name: Name| key_value(table, items, item, name);
    if let Some(name) = names.iter().find(|name| matches!(key_of(**name), Key::Absent)) {
        let required = items.is_some_and(|id| table.node(id).required.contains(name));
        return if required { Identity::None } else { Identity::Missing(*name) };
    }
    let mut keys = ItemKeys::new(schema);
    for name in names {
        match key_of(*name) {
            Key::Value(value, schema) => keys.write(value, schema, out),
            Key::Absent | Key::Wrong => return Identity::None,
        }
    }
    Identity::Bytes
}
