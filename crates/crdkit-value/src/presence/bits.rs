//! What is known about one place.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// What is known about one place; nothing known means that it was missing.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Presence(u8);

impl Presence {
    /// Nothing: the source did not have it, and nothing was put there.
    pub const MISSING: Self = Self(0);
    /// The source had a value here, `null` included.
    pub const SEEN: Self = Self(1);
    /// That value was `null`.
    pub const WAS_NULL: Self = Self(2);
    /// What stands here now is the schema's default.
    pub const DEFAULT_APPLIED: Self = Self(4);
    /// The place is empty, and the schema has a default for it.
    pub const DEFAULT_AVAILABLE: Self = Self(8);
    /// The source had a value here that the schema does not declare, so it was removed.
    pub const PRUNED: Self = Self(16);

    const NAMES: [(Self, &str); 5] = [
        (Self::SEEN, "seen"),
        (Self::WAS_NULL, "wasNull"),
        (Self::DEFAULT_APPLIED, "defaultApplied"),
        (Self::DEFAULT_AVAILABLE, "defaultAvailable"),
        (Self::PRUNED, "pruned"),
    ];

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the source had nothing here.
    pub const fn is_missing(self) -> bool {
        !self.is_seen()
    }

    /// Whether the source had something here.
    pub const fn is_seen(self) -> bool {
        self.contains(Self::SEEN)
    }

    /// Whether the source had `null` here.
    pub const fn was_null(self) -> bool {
        self.contains(Self::WAS_NULL)
    }

    /// Whether the value is the schema's default.
    pub const fn default_applied(self) -> bool {
        self.contains(Self::DEFAULT_APPLIED)
    }

    /// Whether the schema has a default that was not put here.
    pub const fn default_available(self) -> bool {
        self.contains(Self::DEFAULT_AVAILABLE)
    }

    /// Whether the source's value was removed.
    pub const fn is_pruned(self) -> bool {
        self.contains(Self::PRUNED)
    }

    /// The names of the bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(bit, _)| self.contains(*bit)).map(|(_, name)| name)
    }
}

impl BitOr for Presence {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Presence {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.write_str(if names.is_empty() { "missing" } else { "" })?;
        f.write_str(&names.join("|"))
    }
}

/// How many places have each bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresenceCounts {
    /// [`Presence::SEEN`].
    pub seen: usize,
    /// [`Presence::WAS_NULL`].
    pub was_null: usize,
    /// [`Presence::DEFAULT_APPLIED`].
    pub default_applied: usize,
    /// [`Presence::DEFAULT_AVAILABLE`].
    pub default_available: usize,
    /// [`Presence::PRUNED`].
    pub pruned: usize,
}

impl PresenceCounts {
    pub(super) fn add(&mut self, presence: Presence) {
        let counts = [
            &mut self.seen,
            &mut self.was_null,
            &mut self.default_applied,
            &mut self.default_available,
            &mut self.pruned,
        ];
        for ((bit, _), count) in Presence::NAMES.into_iter().zip(counts) {
            *count += usize::from(presence.contains(bit));
        }
    }
}
