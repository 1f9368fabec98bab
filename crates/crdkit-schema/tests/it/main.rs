//! Tests of the public interface: rules as Markdown, properties, hostile input.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod export;
mod fixtures;
mod hostile;
mod mdtest;
mod properties;
mod rules;
mod set;
mod status;
mod support;
