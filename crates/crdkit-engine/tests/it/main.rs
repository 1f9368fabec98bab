//! The engine as its users see it.
#![expect(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod generate;
mod hostile;
mod markdown;
mod phases;
mod properties;
mod status;
mod support;
