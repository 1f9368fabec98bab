//! Whether every object that one schema let in stays as it is under another: nothing of it is pruned, no null goes, no
//! default is missing.
//!
//! Two compiled schemas of one table go in; yes is a proof about all objects that were pruned and filled in by the first, no
//! means that an object has to be asked.

use crate::compile::{Flags, Id, Member, Node, Table};
use crate::prune::is_meta;
use std::collections::BTreeSet;

/// More pairs of schemas are not compared.
const PAIRS: usize = 20_000;

/// Whether what `from` let in stays as it is under `to`, both of whole objects.
pub fn keeps(table: &Table, from: Id, to: Id) -> bool {
    let mut walk = KeepsWalk { table, pending: vec![(from, to, false)], known: BTreeSet::new() };
    while let Some(pair @ (from, to, is_kept)) = walk.pending.pop() {
        if (from == to && !is_kept) || !walk.known.insert(pair) {
            continue;
        }
        if walk.known.len() > PAIRS || !walk.pair(table.node(from), table.node(to), is_kept) {
            return false;
        }
    }
    true
}

struct KeepsWalk<'t> {
    table: &'t Table,
    /// Pairs to look at, and whether a list around the value keeps unknown fields under the first schema.
    pending: Vec<(Id, Id, bool)>,
    known: BTreeSet<(Id, Id, bool)>,
}

impl KeepsWalk<'_> {
    fn pair(&mut self, from: &Node, to: &Node, is_kept: bool) -> bool {
        let is_embedded = from.has(Flags::EMBEDDED) || to.has(Flags::EMBEDDED);
        let is_kept = is_kept || from.has(Flags::PRESERVE);
        !is_embedded && self.members(from, to, is_kept) && self.items(from, to, is_kept)
    }

    fn items(&mut self, from: &Node, to: &Node, is_kept: bool) -> bool {
        match (from.items, to.items) {
            (Some(from), Some(to)) => self.value(from, to, is_kept),
            // Without a schema, items have lost their fields, or keep them.
            (None, None) => !is_kept || to.has(Flags::PRESERVE),
            _ => false,
        }
    }

    fn members(&mut self, from: &Node, to: &Node, is_kept: bool) -> bool {
        let has_default = |name| from.field_defaults().iter().any(|field| field.name == name);
        if !to.field_defaults().iter().all(|field| has_default(field.name)) {
            return false;
        }
        for (name, id) in from.fields.iter() {
            let key = self.table.name(name);
            let is_same = match to.member(self.table, key) {
                _ if from.has(Flags::ROOT) && is_meta(key) => true,
                Member::Known(other) => self.value(id, other, false),
                Member::Kept => true,
                Member::Allowed | Member::Refused | Member::Unknown => false,
            };
            if !is_same {
                return false;
            }
        }
        // Under other names values are what the first schema says of them, if anything.
        let rest = match from.undeclared() {
            Member::Unknown if is_kept => Member::Kept,
            rest => rest,
        };
        if rest == Member::Unknown {
            return true;
        }
        let is_new = |name| from.fields.get(self.table, self.table.name(name)).is_none();
        let named: Vec<Id> =
            to.fields.iter().filter(|(name, _)| is_new(*name)).map(|(_, id)| id).collect();
        match (rest, to.undeclared()) {
            (_, Member::Kept) if named.is_empty() => true,
            (Member::Known(from), Member::Kept) => {
                named.iter().all(|to| self.value(from, *to, false))
            }
            (Member::Known(from), Member::Known(to)) => {
                self.value(from, to, false) && named.iter().all(|to| self.value(from, *to, false))
            }
            (Member::Allowed | Member::Refused, Member::Allowed | Member::Refused) => {
                named.is_empty()
            }
            _ => false,
        }
    }

    /// Notes a pair of schemas of one value; false if a null of it would not stay.
    fn value(&mut self, from: Id, to: Id, is_kept: bool) -> bool {
        let (of_from, of_to) = (self.table.node(from), self.table.node(to));
        self.pending.push((from, to, is_kept));
        let is_null = of_from.has(Flags::NULLABLE);
        of_to.has(Flags::NULLABLE)
            || !is_null && (of_to.default.is_none() || of_from.default.is_some())
    }
}
