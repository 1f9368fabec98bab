//! Tests of patches: Markdown cases, properties, hostile input.
#![expect(clippy::expect_used, reason = "tests")]

mod hostile;
mod markdown;
mod properties;
