//! One file per command: from arguments to work to exit code.

pub(crate) mod cel;
pub(crate) mod compat;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod default;
pub(crate) mod docs;
#[cfg(feature = "serve")]
pub(crate) mod envtest;
pub(crate) mod explain;
pub(crate) mod fetch;
pub(crate) mod fields;
pub(crate) mod lint;
pub(crate) mod pr;
pub(crate) mod sample;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod validate;
#[cfg(feature = "serve")]
pub(crate) mod webhook;
