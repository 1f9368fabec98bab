//! Lists: how many items, whether they repeat, and what each is.

use super::default::UnmatchedSchema;
use super::{Concern, SuspectWalk, Visit, may_be, takes_lists};
use crate::step::SchemaStep;
use crdkit_schema::model::Schema;
use crdkit_value::Document;

/// A list may be this long to make a point.
const LONGEST: i64 = 2000;

impl<'c> SuspectWalk<'c> {
    pub(super) fn arrays(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if !may_be(old, "array") && !takes_lists(old) {
            return;
        }
        let (before, after) = (old.bounds(), new.bounds());
        if let Some(limit) = after.max_items
            && before.max_items.is_none_or(|most| most > limit)
            && self.unlike_items(old).is_none_or(|most| most > limit)
        {
            let count = usize::try_from(limit.saturating_add(1)).unwrap_or(0);
            let items = if limit < LONGEST { self.sampler.list(old, count) } else { Vec::new() };
            // Too few unlike items make no point.
            let enough = items.len() == count;
            let values = enough.then(|| Document::array_of(&items)).into_iter().collect();
            let change = format!("at most {limit} items");
            let suspect = self.suspect(visit, Concern::Accept, "maxItems", change);
            self.found.push(suspect.trying(values));
        }
        if let Some(limit) = after.min_items
            && before.min_items.unwrap_or(0) < limit
        {
            let values = vec![Document::array_of(&self.sampler.list(old, count(before.min_items)))];
            let change = format!("at least {limit} items");
            let suspect = self.suspect(visit, Concern::Accept, "minItems", change);
            self.found.push(suspect.trying(values));
        }
        self.repetition(visit, old, new);
        self.topology(visit, old, new);
        match (old.item_schema(), new.item_schema()) {
            (Some(old), Some(new)) => self.descend(visit, SchemaStep::Items, old, new),
            (None, Some(after)) => {
                let change = "items have a schema";
                let mut suspect = self.suspect(visit, Concern::Accept, "items", change);
                suspect.is_ratcheted &= !self.is_strict(after, true);
                self.found.push(suspect);
            }
            (Some(old), None) => {
                self.unmatched(visit, SchemaStep::Items, UnmatchedSchema::Old(old));
            }
            (None, None) => {}
        }
    }

    /// How many items a set can have whose items are listed.
    fn unlike_items(&self, schema: &Schema<'c>) -> Option<i64> {
        let item = self.old.schema(schema.item_schema()?);
        let values = item.enum_values.filter(|values| values.items().len() > 0)?;
        let is_set = schema.extensions().list_type == Some("set");
        is_set.then(|| i64::try_from(values.items().len()).ok()).flatten()
    }

    /// Whether items that were allowed to be equal must now differ.
    fn repetition(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.extensions(), new.extensions());
        if old.bounds().max_items.is_some_and(|most| most <= 1) {
            return;
        }
        let (keyword, change) = match after.list_type {
            Some("set") if before.list_type != Some("set") => {
                ("x-kubernetes-list-type", "a set".to_owned())
            }
            Some("map") => {
                // Items that differ in some of the keys differ in all of them together.
                let is_map = before.list_type == Some("map");
                if is_map
                    && before.list_map_keys.iter().all(|key| after.list_map_keys.contains(key))
                {
                    return;
                }
                let keyword =
                    if is_map { "x-kubernetes-list-map-keys" } else { "x-kubernetes-list-type" };
                (keyword, format!("a map by {}", after.list_map_keys.join(", ")))
            }
            _ if new.unique_items && !old.unique_items => {
                ("uniqueItems", "items must differ".to_owned())
            }
            _ => return,
        };
        let item = old.item_schema().map(|item| self.sampler.sample(item));
        let mut values: Vec<_> =
            item.map(|item| Document::array_of([&item, &item])).into_iter().collect();
        values.push(Document::array_of(&self.sampler.list(old, 2)));
        let mut suspect = self.suspect(visit, Concern::Accept, keyword, change);
        if keyword != "uniqueItems" {
            // Items that repeat are not a reason to refuse an update if some did before.
            (suspect.is_ratcheted, suspect.blind) = (true, None);
        }
        self.found.push(suspect.trying(values));
    }

    /// How server-side apply merges a list.
    fn topology(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.extensions(), new.extensions());
        let (was, is) = (before.list_type.unwrap_or("atomic"), after.list_type.unwrap_or("atomic"));
        let (change, effect) = if was != is {
            let effect = match is {
                "atomic" => "whoever applies the list replaces what others put into it",
                _ => "appliers share a list that one of them owned as a whole",
            };
            (format!("list type {is} instead of {was}"), effect)
        } else if is == "map" && before.list_map_keys != after.list_map_keys {
            let keys = after.list_map_keys.join(", ");
            (format!("items are told apart by {keys}"), "items that appliers own are others")
        } else {
            return;
        };
        let mut suspect = self.suspect(visit, Concern::Own, "x-kubernetes-list-type", change);
        suspect.certain = Some(effect);
        self.found.push(suspect);
    }
}

fn count(bound: Option<i64>) -> usize {
    usize::try_from(bound.unwrap_or(0)).unwrap_or(0).min(256)
}
