//! JSON Patch (RFC 6902), as the server's library does it.
//!
//! Takes operations, gives the object they make. More lenient than the RFC: `replace` adds a member that is not
//! there, negative positions count from the end, a missing `value` is `null`, what is before the first slash of a
//! path is passed over, `copy` of a member that is not there copies `null`. Stricter: only an object or a
//! list can take the place of the whole.
//!
//! Upstream: `github.com/evanphx/json-patch`.

mod operation;
mod read;

pub use operation::OperationError;
pub use read::JsonPatch;
