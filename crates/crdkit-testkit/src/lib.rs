//! Tests as Markdown: cases that read as the specification.
//!
//! A file holds prose and fenced code blocks. The info string of a block gives its language and its
//! role (`yaml schema`); blocks under one heading belong together as a [`Case`]. What is expected of a
//! block stands in comments on the lines it is about (`# issue: max-length`). [`run`] hands each case
//! to the code under test, which answers with what it found and on which line, and compares.
//!
//! Depends on no other crate of the workspace, so every crate may use it in its tests.

mod expect;
mod markdown;

pub use expect::{Finding, run};
pub use markdown::{Block, Case, cases};
