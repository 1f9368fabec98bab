//! Which defaults an object is missing, and filling them in.
//!
//! A property's default is for objects that lack the property, or have it as `null` where `null` is
//! not allowed. Entries of maps and items of lists get one only in place of such a `null`.
//! Defaults are compiled together with the defaults inside them, so what is filled in needs no
//! second look; and a parent that is absent stays absent.
//!
//! Holds: an object that was filled in is missing nothing.
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/defaulting`.

use crate::compile::{DefaultId, Flags, Id, Name, Node, Table};
use crdkit_value::{Document, Kind, MemberIndex, NodeId, Value};

/// Defaults would make a document larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultsTooLarge;

/// Fills in the defaults that `document`, with the schema `node`, is missing, if they take no more than `room`
/// bytes. Gives the ids of what is new.
///
/// # Errors
/// When they take more; the document stays as it is.
pub fn apply(
    table: &Table,
    node: &Node,
    document: &mut Document,
    room: usize,
) -> Result<Vec<NodeId>, DefaultsTooLarge> {
    let mut walk = DefaultsWalk { table, missing: Vec::new() };
    walk.value(node, document.root());
    let sizes = walk.missing.iter().map(|missing| {
        let (Missing::Field(.., default) | Missing::Null(_, default)) = *missing;
        table.default_value(default).map_or(0, |value| value.document().memory())
    });
    let size = sizes.fold(0_usize, usize::saturating_add);
    if size > room {
        return Err(DefaultsTooLarge);
    }
    let mut latest = None;
    let fill = |missing: Missing| match missing {
        Missing::Field(object, name, default) => {
            let after = latest.filter(|(of, _)| *of == object).map(|(_, id)| id);
            let (name, value) = (table.name(name), table.default_value(default)?);
            let id = document.append_member(object, after, name, value)?;
            latest = Some((object, id));
            Some(id)
        }
        Missing::Null(id, default) => {
            document.set(id, table.default_value(default)?);
            Some(id)
        }
    };
    Ok(walk.missing.into_iter().filter_map(fill).collect())
}

/// Whether `value`, with the schema `node`, is missing a default.
pub fn is_missing(table: &Table, node: &Node, value: Value<'_>) -> bool {
    let mut walk = DefaultsWalk { table, missing: Vec::new() };
    walk.value(node, value);
    !walk.missing.is_empty()
}

/// A place that waits for its default.
enum Missing {
    /// The field of an object.
    Field(NodeId, Name, DefaultId),
    /// A `null`, which stays where it is written.
    Null(NodeId, DefaultId),
}

struct DefaultsWalk<'t> {
    table: &'t Table,
    missing: Vec<Missing>,
}

impl<'t> DefaultsWalk<'t> {
    fn value(&mut self, node: &'t Node, value: Value<'_>) {
        if !node.has(Flags::HAS_DEFAULTS) {
            return;
        }
        match value.kind() {
            Kind::Object(members) => {
                let keys = MemberIndex::new(value);
                for field in node.field_defaults() {
                    let default = field.default;
                    self.missing.extend(match keys.get(self.table.name(field.name)) {
                        None => Some(Missing::Field(value.id(), field.name, default)),
                        Some(null) if null.is_null() && !field.nullable => {
                            Some(Missing::Null(null.id(), default))
                        }
                        Some(_) => None,
                    });
                }
                if node.additional_schema().is_none() && !node.has(Flags::DEFAULTS_BELOW) {
                    return;
                }
                for (key, member) in members {
                    if !member.is_container() && !member.is_null() {
                        continue;
                    }
                    if let Some(id) = node.fields.get(self.table, key) {
                        self.value(self.table.node(id), member);
                    } else if let Some(id) = node.additional_schema() {
                        self.entry(id, member);
                    }
                }
            }
            Kind::Array(items) => {
                if let Some(id) = node.items {
                    items.for_each(|item| self.entry(id, item));
                }
            }
            _ => {}
        }
    }

    /// An entry of a map or an item of a list.
    fn entry(&mut self, id: Id, value: Value<'_>) {
        let node = self.table.node(id);
        match node.default {
            Some(default) if value.is_null() && !node.has(Flags::NULLABLE) => {
                self.missing.push(Missing::Null(value.id(), default));
            }
            _ => self.value(node, value),
        }
    }
}
