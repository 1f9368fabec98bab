//! The API server's typed decoding, as findings.
//!
//! The server reads objects into Go structs: a value of the wrong JSON type is refused, and in strict
//! mode so is a key that no field has or that is given twice. [`types`] describes the structs as
//! tables, [`check`] walks a document beside them, [`not_a_crd`] looks at what comes before that.
//!
//! Upstream: `sigs.k8s.io/json`, and the custom unmarshallers of apiextensions' v1 types.

mod check;
mod envelope;
pub mod types;

pub use check::{check, strict_path};
pub use envelope::not_a_crd;
