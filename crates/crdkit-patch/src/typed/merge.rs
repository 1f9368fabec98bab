//! A configuration laid over an object.
//!
//! Leaves come from the configuration, objects are merged member by member, lists whose items are told apart item by
//! item. Nothing is removed. Items that only the object has keep their places, the others follow the order of the
//! configuration.
//!
//! What differs afterwards is noted on the way, as [`compare`](super::compare) of the two objects would have it. The object is
//! copied when the first difference is found.

use super::compare::{CompareWalk, ComparedEntries, Comparison, Difference};
use super::{ListKind, MAX_DEPTH, Schema, Shape, Type, item};
use crate::set::Element;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Tag, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What came of a merge.
pub(crate) struct Merged<'a> {
    /// The merged object; none if it is the one before. What was there before has the same ids.
    pub(crate) document: Option<Document>,
    /// How it differs from the one before.
    pub(crate) changes: Comparison<'a>,
}

/// Lays `config` over `object`.
pub(crate) fn merge<'a>(
    schema: &Schema<'a>,
    object: &'a Document,
    config: Value<'a>,
) -> Merged<'a> {
    let mut merge = TypedMerge { schema, object, merged: None };
    let changes = merge.value(schema.root(), object.root(), config, MAX_DEPTH);
    let changes = changes.unwrap_or_default().finish();
    Merged { document: merge.merged, changes }
}

struct TypedMerge<'s, 'a> {
    schema: &'s Schema<'a>,
    object: &'a Document,
    merged: Option<Document>,
}

/// Where an item of a merged list comes from.
enum Source<'c> {
    Object(NodeId),
    Both(Value<'c>, Value<'c>),
    Config(Value<'c>),
    /// In place of several of the object.
    Instead(Value<'c>),
}

impl<'a> TypedMerge<'_, 'a> {
    fn merged(&mut self) -> &mut Document {
        self.merged.get_or_insert_with(|| self.object.clone())
    }

    /// How the value differs from one that is not there, or from another.
    fn compare(
        &self,
        ty: Type,
        before: Option<Value<'a>>,
        after: Value<'a>,
        depth: usize,
    ) -> Difference<'a> {
        CompareWalk { schema: self.schema }.value(ty, before, Some(after), depth)
    }

    /// What has changed, if anything has.
    fn value(
        &mut self,
        ty: Type,
        current: Value<'a>,
        config: Value<'a>,
        depth: usize,
    ) -> Option<Difference<'a>> {
        match self.schema.shape(ty, Some(config)) {
            Shape::Map { atomic: false } if depth > 0 && current.members().len() > 0 => {
                // What is null or empty takes nothing away.
                self.members(ty, current, config, depth).difference()
            }
            Shape::List(kind @ (ListKind::Set | ListKind::Map))
                if depth > 0 && current.items().len() > 0 =>
            {
                self.items(ty, kind, current, config, depth).difference()
            }
            _ if is_same(current, config) => None,
            _ => {
                self.merged().set(current.id(), config);
                Some(self.compare(ty, Some(current), config, depth))
            }
        }
    }

    fn members(
        &mut self,
        ty: Type,
        current: Value<'a>,
        config: Value<'a>,
        depth: usize,
    ) -> ComparedEntries<'a> {
        let mut entries = ComparedEntries::default();
        let index = MemberIndex::new(current);
        let mut last = None;
        for (key, member) in config.members() {
            let known = self.schema.member(ty, key);
            let difference = match (index.get(key), known) {
                (Some(current), Some(known)) if known.plain.accepts(member.tag()) => {
                    if is_same(current, member) {
                        continue;
                    }
                    self.value(known.ty, current, member, depth - 1)
                }
                (Some(current), Some(known)) => self.value(known.ty, current, member, depth - 1),
                (Some(_), None) => continue,
                (None, known) => {
                    last = self.merged().append_member(current.id(), last, key, member);
                    let Some(known) = known else { continue };
                    Some(self.compare(known.ty, None, member, depth - 1))
                }
            };
            if let Some(difference) = difference {
                entries.add(&Element::Field(key), difference);
            }
        }
        entries
    }

    fn items(
        &mut self,
        ty: Type,
        kind: ListKind,
        list: Value<'a>,
        config: Value<'a>,
        depth: usize,
    ) -> ComparedEntries<'a> {
        let mut entries = ComparedEntries::default();
        if config.items().len() == 0 {
            return entries;
        }
        let item_type = self.schema.items(ty);
        // No two items of a configuration are told apart by the same thing.
        if list.items().len() == config.items().len()
            && item::is_in_step(self.schema, ty, kind, list, config)
        {
            for (current, config) in list.items().zip(config.items()) {
                if let Some(difference) = self.value(item_type, current, config, depth - 1)
                    && let Ok(element) = item::element(self.schema, ty, kind, config)
                {
                    entries.add(&element, difference);
                }
            }
            return entries;
        }
        let ours = item::elements(self.schema, ty, kind, list);
        let theirs = item::elements(self.schema, ty, kind, config);
        if item::is_in_order(&theirs, &ours) {
            let mut rest = ours.iter();
            for (element, config) in &theirs {
                let current = rest.find(|(other, _)| other == element);
                let difference = current
                    .and_then(|(_, current)| self.value(item_type, *current, *config, depth - 1));
                if let Some(difference) = difference {
                    entries.add(element, difference);
                }
            }
            return entries;
        }
        let merged = order(&ours, &theirs);
        for (element, source) in &merged {
            let difference = match source {
                Source::Object(_) => continue,
                Source::Both(current, config) => {
                    self.value(item_type, *current, *config, depth - 1).unwrap_or_default()
                }
                Source::Config(item) => self.compare(item_type, None, *item, depth - 1),
                Source::Instead(item) => {
                    entries.removed(element);
                    self.compare(item_type, None, *item, depth - 1)
                }
            };
            entries.add(element, difference);
        }
        let kept = |(_, source): &(&Element<'a>, Source<'a>)| match source {
            Source::Object(id) => Some(*id),
            Source::Both(item, _) => Some(item.id()),
            Source::Config(_) | Source::Instead(_) => None,
        };
        let n_before = list.items().len();
        if merged.iter().map_while(kept).eq(list.items().map(Value::id)) {
            for (_, source) in merged.iter().skip(n_before) {
                if let Source::Config(item) | Source::Instead(item) = source {
                    self.merged().push(list.id(), *item);
                }
            }
            return entries;
        }
        let mut reordered = Document::array();
        for source in &merged {
            let item = match (kept(source), &source.1) {
                (Some(id), _) => self.merged().value(id),
                (None, Source::Config(item) | Source::Instead(item)) => *item,
                (None, _) => continue,
            };
            reordered.push(NodeId::ROOT, NewValue::CopyOf(item));
        }
        self.merged().set(list.id(), &reordered);
        entries
    }
}

/// Whether both are the same, of the same type. Most leaves are texts.
fn is_same(left: Value<'_>, right: Value<'_>) -> bool {
    match (left.tag(), right.tag()) {
        (Tag::String, Tag::String) => left.as_bytes() == right.as_bytes(),
        (one, other) => one == other && left == right,
    }
}

/// The items of both lists in the order of the merged one. Where the object has several for the same element, they are
/// replaced by the one of the configuration, or kept if it has none.
fn order<'e, 'a>(
    ours: &'e [(Element<'a>, Value<'a>)],
    theirs: &'e [(Element<'a>, Value<'a>)],
) -> Vec<(&'e Element<'a>, Source<'a>)> {
    let mut in_object: BTreeMap<&Element<'_>, Option<Value<'a>>> = BTreeMap::new();
    for (element, item) in ours {
        let one = (!in_object.contains_key(element)).then_some(*item);
        in_object.insert(element, one);
    }
    let in_config: BTreeSet<&Element<'_>> = theirs.iter().map(|(element, _)| element).collect();
    let mut shared =
        theirs.iter().map(|(element, _)| element).filter(|it| in_object.contains_key(*it));
    let mut next_shared = shared.next();
    let merged = |element: &Element<'_>, item: Value<'a>| match in_object.get(element) {
        Some(Some(current)) => Source::Both(*current, item),
        Some(None) => Source::Instead(item),
        None => Source::Config(item),
    };
    let mut out = Vec::with_capacity(ours.len() + theirs.len());
    let mut done: BTreeSet<&Element<'_>> = BTreeSet::new();
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    while ours.peek().is_some() || theirs.peek().is_some() {
        if let (Some((left, _)), Some((right, item))) = (ours.peek(), theirs.peek()) {
            if left == right {
                done.insert(right);
                out.push((right, merged(right, *item)));
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
                out.push((left, Source::Object(item.id())));
                ours.next();
                continue;
            }
            if done.contains(left) {
                ours.next();
            }
        }
        if let Some((right, item)) = theirs.next() {
            done.insert(right);
            out.push((right, merged(right, *item)));
            if next_shared == Some(right) {
                next_shared = shared.next();
            }
        }
    }
    out
}
