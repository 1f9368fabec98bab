//! What the server serves.

pub mod resource;
