//! The API server for custom resources and native kinds.

pub mod catalogue;

mod query;
mod select;
