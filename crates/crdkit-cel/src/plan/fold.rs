//! Loops, by what their macro computes.
//!
//! The macros expand to one general loop with an accumulator. Nearly all of them have a known form; running that form
//! directly needs no accumulator variable and no intermediate lists. Costs are charged as if the general loop ran.

use super::StepId;

/// What a loop gathers.
#[derive(Debug)]
pub(crate) enum Collect {
    /// `accumulator + [value]`; `constant` when the list is one.
    List { value: StepId, constant: bool },
    /// An entry under the first variable.
    Entry { value: StepId },
    /// The entries of a map.
    Entries { map: StepId },
}

/// What a loop computes.
#[derive(Debug)]
pub(crate) enum FoldKind {
    All(StepId),
    Exists(StepId),
    ExistsOne(StepId),
    Collect { filter: Option<StepId>, collect: Collect },
}

/// A loop.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) range: StepId,
    /// Slot of the first variable; the second follows it.
    pub(crate) local: u32,
    pub(crate) two: bool,
    pub(crate) kind: FoldKind,
}
