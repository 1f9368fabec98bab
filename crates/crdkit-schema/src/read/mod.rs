//! Documents into the model.
//!
//! Reading never fails: what has the wrong JSON type counts as absent, because
//! [`crate::decode::check`] has already said so. What is too deep to be worked with is cut off and
//! reported. Nothing recurses on input.

mod crd;
mod fields;
mod metadata;
mod openapi;
mod schema;
mod v1beta1;
mod weight;

pub(crate) use crd::head;
pub use crd::{CrdRequest, crd, request};
pub use metadata::object_meta;
pub use openapi::{openapi, schema as bare_schema};
pub use schema::MAX_DEPTH;
pub use weight::MAX_DEFAULT;
