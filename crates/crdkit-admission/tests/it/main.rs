//! Tests of the crate from outside.
#![expect(clippy::unwrap_used, reason = "tests")]

mod policy;
mod webhook;
