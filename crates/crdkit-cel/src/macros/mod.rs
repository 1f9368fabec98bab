//! Macros: calls that the parser replaces by other expressions.
//!
//! A macro is found by name, number of arguments and whether it is called on a target. Everything a macro creates gets
//! the position of the macro call, as in cel-go, so that errors inside an expansion point at it.

mod expand;

pub(crate) use expand::Expander;

use crate::source::Position;

/// Groups of macros an environment can switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroGroup {
    /// `has`, `all`, `exists`, `exists_one`, `map`, `filter`.
    Standard,
    /// One-variable `existsOne`.
    ExistsOne,
    /// `all(i, v, …)`, `transformMap` and their like.
    TwoVariables,
    /// `optMap`, `optFlatMap`.
    Optional,
    /// `sortBy`.
    SortBy,
    /// `cel.bind`.
    Bind,
    /// `cel.block`, `cel.index`, `cel.iterVar`, `cel.accuVar`.
    Block,
    /// `math.greatest`, `math.least`.
    Math,
}

/// The macros of an environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct MacroSet(Vec<MacroGroup>);

impl MacroSet {
    pub(crate) fn enable(&mut self, group: MacroGroup) {
        if !self.0.contains(&group) {
            self.0.push(group);
        }
    }

    pub(crate) fn find(&self, function: &str, arguments: usize, member: bool) -> Option<Macro> {
        let (group, found) = match (function, arguments, member) {
            ("has", 1, false) => (MacroGroup::Standard, Macro::Has),
            ("all", 2, true) => (MacroGroup::Standard, Macro::All),
            ("exists", 2, true) => (MacroGroup::Standard, Macro::Exists),
            ("exists_one", 2, true) => (MacroGroup::Standard, Macro::ExistsOne),
            ("existsOne", 2, true) => (MacroGroup::ExistsOne, Macro::ExistsOne),
            ("map", 2 | 3, true) => (MacroGroup::Standard, Macro::Map),
            ("filter", 2, true) => (MacroGroup::Standard, Macro::Filter),
            ("all", 3, true) => (MacroGroup::TwoVariables, Macro::All),
            ("exists", 3, true) => (MacroGroup::TwoVariables, Macro::Exists),
            ("existsOne" | "exists_one", 3, true) => (MacroGroup::TwoVariables, Macro::ExistsOne),
            ("transformList", 3 | 4, true) => (MacroGroup::TwoVariables, Macro::TransformList),
            ("transformMap", 3 | 4, true) => (MacroGroup::TwoVariables, Macro::TransformMap),
            ("transformMapEntry", 3 | 4, true) => {
                (MacroGroup::TwoVariables, Macro::TransformMapEntry)
            }
            ("optMap", 2, true) => (MacroGroup::Optional, Macro::OptionalMap),
            ("optFlatMap", 2, true) => (MacroGroup::Optional, Macro::OptionalFlatMap),
            ("sortBy", 2, true) => (MacroGroup::SortBy, Macro::SortBy),
            ("bind", 3, true) => (MacroGroup::Bind, Macro::Bind),
            ("block", 2, true) => (MacroGroup::Block, Macro::Block),
            ("index", 1, true) => (MacroGroup::Block, Macro::BlockVariable("@index")),
            ("iterVar", 2, true) => (MacroGroup::Block, Macro::BlockVariable("@it")),
            ("accuVar", 2, true) => (MacroGroup::Block, Macro::BlockVariable("@ac")),
            ("greatest", _, true) => {
                (MacroGroup::Math, Macro::MathExtreme("math.greatest()", "math.@max"))
            }
            ("least", _, true) => {
                (MacroGroup::Math, Macro::MathExtreme("math.least()", "math.@min"))
            }
            _ => return None,
        };
        self.0.contains(&group).then_some(found)
    }
}

/// A macro that a call matched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Macro {
    Has,
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
    TransformList,
    TransformMap,
    TransformMapEntry,
    OptionalMap,
    OptionalFlatMap,
    SortBy,
    Bind,
    Block,
    BlockVariable(&'static str),
    /// Name in messages, and the function it becomes.
    MathExtreme(&'static str, &'static str),
}

/// Arguments that do not fit the macro.
#[derive(Debug)]
pub(crate) struct MacroError {
    pub(crate) position: Position,
    pub(crate) message: String,
}
