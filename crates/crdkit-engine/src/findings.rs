//! Findings on their way to the outcome, each with the value it is about.
//!
//! The value's id is what its place in the source is found by in the end.

use crdkit_issue::{ErrorType, Issue, Severity};
use crdkit_value::NodeId;

/// What the stages found so far, in order.
#[derive(Debug, Default)]
pub struct Findings {
    /// A finding and the value it is about.
    pub entries: Vec<(NodeId, Issue)>,
}

impl Findings {
    /// Notes a finding about the value called `id`.
    pub fn add(&mut self, id: NodeId, issue: Issue) {
        self.entries.push((id, issue));
    }

    /// Notes what one stage found, by path, so that the order of keys in the input does not matter.
    pub(crate) fn add_sorted(&mut self, mut found: Vec<(NodeId, Issue)>) {
        found.sort_by(|(_, left), (_, right)| left.path.cmp(&right.path));
        self.entries.append(&mut found);
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.entries.iter().any(|(_, issue)| issue.severity == Severity::Error)
    }

    /// Whether there is an error that keeps rules from being evaluated: they may rely on types, on
    /// required fields and on sizes.
    pub(crate) fn block_rules(&self) -> bool {
        self.entries.iter().any(|(_, issue)| {
            let blocking = matches!(
                issue.code.info().error_type,
                ErrorType::NotSupported
                    | ErrorType::Required
                    | ErrorType::TooLong
                    | ErrorType::TooMany
                    | ErrorType::TypeInvalid
            );
            blocking && issue.severity == Severity::Error
        })
    }
}
