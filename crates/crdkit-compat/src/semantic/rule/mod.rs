//! Rules as formulas: what follows from them, and what may break them.
//!
//! `formula` reads the text of a rule into conjunctions, disjunctions and tests of single terms; `imply`
//! decides whether one formula, or a schema, makes another true; `probe` names the values that are worth
//! trying when neither does, `reads` what a rule does not look at. What a formula does not understand it keeps as text, which follows from
//! nothing but itself.

mod formula;
mod imply;
mod probe;
mod reads;

pub(super) use formula::{Formula, Hop, OldSelf, plain};
pub(super) use imply::{Guarantee, implies, implies_presence};
pub(super) use probe::{Choice, probes};
pub(super) use reads::Reads;
