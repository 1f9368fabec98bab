//! Findings that say the same, said once: schemas that apply together may ask the same of one place.
//!
//! What keywords say is the same if it is about the same place, member and keyword: of two limits that do not hold one
//! is told.

use crdkit_issue::{Arg, Code, FieldPath, Issue, Severity};
use std::collections::HashSet;

type Statement = (Severity, Code, FieldPath, Vec<(&'static str, Arg)>);

/// What has been said.
#[derive(Default)]
pub(crate) struct ReportedStatements(HashSet<Statement>);

impl ReportedStatements {
    /// Whether nothing was the same before.
    pub(crate) fn is_new(&mut self, issue: &Issue) -> bool {
        let Issue { code, severity, path, args, .. } = issue;
        let is_keyword = issue.arg("keyword").is_some();
        let told =
            args.iter().filter(|(name, _)| !is_keyword || matches!(*name, "keyword" | "key"));
        self.0.insert((*severity, *code, path.clone(), told.cloned().collect()))
    }
}
