//! Native kinds from the outside.

#![expect(clippy::expect_used, reason = "tests")]

mod hostile;
mod markdown;
mod protobuf;
mod table;
