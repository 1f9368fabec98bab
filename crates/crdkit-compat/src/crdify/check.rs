//! The checks and their names, which configurations and reports use.

use crate::keyword::Keyword;

/// One of crdify's validations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is named after the keyword it compares")]
pub enum CrdifyCheck {
    /// A field of a version is gone.
    ExistingFieldRemoval,
    Scope,
    /// A version that objects may be stored in is gone.
    StoredVersionRemoval,
    Default,
    Description,
    Enum,
    /// Only runs when a configuration names it; otherwise a change of format is unhandled.
    Format,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    MinLength,
    MinProperties,
    Nullable,
    /// Only runs when a configuration names it, as `Format`: earlier releases do not have it.
    OneOf,
    Pattern,
    Required,
    Type,
    /// A change that no other check knows.
    Unhandled,
}

impl CrdifyCheck {
    /// The checks that compare one keyword of two schemas.
    pub(super) const PROPERTIES: &[Self] = &[
        Self::Default,
        Self::Description,
        Self::Enum,
        Self::Format,
        Self::Maximum,
        Self::MaxItems,
        Self::MaxLength,
        Self::MaxProperties,
        Self::Minimum,
        Self::MinItems,
        Self::MinLength,
        Self::MinProperties,
        Self::Nullable,
        Self::OneOf,
        Self::Pattern,
        Self::Required,
        Self::Type,
    ];

    /// The checks that compare whole CRDs.
    const WHOLE: &[Self] = &[Self::ExistingFieldRemoval, Self::Scope, Self::StoredVersionRemoval];

    /// The check that a configuration calls `name`.
    pub fn named(name: &str) -> Option<Self> {
        let all = Self::WHOLE.iter().chain(Self::PROPERTIES);
        all.copied().find(|check| check.name() == name)
    }

    /// Its name in configurations and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExistingFieldRemoval => "existingFieldRemoval",
            Self::Scope => "scope",
            Self::StoredVersionRemoval => "storedVersionRemoval",
            Self::Default => "default",
            Self::Description => "description",
            Self::Enum => "enum",
            Self::Format => "format",
            Self::Maximum => "maximum",
            Self::MaxItems => "maxItems",
            Self::MaxLength => "maxLength",
            Self::MaxProperties => "maxProperties",
            Self::Minimum => "minimum",
            Self::MinItems => "minItems",
            Self::MinLength => "minLength",
            Self::MinProperties => "minProperties",
            Self::Nullable => "nullable",
            Self::OneOf => "oneOf",
            Self::Pattern => "pattern",
            Self::Required => "required",
            Self::Type => "type",
            Self::Unhandled => "unhandled",
        }
    }

    /// The keyword that a property check looks at.
    pub(super) fn keyword(self) -> Option<Keyword> {
        Some(match self {
            Self::ExistingFieldRemoval
            | Self::Scope
            | Self::StoredVersionRemoval
            | Self::Unhandled => return None,
            Self::Default => Keyword::Default,
            Self::Description => Keyword::Description,
            Self::Enum => Keyword::Enum,
            Self::Format => Keyword::Format,
            Self::Maximum => Keyword::Maximum,
            Self::MaxItems => Keyword::MaxItems,
            Self::MaxLength => Keyword::MaxLength,
            Self::MaxProperties => Keyword::MaxProperties,
            Self::Minimum => Keyword::Minimum,
            Self::MinItems => Keyword::MinItems,
            Self::MinLength => Keyword::MinLength,
            Self::MinProperties => Keyword::MinProperties,
            Self::Nullable => Keyword::Nullable,
            Self::OneOf => Keyword::OneOf,
            Self::Pattern => Keyword::Pattern,
            Self::Required => Keyword::Required,
            Self::Type => Keyword::Type,
        })
    }
}
