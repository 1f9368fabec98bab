//! How CEL sees values of compiled schemas: those that have rules, and those below them.

use super::{Flags, Id, ListType, Literal, Node, Table, Types};
use crate::rules::shapes::{Facts, Kind, ShapeBuilder, ShapeSource, map_keys};
use crdkit_cel::{ListKind, ShapeId, Shapes};

/// The shapes that the rules of `table` need, and which node has which.
pub(super) fn of(table: &Table) -> (Shapes, Vec<Option<ShapeId>>) {
    let mut builder = ShapeBuilder::new(Nodes { table }, table.n_nodes());
    // Children have smaller ids than the schemas they are in.
    for (id, _) in table.ids().zip(needed(table)).filter(|(_, needed)| *needed) {
        builder.add(id);
    }
    let by_node = builder.known.iter().map(|known| known.map(|(shape, _)| shape)).collect();
    (builder.shapes, by_node)
}

/// Whether CEL can see the values of each node: those that have a type of their own, and lists and maps
/// only with what is in them.
pub(super) fn visible(table: &Table) -> Vec<bool> {
    let mut visible: Vec<bool> = Vec::with_capacity(table.n_nodes());
    for id in table.ids() {
        let node = table.node(id);
        let is_visible = |id: Id| visible.get(id.index()).copied().unwrap_or_default();
        let target = table.resolve(id);
        let own = match node.types {
            // A reference may lead to a schema that it is in, so only the type itself is looked at.
            _ if target != id => !matches!(table.node(target).types, Types::Any | Types::Other(_)),
            Types::Any | Types::Other(_) => false,
            Types::Array => node.items.is_some_and(is_visible),
            Types::Object => node.additional_schema().is_none_or(is_visible),
            _ => true,
        };
        visible.push(own);
    }
    visible
}

fn needed(table: &Table) -> Vec<bool> {
    let mut needed = vec![false; table.n_nodes()];
    let ids: Vec<Id> = table.ids().collect();
    for id in ids.into_iter().rev() {
        let node = table.node(id);
        let Some(own) = needed.get_mut(id.index()) else { continue };
        *own |= !node.rules().is_empty() || clauses(node).any(|id| has_rules(table, id));
        if *own {
            for child in children(node) {
                if let Some(child) = needed.get_mut(child.index()) {
                    *child = true;
                }
            }
        }
    }
    needed
}

/// The clauses of `allOf`, whose rules are about values of the schema they are in.
fn clauses(node: &Node) -> impl Iterator<Item = Id> + '_ {
    node.junctors().into_iter().flat_map(|junctors| junctors.all_of.iter().copied())
}

fn has_rules(table: &Table, id: Id) -> bool {
    table.node(id).has(Flags::HAS_RULES)
}

fn children(node: &Node) -> impl Iterator<Item = Id> + '_ {
    let fields = node.fields.iter().map(|(_, id)| id);
    fields.chain(node.items).chain(node.additional_schema())
}

struct Nodes<'t> {
    table: &'t Table,
}

impl ShapeSource for Nodes<'_> {
    type Id = Id;

    fn index(&self, id: Id) -> usize {
        id.index()
    }

    fn facts(&self, id: Id) -> Facts<'_, Id> {
        let (table, node) = (self.table, self.table.node(id));
        let bounds = node.bounds();
        let max_length = bounds.and_then(|bounds| bounds.max_length);
        let (kind, limit) = match node.types {
            Types::IntOrString => (Kind::IntOrString, max_length),
            Types::Array => {
                let limit = bounds.and_then(|bounds| bounds.max_items);
                (Kind::Array(node.items, self.list_kind(node)), limit)
            }
            Types::Object => match node.additional_schema() {
                Some(value) => (Kind::Map(value), bounds.and_then(|bounds| bounds.max_properties)),
                None => (Kind::Object, None),
            },
            Types::String => (Kind::Text, max_length),
            Types::Boolean => (Kind::Bool, None),
            Types::Number => (Kind::Number, None),
            Types::Integer => (Kind::Integer, None),
            Types::Any | Types::Other(_) => (Kind::Other, None),
        };
        let listed = node.enum_values().iter().map(|id| match table.literal(*id) {
            Literal::String(text) => text.len() as u64,
            _ => 0,
        });
        let properties = node.fields.iter().map(|(name, id)| {
            let has_default = table.node(id).default.is_some();
            (table.name(name), id, has_default)
        });
        Facts {
            kind,
            nullable: node.has(Flags::NULLABLE),
            format: node.format.map_or("", |format| table.name(format.name)),
            limit,
            longest_listed: listed.max(),
            is_resource: node.has(Flags::ROOT) || node.has(Flags::EMBEDDED),
            properties: properties.collect(),
            required: node.required.iter().map(|name| table.name(*name)).collect(),
        }
    }

    fn property(&self, id: Id, name: &str) -> Option<Id> {
        self.table.node(id).fields.get(self.table, name)
    }
}

impl Nodes<'_> {
    fn list_kind(&self, node: &Node) -> ListKind {
        match node.list_type {
            ListType::Atomic => ListKind::Atomic,
            ListType::Set => ListKind::Set,
            ListType::Map => map_keys(node.list_map_keys().iter().map(|key| self.table.name(*key))),
        }
    }
}
