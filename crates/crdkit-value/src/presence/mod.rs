//! Presence: which places of a document its source really had.
//!
//! A decoded value does not tell whether a member was left out and filled in from a default, or was
//! written; a [`PresenceMap`] does. It is a tree with one row per place, children sorted, names kept
//! once, so that it stays small beside the document and is read in path order. Places are those of the
//! value as the program sees it, after members were moved.
//!
//! Holds: collecting takes time in proportion to the document (times the logarithm of its widest
//! object); nothing recurses.

mod bits;
mod collect;
mod filter;
mod iter;
mod map;
mod names;

pub use bits::{Presence, PresenceCounts};
pub use collect::Collected;
pub use filter::PresenceFilter;
pub use iter::PresenceIter;
pub use map::PresenceMap;
