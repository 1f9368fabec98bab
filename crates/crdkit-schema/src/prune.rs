//! Which fields and nulls of an object its schema does not let in.
//!
//! Takes a value and its compiled schema; gives the ids of members that pruning removes and of nulls
//! that stand where no null is allowed and no default will replace them. The value itself is not
//! changed, so that the caller decides when, and may tell about it first.
//!
//! Holds: removing what was found and looking again finds nothing.
//! Recurses once per schema level; below the last schema it goes on without recursion.
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}`.

use crate::compile::{Flags, Id, Member, Node, Table};
use crdkit_value::{Kind, Members, NodeId, Value};

/// What to remove, in document order per list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Members that the schema does not name.
    pub unknown: Vec<NodeId>,
    /// Nulls that the schema does not allow.
    pub nulls: Vec<NodeId>,
}

/// What to remove from `value`, an object with the schema `schema`; without a schema it is everything
/// but `apiVersion`, `kind` and `metadata`.
pub fn object(table: &Table, schema: Option<Id>, value: Value<'_>) -> Pruned {
    let mut walk = PruneWalk { table, pruned: Pruned::default() };
    if let Some(schema) = schema {
        walk.value(table.node(schema), value, false);
    } else {
        let unknown = value.members().filter(|(key, _)| !is_meta(key));
        walk.pruned.unknown.extend(unknown.map(|(_, member)| member.id()));
    }
    walk.pruned
}

/// The members of `value` that `node` does not name.
pub fn unknown(table: &Table, node: Option<&Node>, value: Value<'_>) -> Vec<NodeId> {
    let mut walk = PruneWalk { table, pruned: Pruned::default() };
    match node {
        Some(node) => walk.value(node, value, false),
        None => walk.no_schema(value),
    }
    walk.pruned.unknown
}

/// Whether every object of its own has the field called `key`.
pub fn is_meta(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "metadata")
}

struct PruneWalk<'t> {
    table: &'t Table,
    pruned: Pruned,
}

impl<'t> PruneWalk<'t> {
    /// `keep` says that unknown fields are kept because of a schema further up.
    fn value(&mut self, node: &'t Node, value: Value<'_>, keep: bool) {
        let keep = keep || node.has(Flags::PRESERVE);
        match value.kind() {
            Kind::Object(members) => self.members(node, members, keep),
            Kind::Array(items) => match node.items {
                Some(id) => {
                    let node = self.table.node(id);
                    for item in items {
                        self.value(node, item, keep);
                    }
                }
                None if keep => {}
                None => items.for_each(|item| self.no_schema(item)),
            },
            _ => {}
        }
    }

    fn members(&mut self, node: &'t Node, members: Members<'_>, keep: bool) {
        let is_resource = node.is_resource();
        for (key, member) in members {
            if is_resource && is_meta(key) {
                self.meta(node, key, member);
                continue;
            }
            match node.member(self.table, key) {
                Member::Known(id) => self.known(id, member),
                Member::Allowed | Member::Refused => self.no_schema(member),
                Member::Unknown if !keep => self.pruned.unknown.push(member.id()),
                Member::Kept | Member::Unknown => {}
            }
        }
    }

    fn known(&mut self, id: Id, member: Value<'_>) {
        // Most members are scalars, about which the schema has no say here.
        if member.is_container() {
            self.value(self.table.node(id), member, false);
        } else if member.is_null() && is_unwanted_null(self.table.node(id)) {
            self.pruned.nulls.push(member.id());
        }
    }

    /// `apiVersion`, `kind` and `metadata` of a resource inside another keep their fields; only nulls
    /// go. Those of the whole object are read by a stage of their own.
    fn meta(&mut self, node: &Node, key: &str, member: Value<'_>) {
        if let Some(id) = node.member_schema(self.table, key)
            && !node.has(Flags::ROOT)
            && member.is_null()
            && is_unwanted_null(self.table.node(id))
        {
            self.pruned.nulls.push(member.id());
        }
    }

    /// Where there is no schema, objects lose all fields; scalars and arrays stay.
    fn no_schema(&mut self, value: Value<'_>) {
        let mut pending = Vec::new();
        let mut next = Some(value);
        while let Some(value) = next {
            match value.kind() {
                Kind::Object(members) => {
                    self.pruned.unknown.extend(members.map(|(_, member)| member.id()));
                }
                Kind::Array(items) => pending.extend(items),
                _ => {}
            }
            next = pending.pop();
        }
    }
}

fn is_unwanted_null(node: &Node) -> bool {
    !node.has(Flags::NULLABLE) && node.default.is_none()
}
