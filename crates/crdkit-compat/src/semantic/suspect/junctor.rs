//! `allOf`, `anyOf`, `oneOf` and `not`: sets of schemas against sets of schemas.

use super::{Concern, SuspectWalk, Visit};
use crate::side::Side;
use crdkit_sample::build;
use crdkit_schema::model::{Schema, SchemaId};

/// So many pairs of branches are compared before a proof is given up.
const PAIRS: usize = 64;

impl<'c> SuspectWalk<'c> {
    pub(super) fn junctors(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let (before, after) = (old.junctors(), new.junctors());
        // What the node itself demands is demanded of every branch.
        let is_part = self.is_part || visit.kept.0;
        let node = |branch: SchemaId| self.is_within(visit.old, branch, is_part);
        let part = |old: SchemaId, branch: SchemaId| self.is_within(old, branch, true);
        let in_any = |old: &[SchemaId], branch: SchemaId| {
            old.iter().any(|it| part(*it, branch)) || node(branch)
        };
        let few = |old: &[SchemaId], new: &[SchemaId]| old.len() * new.len() <= PAIRS;
        // All of the new schemas were demanded before.
        let all = subset(self.new, &after.all_of, self.old, &before.all_of)
            || few(&before.all_of, &after.all_of)
                && after.all_of.iter().all(|branch| in_any(&before.all_of, *branch));
        // Every old alternative leads to a new one; without alternatives the node itself does.
        let any = after.any_of.is_empty()
            || !before.any_of.is_empty()
                && (subset(self.old, &before.any_of, self.new, &after.any_of)
                    || few(&before.any_of, &after.any_of)
                        && before
                            .any_of
                            .iter()
                            .all(|it| after.any_of.iter().any(|branch| part(*it, *branch))))
            || after.any_of.len() <= PAIRS && after.any_of.iter().any(|branch| node(*branch));
        // How often each alternative is there matters.
        let sorted = |side: &Side<'c>, ids: &[SchemaId]| {
            let mut classes: Vec<_> = ids.iter().map(|id| side.class(*id).bytes()).collect();
            classes.sort_unstable();
            classes
        };
        let one = after.one_of.is_empty()
            || sorted(self.old, &before.one_of) == sorted(self.new, &after.one_of);
        // What is ruled out now was ruled out before.
        let not = match (before.not, after.not) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(before), Some(after)) => {
                let mut back = SuspectWalk::new(self.new, self.old, self.sampler.memo);
                back.is_part = true;
                back.run(after, before);
                back.accepts()
            }
        };
        for (kept, keyword) in [(all, "allOf"), (any, "anyOf"), (one, "oneOf"), (not, "not")] {
            if !kept {
                let values = self.branches(visit.old, old);
                let change = format!("other `{keyword}`");
                let suspect = self.suspect(visit, Concern::Accept, keyword, change).wide();
                self.found.push(suspect.trying(values));
            }
        }
    }

    /// Whether everything that `old` accepts is accepted by `new`, as far as can be proved.
    fn is_within(&self, old: SchemaId, new: SchemaId, is_part: bool) -> bool {
        let mut inner = SuspectWalk::new(self.old, self.new, self.sampler.memo);
        inner.is_part = is_part;
        inner.run(old, new);
        inner.accepts()
    }

    /// Whether the walk found nothing that may be refused.
    fn accepts(&self) -> bool {
        !self.found.iter().any(|suspect| suspect.concern == Concern::Accept)
    }

    /// Values that satisfy the node, and values that are close to what its branches say.
    fn branches(&self, id: SchemaId, old: &Schema<'c>) -> Vec<crdkit_value::Document> {
        let junctors = old.junctors();
        let mut values = self.variants(id);
        let parts = junctors.any_of.iter().chain(&junctors.one_of).chain(&junctors.all_of);
        values.extend(parts.take(8).map(|branch| self.sampler.sample(*branch)));
        // Two fields at a time, for what asks for one of several.
        let names: Vec<_> = old.properties.iter().take(6).collect();
        for (index, (first, first_child)) in names.iter().enumerate() {
            for (second, second_child) in names.iter().skip(index + 1) {
                let mut value = self.sampler.with(id, first, &self.sampler.sample(*first_child));
                let other = self.sampler.sample(*second_child);
                build::set(&mut value, second, other.root());
                values.push(value);
            }
        }
        values
    }
}

/// Whether every schema of `some` is, word by word, one of `all`.
fn subset(some_side: &Side<'_>, some: &[SchemaId], all_side: &Side<'_>, all: &[SchemaId]) -> bool {
    some.iter().all(|it| {
        let class = some_side.class(*it);
        all.iter().any(|other| all_side.class(*other) == class)
    })
}
