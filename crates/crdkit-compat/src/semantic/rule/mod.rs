//! Rules as formulas: what follows from them, and what may break them.
//!
//! A `formula` is made of conjunctions, disjunctions and tests of single terms; `read` makes it from the
//! text of a rule, `spell` writes terms so that equal ones look alike. `imply` decides whether one formula
//! makes another true, `guarantee` whether a schema does; `probe` names the values that are worth trying when neither does, `reads` what
//! a rule looks at. What a formula does not understand it keeps as text, which follows from nothing but itself.

mod formula;
mod guarantee;
mod imply;
mod probe;
mod read;
mod reads;
mod spell;

pub(super) use formula::{Formula, Hop, OldSelf, plain};
pub(super) use guarantee::Guarantee;
pub(super) use imply::{implies, implies_presence};
pub(super) use probe::{Choice, probes};
pub(super) use reads::Reads;
