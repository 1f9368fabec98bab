//! Documents that are published about resources.
#![expect(clippy::expect_used, clippy::panic, reason = "tests")]

mod hostile;
mod markdown;
mod protobuf;
mod support;
