//! `x-kubernetes-validations`, compiled.
//!
//! A table's rules are compiled when they are first asked for, node by node: equal schemas have equal
//! rules, so that is once for all of them, and with a cache once for all tables.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel`.

use super::{Flags, Id, Table, shapes};
use crate::rules::{Compiled, Environments, RESOURCE_VARIABLES, RuleOptions, compile};
use crdkit_cel::{Env, ShapeId, Shapes};
use std::sync::{Arc, OnceLock};

/// The rules of a table.
#[derive(Debug)]
pub struct Rules {
    shapes: Arc<Shapes>,
    /// The shape of each node that has rules, or is below one that has, if CEL can see its values.
    by_node: Vec<Option<ShapeId>>,
    /// Whether CEL can see the values of each node.
    visible: Vec<bool>,
    /// What rules may use.
    environment: Env,
    /// The rules of each node, compiled when first needed.
    compiled: Vec<OnceLock<Box<[Arc<Compiled>]>>>,
}

impl Rules {
    pub(crate) fn new(table: &Table) -> Self {
        let visible = shapes::visible(table);
        let (shapes, by_node) = shapes::of(table);
        let environment = table.rule_options.restrict(&Environments::shared().stored);
        let compiled = table.ids().map(|_| OnceLock::new()).collect();
        Self { shapes: Arc::new(shapes), by_node, visible, environment, compiled }
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
    pub fn get(&self, table: &Table, id: Id) -> Option<&[Arc<Compiled>]> {
        let shape = self.shape(id)?;
        let rules = self.compiled.get(id.index())?;
        Some(rules.get_or_init(|| self.compile(table, id, id, shape)))
    }

    /// The rules of the schema `rules`, for values of the schema `id`, whose shape is given.
    pub(crate) fn compile(
        &self,
        table: &Table,
        rules: Id,
        id: Id,
        shape: ShapeId,
    ) -> Box<[Arc<Compiled>]> {
        let options: &RuleOptions = &table.rule_options;
        let node = table.node(id);
        let is_resource =
            options.resource_variables && (node.has(Flags::ROOT) || node.has(Flags::EMBEDDED));
        let mut builder = self.environment.extend();
        for name in RESOURCE_VARIABLES.into_iter().filter(|_| is_resource) {
            if let Some(shape) = self.shapes.member(shape, name) {
                builder = builder.variable(name, self.shapes.type_of(shape));
            }
        }
        let environment = &builder.build();
        let rules = table.node(rules).rules().iter().map(|rule| {
            let compile = || compile(rule.into(), &self.shapes, shape, environment, environment);
            match &options.cache {
                Some(cache) => {
                    cache.get(rule.into(), (&self.shapes, shape), (options, is_resource), compile)
                }
                None => Arc::new(compile()),
            }
        });
        rules.collect()
    }
}
