//! What an owner owns, as the configuration it could have applied.

use super::entry::{self, ManagedOperation};
use super::{managed_fields, metadata};
use crate::typed::{Schema, extract};
use crdkit_value::{Document, NodeId};

/// The fields of `object` that `manager` has applied, to the object itself or to a subresource, with the names that an
/// apply must have; none if it has applied nothing.
///
/// Applying it again changes nothing.
pub fn extract_applied(
    schema: &Schema<'_>,
    object: &Document,
    manager: &str,
    subresource: &str,
) -> Option<Document> {
    let entries = entry::read(managed_fields(object.root()), None).ok()?;
    let entry = entries.into_iter().find(|entry| {
        entry.operation == ManagedOperation::Apply
            && entry.manager == manager
            && entry.subresource == subresource
    })?;
    let mut out = extract(schema, object.root(), &entry.fields.set());
    for key in ["kind", "apiVersion"] {
        if let Some(value) = object.root().get(key) {
            out.insert(NodeId::ROOT, key, value);
        }
    }
    let own = metadata(&mut out)?;
    for key in ["name", "namespace"] {
        if let Some(value) = object.root().get("metadata").and_then(|it| it.get(key)) {
            out.insert(own, key, value);
        }
    }
    Some(Document::copy_of(out.root())).filter(|out| out.root().as_object().is_some())
}
