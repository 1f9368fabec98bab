//! Rules where nothing can compile them: only their text is checked.

use crate::check::root::Context;
use crate::compile::SchemaTable;
use crate::model::{SchemaId, Schemas};
use crate::path::Path;
use crdkit_issue::{FieldPath, Issue};
use crdkit_value::Value;
use std::cell::OnceCell;
use std::marker::PhantomData;

/// What is known about the schemas of a CRD, found out once, when a default needs it.
#[derive(Default)]
pub(in crate::check) struct Knowledge {
    for_defaults: OnceCell<SchemaTable>,
}

impl Knowledge {
    /// The schemas as defaults are held against them.
    pub(in crate::check) fn for_defaults(&self, context: Context<'_, '_>) -> &SchemaTable {
        self.for_defaults.get_or_init(|| SchemaTable::for_defaults(context.schemas))
    }
}

/// What rules cost, which nobody can say.
#[derive(Default)]
pub(in crate::check) struct Costs;

impl Costs {
    pub(in crate::check) fn total(self, _: &Path<'_>) -> Vec<Issue> {
        Vec::new()
    }
}

/// Where a schema stands, which does not matter to rules that are not compiled.
#[derive(Clone, Copy)]
pub(in crate::check) struct RuleScope<'p>(PhantomData<&'p ()>);

impl<'p> RuleScope<'p> {
    pub(in crate::check) fn root(_: &Schemas<'_>, _: SchemaId) -> Self {
        Self(PhantomData)
    }

    pub(in crate::check) fn property(&'p self, _: &Schemas<'_>, _: SchemaId, _: &'p str) -> Self {
        *self
    }

    pub(in crate::check) fn element(&'p self, _: &Schemas<'_>, _: SchemaId) -> Self {
        *self
    }
}

/// Nothing is found.
pub(in crate::check) fn check(
    _: Context<'_, '_>,
    _: &RuleScope<'_>,
    _: &Path<'_>,
    _: Option<&Path<'_>>,
    _: &mut Costs,
) -> Vec<Issue> {
    Vec::new()
}

/// Rules on defaults, of which none are run.
pub(in crate::check) struct Defaults<'c>(PhantomData<&'c ()>);

impl<'c> Defaults<'c> {
    pub(in crate::check) fn new(_: Context<'c, '_>) -> Option<Self> {
        None
    }

    pub(in crate::check) fn is_exhausted(&self) -> bool {
        false
    }

    pub(in crate::check) fn check(
        &mut self,
        _: SchemaId,
        _: Value<'_>,
        _: &FieldPath,
    ) -> Vec<Issue> {
        Vec::new()
    }
}
