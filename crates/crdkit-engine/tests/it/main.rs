//! The engine as its users see it.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

mod generate;
mod hostile;
mod markdown;
mod properties;
mod schema_cases;
mod schema_properties;
mod schema_rules;
#[cfg(feature = "serde")]
mod schema_typed;
mod status;
mod stream;
mod support;
