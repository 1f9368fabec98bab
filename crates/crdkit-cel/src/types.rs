//! Static types.
//!
//! Types are small trees shared by reference counting. [`Type::Param`] appears in declarations only; the checker
//! replaces it by numbered [`Type::Variable`]s, and no variable is left in a checked expression. `Display` prints what
//! cel-go prints in its messages.

use std::fmt;
use std::sync::Arc;

use crate::ast::Name;

/// Name of the optional type.
pub(crate) const OPTIONAL: &str = "optional_type";

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// Known at run time only.
    Dyn,
    /// A message of any type.
    Any,
    /// The type of an expression with an error in it.
    Error,
    /// Type of `null`.
    Null,
    /// `bool`
    Bool,
    /// `int`: 64 bits, signed.
    Int,
    /// `uint`: 64 bits, unsigned.
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// A span of time.
    Duration,
    /// A point in time.
    Timestamp,
    /// A primitive that may also be null.
    Wrapper(Arc<Type>),
    /// The type of types, of a certain type if known.
    Type(Option<Arc<Type>>),
    /// A list of elements.
    List(Arc<Type>),
    /// A map from keys to values.
    Map(Arc<(Type, Type)>),
    /// An abstract type: a name and parameters.
    Opaque(Name, Arc<[Type]>),
    /// A message or object type by name.
    Struct(Name),
    /// A type parameter of a declaration.
    Param(Name),
    /// A type still to be found.
    Variable(u32),
}

impl Type {
    /// A list type.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// A map type.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// An optional type.
    pub fn optional(inner: Self) -> Self {
        Self::Opaque(OPTIONAL.into(), Arc::from([inner]))
    }

    /// The type of the type `inner`.
    pub fn type_of(inner: Self) -> Self {
        Self::Type(Some(Arc::new(inner)))
    }

    /// The inner type of an optional.
    pub(crate) fn as_optional(&self) -> Option<&Self> {
        match self {
            Self::Opaque(name, parameters) if &**name == OPTIONAL => parameters.first(),
            _ => None,
        }
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    pub(crate) fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || matches!(self, Self::Error)
    }

    /// Types of which null is a value whether declared so or not.
    pub(crate) fn is_nullable(&self) -> bool {
        matches!(
            self,
            Self::Opaque(..)
                | Self::Struct(_)
                | Self::Any
                | Self::Duration
                | Self::Timestamp
                | Self::Wrapper(_)
        )
    }

    /// Whether a value of this type has no size of its own.
    pub(crate) fn is_scalar(&self) -> bool {
        match self {
            Self::Bool
            | Self::Double
            | Self::Duration
            | Self::Int
            | Self::Timestamp
            | Self::Uint => true,
            Self::Wrapper(inner) => inner.is_scalar(),
            _ => self.as_optional().is_some_and(Self::is_scalar),
        }
    }

    /// The name a value of this type has at run time, without parameters.
    pub(crate) fn runtime_name(&self) -> &str {
        match self {
            Self::Dyn | Self::Variable(_) => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Error => "error",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Wrapper(inner) => inner.runtime_name(),
            Self::Type(_) => "type",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Opaque(name, _) | Self::Struct(name) | Self::Param(name) => name,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Wrapper(inner) => write!(f, "wrapper({inner})"),
            Self::Type(Some(inner)) => write!(f, "type({inner})"),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(types) => write!(f, "map({}, {})", types.0, types.1),
            Self::Opaque(name, parameters) if !parameters.is_empty() => {
                let parameters: Vec<String> = parameters.iter().map(ToString::to_string).collect();
                write!(f, "{name}({})", parameters.join(", "))
            }
            Self::Variable(number) => write!(f, "_var{number}"),
            plain => f.write_str(plain.runtime_name()),
        }
    }
}
