//! `CustomResourceDefinition`s and OpenAPI schemas: read, checked, compiled.
//!
//! [`decode`] says what the API server's typed decoder says about a document, [`read`] turns it into
//! the [`model`], which keeps what was written and where, and [`check`] holds the model against every
//! rule the server has for CRDs. [`status`] puts findings into the server's words.

pub mod check;
pub mod decode;
pub mod field_path;
pub mod go_json;
pub mod model;
pub mod read;
pub mod status;

mod base64;
mod embedded;
mod equal;
mod internal_json;
mod metadata;
mod path;
mod pem;
mod prune;
mod time;
mod validate;
