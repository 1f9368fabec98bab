//! `CustomResourceDefinition`s and OpenAPI schemas: read, checked, compiled.
//!
//! Reading turns a decoded document into the [`model`], which keeps what was written and where.
//! [`compile`] turns that into tables which borrow nothing, and [`prune`] and [`validate`] hold values
//! against them.

pub mod compile;
pub mod decode;
pub mod defaults;
pub mod go_json;
pub mod metadata;
pub mod model;
pub mod path;
pub mod prune;
pub mod read;
pub mod status;
pub mod validate;

mod base64;
mod equal;
mod time;
