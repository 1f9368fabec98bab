//! Yes-or-no facts about a schema, and about everything below it.

/// A set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// `nullable`.
    pub const NULLABLE: Self = Self(1);
    /// `x-kubernetes-preserve-unknown-fields`.
    pub const PRESERVE: Self = Self(1 << 1);
    /// `x-kubernetes-embedded-resource`.
    pub const EMBEDDED: Self = Self(1 << 2);
    /// The schema of a whole object: it has `apiVersion`, `kind` and `metadata` of its own.
    pub const ROOT: Self = Self(1 << 3);
    /// Some schema here or below has a default for a property, an item or a map entry.
    pub const HAS_DEFAULTS: Self = Self(1 << 4);
    /// Some schema here or below is an embedded resource.
    pub const HAS_EMBEDDED: Self = Self(1 << 5);
    /// Some list here or below is a set or a map.
    pub const HAS_LIST_TYPES: Self = Self(1 << 6);
    /// Some schema here or below has rules.
    pub const HAS_RULES: Self = Self(1 << 7);

    /// Some schema below, not here, has defaults to be looked for.
    pub const DEFAULTS_BELOW: Self = Self(1 << 8);
    /// `x-kubernetes-map-type: atomic`.
    pub const ATOMIC_MAP: Self = Self(1 << 9);

    /// The facts about a schema that hold for the schema it is in as well.
    pub(crate) const INHERITED: Self = Self(
        Self::HAS_DEFAULTS.0 | Self::HAS_EMBEDDED.0 | Self::HAS_LIST_TYPES.0 | Self::HAS_RULES.0,
    );

    /// Whether all of `other` are in the set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn add_if(&mut self, other: Self, condition: bool) {
        if condition {
            self.0 |= other.0;
        }
    }

    pub(crate) fn inherit(&mut self, child: Self) {
        self.0 |= child.0 & Self::INHERITED.0;
    }
}
