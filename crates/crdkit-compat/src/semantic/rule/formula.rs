//! A rule, read into a formula in which equal meanings look alike.
//!
//! Negations are pushed down to the tests, a comparison has its constant on the right, conditionals are
//! spelled out, `all` and `exists` are kept as such. A formula is true exactly when the rule is: a part
//! that fails makes neither true.

use super::read::FormulaReader;
use crdkit_schema::rules::Environments;
use std::cmp::Ordering;

/// What a rule says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) enum Formula {
    /// All of these; without any, nothing.
    All(Vec<Self>),
    /// One of these.
    Any(Vec<Self>),
    /// A term on one side of a constant.
    Compare(Term, Side, Constant),
    /// A term is one of some constants, or none of them.
    Among(Term, Vec<Constant>, bool),
    /// A field is there, or not.
    Has(Term, bool),
    /// A text matches a pattern, or does not.
    Matches(Term, String, bool),
    /// A term can be evaluated.
    Present(Term),
    /// A formula about all elements of a term, or about one of them.
    Each(Term, Box<Self>, bool),
    /// Anything else, with the places it reads and the tests it makes on the way.
    Opaque(String, Vec<RulePath>, Vec<Self>),
}

/// Where a term is, as seen from a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum Side {
    /// Below, without the constant.
    Below,
    /// Below or equal.
    AtMost,
    /// Above, without the constant.
    Above,
    /// Above or equal.
    AtLeast,
}

/// Something that is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) struct Term {
    /// Equal texts are equal terms.
    pub(in crate::semantic) text: String,
    /// Where it is, from the value the rule is about.
    pub(in crate::semantic) place: Option<RulePath>,
    /// Whether it is the size of what is there.
    pub(in crate::semantic) is_size: bool,
}

/// The way from the value that a rule is about.
pub(in crate::semantic) type RulePath = Vec<Hop>;

/// One step of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum Hop {
    /// A field, as expressions spell it.
    Field(String),
    /// Any element.
    Element,
}

/// A value that is written in a rule.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) enum Constant {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
}

/// What `oldSelf` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum OldSelf {
    /// A value of its own.
    Apart,
    /// The same value as `self`, as in an update that does not touch it.
    Same,
}

/// Longer formulas are not worth the while.
const MOST_NODES: usize = 2_000;

impl Formula {
    /// What the rule says, if it can be read.
    pub(in crate::semantic) fn read(rule: &str, old_self: OldSelf) -> Option<Self> {
        let checked = Environments::shared().stored.parse_unchecked(rule).ok()?;
        let ast = checked.ast();
        let reader = FormulaReader { ast, old_self };
        (ast.len() <= MOST_NODES).then(|| reader.formula(ast.root(), true, &mut Vec::new()))
    }

    /// The parts that all hold.
    pub(in crate::semantic) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(parts) => parts,
            other => vec![other],
        }
    }

    pub(super) fn all(parts: Vec<Self>) -> Self {
        let parts = flat(parts, |part| match part {
            Self::All(parts) => Ok(parts),
            other => Err(other),
        });
        parts.unwrap_or_else(Self::All)
    }

    pub(super) fn any(parts: Vec<Self>) -> Self {
        let parts = flat(parts, |part| match part {
            Self::Any(parts) => Ok(parts),
            other => Err(other),
        });
        parts.unwrap_or_else(Self::Any)
    }
}

/// The parts with those of the same kind taken apart; the part itself when there is only one.
fn flat(
    parts: Vec<Formula>,
    inner: impl Fn(Formula) -> Result<Vec<Formula>, Formula>,
) -> Result<Formula, Vec<Formula>> {
    let mut out: Vec<Formula> = Vec::new();
    for part in parts {
        let parts = inner(part).unwrap_or_else(|other| vec![other]);
        for part in parts {
            if !out.contains(&part) {
                out.push(part);
            }
        }
    }
    match out.len() {
        1 => out.pop().ok_or(Vec::new()),
        _ => Err(out),
    }
}

impl Side {
    pub(super) fn flipped(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Below => Self::AtLeast,
            Self::AtMost => Self::Above,
            Self::Above => Self::AtMost,
            Self::AtLeast => Self::Below,
        }
    }

    /// Whether something that compares like this with the constant is on this side of it.
    pub(in crate::semantic) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Below => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Above => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Constant {
    /// The order of two constants of one kind.
    pub(in crate::semantic) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(right),
            (Self::Text(left), Self::Text(right)) => Some(left.cmp(right)),
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }
}

impl Term {
    /// A field of it.
    pub(super) fn field(self, name: &str) -> Self {
        let place = self.place.map(|mut place| {
            place.push(Hop::Field(plain(name).to_owned()));
            place
        });
        Self { text: format!("{}.{}", self.text, plain(name)), place, is_size: false }
    }
}

/// A field without what is put around reserved words.
pub(in crate::semantic) fn plain(name: &str) -> &str {
    let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    inner.filter(|inner| !inner.is_empty() && !inner.contains("__")).unwrap_or(name)
}
