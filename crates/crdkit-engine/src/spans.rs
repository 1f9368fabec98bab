//! Where findings stand in the source.
//!
//! Objects are decoded without positions. When something was found in one that came as text, it is
//! decoded once more with them; ids are the same both times.

use crate::findings::Findings;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_schema::spans;
use crdkit_value::{Document, Duplicates, Limits, NodeId};

/// Gives every finding its place, looking into `source` if `document` does not know places itself.
pub fn fill(
    findings: &mut Findings,
    document: &Document,
    source: Option<(Format, &[u8])>,
    limits: &Limits,
    dropped: &[NodeId],
) {
    if findings.entries.is_empty() {
        return;
    }
    let again = source.and_then(|(format, bytes)| {
        let options = DecodeOptions::new()
            .limits(limits.clone())
            .duplicates(Duplicates::Error)
            .positions(true);
        format.decode(bytes, &options).ok()
    });
    spans::fill(&mut findings.entries, document, again.as_ref(), dropped);
}
