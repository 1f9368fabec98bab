//! Discovery: which groups, versions and resources there are.
//!
//! Takes the resources that are served, gives the documents below `/api` and `/apis`: [`legacy`] has one for the list of
//! groups, one for each group and one for each version; [`aggregated`] has everything in one. Documents are the same for
//! the same resources, whatever order they come in.

pub mod aggregated;
mod group;
pub mod legacy;

pub use group::{Group, groups};
