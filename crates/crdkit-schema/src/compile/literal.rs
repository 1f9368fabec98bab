//! Values that a schema holds: defaults and the entries of an enum.

use crdkit_value::{Document, Kind, Value};

/// Names a literal in the table that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiteralId(pub(crate) u32);

/// Names a default in the table that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DefaultId(pub(crate) u32);

/// A value on its own, scalars without a document around them.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(Box<str>),
    /// An array or object, or a number as text.
    Tree(Box<Document>),
}

impl Literal {
    pub(crate) fn new(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(bool) => Self::Bool(bool),
            Kind::Int(int) => Self::Int(int),
            Kind::Float(float) => Self::Float(float),
            Kind::String(text) => Self::String(text.into()),
            // A number that is kept as text is kept so here too.
            Kind::Number(_) | Kind::Array(_) | Kind::Object(_) => {
                Self::Tree(Box::new(Document::copy_of(value)))
            }
        }
    }
}
