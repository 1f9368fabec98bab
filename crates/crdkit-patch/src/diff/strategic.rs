//! Strategic merge patch: two-way and three-way.
//!
//! Lists that are merged give their new and changed items, those that are gone with a directive, and the order of all.

use super::MAX_DEPTH;
use crate::Schema;
use crate::definitions::Strategy;
use crate::typed::Type;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Tag, Value};
use std::collections::HashMap;

/// The strategic merge patch that makes `new` of `old`, objects of the kind that `schema` is the definition of.
pub fn strategic(schema: &Schema<'_>, old: Value<'_>, new: Value<'_>) -> Document {
    strategic_three_way(schema, old, old, new)
}

/// The strategic merge patch for `current` that sets what `modified` has and removes what `original`, which was
/// applied last, has and `modified` has not.
pub fn strategic_three_way(
    schema: &Schema<'_>,
    original: Value<'_>,
    current: Value<'_>,
    modified: Value<'_>,
) -> Document {
    let mut diff = Diff { schema, patch: Document::object() };
    let sides = Sides { original: Some(original), current, modified };
    diff.members(schema.root(), NodeId::ROOT, sides, MAX_DEPTH);
    diff.patch
}

struct Diff<'s, 't> {
    schema: &'s Schema<'t>,
    patch: Document,
}

/// What was applied last, what there is now, and what is wanted.
#[derive(Clone, Copy)]
struct Sides<'v> {
    original: Option<Value<'v>>,
    current: Value<'v>,
    modified: Value<'v>,
}

/// The items of a list by their keys; the first of those that have the same.
fn by_name<'v>(list: Option<Value<'v>>, merge_key: &str) -> HashMap<String, Value<'v>> {
    let mut known = HashMap::new();
    for item in list.into_iter().flat_map(Value::items) {
        if let Some(key) = item.get(merge_key) {
            known.entry(key.to_string()).or_insert(item);
        }
    }
    known
}

/// What a schema says about a field.
struct FieldStrategy<'t> {
    ty: Type,
    strategy: Option<&'t Strategy>,
}

impl<'t> Diff<'_, 't> {
    fn members(&mut self, ty: Type, id: NodeId, sides: Sides<'_>, depth: usize) {
        let Sides { original, current, modified } = sides;
        let (now, wanted) = (MemberIndex::new(current), MemberIndex::new(modified));
        let before = original.map(MemberIndex::new);
        for (key, member) in modified.members().filter(|(_, member)| !member.is_null()) {
            let field = self.field(ty, key);
            let Some(now) = now.get(key) else {
                self.patch.insert(id, key, member);
                continue;
            };
            let of_tag = |it: &Value<'_>| it.tag() == member.tag();
            let original = before.as_ref().and_then(|it| it.get(key)).filter(of_tag);
            let sides = Sides { original, current: now, modified: member };
            let replaces = field.strategy.is_some_and(|strategy| strategy.replaces);
            let merges = field.strategy.is_some_and(|strategy| strategy.merges);
            match (now.tag(), member.tag()) {
                (Tag::Object, Tag::Object) if depth > 0 && !replaces => {
                    self.object(&field, id, key, sides, depth);
                }
                (Tag::Array, Tag::Array) if depth > 0 && merges => {
                    self.list(&field, id, key, sides, depth);
                }
                _ if now.is_identical(member) => {}
                _ => {
                    self.patch.insert(id, key, member);
                }
            }
        }
        for (key, member) in original.into_iter().flat_map(Value::members) {
            if !member.is_null() && wanted.get(key).is_none_or(Value::is_null) {
                self.patch.insert(id, key, NewValue::Null);
            }
        }
    }

    fn object(
        &mut self,
        field: &FieldStrategy<'t>,
        id: NodeId,
        key: &str,
        sides: Sides<'_>,
        depth: usize,
    ) {
        let Some(inner) = self.patch.insert(id, key, NewValue::EmptyObject) else { return };
        self.members(field.ty, inner, sides, depth - 1);
        if self.patch.value(inner).members().len() == 0 {
            self.patch.remove(inner);
        } else if field.strategy.is_some_and(|strategy| strategy.retains_keys) {
            let mut keys: Vec<&str> = sides.modified.members().map(|(key, _)| key).collect();
            keys.sort_unstable();
            self.patch.insert(inner, "$retainKeys", &Document::array_of(keys));
        }
    }

    fn list(
        &mut self,
        field: &FieldStrategy<'t>,
        id: NodeId,
        key: &str,
        sides: Sides<'_>,
        depth: usize,
    ) {
        let merge_key = field.strategy.map_or("", |strategy| &*strategy.merge_key);
        let all = [sides.original, Some(sides.current), Some(sides.modified)];
        let mut items = all.into_iter().flatten().flat_map(Value::items);
        let is_keyed = !merge_key.is_empty()
            && items.clone().all(|item| item.get(merge_key).is_some_and(|key| !key.is_container()));
        let is_scalar = !items.any(|item| item.is_container() || item.is_null());
        match (is_keyed, is_scalar) {
            (true, _) => self.keyed(field.ty, id, key, merge_key, sides, depth),
            (false, true) => self.scalars(id, key, sides),
            (false, false) if sides.current.is_identical(sides.modified) => {}
            // Nothing tells the items apart, so that they are taken as a whole.
            (false, false) => {
                let mut list = Document::copy_of(sides.modified);
                let replace = Document::object().with("$patch", "replace");
                list.insert_item(NodeId::ROOT, 0, &replace);
                self.patch.insert(id, key, &list);
            }
        }
    }

    fn scalars(&mut self, id: NodeId, key: &str, sides: Sides<'_>) {
        let Sides { original, current, modified } = sides;
        let has = |list: Value<'_>, item: Value<'_>| list.items().any(|it| it.is_identical(item));
        let added: Vec<_> = modified.items().filter(|item| !has(current, *item)).collect();
        let removed: Vec<_> = original
            .into_iter()
            .flat_map(Value::items)
            .filter(|item| !has(modified, *item))
            .collect();
        if !added.is_empty() {
            self.patch.insert(id, key, &Document::array_of(added));
        }
        if !removed.is_empty() {
            let directive = format!("$deleteFromPrimitiveList/{key}");
            self.patch.insert(id, &directive, &Document::array_of(removed.iter().copied()));
        }
        if !removed.is_empty() || !current.is_identical(modified) {
            self.patch.insert(id, &format!("$setElementOrder/{key}"), modified);
        }
    }

    fn keyed(
        &mut self,
        list: Type,
        id: NodeId,
        key: &str,
        merge_key: &str,
        sides: Sides<'_>,
        depth: usize,
    ) {
        let Sides { original, current, modified } = sides;
        let name = |item: Value<'_>| item.get(merge_key).map(|key| key.to_string());
        let [now, wanted, before] =
            [Some(current), Some(modified), original].map(|list| by_name(list, merge_key));
        let Some(changes) = self.patch.insert(id, key, NewValue::EmptyArray) else { return };
        let item_type = self.schema.items(list);
        for item in modified.items() {
            let name = name(item).unwrap_or_default();
            let Some(current) = now.get(&name).copied() else {
                self.patch.push(changes, item);
                continue;
            };
            let Some(change) = self.patch.push(changes, NewValue::EmptyObject) else { continue };
            let original = before.get(&name).copied();
            self.members(item_type, change, Sides { original, current, modified: item }, depth - 1);
            if self.patch.value(change).members().len() == 0 {
                self.patch.remove(change);
            } else if let Some(name) = item.get(merge_key) {
                self.patch.insert(change, merge_key, name);
            }
        }
        for item in original.into_iter().flat_map(Value::items) {
            if name(item).is_some_and(|name| !wanted.contains_key(&name))
                && let Some(gone) = self.patch.push(changes, NewValue::EmptyObject)
                && let Some(name) = item.get(merge_key)
            {
                self.patch.insert(gone, "$patch", "delete");
                self.patch.insert(gone, merge_key, name);
            }
        }
        let is_changed = self.patch.value(changes).items().len() > 0;
        if !is_changed {
            self.patch.remove(changes);
        }
        let order = |list: Value<'_>| list.items().map(name).collect::<Vec<_>>();
        if is_changed || order(current) != order(modified) {
            let names = modified.items().filter_map(|item| item.get(merge_key));
            let names = names.map(|name| Document::object().with(merge_key, name));
            let names: Vec<Document> = names.collect();
            let directive = format!("$setElementOrder/{key}");
            self.patch.insert(id, &directive, &Document::array_of(&names));
        }
    }

    fn field(&self, ty: Type, key: &str) -> FieldStrategy<'t> {
        let strategy = match ty {
            Type::Definition(id) => {
                let map = self.schema.definitions().row(id).and_then(|row| row.map.as_ref());
                map.and_then(|map| map.field(key)).map(|field| &field.strategy)
            }
            _ => None,
        };
        let ty = self.schema.member(ty, key).map_or(Type::Deduced, |member| member.ty);
        FieldStrategy { ty, strategy }
    }
}
