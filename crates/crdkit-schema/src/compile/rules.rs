//! `x-kubernetes-validations`, compiled.
//!
//! A table's rules are compiled when they are first asked for, node by node: equal schemas have equal
//! rules, so that is once for all of them. Costs are a matter of checking the CRD and play no part here.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel`.

use super::{Id, Node, Rule, Table, shapes};
use crate::rules::Environments;
use crdkit_cel::{Env, Program, ShapeId, Shapes, Type};
use std::sync::{Arc, OnceLock};

/// The rules of a table.
#[derive(Debug)]
pub struct Rules {
    shapes: Arc<Shapes>,
    /// The shape of each node, if CEL can see its values.
    by_node: Vec<Option<ShapeId>>,
    /// The rules of each node, compiled when first needed.
    compiled: Vec<OnceLock<Box<[CompiledRule]>>>,
}

/// One rule, ready to run.
#[derive(Debug)]
pub struct CompiledRule {
    /// The rule itself; or what is wrong with it.
    pub program: Result<Program, String>,
    /// The expression that makes its message, if it has one that can run.
    pub message: Option<Program>,
    /// Whether it compares with the value before.
    pub uses_old_self: bool,
}

impl Rules {
    pub(crate) fn new(table: &Table) -> Self {
        let (shapes, by_node) = shapes::of(table);
        let compiled = table.ids().map(|_| OnceLock::new()).collect();
        Self { shapes: Arc::new(shapes), by_node, compiled }
    }

    /// How CEL sees values of the schema `id`, if it can.
    pub fn shape(&self, id: Id) -> Option<ShapeId> {
        self.by_node.get(id.index()).copied().flatten()
    }

    /// The rules of the schema `id`, in the order they are written; none if CEL cannot see its values.
    pub fn get(&self, id: Id, node: &Node) -> Option<&[CompiledRule]> {
        let shape = self.shape(id)?;
        let rules = self.compiled.get(id.index())?;
        Some(rules.get_or_init(|| self.compile(shape, node.rules())))
    }

    fn compile(&self, shape: ShapeId, rules: &[Rule]) -> Box<[CompiledRule]> {
        let value = self.shapes.type_of(shape);
        let stored = &Environments::shared().stored;
        let env = stored.extend().shapes(Arc::clone(&self.shapes)).variable("self", value.clone());
        let plain = env.clone().variable("oldSelf", value.clone()).build();
        let optional = env.variable("oldSelf", Type::optional(value)).build();
        let compile = |rule: &Rule| {
            let env = if rule.optional_old_self { &optional } else { &plain };
            compile(env, rule)
        };
        rules.iter().map(compile).collect()
    }
}

fn compile(env: &Env, rule: &Rule) -> CompiledRule {
    let (program, uses_old_self) = match expression(env, rule.rule.trim()) {
        Ok((program, uses_old_self)) => (Ok(program), uses_old_self),
        Err(error) => (Err(error), false),
    };
    let message = match rule.message_expression.trim() {
        "" => None,
        text => expression(env, text).ok().map(|(program, _)| program),
    };
    CompiledRule { program, message, uses_old_self }
}

/// The program of an expression, and whether it compares with the value before.
fn expression(env: &Env, text: &str) -> Result<(Program, bool), String> {
    let checked = env.compile(text).map_err(|error| format!("compilation failed: {error}"))?;
    let program = env.plan(&checked).map_err(|error| error.to_string())?;
    Ok((program, checked.uses_variable("oldSelf")))
}
