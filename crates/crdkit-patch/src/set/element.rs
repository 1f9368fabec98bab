//! Path elements: how one goes from a value to a value in it.
//!
//! Ordered as they are written: field names, keys, values, positions. As text they are what messages show.

use crdkit_codec::go_json;
use crdkit_text::number;
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// One step of a path.
#[derive(Clone, Debug)]
pub(crate) enum Element<'a> {
    /// A member of an object.
    Field(&'a str),
    /// The item of a list that has these values.
    Key(Key<'a>),
    /// The item of a list that is this value.
    Value(Scalar<'a>),
    /// The item of a list at a position.
    Index(i64),
}

/// A field that items of a list are told apart by, and its value.
pub(crate) type KeyField<'a> = (Cow<'a, str>, Scalar<'a>);

/// What an item of a list is told apart by: fields sorted by name. Mostly there is one, which needs no room of its own.
#[derive(Clone, Debug)]
pub(crate) enum Key<'a> {
    One([KeyField<'a>; 1]),
    Several(Box<[KeyField<'a>]>),
}

impl<'a> Key<'a> {
    /// The key of one field.
    pub(crate) fn one(name: &'a str, value: Scalar<'a>) -> Self {
        Self::One([(Cow::Borrowed(name), value)])
    }

    /// The key of several fields, in any order.
    pub(crate) fn several(mut fields: Vec<KeyField<'a>>) -> Self {
        fields.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        Self::Several(fields.into())
    }
}

impl<'a> Deref for Key<'a> {
    type Target = [KeyField<'a>];

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::One(field) => field,
            Self::Several(fields) => fields,
        }
    }
}

/// A value that items of lists are told apart by.
#[derive(Clone, Debug)]
pub(crate) enum Scalar<'a> {
    Int(i64),
    Float(f64),
    String(Cow<'a, str>),
    Bool(bool),
    /// An array or object, as JSON text. No list has such items, but a set may have been written by hand.
    Other(Cow<'a, str>),
    Null,
}

impl<'a> Scalar<'a> {
    /// What `value` is told apart by.
    pub(crate) fn of(value: Value<'a>) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(bool) => Self::Bool(bool),
            Kind::Int(int) => Self::Int(int),
            Kind::Float(float) => Self::Float(float),
            Kind::String(text) => Self::String(Cow::Borrowed(text)),
            Kind::Number(_) | Kind::Array(_) | Kind::Object(_) => {
                Self::Other(Cow::Owned(go_json::value(value)))
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Int(_) | Self::Float(_) => 0,
            Self::String(_) => 1,
            Self::Bool(_) => 2,
            Self::Other(_) => 3,
            Self::Null => 4,
        }
    }

    /// Appends the value as JSON.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Int(int) => out.push_str(&int.to_string()),
            Self::Float(float) => out.push_str(&number::json(*float).unwrap_or_default()),
            Self::String(text) => go_json::write_string(text, out),
            Self::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
            Self::Other(text) => out.push_str(text),
            Self::Null => out.push_str("null"),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of two kinds are compared as Go does")]
impl Ord for Scalar<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(right),
            (Self::Float(left), Self::Float(right)) => left.total_cmp(right),
            (Self::Int(left), Self::Float(right)) => (*left as f64).total_cmp(right),
            (Self::Float(left), Self::Int(right)) => left.total_cmp(&(*right as f64)),
            (Self::String(left), Self::String(right)) | (Self::Other(left), Self::Other(right)) => {
                left.cmp(right)
            }
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Element<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for Element<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => (**left).cmp(&**right),
            (Self::Value(left), Self::Value(right)) => left.cmp(right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// `PartialEq`, `Eq` and `PartialOrd` that agree with `Ord`.
macro_rules! by_order {
    ($type:ident) => {
        impl PartialEq for $type<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $type<'_> {}

        impl PartialOrd for $type<'_> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
    };
}

by_order!(Scalar);
by_order!(Element);

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => write!(f, "{int}"),
            Self::Float(float) => f.write_str(&number::shortest(*float)),
            Self::String(text) => f.write_str(&quote(text)),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Other(text) => f.write_str(text),
            Self::Null => f.write_str("null"),
        }
    }
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                f.write_str("[")?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "," };
                    write!(f, "{comma}{name}={value}")?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}
