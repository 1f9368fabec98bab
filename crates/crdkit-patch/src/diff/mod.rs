//! The computing side of patches: from two objects, or three, to the patch that makes one of the other.
//!
//! Two-way: `patch(old, diff(old, new)) = new`. Three-way, as `kubectl apply` does it on the client's side: what was applied last
//! and is not wanted any more is removed, what is wanted is set, and what others have added to the current object stays.
//!
//! [`fields`] compares two objects as their schema sees them, for people.
//!
//! A merge patch cannot set a member to null, so nulls of objects are as good as absent here.

mod fields;
mod json;
mod merge;
mod strategic;

pub use fields::{FieldChange, fields};
pub use json::json;
pub use merge::{merge, merge_three_way};
pub use strategic::{strategic, strategic_three_way};

/// Deeper values are replaced as a whole.
const MAX_DEPTH: usize = 500;
