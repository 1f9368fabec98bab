//! Patches of objects, as the API server applies them.
//!
//! [`json`] is JSON Patch (RFC 6902), [`merge`] is merge patch (RFC 7396); both as the server's library does them, which
//! is more lenient than the RFCs here and there. Reading a patch and applying it are two steps, because a server
//! looks for the object in between.
//!
//! [`strategic`] is strategic merge patch, for kinds with [`Definitions`]; [`diff`] computes patches of all three kinds.
//! [`managed`] is about who owns which fields: writes are tracked, and server-side apply lays a configuration over an object
//! as its schema says.
//!
//! [`merge_configuration`] lays an object over another one in the same way without anybody owning anything.
//!
//! Every patch changes a [`crdkit_value::Document`] wholly or not at all. What is wrong with a patch is a
//! [`PatchError`], and its [`PatchError::status`] is the server's answer.
//!
//! No I/O and no clock: a time is passed in where one is written.

mod configuration;
mod definitions;
pub mod diff;
mod error;
pub mod json;
mod limits;
pub mod managed;
pub mod merge;
mod set;
pub mod strategic;
mod typed;

pub use configuration::merge_configuration;
pub use definitions::Definitions;
pub use error::PatchError;
pub use limits::PatchLimits;
pub use typed::Schema;
