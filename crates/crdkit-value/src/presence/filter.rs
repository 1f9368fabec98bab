//! Which places presence is kept for.

use crdkit_issue::FieldPath;

/// Places to keep presence for, and places not to.
///
/// A path stands for itself and all below it; steps are compared whole, so `/a` says nothing about
/// `/ab`. What is both included and excluded is excluded. Without inclusions everything is included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresenceFilter {
    include: Vec<FieldPath>,
    exclude: Vec<FieldPath>,
}

/// How a place relates to a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// It is kept.
    Kept,
    /// It is not, but something below it may be.
    Passed,
    /// Neither it nor anything below it is.
    Left,
}

impl PresenceFilter {
    /// Keeps presence everywhere.
    pub fn all() -> Self {
        Self::default()
    }

    /// Keeps presence at `path` and below, and nowhere else that is not included as well.
    #[must_use]
    pub fn include(mut self, path: FieldPath) -> Self {
        self.include.push(path);
        self
    }

    /// Keeps no presence at `path` and below.
    #[must_use]
    pub fn exclude(mut self, path: FieldPath) -> Self {
        self.exclude.push(path);
        self
    }

    /// Whether presence is kept at `path`. It always is at the root.
    pub fn takes(&self, path: &FieldPath) -> bool {
        path.is_root() || self.choice(path) == Choice::Kept
    }

    /// Whether everything is kept, so that no path needs to be looked at.
    pub(super) fn is_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    pub(super) fn choice(&self, path: &FieldPath) -> Choice {
        if self.exclude.iter().any(|prefix| path.starts_with(prefix)) {
            Choice::Left
        } else if self.include.is_empty()
            || self.include.iter().any(|prefix| path.starts_with(prefix))
        {
            Choice::Kept
        } else if self.include.iter().any(|prefix| prefix.starts_with(path)) {
            Choice::Passed
        } else {
            Choice::Left
        }
    }
}
