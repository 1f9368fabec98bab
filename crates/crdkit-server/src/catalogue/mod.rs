//! What the server serves.

pub(crate) mod native;
pub mod resource;
pub(crate) mod snapshot;
