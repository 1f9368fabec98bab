//! What validating one value gave.

use crdkit_issue::Issue;
use std::collections::BTreeSet;

/// Findings, each text once, and how many checks applied, by which the best of several failing
/// alternatives is chosen.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    issues: Vec<Issue>,
    texts: BTreeSet<String>,
    matches: usize,
}

impl Outcome {
    /// Nothing wrong, and one check that applied.
    pub(super) fn match_() -> Self {
        Self { matches: 1, ..Self::default() }
    }

    /// One finding.
    pub(super) fn problem(issue: Issue) -> Self {
        let mut outcome = Self::default();
        outcome.add(issue);
        outcome
    }

    /// Adds a finding, unless one with the same text is there.
    pub(super) fn add(&mut self, issue: Issue) {
        // The texts the server compares hold the name and, for two codes, the verb of the message.
        let text = format!("{} {}", issue.code, issue.message());
        if self.texts.insert(text) {
            self.issues.push(issue);
        }
    }

    /// Counts one more check that applied.
    pub(super) fn matched(&mut self) {
        self.matches += 1;
    }

    /// Adds what another check gave.
    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        if self.issues.is_empty() {
            (self.issues, self.texts) = (other.issues, other.texts);
        } else {
            other.issues.into_iter().for_each(|issue| self.add(issue));
        }
    }

    /// Whether nothing is wrong.
    pub(super) fn is_valid(&self) -> bool {
        self.issues.is_empty()
    }

    /// How many checks applied.
    pub(super) fn matches(&self) -> usize {
        self.matches
    }

    /// The findings in order.
    pub(super) fn into_issues(self) -> Vec<Issue> {
        self.issues
    }
}
