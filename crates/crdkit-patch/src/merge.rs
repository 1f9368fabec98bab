//! Merge patch (RFC 7396).
//!
//! Takes a patch, gives the object with its members replaced, added and, where the patch has `null`, removed. As in
//! the server's library, nulls inside lists that are new lose their members as well; lists that replace an object
//! are taken as they are.
//!
//! Nothing recurses on a document, and members of large objects are found by hash.

use crate::error::json_type;
use crate::{PatchError, PatchLimits};
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Issue;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Tag, Value};

/// A merge patch that was read.
#[derive(Clone, Debug)]
pub struct MergePatch {
    document: Document,
    repeated: Vec<Issue>,
}

impl MergePatch {
    /// Reads a patch.
    ///
    /// # Errors
    /// When `bytes` are not JSON, or not an object.
    pub fn read(bytes: &[u8], limits: &PatchLimits) -> Result<Self, PatchError> {
        let options = DecodeOptions::new().limits(limits.document.clone());
        let decoded = json::decode(bytes, &options).map_err(PatchError::Malformed)?;
        let mut patch = Self::from_document(decoded.document)?;
        patch.repeated = decoded.issues;
        Ok(patch)
    }

    /// The patch that `document` is.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn from_document(document: Document) -> Result<Self, PatchError> {
        match document.root().tag() {
            Tag::Object => Ok(Self { document, repeated: Vec::new() }),
            Tag::Null => Err(PatchError::Null),
            _ => Err(PatchError::WrongType {
                found: json_type(document.root()),
                expected: "map[string]interface {}",
            }),
        }
    }

    /// Keys that the patch has more than once; their last values count.
    pub fn repeated(&self) -> &[Issue] {
        &self.repeated
    }

    /// The patch itself.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies the patch to `object`.
    pub fn apply(&self, object: &mut Document) {
        apply(object, self.document.root());
    }
}

/// A member of a patch, and what the object has under its key.
type MemberPair<'p> = (&'p str, Value<'p>, Option<(NodeId, Tag)>);

/// The members of `patch`, each with the member of `object` that it is for.
fn pairs<'p>(object: Value<'_>, patch: Value<'p>) -> Vec<MemberPair<'p>> {
    let find = |current: Option<Value<'_>>| current.map(|it| (it.id(), it.tag()));
    let members = patch.members();
    if members.len() == 1 {
        // Not worth an index.
        return members.map(|(key, member)| (key, member, find(object.get(key)))).collect();
    }
    let index = MemberIndex::new(object);
    members.map(|(key, member)| (key, member, find(index.get(key)))).collect()
}

/// Applies `patch` to `object`. A patch that is not an object takes its place.
pub fn apply(object: &mut Document, patch: Value<'_>) {
    let mut merge =
        Merge { object, has_nulls: patch.ids().any(|id| patch.document().value(id).is_null()) };
    if patch.tag() != Tag::Object || merge.object.root().tag() != Tag::Object {
        merge.set(NodeId::ROOT, patch, true);
        return;
    }
    let mut pending = vec![(NodeId::ROOT, patch)];
    while let Some((id, patch)) = pending.pop() {
        merge.members(id, patch, &mut pending);
    }
}

struct Merge<'o> {
    object: &'o mut Document,
    /// Whether the patch has a null anywhere.
    has_nulls: bool,
}

impl Merge<'_> {
    /// Merges the members of `patch` into the object `id`, but those that are objects on both sides.
    fn members<'p>(
        &mut self,
        id: NodeId,
        patch: Value<'p>,
        pending: &mut Vec<(NodeId, Value<'p>)>,
    ) {
        let found = pairs(self.object.value(id), patch);
        let mut last = None;
        for (key, member, current) in found {
            match (current, member.tag()) {
                (Some((id, _)), Tag::Null) => self.object.remove(id),
                (None, Tag::Null) => {}
                (Some((id, Tag::Object)), Tag::Object) => pending.push((id, member)),
                (Some((id, tag)), _) => self.set(id, member, tag != Tag::Object),
                (None, _) => {
                    last = self.object.append_member(id, last, key, member);
                    if let Some(added) = last {
                        self.drop_nulls(added);
                    }
                }
            }
        }
    }

    fn set(&mut self, id: NodeId, value: Value<'_>, without_nulls: bool) {
        self.object.set(id, NewValue::CopyOf(value));
        if without_nulls {
            self.drop_nulls(id);
        }
    }

    /// Removes the members that are null from `id` and everything in it.
    fn drop_nulls(&mut self, id: NodeId) {
        if !self.has_nulls {
            return;
        }
        let value = self.object.value(id);
        let document = value.document();
        let is_null_member = |it: &NodeId| {
            let inner = document.value(*it);
            *it != id && inner.is_null() && inner.key().is_some()
        };
        let nulls: Vec<NodeId> = value.ids().filter(is_null_member).collect();
        for null in nulls {
            self.object.remove(null);
        }
    }
}
