//! Documents: what decoders build, stages change and encoders write.
//!
//! A [`Document`] owns everything about one decoded document: its values as a flat table of nodes,
//! all its text in one string, and optionally where each value stood in the source. [`Value`] is a
//! view of one node: two words, copied freely. Decoders hand [`Event`]s to a [`Builder`], which is
//! the place that knows about duplicate keys, depth and size [`Limits`]; [`CountedBuilder`] is a faster way
//! for input that announces what comes.
//!
//! A document is an editable tree: every edit takes a [`NewValue`], a literal, a copy or a value that is moved.
//! Values have one equality, order and hash; [`MemberIndex`] finds members of large objects.
//!
//! A [`PresenceMap`] remembers beside a document which of its places the source really had.
//!
//! Numbers are `i64` or `f64`, as Kubernetes keeps them. Objects keep input order. No function
//! recurses on a document, so nesting is bounded by [`Limits`] and not by a thread's stack.

mod build;
mod compare;
mod copy;
mod counted;
mod cursor;
mod document;
mod edit;
mod event;
mod exact;
mod find;
mod index;
mod items;
mod limits;
mod links;
mod literal;
mod new_value;
mod node;
mod piece;
mod positions;
mod presence;
#[cfg(feature = "serde")]
mod serde;
mod show;
mod source;
mod suspend;
mod value;
mod walk;
mod writer;

pub use build::{Builder, Duplicates};
pub use counted::{CountedBuilder, Rows};
pub use cursor::Cursor;
pub use document::Document;
pub use event::{Event, NumberMode};
pub use index::MemberIndex;
pub use limits::Limits;
pub use new_value::NewValue;
pub use node::{NodeId, Tag};
pub use piece::Piece;
pub use positions::SourceSpans;
pub use presence::{
    Collected, Presence, PresenceCounts, PresenceFilter, PresenceIter, PresenceMap,
};
pub use suspend::Suspended;
pub use value::{Items, Kind, Members, Value};
pub use walk::ValueEvents;
pub use writer::Writer;
