//! What expressions cost: before they run, from bounds on their data, and while they run.
//!
//! Both follow the API server: cel-go's estimator and tracker with Kubernetes' table of function costs, because budgets
//! are only comparable if every step is counted alike.

mod estimate;
mod model;
mod range;

pub(crate) use estimate::estimate;
pub use range::Range;

pub(crate) use model::{CostModel, TEXT_FACTOR, scaled};

/// Cost of a variable or a selection.
pub(crate) const SELECT: u64 = 1;
/// Cost of creating a list.
pub(crate) const LIST: u64 = 10;
/// Cost of creating a map.
pub(crate) const MAP: u64 = 30;
/// Cost of creating a message.
pub(crate) const STRUCT: u64 = 40;
