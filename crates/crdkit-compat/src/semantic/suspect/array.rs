//! Lists: how many items, whether they repeat, and what each is.

use super::{Concern, Visit, Walk};
use crate::semantic::build;
use crate::step::Step;
use crdkit_schema::model::Schema;

/// A list may be this long to make a point.
const LONGEST: i64 = 2000;

impl<'c> Walk<'c> {
    pub(super) fn arrays(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if old.type_name != "array" {
            return;
        }
        let (before, after) = (old.bounds(), new.bounds());
        if let Some(limit) = after.max_items
            && before.max_items.is_none_or(|most| most > limit)
        {
            let count = usize::try_from(limit + 1).unwrap_or(0);
            let items = if limit < LONGEST { self.sampler.list(old, count) } else { Vec::new() };
            // Too few unlike items make no point.
            let enough = items.len() == count && count > 0;
            let values = enough.then(|| build::array(&items)).into_iter().collect();
            self.suspect(visit, Concern::Accept, format!("at most {limit} items"), values);
        }
        if let Some(limit) = after.min_items
            && before.min_items.unwrap_or(0) < limit
        {
            let values = vec![self.sampler.sample(visit.old)];
            self.suspect(visit, Concern::Accept, format!("at least {limit} items"), values);
        }
        self.repetition(visit, old, new);
        match (old.item_schema(), new.item_schema()) {
            (Some(old), Some(new)) => self.descend(visit, Step::Items, old, new),
            (None, Some(_)) => {
                self.suspect(visit, Concern::Accept, "items have a schema".into(), Vec::new());
            }
            _ => {}
        }
    }

    /// Whether items that were allowed to be equal must now differ.
    fn repetition(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.extensions(), new.extensions());
        let change = match after.list_type {
            Some("set") if before.list_type != Some("set") => "a set".to_owned(),
            Some("map")
                if before.list_type != Some("map")
                    || before.list_map_keys != after.list_map_keys =>
            {
                format!("a map by {}", after.list_map_keys.join(", "))
            }
            _ if new.unique_items && !old.unique_items => "items must differ".to_owned(),
            _ => return,
        };
        let item = old.item_schema().map(|item| self.sampler.sample(item));
        let values = item.map(|item| build::array([&item, &item])).into_iter().collect();
        self.suspect(visit, Concern::Accept, change, values);
    }
}
