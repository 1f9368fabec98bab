//! Points in time, as Go reads them into metadata.

use crdkit_text::timestamp::Timestamp;

/// Why `text` is not a point in time, in Go's words.
pub(crate) fn problem(text: &str) -> Option<String> {
    Timestamp::parse_rfc3339(text).err().map(|error| error.to_string())
}
