//! The schemas of a CRD in other notations, for editors and for other programs.
//!
//! Takes a CRD and one of its versions, gives a document: [`json_schema`] is JSON Schema that any validator
//! of it understands, [`openapi`] an OpenAPI v3 document as the API server publishes one.

mod json_schema;
mod openapi;

pub use json_schema::{Strictness, json_schema};
pub use openapi::{SCALE_PATHS, STORAGE, openapi};
