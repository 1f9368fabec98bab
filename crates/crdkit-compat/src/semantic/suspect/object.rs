//! Objects and maps: which members there are, which must be, which are kept.

use super::{Concern, Visit, Walk};
use crate::semantic::build;
use crate::step::Step;
use crdkit_schema::model::{Additional, Schema, SchemaId};
use crdkit_value::Document;

/// A map may have this many keys to make a point.
const LARGEST: i64 = 500;
/// A name that nobody uses for a field.
pub(in crate::semantic) const KEY: &str = "anything";

impl<'c> Walk<'c> {
    pub(super) fn objects(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if !matches!(old.type_name, "object" | "") || old.extensions().int_or_string {
            return;
        }
        self.required(visit, old, new);
        self.counts(visit, old, new);
        self.embedded(visit, old, new);
        self.members(visit, old, new);
        self.others(visit, old, new);
    }

    fn required(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        for name in new.required.iter().filter(|name| !old.required.contains(name)) {
            let child = new.properties.get(name).map(|id| self.new.schema(id));
            if child.is_some_and(|child| child.default.is_some()) {
                continue;
            }
            let values = vec![build::without(&self.sampler.sample(visit.old), name)];
            self.suspect(visit, Concern::Accept, format!("`{name}` is required"), values);
        }
        // A field that was always filled in by a default is not any more.
        for name in new.required.iter().filter(|name| old.required.contains(name)) {
            let default = |side: &crate::side::Side<'c>, schema: &Schema<'c>| {
                schema.properties.get(name).is_some_and(|id| side.schema(id).default.is_some())
            };
            if default(self.old, old) && !default(self.new, new) {
                let values = vec![build::without(&self.sampler.sample(visit.old), name)];
                let change = format!("`{name}` is required without a default");
                self.suspect(visit, Concern::Accept, change, values);
            }
        }
    }

    fn counts(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.bounds(), new.bounds());
        if let Some(limit) = after.max_properties
            && before.max_properties.is_none_or(|most| most > limit)
        {
            let mut value = self.sampler.sample(visit.old);
            if limit < LARGEST {
                let count = usize::try_from(limit + 1).unwrap_or(0);
                self.sampler.pad(old, count, &mut value);
            }
            self.suspect(visit, Concern::Accept, format!("at most {limit} fields"), vec![value]);
        }
        if let Some(limit) = after.min_properties
            && before.min_properties.unwrap_or(0) < limit
        {
            let values = vec![self.sampler.sample(visit.old)];
            self.suspect(visit, Concern::Accept, format!("at least {limit} fields"), values);
        }
    }

    fn embedded(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let values = || vec![self.sampler.sample(visit.old)];
        match (old.extensions().embedded_resource, new.extensions().embedded_resource) {
            (false, true) => {
                let values = values();
                self.suspect(visit, Concern::Accept, "must be a resource".into(), values);
            }
            (true, false) => {
                let values = values();
                let change = "no embedded resource".to_owned();
                self.suspect(visit, Concern::Retain, change, values);
            }
            _ => {}
        }
    }

    /// Members that one of the schemas names.
    fn members(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let is_root = visit.path.is_empty();
        // The server itself says what these two are.
        let own = |name: &str| is_root && matches!(name, "apiVersion" | "kind");
        for (name, before) in old.properties.iter().filter(|(name, _)| !own(name)) {
            match new.properties.get(name).or_else(|| new.additional_schema()) {
                Some(after) => self.descend(visit, Step::Property(name), before, after),
                None if keeps(new) || is_root && name == "metadata" => {}
                None => {
                    let value = self.with(visit.old, name, before);
                    self.suspect(visit, Concern::Retain, format!("no `{name}`"), vec![value]);
                }
            }
        }
        for (name, after) in new.properties.iter().filter(|(name, _)| !own(name)) {
            if old.properties.get(name).is_some() {
                continue;
            }
            if let Some(before) = old.additional_schema() {
                self.descend(visit, Step::Property(name), before, after);
            } else if keeps(old) {
                let change = format!("`{name}` has a schema");
                self.constrained(visit, name, &change);
            }
        }
    }

    /// Members that the old schema does not name.
    fn others(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        match (old.additional_schema(), new.additional_schema()) {
            (Some(before), Some(after)) => {
                self.descend(visit, Step::AdditionalProperties, before, after);
            }
            (Some(before), None) if !keeps(new) => {
                let value = self.with(visit.old, KEY, before);
                let change = "other keys are not kept".to_owned();
                self.suspect(visit, Concern::Retain, change, vec![value]);
            }
            (None, Some(_)) if keeps(old) => {
                let change = "other keys have a schema".to_owned();
                self.constrained(visit, KEY, &change);
            }
            (None, None) if keeps(old) && !keeps(new) => {
                let change = "unknown fields are not kept".to_owned();
                let values = self.free(visit.old, KEY);
                self.suspect(visit, Concern::Retain, change, values);
            }
            _ => {}
        }
    }

    /// A member that could be anything may now be refused, or lose what it holds.
    fn constrained(&mut self, visit: &Visit<'c>, name: &str, change: &str) {
        for concern in [Concern::Accept, Concern::Retain] {
            let values = self.free(visit.old, name);
            self.suspect(visit, concern, change.to_owned(), values);
        }
    }

    /// Samples with a member that can be anything.
    fn free(&self, id: SchemaId, name: &str) -> Vec<Document> {
        let mut object = build::object();
        build::set(&mut object, KEY, build::text("a").root());
        let values = [build::text("a"), build::number(1.0), object];
        values.iter().map(|value| self.sampler.with(id, name, value)).collect()
    }

    /// A sample with one more member.
    fn with(&self, id: SchemaId, name: &str, child: SchemaId) -> Document {
        self.sampler.with(id, name, &self.sampler.sample(child))
    }
}

/// Whether members without a schema are kept.
fn keeps(schema: &Schema<'_>) -> bool {
    schema.preserves_unknown_fields()
        || schema.additional_properties == Some(Additional::Allowed(true))
}
