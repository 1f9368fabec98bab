//! Which alternative a value is of: schemas asked whether they fit, within a bound that all questions about one
//! document share.
//!
//! A document that is still to be filled in fits a schema whose defaults make it fit; a value of the program fits one
//! if what it becomes on the wire does.

use super::compose::preferred;
use super::{LooseKeywords, steps_for};
use crate::compiled::CompiledSchema;
use crdkit_schema::compile::{Id, Node};
use crdkit_schema::validate::{Position, Validator};
use crdkit_value::{Document, Value};
use std::cell::Cell;

/// What a value becomes before it is held against a schema.
type MadeInto<'s> = &'s dyn Fn(Id, Value<'_>) -> Document;

/// Asks schemas whether they fit.
pub(crate) struct Fits<'s> {
    schema: &'s CompiledSchema,
    steps: Cell<usize>,
    fills: bool,
    made_into: Option<MadeInto<'s>>,
}

impl<'s> Fits<'s> {
    /// For the values of `document`.
    pub(crate) fn new(schema: &'s CompiledSchema, document: &Document) -> Self {
        Self { schema, steps: Cell::new(steps_for(document)), fills: false, made_into: None }
    }

    /// The same for a document that defaults are still to be put into, and nulls removed from.
    pub(crate) fn filling(self) -> Self {
        Self { fills: true, ..self }
    }

    /// The same for values that fit if what `made_into` gives for them does.
    pub(crate) fn made_into(self, made_into: MadeInto<'s>) -> Self {
        Self { made_into: Some(made_into), ..self }
    }

    /// Whether `value` fits the schema `id`.
    pub(crate) fn is_fit(&self, id: Id, value: Value<'_>) -> bool {
        self.holds(id, value)
            || self.made_into.is_some_and(|made| self.holds(id, made(id, value).root()))
    }

    fn holds(&self, id: Id, value: Value<'_>) -> bool {
        let mut keywords = LooseKeywords::new(self.schema.settings(), value.document());
        keywords.steps = keywords.steps.min(self.steps.get());
        keywords.fills = self.fills;
        let before = keywords.steps;
        let mut validator = Validator::new(self.schema.table(), keywords);
        validator.value(id, value, None, Position::Part);
        let used = before - validator.keywords.steps;
        self.steps.set(self.steps.get().saturating_sub(used));
        validator.findings.is_empty()
    }

    /// The one of `branches`, alternatives of `node`, that decides what becomes of `value`.
    pub(crate) fn chosen(&self, node: &Node, branches: &[Id], value: Value<'_>) -> Option<Id> {
        let table = self.schema.table();
        if branches.is_empty() {
            return None;
        }
        if let Some(discriminator) = node.more().and_then(|more| more.discriminator.as_ref()) {
            let chosen = value.get(table.name(discriminator.property))?.as_str()?;
            let mut mapping = discriminator.mapping.iter();
            let (_, branch) = mapping.find(|(value, _)| table.name(*value) == chosen)?;
            return branches.get(*branch as usize).copied();
        }
        let fitting = branches.iter().enumerate().filter(|(_, id)| self.is_fit(**id, value));
        let fitting: Vec<usize> = fitting.map(|(at, _)| at).collect();
        let chosen = preferred(table, self.schema.settings(), value, branches, &fitting)?;
        branches.get(chosen).copied()
    }
}
