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
//! added later are written in either case, because leaving one out would move those after it.

use super::places::{Way, convert_part};
use super::project::{filled_default, is_container};
use super::schema::Schema;
use super::scope::{Ids, Scope};
use crate::import::Nulls;
use crdkit_issue::{FieldPath, Segment};
use crdkit_schema::compile::Member;
use crdkit_value::{Document, NewValue, NodeId, PresenceMap, Value};
use std::collections::BTreeSet;

/// A copy of `value` that has what `presence` says the input had.
pub(super) fn keep(
    schema: &Schema,
    value: &Document,
    presence: &PresenceMap,
    strict: bool,
) -> Document {
    let scope = Scope::new(schema.compiled());
    let mut walk = PreserveWalk {
        schema,
        scope,
        presence,
        strict,
        drops_nulls: schema.compiled().settings().nulls == Nulls::DropLikeApiServer,
        document: Document::copy_of(value.root()),
        pending: vec![(NodeId::ROOT, FieldPath::root(), scope.root())],
    };
    while let Some((id, path, ids)) = walk.pending.pop() {
        walk.value(id, &path, &ids);
    }
    walk.document
}

struct PreserveWalk<'s> {
    schema: &'s Schema,
    scope: Scope<'s>,
    presence: &'s PresenceMap,
    strict: bool,
    drops_nulls: bool,
    document: Document,
    pending: Vec<(NodeId, FieldPath, Ids)>,
}

/// What becomes of a member.
enum Fate {
    Omit,
    Null,
    Whole,
    Enter,
}

impl PreserveWalk<'_> {
    fn value(&mut self, id: NodeId, path: &FieldPath, ids: &Ids) {
        let nodes = self.scope.nodes(ids);
        let value = self.document.value(id);
        let mut fates = Vec::new();
        for (key, member) in value.members() {
            let path = path.clone().join(Segment::named(key));
            let ids = match self.scope.member(&nodes, key, false) {
                Member::Known(ids) => ids,
                _ => [].into(),
            };
            fates.push((member.id(), self.fate(member, &path, &ids), path, ids));
        }
        for (index, item) in value.items().enumerate() {
            let path = path.clone().index(index);
            if is_container(item) && self.presence.get(&path).is_seen() {
                let ids = nodes.item(index);
                self.pending.push((item.id(), path, ids));
            }
        }
        for (id, fate, path, ids) in fates {
            match fate {
                Fate::Omit => self.document.remove(id),
                Fate::Null => {
                    self.document.set(id, NewValue::Null);
                }
                Fate::Whole => {}
                Fate::Enter => self.pending.push((id, path, ids)),
            }
        }
        if self.drops_nulls && self.document.value(id).as_object().is_some() {
            self.put_back_nulls(id, path);
        }
    }

    fn fate(&self, member: Value<'_>, path: &FieldPath, ids: &Ids) -> Fate {
        let presence = self.presence.get(path);
        let changed = || !self.strict && !self.is_default(member, ids);
        if presence.was_null() {
            let keep = !member.is_null()
                && if presence.default_applied() { changed() } else { !self.strict };
            return if keep { Fate::Whole } else { Fate::Null };
        }
        if presence.is_seen() {
            return Fate::Enter;
        }
        let keep = if presence.default_applied() { changed() } else { !self.strict };
        if keep { Fate::Whole } else { Fate::Omit }
    }

    /// Whether `member` is what the schema's default for it gives.
    fn is_default(&self, member: Value<'_>, ids: &Ids) -> bool {
        let compiled = self.schema.compiled();
        let default = self.scope.default(ids);
        let filled = default.and_then(|default| filled_default(compiled, default, Ids::clone(ids)));
        let Some(mut filled) = filled else { return false };
        let nothing = BTreeSet::new();
        let from = (&nothing, Ids::clone(ids));
        convert_part(compiled, self.schema.codecs(), Way::Decode, from, &mut filled);
        filled.root() == member
    }

    /// Nulls that were dropped when the value was read were in the input all the same.
    fn put_back_nulls(&mut self, object: NodeId, path: &FieldPath) {
        for (name, presence) in self.presence.members(path) {
            let dropped = presence.was_null() && !presence.is_pruned();
            if dropped && self.document.value(object).get(&name).is_none() {
                self.document.insert(object, &name, NewValue::Null);
            }
        }
    }
}
