//! What a comparison of CRDs comes to: counts, and how people read them.

use serde::Serialize;
use std::fmt::Write as _;

/// Counts over a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Comparison {
    /// CRDs that both sides have.
    pub(crate) compared: usize,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// Answers to questions.
    pub(crate) answers: AnswerCounts,
    /// Places with a finding that counts, by severity.
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Those that an exception covers.
    pub(crate) accepted: usize,
    /// What the places have in common.
    pub(crate) causes: usize,
    /// Real objects, if there were any to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) objects: Option<ObjectCounts>,
}

/// Answers by verdict.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct AnswerCounts {
    pub(crate) safe: usize,
    pub(crate) r#unsafe: usize,
    pub(crate) unknown: usize,
}

/// Real objects that were tried, and those that are worse off.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ObjectCounts {
    pub(crate) tried: usize,
    pub(crate) broken: usize,
}

impl Comparison {
    /// The counts for people.
    pub(crate) fn in_words(&self) -> String {
        let AnswerCounts { safe, r#unsafe, unknown } = self.answers;
        let mut out = format!(
            "{}: {} safe, {} unsafe, {unknown} unknown; {}, {}",
            self.crds_in_words(),
            counted(safe, "answer"),
            r#unsafe,
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
        );
        let n_places = self.errors + self.warnings;
        if self.causes != n_places {
            let (causes, places) = (counted(self.causes, "cause"), counted(n_places, "place"));
            let _ = write!(out, " ({causes}, {places})");
        }
        if self.accepted > 0 {
            let _ = write!(out, ", {} accepted as exceptions", self.accepted);
        }
        if let Some(ObjectCounts { tried, broken }) = &self.objects {
            let _ = write!(out, "; {broken} of {} break", counted(*tried, "object"));
        }
        out
    }

    /// How many CRDs were compared, for people.
    pub(crate) fn crds_in_words(&self) -> String {
        let Self { added, removed, .. } = self;
        format!("{} compared, {added} added, {removed} removed", counted(self.compared, "CRD"))
    }
}

/// A number of things.
pub(crate) fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
