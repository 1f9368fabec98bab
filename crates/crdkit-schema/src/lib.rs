//! `CustomResourceDefinition`s and OpenAPI schemas: read, checked, compiled.
//!
//! Reading turns a decoded document into the [`model`], which keeps what was written and where.
//! [`compile`] turns that into tables which borrow nothing, and [`prune`] and [`validate`] hold values
//! against them.

pub mod compile;
pub mod model;
pub mod prune;
pub mod validate;
