//! Walks two versions side by side and gives the pairs of schemas that differ.
//!
//! The walk follows the old schema; what only the new one has is never looked at. A part that is the
//! same in both is left out as a whole.

use crate::keyword::Keyword;
use crate::side::Side;
use crate::step::SchemaStep;
use crdkit_schema::model::{Schema, SchemaId};

/// Two versions to compare.
pub(super) struct VersionPair<'c> {
    old: &'c Side<'c>,
    new: &'c Side<'c>,
    roots: (Option<SchemaId>, Option<SchemaId>),
}

/// A schema of the old version that is different in the new one, or not there.
pub(super) struct Visit {
    /// Where, as crdify writes it.
    pub(super) path: String,
    pub(super) old: SchemaId,
    pub(super) new: Option<SchemaId>,
}

impl<'c> VersionPair<'c> {
    /// A version of each side, by its number.
    pub(super) fn of(old: (&'c Side<'c>, usize), new: (&'c Side<'c>, usize)) -> Self {
        let ((old, old_index), (new, new_index)) = (old, new);
        let roots = (old.crd.schema(old_index), new.crd.schema(new_index));
        Self { old, new, roots }
    }

    /// Whether nothing is different.
    pub(super) fn is_same(&self) -> bool {
        let roots = self.roots.0.zip(self.roots.1);
        roots.is_some_and(|(old, new)| self.old.class(old) == self.new.class(new))
    }

    /// Every schema below the old root that is different in the new one.
    pub(super) fn differences(&self) -> Vec<Visit> {
        let mut visits = Vec::new();
        let mut pending = Vec::new();
        pending.extend(self.roots.0.map(|old| Visit { path: "^".into(), old, new: self.roots.1 }));
        while let Some(visit) = pending.pop() {
            if visit.new.is_some_and(|new| self.old.class(visit.old) == self.new.class(new)) {
                continue;
            }
            let new = visit.new.map(|new| self.new.schema(new));
            for (step, old) in SchemaStep::all(self.old.schema(visit.old)) {
                let new = new.and_then(|new| step.follow(new));
                pending.push(Visit { path: format!("{}{step}", visit.path), old, new });
            }
            visits.push(visit);
        }
        visits
    }

    /// The two schemas of a visit.
    pub(super) fn schemas(&self, visit: &Visit) -> (&'c Schema<'c>, Option<&'c Schema<'c>>) {
        (self.old.schema(visit.old), visit.new.map(|new| self.new.schema(new)))
    }

    /// Whether the two schemas of a visit give `keyword` the same value.
    pub(super) fn agree(&self, keyword: Keyword, visit: &Visit) -> bool {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (old, new) = self.schemas(visit);
        keyword.write(old, &|id| self.old.class(id), &mut left);
        if let Some(new) = new {
            keyword.write(new, &|id| self.new.class(id), &mut right);
        }
        left == right
    }
}
