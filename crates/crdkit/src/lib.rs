//! One engine for Kubernetes custom resources.
//!
//! This crate is the one to name in `Cargo.toml`; it re-exports the crates it is made of.

pub use crdkit_cel as cel;
pub use crdkit_codec as codec;
pub use crdkit_compat as compat;
pub use crdkit_engine as engine;
pub use crdkit_issue as issue;
pub use crdkit_sample as sample;
pub use crdkit_structure as structure;
pub use crdkit_text as text;
pub use crdkit_value as value;

/// Schemas: as a library ([`schema::import()`], [`schema::Schema`]), and the parts that CRDs are judged by.
pub mod schema {
    pub use crdkit_schema::*;
    pub use crdkit_structure::*;
}

pub use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions, Version};

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So are those of the guide to schemas.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/schema-engine.md")]
struct SchemaEngine;
