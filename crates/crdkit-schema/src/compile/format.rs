//! `format`: which ones the server checks.
//!
//! A format is kept only where the server keeps it: string formats on strings and where no type is
//! given, integer formats on integers, number formats on numbers. The name as written is kept because
//! messages show it.

use super::node::Types;
use super::table::Name;
use crate::rules::followed_version;
use crdkit_text::formats::TextFormat;

/// A format that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// As written.
    pub name: Name,
    /// Which one it is.
    pub kind: FormatKind,
}

/// What a format asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatKind {
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// A number that a 32-bit float can hold.
    Float,
    /// Any number.
    Double,
    /// Something about the text of a string.
    Text(TextFormat),
    /// Nothing; but that there is a format counts.
    Unknown,
}

impl FormatKind {
    /// The format called `name` on a schema for `types`, if the server checks it.
    pub fn named(name: &str, types: Types) -> Option<Self> {
        match types {
            Types::Integer => match name {
                "int32" => Some(Self::Int32),
                "int64" => Some(Self::Int64),
                _ => None,
            },
            Types::Number => match name {
                "float" => Some(Self::Float),
                "double" => Some(Self::Double),
                _ => None,
            },
            Types::String | Types::Any | Types::IntOrString => {
                TextFormat::parse(name).filter(|it| is_known(*it)).map(Self::Text)
            }
            Types::Object | Types::Array | Types::Boolean | Types::Other(_) => None,
        }
    }

    /// The format called `name`, whatever the type.
    pub(super) fn as_written(name: &str) -> Option<Self> {
        Some(match name {
            "" => return None,
            "int32" => Self::Int32,
            "int64" => Self::Int64,
            "float" => Self::Float,
            "double" => Self::Double,
            _ => TextFormat::parse(name).map_or(Self::Unknown, Self::Text),
        })
    }
}

/// Whether servers of the version that is followed check a format.
fn is_known(format: TextFormat) -> bool {
    let since = format.since_minor();
    since == 0 || since <= followed_version()
}
