//! Schemas without CRDs as their users see them.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

mod arbitrary;
mod cases;
mod cel;
mod engine;
mod properties;
mod rules;
mod stream;
mod support;
#[cfg(feature = "serde")]
mod typed;
