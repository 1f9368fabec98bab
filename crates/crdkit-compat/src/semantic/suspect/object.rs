//! Objects and maps: which members there are, which must be, which are kept.

use super::default::UnmatchedSchema;
use super::guard::Notice;
use super::{Concern, SuspectWalk, Visit, may_be};
use crate::semantic::answer::{Places, ReasonLevel};
use crate::semantic::witness::shown;
use crate::side::keeps;
use crate::step::SchemaStep;
use crdkit_sample::build;
use crdkit_schema::model::{Schema, SchemaId};
use crdkit_value::{Document, NodeId};
use std::collections::BTreeSet;

/// A map may have this many keys to make a point.
const LARGEST: i64 = 500;
/// So many names that are required now are shown to be missing.
const SHOWN: usize = 64;
/// What every embedded resource has, whether it is named or not.
const RESOURCE: [&str; 3] = ["apiVersion", "kind", "metadata"];
/// A name that nobody uses for a field.
pub(in crate::semantic) const KEY: &str = "anything";

impl<'c> SuspectWalk<'c> {
    pub(super) fn objects(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if !may_be(old, "object") {
            return;
        }
        self.required(visit, old, new);
        self.counts(visit, old, new);
        self.embedded(visit, old, new);
        self.map_type(visit, old, new);
        self.members(visit, old, new);
        self.others(visit, old, new);
    }

    fn required(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let known: BTreeSet<_> = old.required.iter().collect();
        let added = new.required.iter().filter(|name| !known.contains(name));
        for (index, name) in added.collect::<BTreeSet<_>>().into_iter().enumerate() {
            let child = new.properties.get(name).map(|id| self.new.schema(id));
            if child.is_some_and(|child| child.default.is_some()) {
                continue;
            }
            let change = format!("`{name}` is required");
            let suspect = self.suspect(visit, Concern::Accept, "required", change);
            let values = (index < SHOWN)
                .then(|| build::without(&self.sampler.sample(visit.old), name))
                .into_iter();
            self.found.push(suspect.trying(values.collect()));
        }
        // A field that was always filled in by a default is not any more.
        for name in new.required.iter().filter(|name| known.contains(name)) {
            let default = |side: &crate::side::Side<'c>, schema: &Schema<'c>| {
                schema.properties.get(name).is_some_and(|id| side.schema(id).default.is_some())
            };
            if default(self.old, old) && !default(self.new, new) {
                let values = vec![build::without(&self.sampler.sample(visit.old), name)];
                let change = format!("`{name}` is required without a default");
                let suspect = self.suspect(visit, Concern::Accept, "required", change);
                self.found.push(suspect.trying(values));
            }
        }
    }

    fn counts(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.bounds(), new.bounds());
        if let Some(limit) = after.max_properties
            && before.max_properties.is_none_or(|most| most > limit)
            && (visit.kept.0 || !has_fewer(old, limit) || !has_fewer(new, limit))
        {
            let mut value = self.sampler.sample(visit.old);
            if limit < LARGEST {
                let count = usize::try_from(limit.saturating_add(1)).unwrap_or(0);
                self.sampler.pad(old, count, &mut value);
            }
            let change = format!("at most {limit} fields");
            let suspect = self.suspect(visit, Concern::Accept, "maxProperties", change);
            self.found.push(suspect.trying(vec![value]));
        }
        if let Some(limit) = after.min_properties
            && before.min_properties.unwrap_or(0) < limit
            && usize::try_from(limit).is_ok_and(|limit| distinct(&old.required) < limit)
        {
            let values = vec![self.sampler.sample(visit.old)];
            let change = format!("at least {limit} fields");
            let suspect = self.suspect(visit, Concern::Accept, "minProperties", change);
            self.found.push(suspect.trying(values));
        }
    }

    fn embedded(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let keyword = "x-kubernetes-embedded-resource";
        let values = || vec![self.sampler.sample(visit.old)];
        match (old.extensions().embedded_resource, new.extensions().embedded_resource) {
            (false, true) => {
                let mut suspect =
                    self.suspect(visit, Concern::Accept, keyword, "must be a resource");
                suspect.is_ratcheted = false;
                let suspect = suspect.trying(values());
                // Metadata has fields of its own, and no others.
                let mut object = Document::object();
                object.insert(NodeId::ROOT, KEY, "a");
                let with = self.sampler.with(visit.old, "metadata", &object);
                let lost = self.suspect(visit, Concern::Retain, keyword, "must be a resource");
                self.found.extend([suspect, lost.trying(vec![with])]);
            }
            (true, false) => {
                let is_noticed = RESOURCE.iter().any(|name| {
                    let path = extended(&visit.path, SchemaStep::Property(name));
                    self.is_noticed(visit, &path, Notice::Presence)
                });
                let change = "no embedded resource";
                let lost = self.suspect(visit, Concern::Retain, keyword, change);
                let lost = lost.trying(values());
                let refused = is_noticed.then(|| {
                    let below = format!("{change}, below a rule or a count");
                    let suspect = self.suspect(visit, Concern::Accept, keyword, below).indirect();
                    suspect.trying(values())
                });
                self.found.push(lost);
                self.found.extend(refused);
            }
            _ => {}
        }
    }

    /// How server-side apply merges an object.
    fn map_type(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let kind =
            |schema: &Schema<'c>| schema.extensions().map_type.unwrap_or("granular").to_owned();
        let (was, is) = (kind(old), kind(new));
        if was != is {
            let change = format!("map type {is} instead of {was}");
            let mut suspect = self.suspect(visit, Concern::Own, "x-kubernetes-map-type", change);
            suspect.certain = Some(if is == "atomic" {
                "whoever applies the object replaces what others put into it"
            } else {
                "appliers share an object that one of them owned as a whole"
            });
            self.found.push(suspect);
        }
    }

    /// Members that one of the schemas names.
    fn members(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let is_root = visit.path.is_empty();
        // The server itself says what these two are.
        let own = |name: &str| is_root && matches!(name, "apiVersion" | "kind");
        for (name, before) in old.properties.iter().filter(|(name, _)| !own(name)) {
            match new.properties.get(name).or_else(|| new.additional_schema()) {
                Some(after) => self.descend(visit, SchemaStep::Property(name), before, after),
                None if is_root && name == "metadata" => {}
                None => {
                    // With additional properties a value is kept, but not what it holds.
                    let is_kept = visit.kept.1 || keeps(new);
                    let is_whole = visit.kept.1 || new.preserves_unknown_fields();
                    if is_kept {
                        self.kept_null(visit, SchemaStep::Property(name), before);
                        self.unmatched(
                            visit,
                            SchemaStep::Property(name),
                            UnmatchedSchema::Old(before),
                        );
                    }
                    if !is_whole && (!is_kept || self.is_composite(before)) {
                        self.removed(visit, name, before);
                    }
                }
            }
        }
        for (name, after) in new.properties.iter().filter(|(name, _)| !own(name)) {
            if old.properties.get(name).is_some() {
                continue;
            }
            let path = extended(&visit.path, SchemaStep::Property(name));
            self.changed.push(path.clone());
            if let Some(before) = old.additional_schema() {
                self.descend(visit, SchemaStep::Property(name), before, after);
            } else if self.is_open(visit, old, Some(name)) {
                let change = format!("`{name}` has a schema");
                self.constrained(visit, name, after, &change);
                self.unmatched(visit, SchemaStep::Property(name), UnmatchedSchema::New(after));
            } else if self.new.schema(after).default.is_some() {
                // A field that appears by itself is also seen by what counts and compares.
                self.appears(visit, path, after);
            }
        }
    }

    /// A field that is new and has a default.
    fn appears(&mut self, visit: &Visit<'c>, path: Vec<SchemaStep<'c>>, new: SchemaId) {
        if self.is_noticed(visit, &path, Notice::Presence) || self.may_be_wrong(visit, new) {
            let name = shown(path.get(visit.path.len()..).unwrap_or_default());
            let change = format!("`{name}` has a default, which may not be allowed");
            let suspect = self.suspect(visit, Concern::Accept, "default", change);
            let mut suspect = suspect.indirect().wide();
            suspect.at.clone_from(&path);
            let values = self.variants(visit.old);
            self.found.push(suspect.trying(values));
        }
        let mut suspect =
            self.suspect(visit, Concern::Mean, "default", "a new field with a default");
        suspect.at = path;
        // Nobody knew the field.
        suspect.level = Some(ReasonLevel::Note);
        let values = vec![self.sampler.sample(visit.old)];
        self.found.push(suspect.trying(values));
    }

    /// A field that is not there any more.
    fn removed(&mut self, visit: &Visit<'c>, name: &'c str, child: SchemaId) {
        let path = extended(&visit.path, SchemaStep::Property(name));
        self.changed.push(path.clone());
        let value = || vec![self.sampler.sample(child)];
        let mut lost = self.suspect(visit, Concern::Retain, "properties", "no such field");
        let old = Places::of(Some(self.old.schema(child).source), None).old;
        lost.places = Places { old, ..lost.places };
        (lost.at, lost.path) = (path.clone(), path.clone());
        let lost = lost.trying(value());
        let is_noticed = self.is_noticed(visit, &path, Notice::Presence);
        let refused = is_noticed.then(|| {
            let change = "no such field, below a rule or a count";
            let mut suspect = self.suspect(visit, Concern::Accept, "properties", change).indirect();
            (suspect.at, suspect.path) = (path.clone(), path);
            suspect.trying(value())
        });
        self.found.push(lost);
        self.found.extend(refused);
    }

    /// Members that the old schema does not name.
    fn others(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let keyword = "additionalProperties";
        match (old.additional_schema(), new.additional_schema()) {
            (Some(before), Some(after)) => {
                self.descend(visit, SchemaStep::AdditionalProperties, before, after);
            }
            (Some(before), None) if keeps(new) || visit.kept.1 => {
                self.kept_null(visit, SchemaStep::AdditionalProperties, before);
                self.unmatched(
                    visit,
                    SchemaStep::AdditionalProperties,
                    UnmatchedSchema::Old(before),
                );
            }
            (Some(before), None) => {
                let value = self.with(visit.old, KEY, before);
                self.dropped(visit, keyword, "other keys are not kept", vec![value]);
            }
            (None, Some(after)) if self.is_open(visit, old, None) => {
                self.constrained(visit, KEY, after, "other keys have a schema");
                self.unmatched(
                    visit,
                    SchemaStep::AdditionalProperties,
                    UnmatchedSchema::New(after),
                );
            }
            (None, None)
                if (keeps(old) || visit.kept.0 || self.is_part)
                    && !(keeps(new) || visit.kept.1) =>
            {
                let values = self.free(visit.old, KEY);
                let keyword = "x-kubernetes-preserve-unknown-fields";
                self.dropped(visit, keyword, "unknown fields are not kept", values);
            }
            _ => {}
        }
    }

    /// Whether values of the old schema may have a member that it does not name; one called `name`, if that
    /// is known.
    fn is_open(&self, visit: &Visit<'c>, old: &Schema<'c>, name: Option<&str>) -> bool {
        let is_part =
            old.extensions().embedded_resource && name.is_none_or(|name| RESOURCE.contains(&name));
        keeps(old) || visit.kept.0 || self.is_part || is_part
    }

    fn is_composite(&self, id: SchemaId) -> bool {
        matches!(self.old.schema(id).type_name, "object" | "array" | "")
    }

    /// Members without a name that are not kept, which counts and rules above may see.
    fn dropped(
        &mut self,
        visit: &Visit<'c>,
        keyword: &'static str,
        change: &str,
        values: Vec<Document>,
    ) {
        let path = extended(&visit.path, SchemaStep::AdditionalProperties);
        if self.is_noticed(visit, &path, Notice::Presence) {
            let below = format!("{change}, below a rule or a count");
            let copies = values.iter().map(|value| Document::copy_of(value.root())).collect();
            let suspect = self.suspect(visit, Concern::Accept, keyword, below).indirect();
            self.found.push(suspect.trying(copies));
        }
        let suspect = self.suspect(visit, Concern::Retain, keyword, change);
        self.found.push(suspect.trying(values));
    }

    /// A member that could be anything may now be refused, or lose what it holds.
    fn constrained(&mut self, visit: &Visit<'c>, name: &str, after: SchemaId, change: &str) {
        for concern in [Concern::Accept, Concern::Retain] {
            let values = self.free(visit.old, name);
            let mut suspect = self.suspect(visit, concern, "properties", change);
            let path = extended(&visit.path, SchemaStep::AdditionalProperties);
            suspect.is_ratcheted &=
                !self.is_strict(after, true) && !self.is_noticed(visit, &path, Notice::Presence);
            self.found.push(suspect.trying(values));
        }
    }

    /// Samples with a member that can be anything.
    fn free(&self, id: SchemaId, name: &str) -> Vec<Document> {
        let mut object = Document::object();
        object.insert(NodeId::ROOT, KEY, "a");
        let values = [Document::from("a"), build::number(1.0), object, Document::array()];
        values.iter().map(|value| self.sampler.with(id, name, value)).collect()
    }

    /// A sample with one more member.
    fn with(&self, id: SchemaId, name: &str, child: SchemaId) -> Document {
        self.sampler.with(id, name, &self.sampler.sample(child))
    }
}

/// Whether there are no more than `limit` names that an object can have.
fn has_fewer(schema: &Schema<'_>, limit: i64) -> bool {
    let closed = schema.additional_properties.is_none() && !keeps(schema);
    // Not even an empty object has a negative number of fields.
    let fits = |count: usize| usize::try_from(limit).is_ok_and(|limit| count <= limit);
    closed
        && schema.type_name == "object"
        && fits(schema.properties.iter().len())
        && !schema.extensions().embedded_resource
}

/// How many names there are, whatever repeats.
fn distinct(names: &[&str]) -> usize {
    names.iter().collect::<BTreeSet<_>>().len()
}

/// One step further.
pub(super) fn extended<'c>(path: &[SchemaStep<'c>], step: SchemaStep<'c>) -> Vec<SchemaStep<'c>> {
    path.iter().copied().chain([step]).collect()
}
