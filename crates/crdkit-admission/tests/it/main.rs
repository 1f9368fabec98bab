//! Tests of the crate from outside.

mod policy;
mod webhook;
