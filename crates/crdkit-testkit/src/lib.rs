//! Tests written as Markdown.
//!
//! A Markdown file is a sequence of fenced [`Block`]s; the words after a fence say what a block is, such
//! as `yaml schema` or `yaml object`. What a block means is the business of the test that reads it.
//! Expectations stand as comments on the lines they are about: see [`Block::notes`]. [`run`] takes the
//! blocks under one heading for a [`Case`], hands it to the code under test and compares.
//!
//! The crate depends on no other crate of the workspace, so any of them can use it in its tests.
#![expect(clippy::disallowed_methods, reason = "test files are read from disk")]

mod expect;
mod markdown;

pub use expect::{Case, Finding, run};
pub use markdown::{Block, blocks, parse};
