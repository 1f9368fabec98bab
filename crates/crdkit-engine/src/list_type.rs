//! Uniqueness in lists that are sets or maps.
//!
//! A value, or the keys of an entry, that occurs again is reported once, at its second place. In a
//! set, scalars differ if their kinds do; arrays and objects, and keys where there are several, are
//! compared as JSON text, where `1` and `1.0` are the same. Values of a wrong type are passed over.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/listtype`.

use crate::findings::Findings;
use crate::walk;
use crdkit_issue::{Arg, Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, ListType, Name, Node, Table};
use crdkit_schema::go_json;
use crdkit_schema::validate::{correlate::identical, shown};
use crdkit_value::{Kind, NodeId, Value};
use std::collections::HashMap;

/// Up to here comparing all pairs is faster than making texts of them.
const PAIRWISE: usize = 16;

/// What is wrong with the lists of `object`.
pub(crate) fn check(table: &Table, schema: Id, object: Value<'_>, findings: &mut Findings) {
    let mut walk = Walk { table, found: Vec::new() };
    walk.value(table.node(schema), object);
    for (id, issue) in walk.found {
        let path = walk::path(table, Some(schema), object.document(), id);
        findings.add(id, issue.at(path));
    }
}

/// Whether nothing is wrong with the lists of `object`.
pub(crate) fn is_clean(table: &Table, schema: Id, object: Value<'_>) -> bool {
    let mut walk = Walk { table, found: Vec::new() };
    walk.value(table.node(schema), object);
    walk.found.is_empty()
}

struct Walk<'t> {
    table: &'t Table,
    found: Vec<(NodeId, Issue)>,
}

impl<'t> Walk<'t> {
    fn value(&mut self, node: &'t Node, value: Value<'_>) {
        if !node.has(Flags::HAS_LIST_TYPES) {
            return;
        }
        match value.kind() {
            Kind::Object(members) => {
                for (key, member) in members {
                    let property = node.fields.get(self.table, key);
                    if let Some(id) = property.or(node.additional_schema()) {
                        self.value(self.table.node(id), member);
                    }
                }
            }
            Kind::Array(items) => {
                match node.list_type {
                    ListType::Atomic => {}
                    ListType::Set => self.set(value),
                    ListType::Map => self.map(node, value),
                }
                if let Some(id) = node.items {
                    let node = self.table.node(id);
                    items.for_each(|item| self.value(node, item));
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, list: Value<'_>) {
        for item in repeated(list, same_element, |item| element_text(Some(item))) {
            self.found.push((item.id(), Issue::error(codes::REPEATED_ITEM).value(shown(item))));
        }
    }

    fn map(&mut self, node: &'t Node, list: Value<'_>) {
        let wrong = list.items().find(|item| !item.is_null() && item.as_object().is_none());
        if let Some(item) = wrong {
            let issue = Issue::error(codes::MAP_ITEM_NOT_OBJECT).value(shown(item));
            self.found.push((item.id(), issue));
            return;
        }
        let (table, keys) = (self.table, node.list_map_keys());
        let found = match keys {
            [only] => repeated(
                list,
                |left, right| match (left.get(table.name(*only)), right.get(table.name(*only))) {
                    (Some(left), Some(right)) => same_element(left, right),
                    (None, None) => true,
                    _ => false,
                },
                |item| element_text(item.get(table.name(*only))),
            ),
            _ => repeated(
                list,
                |left, right| {
                    keys.iter().all(|name| {
                        match (left.get(table.name(*name)), right.get(table.name(*name))) {
                            (Some(left), Some(right)) => left == right,
                            (None, None) => true,
                            _ => false,
                        }
                    })
                },
                |item| key_object(table, keys, item),
            ),
        };
        for item in found {
            let keys = Arg::Literal(key_object(table, keys, item).into());
            self.found.push((item.id(), Issue::error(codes::REPEATED_KEYS).value(keys)));
        }
    }
}

/// The items of `list` that are the second of their kind.
fn repeated<'v>(
    list: Value<'v>,
    same: impl Fn(Value<'v>, Value<'v>) -> bool,
    text: impl Fn(Value<'v>) -> String,
) -> Vec<Value<'v>> {
    let items = list.items();
    if items.len() < 2 {
        return Vec::new();
    }
    if items.len() <= PAIRWISE {
        let second = items.clone().enumerate().filter(|(at, item)| {
            let earlier = items.clone().take(*at);
            earlier.filter(|other| same(*other, *item)).count() == 1
        });
        return second.map(|(_, item)| item).collect();
    }
    let mut seen: HashMap<String, u32> = HashMap::with_capacity(items.len());
    let mut found = Vec::new();
    for item in items {
        let times = seen.entry(text(item)).or_insert(0);
        *times += 1;
        if *times == 2 {
            found.push(item);
        }
    }
    found
}

fn same_element(left: Value<'_>, right: Value<'_>) -> bool {
    let compound = |value: Value<'_>| matches!(value.kind(), Kind::Array(_) | Kind::Object(_));
    match (compound(left), compound(right)) {
        (true, true) => left == right,
        (false, false) => identical(left, right),
        _ => false,
    }
}

/// A text that is equal for what [`same_element`] calls the same.
pub(crate) fn element_text(value: Option<Value<'_>>) -> String {
    match value.map(|value| (value, value.kind())) {
        None => String::new(),
        Some((_, Kind::Float(float))) => format!("f{}", float.to_bits()),
        Some((value, _)) => go_json::value(value),
    }
}

/// The keys of an entry as a JSON object; those it lacks are left out.
pub(crate) fn key_object(table: &Table, keys: &[Name], item: Value<'_>) -> String {
    let mut present: Vec<_> = keys
        .iter()
        .map(|name| table.name(*name))
        .filter_map(|name| Some((name, item.get(name)?)))
        .collect();
    present.sort_unstable_by_key(|(name, _)| *name);
    let mut out = String::from("{");
    for (at, (name, value)) in present.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        go_json::write_string(name, &mut out);
        out.push(':');
        go_json::write_value(value, &mut out);
    }
    out.push('}');
    out
}
