//! Values at run time.
//!
//! A [`Val`] is copied freely: everything larger than two words lives in the document, in the program's constants or in
//! the evaluation's [`Arena`]. Document values are read when they are looked at, by the rules of their shape.

mod arena;
mod collection;
mod compare;
mod constant;
mod equal;
mod events;
mod opaque;
mod read;

use std::fmt;

use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

pub use arena::Arena;
pub(crate) use collection::MapTable;
pub(crate) use collection::{LARGE, ListIter, MapIter, hash_key, member_at};
pub use collection::{List, Map};
pub(crate) use compare::compare;
pub use constant::Constant;
pub(crate) use equal::{element_key, equal, set_contains};
pub(crate) use events::events;
pub(crate) use opaque::CelFormat;
pub use opaque::Opaque;
pub(crate) use read::{Data, read};

use crate::shape::ShapeId;
use crate::types::Type;

/// A document value and the shape it is read by.
#[derive(Clone, Copy, Debug)]
pub struct ShapedValue<'v> {
    pub(crate) value: Value<'v>,
    pub(crate) shape: ShapeId,
}

/// A value.
#[derive(Clone, Copy)]
pub enum Val<'v> {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(&'v str),
    /// `bytes`
    Bytes(&'v [u8]),
    /// A span of time in nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// A type.
    Type(&'v Type),
    /// A list.
    List(List<'v>),
    /// A map.
    Map(Map<'v>),
    /// An optional value.
    Optional(Option<&'v Val<'v>>),
    /// A value of a library's own type.
    Opaque(&'v Opaque),
    /// An object of the document, or a document value that can only be compared.
    Object(ShapedValue<'v>),
}

impl Val<'_> {
    /// The value's type without parameters, as messages name it.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::List(_) => "list",
            Self::Map(_) | Self::Object(_) => "map",
            Self::Optional(_) => crate::types::OPTIONAL,
            Self::Opaque(opaque) => opaque.type_name(),
        }
    }

    /// The value's type at run time.
    pub(crate) fn runtime_type(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::String(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Duration(_) => Type::Duration,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Type(_) => Type::Type(None),
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(_) | Self::Object(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Optional(_) => Type::optional(Type::Dyn),
            Self::Opaque(opaque) => opaque.runtime_type(),
        }
    }

    /// The size that costs are a function of: characters, bytes, elements; 1 for everything without a size.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::String(text) => text.chars().count() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(list) => list.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::Object(node) => node.value.as_object().map_or(1, |members| members.len() as u64),
            Self::Optional(Some(inner)) => inner.size(),
            Self::Opaque(opaque) => opaque.size(),
            _ => 1,
        }
    }
}

/// A value for people, without its end if it is longer than anybody reads: one that shares parts has no end.
pub(crate) fn shown(value: &Val<'_>) -> String {
    const LONGEST: usize = 4096;
    struct Few(String);

    impl fmt::Write for Few {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let left = LONGEST.saturating_sub(self.0.len());
            let end = text.floor_char_boundary(left);
            self.0.push_str(text.get(..end).unwrap_or_default());
            if end < text.len() {
                self.0.push('\u{2026}');
                return Err(fmt::Error);
            }
            Ok(())
        }
    }

    let mut few = Few(String::new());
    let _ = fmt::Write::write_fmt(&mut few, format_args!("{value:?}"));
    few.0
}

impl fmt::Debug for Val<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}u"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => write!(f, "b{bytes:?}"),
            Self::Duration(nanoseconds) => write!(f, "duration({nanoseconds}ns)"),
            Self::Timestamp(timestamp) => write!(f, "{timestamp:?}"),
            Self::Type(ty) => write!(f, "{ty}"),
            Self::List(list) => write!(f, "{list:?}"),
            Self::Map(map) => write!(f, "{map:?}"),
            Self::Optional(None) => f.write_str("optional.none()"),
            Self::Optional(Some(inner)) => write!(f, "optional.of({inner:?})"),
            Self::Opaque(opaque) => write!(f, "{opaque:?}"),
            Self::Object(node) => write!(f, "{:?}", node.value),
        }
    }
}
