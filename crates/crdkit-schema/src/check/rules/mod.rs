//! `x-kubernetes-validations`: what can be said about a rule without and with compiling it.

mod text;

#[cfg(feature = "cel")]
mod budget;
#[cfg(feature = "cel")]
mod cost;
#[cfg(feature = "cel")]
mod judge;
#[cfg(feature = "cel")]
mod scope;
#[cfg(feature = "cel")]
mod site;
#[cfg(not(feature = "cel"))]
mod unjudged;

#[cfg(feature = "cel")]
pub use budget::{Bound, RuleCost, costs};
#[cfg(feature = "cel")]
pub use judge::evaluate;
#[cfg(feature = "cel")]
pub use site::Site;

pub(super) use text::check_text;

#[cfg(feature = "cel")]
pub(super) use cost::Costs;
#[cfg(feature = "cel")]
pub(super) use judge::{Defaults, Knowledge, check};
#[cfg(feature = "cel")]
pub(super) use scope::RuleScope;
#[cfg(not(feature = "cel"))]
pub(super) use unjudged::{Costs, Defaults, Knowledge, RuleScope, check};
