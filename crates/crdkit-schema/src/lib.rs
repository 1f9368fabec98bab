//! `CustomResourceDefinition`s and OpenAPI schemas: read, checked, compiled.
//!
//! Reading turns a decoded document into the [`model`], which keeps what was written and where.

pub mod model;
