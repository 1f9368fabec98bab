//! A field that knows whether it was missing, `null` or there.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that may be missing, `null` or there, for types of partial updates.
///
/// As a field it needs `#[serde(default, skip_serializing_if = "Tri::is_missing")]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tri<T> {
    /// The input did not have it.
    #[default]
    Missing,
    /// The input had `null`.
    Null,
    /// The input had a value.
    Present(T),
}

impl<T> Tri<T> {
    /// Whether the input did not have it.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Whether the input had `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value, if there is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }

    /// The value, if there is one.
    pub fn as_option(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }
}

impl<T> From<Option<T>> for Tri<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Present)
    }
}

impl<T: Serialize> Serialize for Tri<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // What is missing is no field; `null` is a value.
            Self::Missing => serializer.serialize_none(),
            Self::Null => serializer.serialize_unit(),
            Self::Present(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tri<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
