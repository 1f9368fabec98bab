//! Tries to prove that a schema allows and keeps what another does, and notes where that fails.
//!
//! The walk goes through both schemas side by side. Everything the new schema demands must follow from
//! what the old one demands at the same place; what does not is a [`Suspect`], with values of the old
//! schema that may show the difference. A part that is the same in both is left out, unless a default
//! changed below a rule.

mod array;
mod object;
mod scalar;

pub(super) use object::KEY;

use super::build;
use super::sample::{self, Memo, Sampler};
use crate::side::Side;
use crate::step::Step;
use crdkit_schema::model::{Junctors, Schema, SchemaId};
use crdkit_value::{Document, Event};

/// A difference that may matter.
pub(super) struct Suspect<'c> {
    /// The way from the root.
    pub(super) path: Vec<Step<'c>>,
    pub(super) concern: Concern,
    /// What the new schema says there, in a few words.
    pub(super) change: String,
    /// Values to try at the place.
    pub(super) values: Vec<Document>,
    /// Whether something above the place may refuse them.
    pub(super) is_indirect: bool,
}

/// What is at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// An object may be refused.
    Accept,
    /// A change of an object may be refused.
    Update,
    /// A part of an object may be lost.
    Retain,
    /// An object may be stored with other content.
    Mean,
}

/// Where `new` does not allow or keep what `old` does.
pub(super) fn suspects<'c>(
    old: &'c Side<'c>,
    old_root: SchemaId,
    new: &'c Side<'c>,
    new_root: SchemaId,
    memo: &'c Memo,
) -> Vec<Suspect<'c>> {
    let sampler = Sampler { schemas: &old.crd.schemas, memo, choice: 0 };
    let mut walk = Walk { old, new, sampler, found: Vec::new(), pending: Vec::new() };
    let root =
        Visit { path: Vec::new(), parent: None, old: old_root, new: new_root, guarded: false };
    walk.pending.push(root);
    while let Some(visit) = walk.pending.pop() {
        if old.class(visit.old) != new.class(visit.new) {
            walk.visit(&visit);
        }
    }
    walk.found.reverse();
    walk.found
}

struct Walk<'c> {
    old: &'c Side<'c>,
    new: &'c Side<'c>,
    /// Makes values of the old schema.
    sampler: Sampler<'c>,
    found: Vec<Suspect<'c>>,
    pending: Vec<Visit<'c>>,
}

/// Two schemas at the same place.
#[derive(Clone)]
struct Visit<'c> {
    path: Vec<Step<'c>>,
    /// The old schema that contains this one.
    parent: Option<SchemaId>,
    old: SchemaId,
    new: SchemaId,
    /// Whether a rule, a junctor or a count at or above this place sees what defaults do.
    guarded: bool,
}

impl<'c> Walk<'c> {
    fn visit(&mut self, visit: &Visit<'c>) {
        let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
        let bounds = new.bounds();
        let counts = bounds.max_properties.is_some() || bounds.min_properties.is_some();
        let rules = !new.extensions().validations.is_empty();
        let guarded = visit.guarded || counts || rules || new.junctors() != &Junctors::default();
        let visit = &Visit { guarded, ..visit.clone() };
        self.default(visit, old, new);
        self.nullable(visit, old, new);
        if !self.kinds(visit, old, new) {
            return;
        }
        self.scalars(visit, old, new);
        self.arrays(visit, old, new);
        self.objects(visit, old, new);
        self.junctors(visit, old, new);
        self.rules(visit, old, new);
    }

    fn suspect(
        &mut self,
        visit: &Visit<'c>,
        concern: Concern,
        change: String,
        values: Vec<Document>,
    ) {
        let path = visit.path.clone();
        self.found.push(Suspect { path, concern, change, values, is_indirect: false });
    }

    /// Puts a pair of schemas one step down on the list.
    fn descend(&mut self, visit: &Visit<'c>, step: Step<'c>, old: SchemaId, new: SchemaId) {
        let mut path = visit.path.clone();
        path.push(step);
        let parent = Some(visit.old);
        self.pending.push(Visit { path, parent, old, new, guarded: visit.guarded });
    }

    fn default(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let change = match (old.default, new.default) {
            (None, None) => return,
            (Some(old), Some(new)) if old == new => return,
            (None, Some(_)) => "a default",
            (Some(_), None) => "no default",
            (Some(_), Some(_)) => "another default",
        };
        // The object around the field, without the field.
        let (Some(Step::Property(name)), Some(parent)) = (visit.path.last(), visit.parent) else {
            return;
        };
        let around = build::without(&self.sampler.sample(parent), name);
        let mut place = visit.clone();
        place.path.pop();
        let change = format!("`{name}` has {change}");
        if visit.guarded {
            let below = format!("{change}, below a rule or a count");
            self.suspect(&place, Concern::Accept, below, vec![Document::copy_of(around.root())]);
            if let Some(suspect) = self.found.last_mut() {
                suspect.is_indirect = true;
            }
        }
        self.suspect(&place, Concern::Mean, change, vec![around]);
    }

    fn nullable(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if old.nullable && !new.nullable {
            for concern in [Concern::Accept, Concern::Retain] {
                let null = build::scalar(Event::Null);
                self.suspect(visit, concern, "null is not a value".into(), vec![null]);
            }
        }
    }

    /// Compares types; false when there is nothing more to compare.
    fn kinds(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) -> bool {
        let kind = |schema: &Schema<'c>| match schema.type_name {
            _ if schema.extensions().int_or_string => "integer or string",
            "" => "anything",
            other => other,
        };
        let (before, after) = (kind(old), kind(new));
        let values = match (before, after) {
            (before, after) if before == after => return true,
            (_, "anything")
            | ("integer", "number")
            | ("integer" | "string", "integer or string") => return true,
            ("number", "integer") => {
                let low = old.bounds().minimum.unwrap_or(0.0);
                vec![build::number(0.5), build::number(low + 0.5)]
            }
            ("integer or string", _) => vec![build::number(1.0), build::text("a")],
            ("anything", _) => {
                vec![build::text("a"), build::number(1.0), build::object(), build::array([])]
            }
            _ => vec![self.sampler.sample(visit.old)],
        };
        let change = format!("type {after} instead of {before}");
        if matches!(before, "object" | "array" | "anything") {
            // What a value of another type holds is pruned.
            let mut held = self.variants(visit.old);
            if let Some(child) = old.additional_schema() {
                held.push(self.sampler.with(visit.old, KEY, &self.sampler.sample(child)));
            }
            self.suspect(visit, Concern::Retain, change.clone(), held);
        }
        self.suspect(visit, Concern::Accept, change, values);
        false
    }

    fn junctors(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.junctors(), new.junctors());
        let classes = |side: &Side<'c>, ids: &[SchemaId]| -> Vec<_> {
            ids.iter().map(|id| side.class(*id)).collect()
        };
        let olds = |ids: &[SchemaId]| classes(self.old, ids);
        let news = |ids: &[SchemaId]| classes(self.new, ids);
        // All of the new schemas were demanded before; all of the old alternatives are still there.
        let all = subset(&news(&after.all_of), &olds(&before.all_of));
        let any = after.any_of.is_empty()
            || !before.any_of.is_empty() && subset(&olds(&before.any_of), &news(&after.any_of));
        let one = after.one_of.is_empty()
            || before.one_of.len() == after.one_of.len()
                && subset(&olds(&before.one_of), &news(&after.one_of))
                && subset(&news(&after.one_of), &olds(&before.one_of));
        let not = after.not.is_none()
            || before.not.map(|id| self.old.class(id)) == after.not.map(|id| self.new.class(id));
        for (kept, name) in [(all, "allOf"), (any, "anyOf"), (one, "oneOf"), (not, "not")] {
            if !kept {
                let values = self.variants(visit.old);
                self.suspect(visit, Concern::Accept, format!("other `{name}`"), values);
            }
        }
    }

    fn rules(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let known = &old.extensions().validations;
        for rule in &new.extensions().validations {
            let same = |it: &crdkit_schema::model::Rule<'_>| {
                it.rule == rule.rule && it.optional_old_self == rule.optional_old_self
            };
            if known.iter().any(same) {
                continue;
            }
            let change = format!("rule {}", rule.rule.trim());
            let compares = rule.rule.contains("oldSelf") && rule.optional_old_self != Some(true);
            if compares {
                self.suspect(visit, Concern::Update, change, Vec::new());
            } else {
                let values = self.variants(visit.old);
                self.suspect(visit, Concern::Accept, change, values);
            }
        }
    }

    /// Values of an old schema that differ in which fields they have.
    fn variants(&self, id: SchemaId) -> Vec<Document> {
        const MOST: usize = 24;
        let schema = self.old.schema(id);
        let mut values: Vec<_> =
            (0..4).map(|choice| Sampler { choice, ..self.sampler }.sample(id)).collect();
        for text in sample::texts(self.sampler.memo, schema, 4)
            .iter()
            .filter(|_| schema.type_name == "string")
        {
            values.push(build::text(text));
        }
        for (name, child) in schema.properties.iter().take(MOST) {
            values.push(self.sampler.with(id, name, &self.sampler.sample(child)));
        }
        let mut full = self.sampler.sample(id);
        if !schema.properties.is_empty() {
            self.sampler.pad(schema, schema.properties.len(), &mut full);
            values.push(full);
        }
        values
    }
}

fn subset<T: PartialEq>(some: &[T], all: &[T]) -> bool {
    some.iter().all(|it| all.contains(it))
}
