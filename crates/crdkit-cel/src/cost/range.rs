//! A lower and an upper bound; all arithmetic stops at the largest number instead of overflowing.

use super::scaled;

/// Bounds of a size or a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// At least this.
    pub min: u64,
    /// At most this.
    pub max: u64,
}

impl Range {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };
    pub(crate) const ZERO: Self = Self::exactly(0);
    pub(crate) const ONE: Self = Self::exactly(1);
    /// Neutral element of [`Range::union`].
    pub(crate) const EMPTY: Self = Self { min: u64::MAX, max: 0 };

    pub(crate) const fn exactly(value: u64) -> Self {
        Self { min: value, max: value }
    }

    pub(crate) const fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Multiplied by a factor and rounded up.
    pub(crate) fn scale(self, factor: f64) -> Self {
        Self { min: scaled(self.min, factor), max: scaled(self.max, factor) }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}
