//! `x-kubernetes-validations`, compiled.
//!
//! A table's rules are compiled when they are first asked for, node by node: equal schemas have equal
//! rules, so that is once for all of them.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel`.

use super::{Id, Table, shapes};
use crate::rules::{Compiled, Environments, compile};
use crdkit_cel::{ShapeId, Shapes};
use std::sync::{Arc, OnceLock};

/// The rules of a table.
#[derive(Debug)]
pub struct Rules {
    shapes: Arc<Shapes>,
    /// The shape of each node that has rules, or is below one that has, if CEL can see its values.
    by_node: Vec<Option<ShapeId>>,
    /// Whether CEL can see the values of each node.
    visible: Vec<bool>,
    /// The rules of each node, compiled when first needed.
    compiled: Vec<OnceLock<Box<[Compiled]>>>,
}

impl Rules {
    pub(crate) fn new(table: &Table) -> Self {
        let visible = shapes::visible(table);
        let (shapes, by_node) = shapes::of(table);
        let compiled = table.ids().map(|_| OnceLock::new()).collect();
        Self { shapes: Arc::new(shapes), by_node, visible, compiled }
    }

    /// How CEL sees values of the schema `id`, if it can and has reason to.
    pub fn shape(&self, id: Id) -> Option<ShapeId> {
        self.by_node.get(id.index()).copied().flatten()
    }

    /// Whether CEL can see values of the schema `id`.
    pub(crate) fn is_visible(&self, id: Id) -> bool {
        self.visible.get(id.index()).copied().unwrap_or_default()
    }

    /// The rules of the schema `id`, in the order they are written; none if CEL cannot see its values.
    pub fn get(&self, table: &Table, id: Id) -> Option<&[Compiled]> {
        let shape = self.shape(id)?;
        let rules = self.compiled.get(id.index())?;
        Some(rules.get_or_init(|| self.compile(table, id, shape)))
    }

    /// The rules of the schema `id`, for values of the given shape.
    pub(crate) fn compile(&self, table: &Table, id: Id, shape: ShapeId) -> Box<[Compiled]> {
        let stored = &Environments::shared().stored;
        let rules = table.node(id).rules().iter();
        rules.map(|rule| compile(rule.into(), &self.shapes, shape, stored, stored)).collect()
    }
}
