//! Who owns the values of an object, for people to read.

use super::conflict::owner;
use super::{entry, managed_fields};
use crate::set::each_value;
use crdkit_value::{Document, NodeId, Value};

/// A value, and one of its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The value.
    pub value: NodeId,
    /// The owner, as messages show it.
    pub owner: String,
    /// When it last changed something; empty if that is not known.
    pub time: String,
}

/// Who owns what in `object`, owner by owner. Fields that are owned and not there are left out.
///
/// # Errors
/// The server's text, when `managedFields` cannot be read.
pub fn owners(object: &Document) -> Result<Vec<Owned>, String> {
    let mut found = Vec::new();
    for entry in entry::read(managed_fields(object.root()), None)? {
        let (owner, time) = (owner(&entry), entry.time.as_deref().unwrap_or_default());
        each_value(&entry.fields.set(), object.root(), &mut |_, value| {
            let value = value.map(Value::id);
            found.extend(value.map(|value| Owned {
                value,
                owner: owner.clone(),
                time: time.to_owned(),
            }));
        });
    }
    Ok(found)
}
