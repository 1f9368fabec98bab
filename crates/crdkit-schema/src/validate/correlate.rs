//! Which old value a new one replaces, and whether it is the same.
//!
//! Members of objects belong together by key, items of a map-type list by the values of their keys;
//! items of other lists never do. Equality is the server's: an object that has a key its schema does
//! not know equals nothing, items of a map-type list may change places, and an integer is not a float.
//!
//! Upstream: `apiserver/pkg/cel/common/{equality,maplist}.go`.

use crate::compile::{Id, ListType, Name, Node, Table, Types};
use crdkit_text::{number, quote::quote};
use crdkit_value::{Kind, MemberIndex, Value};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::fmt::Write as _;

/// Up to here looking through all items is faster than hashing.
const LINEAR: usize = 16;

/// The items of an old list that new ones may replace.
pub struct Pairs<'t, 'v> {
    table: &'t Table,
    keys: &'t [Name],
    items: Vec<Value<'v>>,
    index: Option<HashMap<String, Value<'v>, RandomState>>,
}

impl<'t, 'v> Pairs<'t, 'v> {
    /// The items of `list`, whose schema is `node`; none that can be found unless it is a map.
    pub fn new(table: &'t Table, node: &'t Node, list: Value<'v>) -> Self {
        let keys = match (node.list_type, node.types) {
            (ListType::Map, Types::Array) => node.list_map_keys(),
            _ => &[],
        };
        let mut pairs = Self { table, keys, items: Vec::new(), index: None };
        if !keys.is_empty() {
            pairs.items = list.items().collect();
            if pairs.items.len() > LINEAR {
                let mut index = HashMap::default();
                for item in &pairs.items {
                    if let Some(key) = pairs.key(*item) {
                        index.entry(key).or_insert(*item);
                    }
                }
                pairs.index = Some(index);
            }
        }
        pairs
    }

    /// The old item with the keys of `item`: the first if there are several.
    pub fn find(&self, item: Value<'_>) -> Option<Value<'v>> {
        if self.items.is_empty() {
            return None;
        }
        let key = self.key(item)?;
        if let Some(index) = &self.index {
            return index.get(&key).copied();
        }
        self.items.iter().copied().find(|old| self.key(*old).as_ref() == Some(&key))
    }

    /// The values of the keys in one text; none unless all are there and scalar. Among several keys a
    /// float counts with six digits.
    fn key(&self, item: Value<'_>) -> Option<String> {
        let exact = self.keys.len() == 1;
        let mut out = String::new();
        for name in self.keys {
            out.push('\0');
            let _ = match item.get(self.table.name(*name))?.kind() {
                Kind::Bool(bool) => write!(out, "{bool}"),
                Kind::Int(int) => write!(out, "{int}"),
                Kind::Float(float) if exact => write!(out, "{}f", float.to_bits()),
                Kind::Float(float) => write!(out, "{}", number::fixed(float, 6)),
                Kind::String(text) => write!(out, "{}", quote(text)),
                Kind::Null | Kind::Number(_) | Kind::Array(_) | Kind::Object(_) => return None,
            };
        }
        Some(out)
    }
}

/// Whether `new` is the same as the `old` value it replaces.
pub fn equal(table: &Table, schema: Option<Id>, new: Value<'_>, old: Value<'_>) -> bool {
    match (new.kind(), old.kind()) {
        (Kind::Array(items), Kind::Array(old_items)) => {
            if items.len() != old_items.len() {
                return false;
            }
            let Some(node) = schema.map(|schema| table.node(schema)) else {
                return new.is_identical(old);
            };
            if node.list_type != ListType::Map {
                return new.is_identical(old);
            }
            let pairs = Pairs::new(table, node, old);
            let mut items = items;
            items.all(|item| {
                let old = pairs.find(item);
                node.items
                    .zip(old)
                    .is_some_and(|(schema, old)| equal(table, Some(schema), item, old))
            })
        }
        (Kind::Object(members), Kind::Object(old_members)) => {
            let Some(node) = schema.map(|schema| table.node(schema)) else { return false };
            let keys = MemberIndex::new(old);
            let mut members = members;
            members.len() == old_members.len()
                && members.all(|(key, member)| {
                    let schema = node.member_schema(table, key);
                    let pair = schema.zip(keys.get(key));
                    pair.is_some_and(|(schema, old)| equal(table, Some(schema), member, old))
                })
        }
        _ => new.is_identical(old),
    }
}
