//! Values a program owns.

use std::sync::Arc;

use crdkit_text::timestamp::Timestamp;

use super::{Data, List, Val};
use crate::ast::Literal;
use crate::types::Type;

/// A value that is known when the program is made.
#[derive(Clone, Debug)]
pub enum Constant {
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
    String(Arc<str>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// A span of time in nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// A type.
    Type(Arc<Type>),
    /// A list of constants.
    List(Arc<[Constant]>),
    /// A map of constants.
    Map(Arc<[(Constant, Constant)]>),
}

impl Constant {
    pub(crate) fn value<'v>(&'v self, data: Data<'v>) -> Val<'v> {
        match self {
            Self::Null => Val::Null,
            Self::Bool(value) => Val::Bool(*value),
            Self::Int(value) => Val::Int(*value),
            Self::Uint(value) => Val::Uint(*value),
            Self::Double(value) => Val::Double(*value),
            Self::String(text) => Val::String(text),
            Self::Bytes(bytes) => Val::Bytes(bytes),
            Self::Duration(value) => Val::Duration(*value),
            Self::Timestamp(value) => Val::Timestamp(*value),
            Self::Type(ty) => Val::Type(ty),
            Self::List(items) => Val::List(List::Constant(items)),
            Self::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| (key.value(data), value.value(data)))
                    .collect();
                data.arena.map(&entries)
            }
        }
    }

    /// The constant that equals a value, if a program can own it.
    pub(crate) fn of<'v>(value: &Val<'v>, data: Data<'v>) -> Option<Self> {
        Some(match value {
            Val::Null => Self::Null,
            Val::Bool(value) => Self::Bool(*value),
            Val::Int(value) => Self::Int(*value),
            Val::Uint(value) => Self::Uint(*value),
            Val::Double(value) => Self::Double(*value),
            Val::String(text) => Self::String((*text).into()),
            Val::Bytes(bytes) => Self::Bytes((*bytes).into()),
            Val::Duration(value) => Self::Duration(*value),
            Val::Timestamp(value) => Self::Timestamp(*value),
            Val::Type(ty) => Self::Type(Arc::new((*ty).clone())),
            Val::List(list) => {
                let items: Option<Vec<Self>> =
                    list.iter(data).map(|item| Self::of(&item.ok()?, data)).collect();
                Self::List(items?.into())
            }
            Val::Map(map) => {
                let entries: Option<Vec<(Self, Self)>> = map
                    .iter(data)
                    .map(|(key, value)| {
                        Some((Self::of(&key, data)?, Self::of(&value.ok()?, data)?))
                    })
                    .collect();
                Self::Map(entries?.into())
            }
            Val::Optional(_) | Val::Opaque(_) | Val::Object(_) => return None,
        })
    }

    /// Whether membership in a list of such constants is looked up rather than computed.
    pub(crate) fn is_set_member(&self) -> bool {
        matches!(
            self,
            Self::Bool(_) | Self::Int(_) | Self::Uint(_) | Self::Double(_) | Self::String(_)
        )
    }
}

impl From<&Literal> for Constant {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::String(Arc::clone(text)),
            Literal::Bytes(bytes) => Self::Bytes(Arc::clone(bytes)),
        }
    }
}
