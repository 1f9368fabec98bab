//! Tests of the crate from outside.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod check;
mod markdown;
mod policy;
mod webhook;
