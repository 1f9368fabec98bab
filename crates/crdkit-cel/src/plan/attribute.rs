//! Chains of selections and indexes from one base: `self.spec.list[0].name`.

use super::StepId;
use crate::ast::Name;
use crate::shape::ShapeId;
use crate::value::Constant;

/// What a chain starts from.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// A variable of the environment.
    Variable(u32),
    /// A loop variable or binding.
    Local(u32),
    /// The value of a condition's chosen branch.
    Conditional(StepId, StepId, StepId),
    /// Any other value.
    Value(StepId),
    /// A name nothing declares.
    Unknown(Name),
}

/// A member whose place in the shape was found beforehand.
#[derive(Clone, Debug)]
pub(crate) struct KnownMember {
    pub(crate) object: ShapeId,
    pub(crate) key: Name,
    pub(crate) shape: ShapeId,
}

/// One step of a chain.
#[derive(Clone, Debug)]
pub(crate) enum Qualifier {
    Field { name: Name, known: Option<KnownMember>, optional: bool },
    Constant { key: Constant, optional: bool },
    Computed { key: StepId, optional: bool },
}

/// Something a program reads: a variable, or a member of what it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Read<'p> {
    /// The variable.
    pub variable: &'p str,
    /// The way down from it: each name in the expression with the key in the document.
    pub steps: Vec<(&'p str, &'p str)>,
}

impl Attribute {
    /// What the chain reads, if every step of it is a known member.
    pub(crate) fn read<'p>(&'p self, variables: &'p [Name]) -> Option<Read<'p>> {
        let Base::Variable(slot) = self.base else { return None };
        let variable = variables.get(slot as usize)?;
        let step = |qualifier: &'p Qualifier| match qualifier {
            Qualifier::Field { name, known: Some(known), .. } => Some((&**name, &*known.key)),
            _ => None,
        };
        // A chain that goes on by index or key is shown as far as it goes by name.
        let steps = self.qualifiers.iter().map_while(step).collect();
        Some(Read { variable, steps })
    }

    pub(crate) fn new(base: Base) -> Self {
        Self { base, qualifiers: Vec::new(), test_only: false, direct: false }
    }

    pub(crate) fn push(&mut self, qualifier: Qualifier, test_only: bool) {
        let known = matches!(qualifier, Qualifier::Field { known: Some(_), optional: false, .. });
        self.direct = known && (self.direct || self.qualifiers.is_empty());
        self.qualifiers.push(qualifier);
        self.test_only = test_only;
    }
}

/// A chain.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) base: Base,
    pub(crate) qualifiers: Vec<Qualifier>,
    /// `has(…)`: the last step is only tested.
    pub(crate) test_only: bool,
    /// Every step is a known member and none is optional.
    pub(crate) direct: bool,
}
