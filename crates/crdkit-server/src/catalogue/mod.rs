//! What the server serves.

pub mod definition;
pub(crate) mod native;
pub mod resource;
pub(crate) mod snapshot;
