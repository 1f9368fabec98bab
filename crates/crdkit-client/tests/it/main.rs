//! Requests to a real server, and answers that real servers gave.
#![expect(clippy::unwrap_used, reason = "tests")]

mod answers;
mod cbor;
mod follow;
mod objects;
mod support;
mod verdicts;
