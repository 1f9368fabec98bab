//! What of a value the input had: the emit decisions of preserving output.
//!
//! | Presence | Value now | Written |
//! |---|---|---|
//! | not seen, default applied | the default | nothing |
//! | not seen | anything else | the value: the program has set it |
//! | seen, was null | null, the default, or gone | null |
//! | seen, was null | anything else | the value: the program has set it |
//! | seen | a value | the value, and the same inside it |
//!
//! When presence alone decides, "the program has set it" counts for nothing. Items of arrays that were
//! added later are written in either case, because leaving one out would move those after it. Items that were
//! removed or moved are found again by comparing with the value as it was read.

use super::places::{Way, convert_part};
use super::project::filled_default;
use super::schema::Schema;
use super::scope::{Ids, Scope};
use crdkit_issue::{FieldPath, Segment};
use crdkit_schema::compile::Member;
use crdkit_value::{Document, NewValue, NodeId, PresenceMap, Value};
use std::collections::BTreeSet;

/// What the input had.
#[derive(Clone, Copy)]
pub(super) struct InputRecord<'p> {
    /// Which places.
    pub(super) presence: &'p PresenceMap,
    /// The value that was made of it, before the program changed it.
    pub(super) read: Option<&'p Document>,
}

/// A copy of `value` that has what the input had.
pub(super) fn keep(
    schema: &Schema,
    value: &Document,
    had: InputRecord<'_>,
    strict: bool,
) -> Document {
    let scope = Scope::new(schema.compiled());
    let document = Document::copy_of(value.root());
    let mut walk = PreserveWalk { schema, scope, had, strict, document, pending: Vec::new() };
    walk.pending.push(Todo {
        id: NodeId::ROOT,
        path: FieldPath::root(),
        ids: scope.root(),
        read: had.read.map(Document::root),
    });
    while let Some(todo) = walk.pending.pop() {
        walk.value(&todo);
    }
    walk.document
}

/// A value that waits for its turn.
struct Todo<'p> {
    id: NodeId,
    /// Where it stood in the input.
    path: FieldPath,
    ids: Ids,
    /// As it was read.
    read: Option<Value<'p>>,
}

struct PreserveWalk<'s> {
    schema: &'s Schema,
    scope: Scope<'s>,
    had: InputRecord<'s>,
    strict: bool,
    document: Document,
    pending: Vec<Todo<'s>>,
}

/// What becomes of a member or item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberOutput {
    Omit,
    Null,
    Whole,
    Enter,
}

impl<'s> PreserveWalk<'s> {
    fn value(&mut self, todo: &Todo<'s>) {
        let nodes = self.scope.nodes(&todo.ids);
        let value = self.document.value(todo.id);
        let mut fates = Vec::new();
        for (key, member) in value.members() {
            let path = todo.path.clone().join(Segment::named(key));
            let ids = match self.scope.member(&nodes, key, false) {
                Member::Known(ids) => ids,
                _ => [].into(),
            };
            let read = todo.read.and_then(|read| read.get(key));
            let below = Todo { id: member.id(), path, ids, read };
            fates.push((self.fate(member, &below), below));
        }
        let places = todo.read.map(|read| align(read, value));
        for (index, item) in value.items().enumerate() {
            let before = match &places {
                Some(places) => places.get(index).copied().flatten(),
                None => Some(index),
            };
            let Some(before) = before else { continue };
            let path = todo.path.clone().index(before);
            let read = todo.read.and_then(|read| read.at(before));
            let below = Todo { id: item.id(), path, ids: nodes.item(index), read };
            let fate = match self.fate(item, &below) {
                MemberOutput::Omit => MemberOutput::Whole,
                fate => fate,
            };
            fates.push((fate, below));
        }
        for (fate, below) in fates {
            match fate {
                MemberOutput::Omit => self.document.remove(below.id),
                MemberOutput::Null => {
                    self.document.set(below.id, NewValue::Null);
                }
                MemberOutput::Whole => {}
                MemberOutput::Enter => self.pending.push(below),
            }
        }
        if self.document.value(todo.id).as_object().is_some() {
            self.put_back_nulls(todo);
        }
    }

    fn fate(&self, value: Value<'_>, at: &Todo<'_>) -> MemberOutput {
        let presence = self.had.presence.get(&at.path);
        let is_set = || {
            !self.strict && (!presence.default_applied() || !self.is_as_it_was_filled(value, at))
        };
        if presence.was_null() {
            return if !value.is_null() && is_set() {
                MemberOutput::Whole
            } else {
                MemberOutput::Null
            };
        }
        if presence.is_seen() {
            return MemberOutput::Enter;
        }
        if is_set() { MemberOutput::Whole } else { MemberOutput::Omit }
    }

    /// Whether `value` is still what the default for it gave.
    fn is_as_it_was_filled(&self, value: Value<'_>, at: &Todo<'_>) -> bool {
        if self.had.read.is_some() {
            return at.read.is_some_and(|read| is_alike(read, value));
        }
        let compiled = self.schema.compiled();
        self.scope.all_defaults(&at.ids).into_iter().any(|default| {
            let filled = filled_default(compiled, default, Ids::clone(&at.ids));
            let Some(mut filled) = filled else { return false };
            let nothing = BTreeSet::new();
            let from = (&nothing, Ids::clone(&at.ids), &at.path);
            convert_part(compiled, self.schema.codecs(), Way::Decode, from, &mut filled);
            filled.root() == value
        })
    }

    /// Nulls that were dropped when the value was read, or that a type has no place for, were in the input all the
    /// same.
    fn put_back_nulls(&mut self, object: &Todo<'_>) {
        for (name, presence) in self.had.presence.members(&object.path) {
            let dropped = presence.was_null() && !presence.is_pruned();
            if dropped && self.document.value(object.id).get(&name).is_none() {
                self.document.insert(object.id, &name, NewValue::Null);
            }
        }
    }
}

/// For each item of `now`, which item of `before` it was; none for one that was added.
///
/// Equal items are matched in order. What stands between two matches was changed, as far as there are as many items as
/// there were; the rest was added or removed.
fn align(before: Value<'_>, now: Value<'_>) -> Vec<Option<usize>> {
    let (old, new): (Vec<_>, Vec<_>) = (before.items().collect(), now.items().collect());
    let mut places = vec![None; new.len()];
    let mut next = 0;
    // The first index of a run of new items that have no match yet.
    let mut unmatched = 0;
    let pair = |places: &mut [Option<usize>], from: usize, to: usize, low: usize, high: usize| {
        let pairs = places.get_mut(from..to).into_iter().flatten().zip(low..high);
        pairs.for_each(|(place, index)| *place = Some(index));
    };
    let mut low = 0;
    for (index, item) in new.iter().enumerate() {
        // Looking far ahead for every item would take quadratic time.
        let ahead = old.iter().enumerate().skip(next).take(LOOK_AHEAD);
        let found = ahead.into_iter().find(|(_, old)| is_alike(**old, *item)).map(|(at, _)| at);
        let Some(at) = found else { continue };
        pair(&mut places, unmatched, index, low, at);
        if let Some(place) = places.get_mut(index) {
            *place = Some(at);
        }
        (next, low, unmatched) = (at + 1, at + 1, index + 1);
    }
    pair(&mut places, unmatched, new.len(), low, old.len());
    places
}

/// Whether two values are the same but for members that are `null` in one and missing in the other, which many types
/// do not tell apart.
fn is_alike(left: Value<'_>, right: Value<'_>) -> bool {
    let mut pending = vec![(left, right)];
    while let Some((left, right)) = pending.pop() {
        if left.as_object().is_some() && right.as_object().is_some() {
            let lacks = |other: Value<'_>, key: &str| other.get(key).is_none_or(Value::is_null);
            for (key, member) in left.members().filter(|(_, member)| !member.is_null()) {
                match right.get(key) {
                    Some(other) => pending.push((member, other)),
                    None => return false,
                }
            }
            let mut others = right.members().filter(|(_, member)| !member.is_null());
            if others.any(|(key, _)| lacks(left, key)) {
                return false;
            }
        } else if left.as_array().is_some() && right.as_array().is_some() {
            if left.items().len() != right.items().len() {
                return false;
            }
            pending.extend(left.items().zip(right.items()));
        } else if left != right {
            return false;
        }
    }
    true
}

/// So many items may have been removed in one place for those after it to be found.
const LOOK_AHEAD: usize = 64;
