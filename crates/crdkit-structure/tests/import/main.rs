//! Tests of imported schemas: keywords as tables, properties against naive oracles, remarks, hostile input.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod alternatives;
mod contains;
mod documents;
mod examples;
mod hostile;
mod keywords;
mod pairs;
mod remarks;
mod reports;
mod support;
mod uniqueness;
mod unknown;
