//! `CustomResourceDefinition`s: read, checked, compiled; and values held against them.
//!
//! [`decode`] says what the API server's typed decoder says about a document, [`read`] turns it into
//! the [`model`], which keeps what was written and where, and [`check`] holds the model against every
//! rule the server has for CRDs. [`compile`] turns the model into tables that borrow nothing, which
//! [`prune`], [`defaults`] and [`validate`] hold values against. [`set`] finds one of many CRDs and compiles it when
//! it is first asked for. [`status`] puts findings into the server's words.

pub mod check;
pub mod compile;
pub mod decode;
pub mod defaults;
pub mod embedded;
pub mod export;
pub mod field_path;
pub mod keeps;
pub mod lookup;
pub mod metadata;
pub mod model;
pub mod path;
pub mod place;
pub mod prune;
pub mod read;
pub mod rules;
pub mod set;
pub mod spans;
pub mod status;
pub mod validate;

mod equal;
mod internal_json;
mod pem;
mod time;
