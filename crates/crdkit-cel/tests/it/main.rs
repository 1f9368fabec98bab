//! Behaviour of the crate as its users see it.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod environment;
mod fixture;
mod hostile;
mod markdown;
mod properties;
