//! Operations as they are written.
//!
//! Only what makes the whole patch unreadable is refused here; what is wrong with one operation is found when its
//! turn comes.

use super::operation::apply;
use crate::error::json_type;
use crate::{PatchError, PatchLimits};
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Issue;
use crdkit_schema::status::strict_text;
use crdkit_value::{Document, Tag, Value};

/// A JSON Patch that was read.
#[derive(Clone, Debug)]
pub struct JsonPatch {
    document: Document,
    repeated: Vec<Issue>,
    /// How many bytes may be copied.
    copied: usize,
}

/// One operation; what is not there or not text is `None`.
pub(super) struct Operation<'p> {
    pub(super) op: &'p str,
    pub(super) path: Option<&'p str>,
    pub(super) from: Option<&'p str>,
    pub(super) value: Option<Value<'p>>,
}

impl JsonPatch {
    /// Reads a patch.
    ///
    /// # Errors
    /// When `bytes` are not JSON, not a list of objects, or too many.
    pub fn read(bytes: &[u8], limits: &PatchLimits) -> Result<Self, PatchError> {
        let options = DecodeOptions::new().limits(limits.document.clone());
        let decoded = json::decode(bytes, &options).map_err(PatchError::Malformed)?;
        let mut patch = Self::from_document(decoded.document, limits)?;
        patch.repeated = decoded.issues;
        Ok(patch)
    }

    /// The patch that `document` is; `null` is one without operations.
    ///
    /// # Errors
    /// When it is not a list of objects, or too many.
    pub fn from_document(document: Document, limits: &PatchLimits) -> Result<Self, PatchError> {
        let root = document.root();
        let wrong = |value, expected| PatchError::WrongType { found: json_type(value), expected };
        if !matches!(root.tag(), Tag::Array | Tag::Null) {
            return Err(wrong(root, "[]handlers.jsonPatchOp"));
        }
        let is_operation = |item: &Value<'_>| matches!(item.tag(), Tag::Object | Tag::Null);
        if let Some(item) = root.items().find(|item| !is_operation(item)) {
            return Err(wrong(item, "handlers.jsonPatchOp"));
        }
        let (found, limit) = (root.items().len(), limits.operations);
        if found > limit {
            return Err(PatchError::TooManyOperations { limit, found });
        }
        Ok(Self { document, repeated: Vec::new(), copied: limits.copied })
    }

    /// Keys that the patch has more than once; their last values count.
    pub fn repeated(&self) -> &[Issue] {
        &self.repeated
    }

    /// Members that operations do not have, and keys that are there twice, in the server's words.
    ///
    /// # Errors
    /// When a member of an operation is not text that has to be.
    pub fn strict(&self) -> Result<Vec<String>, PatchError> {
        let mut texts = Vec::new();
        for (at, item) in self.document.root().items().enumerate() {
            for (key, member) in item.members() {
                let field = match key {
                    "op" => "jsonPatchOp.op",
                    "path" => "jsonPatchOp.path",
                    "from" => "jsonPatchOp.from",
                    "value" => continue,
                    _ => {
                        texts.push(format!("json patch unknown field \"[{at}].{key}\""));
                        continue;
                    }
                };
                if !matches!(member.tag(), Tag::String | Tag::Null) {
                    return Err(PatchError::WrongMember { found: json_type(member), field });
                }
            }
        }
        let repeated = self.repeated.iter().filter_map(strict_text);
        texts.extend(repeated.map(|text| format!("json patch {text}")));
        Ok(texts)
    }

    /// The patch itself.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies the patch to `object`, which stays as it is when one of the operations cannot be carried out.
    ///
    /// # Errors
    /// The first operation that fails.
    pub fn apply(&self, object: &mut Document) -> Result<(), PatchError> {
        let operations = self.document.root().items().map(Operation::read);
        *object = apply(object, operations, self.copied)?;
        Ok(())
    }
}

impl<'p> Operation<'p> {
    fn read(item: Value<'p>) -> Self {
        let (mut op, mut path, mut from, mut value) = (None, None, None, None);
        for (key, member) in item.members() {
            match key {
                "op" => op = member.as_str(),
                "path" => path = member.as_str(),
                "from" => from = member.as_str(),
                "value" => value = Some(member),
                _ => {}
            }
        }
        Self { op: op.unwrap_or("unknown"), path, from, value }
    }
}
