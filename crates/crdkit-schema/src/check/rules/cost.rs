//! What rules cost at most, alone and together.

use super::super::at;
use crate::path::Path;
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_text::number::fixed;

/// What one rule may cost.
pub(super) const PER_RULE: u64 = 10_000_000;
/// What the rules of one schema may cost together.
const PER_SCHEMA: u64 = 100_000_000;
/// How many of the most expensive rules are named.
const NAMED: usize = 4;

/// What the rules of one schema cost together.
#[derive(Debug, Default)]
pub(in crate::check) struct Costs {
    total: u64,
    /// The most expensive expressions, the first one first.
    expensive: Vec<(u64, FieldPath)>,
}

impl Costs {
    /// Counts the expression at `path`.
    pub(super) fn add(&mut self, path: &Path<'_>, cost: u64) {
        self.total = self.total.saturating_add(cost);
        // What makes up less than a hundredth is not worth naming.
        if cost < PER_SCHEMA / 100 {
            return;
        }
        self.expensive.push((cost, path.into()));
        self.expensive.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        self.expensive.truncate(NAMED);
    }

    /// Findings, if all rules together cost too much.
    pub(in crate::check) fn total(self, path: &Path<'_>) -> Vec<Issue> {
        if self.total <= PER_SCHEMA {
            return Vec::new();
        }
        let expensive = self.expensive.into_iter();
        let named = expensive.map(|(_, path)| Issue::error(codes::crd::RULE_COST_SHARE).at(path));
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let issue = at(codes::crd::RULE_COST, path, None).with("name", name);
        named.chain([issue.with("factor", factor(self.total, PER_SCHEMA))]).collect()
    }
}

/// How many times the limit something costs, as the server writes it.
pub(super) fn factor(cost: u64, limit: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rough figure for people")]
    let factor = cost as f64 / limit as f64;
    if factor > 100.0 {
        "more than 100x".into()
    } else if factor < 1.5 {
        format!("{}x", fixed(factor, 6))
    } else {
        format!("{}x", fixed(factor, 1))
    }
}
