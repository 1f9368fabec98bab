//! What is told about requests afterwards: figures for whoever graphs them, and a line each for whoever audits them.

mod audit;
mod metrics;

pub use audit::AuditLevel;
pub(crate) use audit::{AuditLog, Ended};
pub(crate) use metrics::{InFlight, Labels, Metrics};
