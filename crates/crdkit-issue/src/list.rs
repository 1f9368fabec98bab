//! All findings about one document: ordered, bounded, one error.
//!
//! The order is a promise: by path (items by number, names by bytes, what is above first), then by
//! stage, keyword and code. What is beyond the limit is left out, and one last finding says so.

use crate::{FieldPath, Issue, PathStyle, codes};
use std::fmt::{self, Write as _};

/// Findings about one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Issues(Vec<Issue>);

/// So many findings are named in a summary.
const SUMMARY: usize = 3;

impl Issues {
    /// `issues` in their order, at most `limit` of them. When there are more, a `report-truncated`
    /// at the root follows them.
    pub fn sorted(mut issues: Vec<Issue>, limit: usize) -> Self {
        issues.sort_by(|left, right| {
            (left.path.cmp(&right.path))
                .then_with(|| left.code.info().stage.cmp(&right.code.info().stage))
                .then_with(|| left.keyword().cmp(right.keyword()))
                .then_with(|| left.short().cmp(&right.short()))
                .then_with(|| left.span.cmp(&right.span))
        });
        Self::limited(issues, limit)
    }

    /// The first `limit` of `issues` as they come, and a `report-truncated` after them when that was
    /// not all.
    pub fn limited(mut issues: Vec<Issue>, limit: usize) -> Self {
        if issues.len() > limit {
            issues.truncate(limit);
            issues.push(Issue::error(codes::domain::REPORT_TRUNCATED).with("limit", limit));
        }
        Self(issues)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The findings in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Issue> {
        self.0.iter()
    }

    /// The first one.
    pub fn first(&self) -> Option<&Issue> {
        self.0.first()
    }

    /// Whether one of them has this short name.
    pub fn has(&self, short: &str) -> bool {
        self.0.iter().any(|issue| issue.short() == short)
    }

    /// The findings themselves.
    pub fn into_vec(self) -> Vec<Issue> {
        self.0
    }

    /// `short name at path` of the first three and how many there are.
    pub fn summary(&self, style: PathStyle) -> String {
        let mut out = String::new();
        for (at, issue) in self.0.iter().take(SUMMARY).enumerate() {
            if at > 0 {
                out.push_str("; ");
            }
            let path = issue.path.display(style).to_string();
            let path = if path.is_empty() { "/" } else { &path };
            let _ = write!(out, "{} at {path}", issue.short());
        }
        if self.0.len() > SUMMARY {
            let _ = write!(out, "; ... (total {})", self.0.len());
        }
        out
    }

    /// The findings of a part of a document as findings of the whole: `base` is where the part stands.
    #[must_use]
    pub fn rebase(self, base: &FieldPath) -> Self {
        Self(self.0.into_iter().map(|issue| issue.rebase(base)).collect())
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary(PathStyle::JsonPointer))
    }
}

impl std::error::Error for Issues {}

impl From<Vec<Issue>> for Issues {
    fn from(issues: Vec<Issue>) -> Self {
        Self::sorted(issues, usize::MAX)
    }
}

impl From<Issue> for Issues {
    fn from(issue: Issue) -> Self {
        Self(vec![issue])
    }
}

impl IntoIterator for Issues {
    type Item = Issue;
    type IntoIter = std::vec::IntoIter<Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'i> IntoIterator for &'i Issues {
    type Item = &'i Issue;
    type IntoIter = std::slice::Iter<'i, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
