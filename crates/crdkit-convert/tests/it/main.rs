//! Conversions by rules: what becomes of objects, what is proved, and input that nobody means.
#![expect(clippy::expect_used, reason = "tests")]

mod hostile;
mod markdown;
