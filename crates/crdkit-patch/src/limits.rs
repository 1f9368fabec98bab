//! How much of a patch is accepted.

use crdkit_value::Limits;

/// Bounds on a patch; the edge that knows who sends it decides them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLimits {
    /// Bounds on the patch as a document.
    pub document: Limits,
    /// Operations of one JSON Patch.
    pub operations: usize,
    /// Bytes of JSON text that all `copy` operations of one JSON Patch may copy.
    pub copied: usize,
}

impl Default for PatchLimits {
    /// What the API server accepts.
    fn default() -> Self {
        Self { document: Limits::default(), operations: 10_000, copied: 3 << 20 }
    }
}
