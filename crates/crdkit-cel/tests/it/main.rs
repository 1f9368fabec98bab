//! Behaviour of the crate as its users see it.

mod environment;
mod fixture;
mod hostile;
mod markdown;
mod properties;
