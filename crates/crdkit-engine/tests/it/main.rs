//! The engine as its users see it.
#![expect(clippy::expect_used, reason = "tests")]

mod hostile;
mod markdown;
mod properties;
mod status;
mod stream;
mod support;
