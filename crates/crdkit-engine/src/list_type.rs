//! Uniqueness in lists that are sets or maps.
//!
//! A value, or the keys of an entry, that occurs again is reported once, at its second place. In a
//! set, scalars differ if their kinds do; arrays and objects, and keys where there are several, are
//! compared as JSON text, where `1` and `1.0` are the same. Values of a wrong type are passed over.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/listtype`.

use crate::findings::Findings;
use crate::walk;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, ListType, Name, Node, Table};
use crdkit_schema::validate::shown;
use crdkit_value::{Kind, NodeId, Value};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash as _, Hasher as _};

type Hasher = <RandomState as BuildHasher>::Hasher;

/// Up to here comparing all pairs is faster than hashing.
const PAIRWISE: usize = 16;

/// What is wrong with the lists of `object`.
pub(crate) fn check(table: &Table, schema: Id, object: Value<'_>, findings: &mut Findings) {
    let path = |id| walk::path(table, Some(schema), object.document(), id);
    let found = repeats(table, schema, object).into_iter();
    let found = found.map(|(id, issue)| (id, issue.at(path(id))));
    findings.add_sorted(found.collect());
}

/// Whether nothing is wrong with the lists of `object`.
pub(crate) fn is_clean(table: &Table, schema: Id, object: Value<'_>) -> bool {
    repeats(table, schema, object).is_empty()
}

fn repeats(table: &Table, schema: Id, object: Value<'_>) -> Vec<(NodeId, Issue)> {
    let mut walk = ListWalk { table, found: Vec::new() };
    walk.value(table.node(schema), object);
    walk.found
}

struct ListWalk<'t> {
    table: &'t Table,
    found: Vec<(NodeId, Issue)>,
}

impl<'t> ListWalk<'t> {
    fn value(&mut self, node: &'t Node, value: Value<'_>) {
        if !node.has(Flags::HAS_LIST_TYPES) {
            return;
        }
        match value.kind() {
            Kind::Object(members) => {
                for (key, member) in members.filter(|(_, member)| member.is_container()) {
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
        for item in repeated(list, same_element, |item, state| item.hash(state)) {
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
                    (left, right) => left.is_none() && right.is_none(),
                },
                |item, state| item.get(table.name(*only)).hash(state),
            ),
            _ => repeated(
                list,
                |left, right| {
                    keys.iter()
                        .all(|name| left.get(table.name(*name)) == right.get(table.name(*name)))
                },
                |item, state| {
                    for name in keys {
                        item.get(table.name(*name)).hash(state);
                    }
                },
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
    hash: impl Fn(Value<'v>, &mut Hasher),
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
    let random = RandomState::default();
    let hash_of = |item: Value<'v>| {
        let mut state = random.build_hasher();
        hash(item, &mut state);
        state.finish()
    };
    let mut seen: HashTable<(Value<'v>, u32)> = HashTable::with_capacity(items.len());
    let mut found = Vec::new();
    for item in items {
        let is_same = |(other, _): &(Value<'v>, u32)| same(*other, item);
        let entry = seen.entry(hash_of(item), is_same, |(other, _)| hash_of(*other));
        let mut entry = entry.or_insert((item, 0));
        let (_, times) = entry.get_mut();
        *times += 1;
        if *times == 2 {
            found.push(item);
        }
    }
    found
}

fn same_element(left: Value<'_>, right: Value<'_>) -> bool {
    if left.is_container() { left == right } else { left.is_identical(right) }
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
        out.push_str(&go_json::value(value));
    }
    out.push('}');
    out
}
