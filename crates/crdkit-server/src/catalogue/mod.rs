//! What the server serves.

pub mod resource;
pub(crate) mod snapshot;
