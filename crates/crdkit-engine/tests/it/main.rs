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
mod phases;
mod properties;
mod status;
mod support;
