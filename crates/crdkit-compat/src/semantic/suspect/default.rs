//! Defaults: what is filled in where nothing, or null, was written.
//!
//! A default is filled in for a field that a schema names, and for a null that is not allowed to be one,
//! also among other keys and in lists. So a default that stays as it is may still come or go: with the
//! name of the field, with `nullable`, or with the schema around it.

use super::guard::Notice;
use super::object::extended;
use super::{Admission, Concern, SuspectWalk, Visit};
use crate::semantic::answer::ReasonLevel;
use crate::side::Side;
use crate::step::SchemaStep;
use crdkit_sample::build;
use crdkit_schema::model::{Junctors, Schema, SchemaId};
use crdkit_value::{Document, NodeId, Value};

/// What becomes of a null.
#[derive(Clone, Copy, PartialEq)]
enum Null<'c> {
    Kept,
    Filled(Value<'c>),
    /// It is left out, or refused where nothing can be left out.
    Dropped,
}

impl<'c> Null<'c> {
    fn of(schema: &Schema<'c>, step: Option<&SchemaStep<'_>>) -> Self {
        let is_untyped = schema.type_name.is_empty() && !schema.extensions().int_or_string;
        match schema.default {
            _ if schema.nullable => Self::Kept,
            Some(default) => Self::Filled(default),
            // Items are not left out, and nothing is wrong with one that can be anything.
            None if is_untyped && step == Some(&SchemaStep::Items) => Self::Kept,
            None => Self::Dropped,
        }
    }
}

impl<'c> SuspectWalk<'c> {
    /// Compares what is filled in at one place.
    pub(super) fn default(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let before = old.default.filter(|_| visit.named.0);
        let after = new.default.filter(|_| visit.named.1);
        // What does not fit its schema is pruned, so that the same default may not be the same.
        let is_pruned = old.default.is_some_and(|default| {
            visit.is_unchecked
                && !(fits(self.old, visit.old, default) && fits(self.new, visit.new, default))
        });
        let is_absent = before != after || is_pruned && after.is_some();
        if is_absent {
            self.absent(visit, before.is_some(), after.is_some());
        }
        let step = visit.path.last();
        let (null_before, null_after) = (Null::of(old, step), Null::of(new, step));
        if null_before != null_after || is_pruned && after.is_none() && null_before != Null::Kept {
            self.null(visit, new, null_before, null_after, is_absent);
        }
        let is_filled = null_before != null_after && matches!(null_after, Null::Filled(_));
        if is_absent && after.is_some() || is_filled {
            self.compared(visit);
        }
    }

    /// Who leaves a value out now changes it to what is filled in, which rules may compare with what was there.
    fn compared(&mut self, visit: &Visit<'c>) {
        let compares = |schema: &Schema<'_>| {
            schema.extensions().validations.iter().any(|rule| rule.rule.contains("oldSelf"))
        };
        if !any(self.new, visit.new, compares) {
            return;
        }
        let change = "a default, which a rule compares with what was there";
        let mut suspect = self.suspect(visit, Concern::Update, "default", change).indirect();
        let mut values = self.variants(visit.old);
        values.push(self.full(visit.old));
        suspect.pairs = match (visit.path.split_last(), visit.parent) {
            (Some((SchemaStep::Property(name), around)), Some((parent, _))) => {
                suspect.path = around.to_vec();
                let without = build::without(&self.sampler.sample(parent), name);
                let with = |value: &Document| self.sampler.with(parent, name, value);
                values.iter().map(|value| (with(value), without.clone())).collect()
            }
            _ => values.into_iter().map(|value| (value, Document::null())).collect(),
        };
        self.found.push(suspect);
    }

    /// A field that is not there is filled in differently.
    fn absent(&mut self, visit: &Visit<'c>, before: bool, after: bool) {
        let (Some((SchemaStep::Property(name), around)), Some((parent, _))) =
            (visit.path.split_last(), visit.parent)
        else {
            return;
        };
        let (change, level) = change(before, after);
        let is_noticed = self.is_noticed(visit, &visit.path, Notice::Presence);
        // The object around the field, without the field.
        let empty = build::without(&self.sampler.sample(parent), name);
        let mut values = vec![empty];
        let mut others = self.old.schema(parent).properties.iter();
        if is_noticed && let Some((other, child)) = others.find(|(other, _)| other != name) {
            // Something else may have to be there.
            let with = self.sampler.with(parent, other, &self.sampler.sample(child));
            values.push(build::without(&with, name));
        }
        let is_wrong = after && self.may_be_wrong(visit, visit.new);
        if is_noticed || is_wrong {
            let below = format!("{change}, which may not be allowed");
            let mut suspect = self.suspect(visit, Concern::Accept, "default", below).indirect();
            suspect.is_ratcheted =
                !is_wrong && !self.is_noticed(visit, &visit.path, Notice::Lasting);
            suspect.is_constant = !is_noticed;
            let default = self.new.schema(visit.new).default.filter(|_| after);
            let tried = match (around.split_last(), default) {
                // An item without the field may be what another with the default is already.
                (Some((SchemaStep::Items, list)), Some(default)) if is_noticed => {
                    suspect.path = list.to_vec();
                    let same = self.sampler.with(parent, name, &Document::copy_of(default));
                    let pair = values.first().map(|empty| Document::array_of([empty, &same]));
                    pair.into_iter()
                        .chain(values.iter().map(|it| Document::array_of([it])))
                        .collect()
                }
                _ => {
                    suspect.path = around.to_vec();
                    values.clone()
                }
            };
            self.found.push(suspect.trying(tried));
        }
        let mut suspect = self.suspect(visit, Concern::Mean, "default", change);
        suspect.path = around.to_vec();
        suspect.level = Some(level);
        self.found.push(suspect.trying(values));
    }

    /// A null is kept or filled in differently; `is_known` says that a missing value is, too.
    fn null(
        &mut self,
        visit: &Visit<'c>,
        new: &Schema<'c>,
        before: Null<'c>,
        after: Null<'c>,
        is_known: bool,
    ) {
        let (keyword, change) = match (before, after) {
            // Losing a null is another question.
            (Null::Dropped, Null::Dropped) | (Null::Kept, Null::Kept | Null::Dropped) => return,
            (Null::Dropped, Null::Kept) => ("nullable", "null is a value"),
            (Null::Dropped, Null::Filled(_)) => ("default", "a default for null"),
            (Null::Kept, Null::Filled(_)) => ("nullable", "a default for null"),
            (Null::Filled(_), Null::Kept) => ("nullable", "null is a value, not the default"),
            (Null::Filled(_), Null::Dropped) => ("default", "no default for null"),
            (Null::Filled(_), Null::Filled(_)) => ("default", "another default for null"),
        };
        let values = || vec![Document::null()];
        if after == Null::Dropped && visit.path.last() == Some(&SchemaStep::Items) {
            // Items are not left out.
            let suspect = self.suspect(visit, Concern::Accept, keyword, change);
            self.found.push(suspect.trying(values()));
        }
        // No enumeration lets a null pass, even if it lists one.
        let is_listed =
            new.enum_values.is_some_and(|values| values.items().len() > 0) && after == Null::Kept;
        let is_wrong = matches!(after, Null::Filled(_)) && self.may_be_wrong(visit, visit.new);
        let is_noticed = self.is_noticed(visit, &visit.path, Notice::Presence);
        if is_listed || !is_known && (is_wrong || is_noticed) {
            let below = format!("{change}, which may not be allowed");
            let mut suspect = self.suspect(visit, Concern::Accept, keyword, below).indirect();
            suspect.is_constant = !is_noticed;
            self.found.push(suspect.trying(values()));
        }
        // What a null meant that was dropped is what a missing field means.
        if !is_known && before != Null::Dropped {
            let suspect = self.suspect(visit, Concern::Mean, keyword, change);
            self.found.push(suspect.trying(values()));
        }
    }

    /// A null that was dropped is kept where the new schema keeps members that it does not know.
    pub(super) fn kept_null(&mut self, visit: &Visit<'c>, step: SchemaStep<'c>, old: SchemaId) {
        let path = extended(&visit.path, step);
        let is_dropped = Null::of(self.old.schema(old), Some(&step)) == Null::Dropped;
        if is_dropped && self.is_noticed(visit, &path, Notice::Presence) {
            let change = "null is a value, below a rule or a count";
            let mut suspect = self.suspect(visit, Concern::Accept, "nullable", change).indirect();
            (suspect.at, suspect.path) = (path.clone(), path);
            self.found.push(suspect.trying(vec![Document::null()]));
        }
    }

    /// Whether a default may be refused by its own schema: servers take a CRD without looking at defaults
    /// below `additionalProperties`, nor at what is an integer or a text, nor at what is filled in below a default.
    pub(super) fn may_be_wrong(&self, visit: &Visit<'c>, id: SchemaId) -> bool {
        let Some(default) = self.new.schema(id).default else { return visit.is_unchecked };
        let filled = filled(self.new, id, default);
        let is_unchecked = visit.is_unchecked || filled.root() != default || {
            let either = |schema: &Schema<'_>| schema.extensions().int_or_string;
            any(self.new, id, either)
        };
        is_unchecked && !fits(self.new, id, filled.root())
    }

    /// A field that only one of the schemas has, and the other does not refuse: what is filled in, and what
    /// is filled in below it, is not in the other.
    pub(super) fn unmatched(
        &mut self,
        visit: &Visit<'c>,
        step: SchemaStep<'c>,
        child: UnmatchedSchema,
    ) {
        let (side, id, is_old) = match child {
            UnmatchedSchema::Old(id) => (self.old, id, true),
            UnmatchedSchema::New(id) => (self.new, id, false),
        };
        if !fills(side, id) {
            return;
        }
        let path = extended(&visit.path, step);
        let values = |walk: &Self| -> Vec<Document> {
            let mut values = walk.variants(visit.old);
            let name = match step {
                SchemaStep::Property(name) => name,
                _ => super::KEY,
            };
            if let UnmatchedSchema::Old(id) = child {
                values.push(walk.sampler.with(visit.old, name, &walk.sampler.sample(id)));
            } else {
                values.push(walk.sampler.with(visit.old, name, &Document::object()));
            }
            values
        };
        let (change, level) = change(is_old, !is_old);
        if self.is_noticed(visit, &path, Notice::Presence) {
            let below = format!("{change}, which may not be allowed");
            let suspect = self.suspect(visit, Concern::Accept, "default", below);
            let mut suspect = suspect.indirect().wide();
            suspect.at.clone_from(&path);
            let values = values(self);
            self.found.push(suspect.trying(values));
        }
        let mut suspect = self.suspect(visit, Concern::Mean, "default", change).wide();
        suspect.at = path;
        suspect.level = Some(level);
        let values = values(self);
        self.found.push(suspect.trying(values));
    }
}

/// A schema without a counterpart.
#[derive(Clone, Copy)]
pub(super) enum UnmatchedSchema {
    Old(SchemaId),
    New(SchemaId),
}

fn change(before: bool, after: bool) -> (&'static str, ReasonLevel) {
    match (before, after) {
        (false, _) => ("a default", ReasonLevel::Warning),
        (true, false) => ("no default", ReasonLevel::Error),
        (true, true) => ("another default", ReasonLevel::Error),
    }
}

/// Whether a value is certainly one of a schema, as it stands. Junctors and rules are not asked, so that
/// nothing is certain where there are some.
fn fits(side: &Side<'_>, id: SchemaId, value: Value<'_>) -> bool {
    let mut pending = vec![(id, value)];
    while let Some((id, value)) = pending.pop() {
        let schema = side.schema(id);
        let (extensions, bounds) = (schema.extensions(), schema.bounds());
        let is_plain = schema.junctors() == &Junctors::default()
            && extensions.validations.is_empty()
            && !extensions.embedded_resource
            && extensions.list_type.is_none();
        if !is_plain || !Admission::of(schema).admits(value) {
            return false;
        }
        let within = |least: Option<i64>, count: usize, most: Option<i64>| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most)
        };
        if value.as_array().is_some() {
            let Some(items) = schema.item_schema() else { return false };
            if !within(bounds.min_items, value.items().len(), bounds.max_items) {
                return false;
            }
            pending.extend(value.items().map(|item| (items, item)));
        } else if value.as_object().is_some() {
            let lacks = |name: &str| value.get(name).is_none();
            let is_filled =
                |(name, id): (&str, SchemaId)| lacks(name) && side.schema(id).default.is_some();
            if schema.required.iter().any(|name| lacks(name))
                || schema.properties.iter().any(is_filled)
                || !within(bounds.min_properties, value.members().len(), bounds.max_properties)
            {
                return false;
            }
            for (name, member) in value.members() {
                let child = schema.properties.get(name).or_else(|| schema.additional_schema());
                let Some(child) = child else { return false };
                pending.push((child, member));
            }
        }
    }
    true
}

/// A value with the defaults of fields that it does not have, as far down as `fits` looks.
fn filled(side: &Side<'_>, id: SchemaId, value: Value<'_>) -> Document {
    let mut filled = Document::copy_of(value);
    let mut pending = vec![(id, NodeId::ROOT)];
    while let Some((id, at)) = pending.pop() {
        let schema = side.schema(id);
        for (name, child) in schema.properties.iter() {
            let default = side.schema(child).default;
            if filled.value(at).as_object().is_some()
                && filled.value(at).get(name).is_none()
                && let Some(default) = default
            {
                filled.insert(at, name, default);
            }
        }
        let value = filled.value(at);
        let items = value.items().filter_map(|item| Some((schema.item_schema()?, item.id())));
        let members = value.members().filter_map(|(name, member)| {
            let child = schema.properties.get(name).or_else(|| schema.additional_schema());
            Some((child?, member.id()))
        });
        pending.extend(items.chain(members));
    }
    filled
}

/// Whether a schema has a default, or something below it has.
pub(super) fn fills(side: &Side<'_>, id: SchemaId) -> bool {
    any(side, id, |schema| schema.default.is_some())
}

/// Whether something is true of a schema or of one below it.
pub(super) fn any(side: &Side<'_>, id: SchemaId, test: impl Fn(&Schema<'_>) -> bool) -> bool {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let schema = side.schema(id);
        if test(schema) {
            return true;
        }
        schema.each_child(|id| pending.push(id));
    }
    false
}
