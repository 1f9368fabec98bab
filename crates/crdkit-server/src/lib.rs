//! The API server for custom resources and native kinds.

pub mod catalogue;
pub mod digest;
pub mod discovery;
pub mod openapi;
pub mod table;
