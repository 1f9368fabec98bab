//! How CEL sees values of compiled schemas.
//!
//! Only schemas that have rules, and those below them, get a shape. A schema without a type has none,
//! and neither has a list or map of such. The whole object and embedded resources always show `kind`,
//! `apiVersion` and the name in `metadata`.
//!
//! Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiextensions-apiserver/pkg/apiserver/schema/cel/model`.

use super::{Flags, Id, ListType, Node, Table, Types};
use crate::rules::escape;
use crdkit_cel::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes};

/// The shapes that the rules of `table` need, and which node has which.
pub(super) fn of(table: &Table) -> (Shapes, Vec<Option<ShapeId>>) {
    let mut builder = Builder { table, shapes: Shapes::default(), by_node: Vec::new() };
    let needed = needed(table);
    builder.by_node.resize(table.n_nodes(), None);
    // Children have smaller ids than the schemas they are in.
    for (id, _) in table.ids().zip(needed).filter(|(_, needed)| *needed) {
        let shape = builder.shape(id, table.node(id));
        if let Some(slot) = builder.by_node.get_mut(id.index()) {
            *slot = shape;
        }
    }
    (builder.shapes, builder.by_node)
}

/// Whether CEL can see the values of each node: those that have a type of their own, and lists and maps
/// only with what is in them.
pub(super) fn visible(table: &Table) -> Vec<bool> {
    let mut visible: Vec<bool> = Vec::with_capacity(table.n_nodes());
    for id in table.ids() {
        let node = table.node(id);
        let is_visible = |id: Id| visible.get(id.index()).copied().unwrap_or_default();
        let own = match node.types {
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

struct Builder<'t> {
    table: &'t Table,
    shapes: Shapes,
    by_node: Vec<Option<ShapeId>>,
}

impl Builder<'_> {
    fn shape(&mut self, id: Id, node: &Node) -> Option<ShapeId> {
        let kind = match node.types {
            Types::Any | Types::Other(_) => return None,
            Types::IntOrString => ShapeKind::IntOrString,
            Types::Boolean => ShapeKind::Bool,
            Types::Integer => ShapeKind::Int,
            Types::Number => ShapeKind::Double,
            Types::String => match node.format.map(|format| self.table.name(format.name)) {
                Some("byte") => ShapeKind::Bytes,
                Some("duration") => ShapeKind::Duration,
                Some("date") => ShapeKind::Date,
                Some("date-time") => ShapeKind::DateTime,
                _ => ShapeKind::String,
            },
            Types::Array => {
                let element = self.of(node.items?)?;
                ShapeKind::List { element, kind: self.list_kind(node) }
            }
            Types::Object => {
                if let Some(value) = node.additional_schema() {
                    ShapeKind::Map { value: self.of(value)? }
                } else {
                    let name = format!("node{}", id.index()).as_str().into();
                    ShapeKind::Object { name, fields: self.fields(id, node) }
                }
            }
        };
        Some(self.add(kind, node.has(Flags::NULLABLE)))
    }

    fn add(&mut self, kind: ShapeKind, nullable: bool) -> ShapeId {
        self.shapes.add(Shape { kind, nullable, max_elements: 0 })
    }

    fn of(&self, id: Id) -> Option<ShapeId> {
        self.by_node.get(id.index()).copied().flatten()
    }

    fn list_kind(&self, node: &Node) -> ListKind {
        match node.list_type {
            ListType::Atomic => ListKind::Atomic,
            ListType::Set => ListKind::Set,
            ListType::Map => {
                let keys = node.list_map_keys().iter().map(|key| self.table.name(*key));
                ListKind::Map { keys: keys.filter_map(escape).map(|key| (&*key).into()).collect() }
            }
        }
    }

    fn fields(&mut self, id: Id, node: &Node) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |key: &str, shape: ShapeId| {
            if let Some(name) = escape(key) {
                fields.push(Field { name: (&*name).into(), key: key.into(), shape });
            }
        };
        let is_resource = node.has(Flags::ROOT) || node.has(Flags::EMBEDDED);
        let adjusted = is_resource && !self.declares_meta(node);
        for (name, child) in node.fields.iter() {
            let key = self.table.name(name);
            if adjusted && crate::prune::is_meta(key) {
                continue;
            }
            if let Some(shape) = self.of(child) {
                add(key, shape);
            }
        }
        if adjusted {
            let text = self.shapes.add(Shape {
                kind: ShapeKind::String,
                nullable: false,
                max_elements: 0,
            });
            let field = |key: &str| Field { name: key.into(), key: key.into(), shape: text };
            let name = format!("node{}.metadata", id.index()).as_str().into();
            let names = vec![field("name"), field("generateName")];
            let metadata = self.shapes.add(Shape {
                kind: ShapeKind::Object { name, fields: names },
                nullable: false,
                max_elements: 0,
            });
            fields.extend([field("kind"), field("apiVersion")]);
            fields.push(Field { name: "metadata".into(), key: "metadata".into(), shape: metadata });
        }
        fields
    }

    /// Whether a resource declares its type and the names in its metadata itself.
    fn declares_meta(&self, node: &Node) -> bool {
        let child =
            |node: &Node, key: &str| node.fields.get(self.table, key).map(|id| self.table.node(id));
        let is_text = |node: &Node, key: &str| {
            child(node, key).is_some_and(|child| child.types == Types::String)
        };
        is_text(node, "kind")
            && is_text(node, "apiVersion")
            && child(node, "metadata").is_some_and(|metadata| {
                metadata.types == Types::Object
                    && is_text(metadata, "name")
                    && is_text(metadata, "generateName")
            })
    }
}
