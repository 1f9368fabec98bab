//! `x-kubernetes-validations`: what can be said about a rule without and with compiling it.

mod text;

pub(super) use text::check_text;

use super::root::Context;
use crate::model::{SchemaId, Schemas};
use crate::path::Path;
use crdkit_issue::Issue;
use crdkit_value::Value;

/// What the rules of one schema cost together.
#[derive(Debug, Default)]
pub(super) struct Costs {}

/// What the rules that judge defaults may still cost.
#[derive(Debug, Default)]
pub(super) struct Budget {}

/// What the rules of a schema are compiled with because of where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'p> {
    schema: SchemaId,
    parent: Option<&'p Scope<'p>>,
}

impl<'p> Scope<'p> {
    pub(super) fn root(schema: SchemaId) -> Self {
        Self { schema, parent: None }
    }

    pub(super) fn property(&'p self, _: &Schemas<'_>, schema: SchemaId, _: &str) -> Self {
        Self { schema, parent: Some(self) }
    }

    pub(super) fn additional(&'p self, _: &Schemas<'_>, schema: SchemaId) -> Self {
        Self { schema, parent: Some(self) }
    }

    pub(super) fn item(&'p self, _: &Schemas<'_>, schema: SchemaId) -> Self {
        Self { schema, parent: Some(self) }
    }
}

impl Costs {
    pub(super) fn total(&self, _: &Path<'_>) -> Vec<Issue> {
        Vec::new()
    }
}

impl Budget {
    pub(super) fn is_exhausted(&self) -> bool {
        false
    }
}

/// Compiles the rules of a schema.
pub(super) fn check(
    _: Context<'_, '_>,
    _: &Scope<'_>,
    _: &Path<'_>,
    _: Option<&Path<'_>>,
    _: &mut Costs,
) -> Vec<Issue> {
    Vec::new()
}

/// Evaluates the rules of a schema, and of those below it, on its default.
pub(super) fn check_default(
    _: Context<'_, '_>,
    _: SchemaId,
    _: Value<'_>,
    _: &Path<'_>,
    _: &mut Budget,
) -> Vec<Issue> {
    Vec::new()
}
