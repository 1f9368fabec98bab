//! The common rules in a form that needs no values: tests of places in the document.
//!
//! Most rules compare fields with constants, ask whether they are there, and join such tests; some do so for each item
//! of a list. What is to be read, and as what, is known when the program is made, so a test can read the document's
//! nodes and answer without making values. Wherever the document is not as its shape says, a field is missing or a
//! number overflows, there is no answer, and the whole program runs as usual and finds the error and its cost. What a
//! test charges is what its steps would.

mod build;

pub(super) use build::quick;

use crdkit_text::regex::Regex;

use super::Order;
use crate::ast::Name;
use crate::shape::{ShapeId, ShapeKind};

/// A test.
#[derive(Debug)]
pub(crate) enum Quick {
    Known(bool),
    /// Whether the last step of a way is there.
    Has(Way),
    /// A boolean field.
    Flag(Way),
    Text(QuickText, TextTest),
    /// Equality of two texts, or inequality.
    Texts {
        left: QuickText,
        right: QuickText,
        negated: bool,
    },
    Number {
        test: NumberTest,
        left: Number,
        right: Number,
    },
    /// Whether two tests come out alike, or not.
    Alike {
        tests: Box<(Quick, Quick)>,
        negated: bool,
    },
    /// Whether a list has this text, or a map this key.
    Contains {
        collection: Way,
        text: Name,
        is_list: bool,
    },
    And(Box<(Quick, Quick)>),
    Or(Box<(Quick, Quick)>),
    Not(Box<Quick>),
    /// The same, at the cost of a comparison.
    Is(Box<Quick>),
    If(Box<(Quick, Quick, Quick)>),
    Each(Box<Each>),
}

/// What is asked of a text.
#[derive(Debug)]
pub(crate) enum TextTest {
    Equals { other: Name, negated: bool },
    In(Box<[Name]>),
    StartsWith { affix: Name, cost: u64 },
    EndsWith { affix: Name, cost: u64 },
    Contains { part: Name, cost: u64 },
    Matches(Regex),
}

/// What is asked of two integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberTest {
    Equal,
    NotEqual,
    Order(Order),
}

/// A text.
#[derive(Debug)]
pub(crate) enum QuickText {
    Known(Name),
    Field(Way),
    If(Box<(Quick, QuickText, QuickText)>),
}

/// An integer.
#[derive(Debug)]
pub(crate) enum Number {
    Known(i64),
    Field(Way),
    Size(Way),
    /// How many items of a list pass a filter, each of which must be what the second says.
    Count(Box<Each>, Leaf),
    Sum(Box<(Number, Number)>),
    If(Box<(Quick, Number, Number)>),
}

/// A loop over the items of a list.
#[derive(Debug)]
pub(crate) struct Each {
    pub(crate) list: Way,
    pub(crate) local: u32,
    pub(crate) test: Quick,
    pub(crate) kind: EachKind,
}

/// What a loop asks of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EachKind {
    All,
    Exists,
    ExistsOne,
    Filter,
}

/// The way to a place in the document.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) start: Start,
    pub(crate) steps: Box<[AccessStep]>,
    pub(crate) leaf: Leaf,
    /// What going it costs.
    pub(crate) cost: u64,
}

/// Where a way starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// A variable, which must be of this shape if it is an object.
    Variable(u32, Option<ShapeId>),
    Local(u32),
}

/// A step of a way.
#[derive(Debug)]
pub(crate) enum AccessStep {
    /// To a member; null is none.
    Member(Name),
    /// To an entry of a map.
    Entry(Name),
    /// To an item of a list.
    Item(usize),
}

/// What stands at the end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Bool,
    Int,
    Text,
    List,
    Map,
    Object,
    Double,
    IntOrString,
    Other,
}

impl Leaf {
    pub(crate) fn of(kind: &ShapeKind) -> Self {
        match kind {
            ShapeKind::Bool => Self::Bool,
            ShapeKind::Int => Self::Int,
            ShapeKind::String => Self::Text,
            ShapeKind::List { .. } => Self::List,
            ShapeKind::Map { .. } => Self::Map,
            ShapeKind::Object { .. } => Self::Object,
            ShapeKind::Double => Self::Double,
            ShapeKind::IntOrString => Self::IntOrString,
            _ => Self::Other,
        }
    }
}
