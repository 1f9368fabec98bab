//! Strategic merge patch: a merge patch that knows how lists are merged.
//!
//! Takes an object, a patch and the definition of the kind. Lists whose strategy is `merge` are merged by their merge key, or by
//! value if they hold no objects; other lists are replaced. Directives in the patch say what members and items cannot:
//! `$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`.
//!
//! The object is changed wholly or not at all.
//!
//! Upstream: `apimachinery/pkg/util/strategicpatch`.

mod directive;
mod error;
mod list;
mod merge;

pub use error::StrategicError;

use crate::Schema;
use crate::error::json_type;
use crate::{PatchError, PatchLimits};
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Issue;
use crdkit_value::{Document, Tag, Value};

/// A strategic merge patch that was read.
#[derive(Clone, Debug)]
pub struct StrategicPatch {
    document: Document,
    repeated: Vec<Issue>,
}

impl StrategicPatch {
    /// Reads a patch.
    ///
    /// # Errors
    /// When `bytes` are not JSON, or not an object.
    pub fn read(bytes: &[u8], limits: &PatchLimits) -> Result<Self, PatchError> {
        let options = DecodeOptions::new().limits(limits.document.clone());
        let decoded = json::decode(bytes, &options).map_err(PatchError::Malformed)?;
        let root = decoded.document.root();
        if !matches!(root.tag(), Tag::Object | Tag::Null) {
            let (found, expected) = (json_type(root), "map[string]interface {}");
            return Err(PatchError::WrongType { found, expected });
        }
        Ok(Self { document: decoded.document, repeated: decoded.issues })
    }

    /// Keys that the patch has more than once; their last values count.
    pub fn repeated(&self) -> &[Issue] {
        &self.repeated
    }

    /// The patch itself.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies the patch to `object`, whose kind `schema` is the definition of.
    ///
    /// # Errors
    /// When the patch cannot be applied; the object is what it was then.
    pub fn apply(&self, object: &mut Document, schema: &Schema<'_>) -> Result<(), StrategicError> {
        apply(object, self.document.root(), schema)
    }
}

/// Applies `patch` to `object`, whose kind `schema` is the definition of.
///
/// # Errors
/// When the patch cannot be applied; the object is what it was then.
pub fn apply(
    object: &mut Document,
    patch: Value<'_>,
    schema: &Schema<'_>,
) -> Result<(), StrategicError> {
    let mut patched = object.clone();
    merge::merge(&mut patched, patch, schema)?;
    *object = patched;
    Ok(())
}
