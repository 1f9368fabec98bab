//! Whether an update that leaves a value alone is refused for it.
//!
//! It is not when the server finds that the value is the same as before. It looks for the old value by
//! keys, in lists by the keys of map-type lists, and compares other lists as a whole. It does not find an
//! object equal to itself that has a member without a schema. The object as a whole always changes.
//!
//! Upstream: `apiserver/pkg/cel/common/equality.go`.

use super::object::extended;
use super::{SuspectWalk, Visit};
use crate::semantic::rule::Hop;
use crate::side::keeps;
use crate::step::SchemaStep;
use crdkit_schema::model::{Schema, SchemaId};

/// Whether the old value of a place is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// By keys.
    Paired,
    /// In a list that is compared as a whole.
    Whole,
    /// Not for certain: the items of a list above have other keys than before.
    Lost,
}

/// A place whose values never equal themselves, from the root on, and the old schema there.
#[derive(Clone, Debug)]
pub(in crate::semantic) struct Blind {
    pub(in crate::semantic) place: Vec<Hop>,
    pub(in crate::semantic) schema: SchemaId,
}

impl<'c> SuspectWalk<'c> {
    /// What is known one step below a visit.
    pub(super) fn standing(&self, visit: &Visit<'c>, step: SchemaStep<'c>) -> Standing {
        let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
        match (visit.standing, step) {
            (Standing::Paired, SchemaStep::Items) => match new.extensions().list_type {
                Some("map") if same_keys(old, new) => Standing::Paired,
                Some("map") => Standing::Lost,
                _ => Standing::Whole,
            },
            (standing, _) => standing,
        }
    }

    /// Whether a value of a visit that is refused and left alone is not a reason to refuse an update; and a
    /// place where that fails, if it does.
    pub(super) fn ratchet(&self, visit: &Visit<'c>) -> (bool, Option<Blind>) {
        // Unknown fields that a list keeps have no schema either.
        match visit.standing {
            Standing::Paired if visit.kept.1 => (false, None),
            standing => self.settled(&visit.path, standing, (visit.old, visit.new)),
        }
    }

    /// The same of the value around that of a visit.
    pub(super) fn ratchet_around(&self, visit: &Visit<'c>) -> (bool, Option<Blind>) {
        match (visit.path.split_last(), visit.parent) {
            // A list is compared as a whole, or item by item.
            (Some((SchemaStep::Items, _)), _) => self.ratchet(visit),
            // What a list around an item keeps is not known here.
            (Some((_, [.., SchemaStep::Items])), _) if visit.standing == Standing::Paired => {
                (false, None)
            }
            (Some((_, around)), Some(parent)) => self.settled(around, visit.standing, parent),
            _ => (false, None),
        }
    }

    fn settled(
        &self,
        path: &[SchemaStep<'c>],
        standing: Standing,
        schemas: (SchemaId, SchemaId),
    ) -> (bool, Option<Blind>) {
        match standing {
            _ if path.is_empty() => (false, None),
            Standing::Whole => (true, None),
            Standing::Lost => (false, None),
            Standing::Paired => self.comparable(path, schemas),
        }
    }

    /// Looks for a place at or below `around` whose values do not equal themselves.
    fn comparable(
        &self,
        around: &[SchemaStep<'c>],
        (old, new): (SchemaId, SchemaId),
    ) -> (bool, Option<Blind>) {
        let mut pending = vec![(Vec::new(), old, new)];
        while let Some((path, old_id, new_id)) = pending.pop() {
            let is_same = self.old.class(old_id) == self.new.class(new_id);
            if is_same && !self.new.is_blind(new_id) {
                continue;
            }
            let (old, new) = (self.old.schema(old_id), self.new.schema(new_id));
            if is_blind(old, new) {
                let place = around.iter().chain(&path).map(|step| match step {
                    SchemaStep::Property(name) => Hop::Field((*name).to_owned()),
                    _ => Hop::Element,
                });
                let blind = Blind { place: place.collect(), schema: old_id };
                return (false, Some(blind));
            }
            if new.extensions().list_type == Some("map") {
                if !same_keys(old, new) {
                    return (false, None);
                }
                let items = old.item_schema().zip(new.item_schema());
                pending
                    .extend(items.map(|(old, new)| (extended(&path, SchemaStep::Items), old, new)));
            }
            for (name, before) in old.properties.iter() {
                let after = new.properties.get(name).or_else(|| new.additional_schema());
                let step = SchemaStep::Property(name);
                pending.extend(after.map(|after| (extended(&path, step), before, after)));
            }
            if let Some(before) = old.additional_schema() {
                let step = SchemaStep::AdditionalProperties;
                let others = new.additional_schema().map(|after| (step, after));
                let named =
                    new.properties.iter().map(|(name, id)| (SchemaStep::Property(name), id));
                let parts = others.into_iter().chain(named);
                pending.extend(parts.map(|(step, after)| (extended(&path, step), before, after)));
            }
        }
        (true, None)
    }
}

/// Whether a value of `old` may have members for which `new` has no schema, but which it keeps.
fn is_blind(old: &Schema<'_>, new: &Schema<'_>) -> bool {
    let unnamed = || old.properties.iter().any(|(name, _)| new.properties.get(name).is_none());
    let others = || keeps(old) || old.additional_schema().is_some() || unnamed();
    new.extensions().embedded_resource || keeps(new) && others()
}

fn same_keys(old: &Schema<'_>, new: &Schema<'_>) -> bool {
    let (before, after) = (old.extensions(), new.extensions());
    let keys = |of: &[&str], among: &[&str]| of.iter().all(|key| among.contains(key));
    before.list_type == Some("map")
        && keys(&before.list_map_keys, &after.list_map_keys)
        && keys(&after.list_map_keys, &before.list_map_keys)
}
