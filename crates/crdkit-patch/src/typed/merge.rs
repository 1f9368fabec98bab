//! A configuration laid over an object.
//!
//! Leaves come from the configuration, objects are merged member by member, lists whose items are told apart item by
//! item. Nothing is removed. Items that only the object has keep their places, the others follow the order of the
//! configuration.

use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::Element;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Lays `config` over `object`.
pub(crate) fn merge(schema: &Schema<'_>, object: &mut Document, config: Value<'_>) {
    Merge { schema, object }.value(schema.root(), NodeId::ROOT, config, MAX_DEPTH);
}

struct Merge<'s, 't, 'o> {
    schema: &'s Schema<'t>,
    object: &'o mut Document,
}

/// Where an item of a merged list comes from.
enum Source<'c> {
    Object(NodeId),
    Both(NodeId, Value<'c>),
    Config(Value<'c>),
}

impl Merge<'_, '_, '_> {
    fn value(&mut self, ty: Type, id: NodeId, config: Value<'_>, depth: usize) {
        let current = self.object.value(id);
        match self.schema.shape(ty, Some(config)) {
            Shape::Map { atomic: false } if depth > 0 && current.members().len() > 0 => {
                // What is null or empty takes nothing away.
                self.members(ty, id, config, depth);
            }
            Shape::List(kind @ (ListKind::Set | ListKind::Map))
                if depth > 0 && current.items().len() > 0 =>
            {
                self.items(ty, kind, id, config, depth);
            }
            _ => {
                if current.tag() != config.tag() || current != config {
                    self.object.set(id, config);
                }
            }
        }
    }

    fn members(&mut self, ty: Type, id: NodeId, config: Value<'_>, depth: usize) {
        let mut last = None;
        for (key, member, current) in pairs(self.object.value(id), config) {
            let Some(current) = current else {
                last = self.object.append_member(id, last, key, member);
                continue;
            };
            if let Some(known) = self.schema.member(ty, key) {
                self.value(known.ty, current, member, depth - 1);
            }
        }
    }

    fn items(&mut self, ty: Type, kind: ListKind, id: NodeId, config: Value<'_>, depth: usize) {
        if config.items().len() == 0 {
            return;
        }
        let list = self.object.value(id);
        let merged = order(self.schema, ty, kind, list, config);
        let before: Vec<NodeId> = list.items().map(Value::id).collect();
        let item_type = self.schema.items(ty);
        for source in &merged {
            if let Source::Both(id, config) = source {
                self.value(item_type, *id, *config, depth - 1);
            }
        }
        let kept = |source: &Source<'_>| match source {
            Source::Object(id) | Source::Both(id, _) => Some(*id),
            Source::Config(_) => None,
        };
        if merged.iter().map_while(kept).eq(before.iter().copied()) {
            for source in merged.iter().skip(before.len()) {
                if let Source::Config(item) = source {
                    self.object.push(id, *item);
                }
            }
            return;
        }
        let mut list = Document::array();
        for source in merged {
            let item = match source {
                Source::Object(id) | Source::Both(id, _) => self.object.value(id),
                Source::Config(item) => item,
            };
            list.push(NodeId::ROOT, NewValue::CopyOf(item));
        }
        self.object.set(id, &list);
    }
}

/// The members of `config`, each with the member of `object` that it is for.
fn pairs<'c>(object: Value<'_>, config: Value<'c>) -> Vec<(&'c str, Value<'c>, Option<NodeId>)> {
    let index = MemberIndex::new(object);
    let members = config.members();
    members.map(|(key, member)| (key, member, index.get(key).map(Value::id))).collect()
}

/// The items of both lists in the order of the merged one. Where the object has several for the same element, they are
/// replaced by the one of the configuration, or kept if it has none.
fn order<'c>(
    schema: &Schema<'_>,
    ty: Type,
    kind: ListKind,
    list: Value<'_>,
    config: Value<'c>,
) -> Vec<Source<'c>> {
    let ours: Vec<(Element<'_>, Value<'_>)> = elements(schema, ty, kind, list);
    let theirs: Vec<(Element<'_>, Value<'c>)> = elements(schema, ty, kind, config);
    let mut in_object: BTreeMap<&Element<'_>, Option<NodeId>> = BTreeMap::new();
    for (element, item) in &ours {
        let one = (!in_object.contains_key(element)).then(|| item.id());
        in_object.insert(element, one);
    }
    let in_config: BTreeSet<&Element<'_>> = theirs.iter().map(|(element, _)| element).collect();
    let mut shared =
        theirs.iter().map(|(element, _)| element).filter(|it| in_object.contains_key(*it));
    let mut next_shared = shared.next();
    let merged =
        |element: &Element<'_>, item: Value<'c>| match in_object.get(element).copied().flatten() {
            Some(id) => Source::Both(id, item),
            None => Source::Config(item),
        };
    let mut out = Vec::with_capacity(ours.len() + theirs.len());
    let mut done: BTreeSet<&Element<'_>> = BTreeSet::new();
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    while ours.peek().is_some() || theirs.peek().is_some() {
        if let (Some((left, _)), Some((right, item))) = (ours.peek(), theirs.peek()) {
            if left == right {
                done.insert(right);
                out.push(merged(right, *item));
                ours.next();
                theirs.next();
                next_shared = shared.next();
                continue;
            }
            if in_config.contains(left) && next_shared.is_some_and(|next| next != left) {
                // Shared, but its turn comes later.
                ours.next();
                continue;
            }
        }
        if let Some((left, item)) = ours.peek() {
            if !in_config.contains(left) {
                out.push(Source::Object(item.id()));
                ours.next();
                continue;
            }
            if done.contains(left) {
                ours.next();
            }
        }
        if let Some((right, item)) = theirs.next() {
            done.insert(right);
            out.push(merged(right, *item));
            if next_shared == Some(right) {
                next_shared = shared.next();
            }
        }
    }
    out
}

fn elements<'e, 'v: 'e>(
    schema: &Schema<'e>,
    ty: Type,
    kind: ListKind,
    list: Value<'v>,
) -> Vec<(Element<'e>, Value<'v>)> {
    let element = |item: Value<'v>| Some((item::element(schema, ty, kind, item).ok()?, item));
    list.items().filter_map(element).collect()
}
