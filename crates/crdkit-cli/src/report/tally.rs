//! Findings of one file, counted by kind: so many are shown, and how many more there were is told at the end.

use super::{ShownFinding, SourceText};
use crate::limits;
use crdkit_issue::{Code, Issue, codes};
use std::collections::BTreeMap;

/// How many findings of each kind there were.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    /// Counts a finding; whether there were few enough like it before for it to be shown.
    pub(crate) fn admits(&mut self, code: Code) -> bool {
        self.add(code, 1) <= limits::get().findings
    }

    /// Counts findings that are not shown, or were before; gives how many there are now.
    pub(super) fn add(&mut self, code: Code, count: usize) -> usize {
        let counted = self.0.entry(code.name()).or_default();
        *counted += count;
        *counted
    }

    /// Whether the next finding of this kind is shown.
    pub(crate) fn has_room(&self, code: Code) -> bool {
        self.0.get(code.name()).is_none_or(|count| *count < limits::get().findings)
    }

    /// How many of each kind were not shown, as findings about `file`.
    pub(crate) fn left_out(self, file: &str) -> Vec<ShownFinding> {
        let most = limits::get().findings;
        let more = |(name, count): (&str, usize)| {
            let more = count.checked_sub(most).filter(|more| *more > 0)?;
            let issue = Issue::warning(codes::domain::REPORT_TRUNCATED).with("limit", most);
            let mut finding = ShownFinding::new(&issue, &SourceText::new(file, b"", 1), false);
            let s = if more == 1 { "" } else { "s" };
            finding.message =
                format!("{more} more finding{s} of this kind: {name} (`--max-findings` is {most})");
            Some(finding)
        };
        self.0.into_iter().filter_map(more).collect()
    }
}
