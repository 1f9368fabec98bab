//! A schema on its own: compiled, with everything that decides how values are held against it.
//!
//! [`CompiledSchema`] is what [`crate::import`] gives. Cloning one copies a pointer; threads share it.

use crate::import::{
    Ambiguity, CelOptions, DefaultMode, Embedded, Equality, IntOrString, Nulls, Numbers, Profile,
    Unknown,
};
use crdkit_issue::FieldPath;
use crdkit_schema::compile::{Id, Node, Table};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Whose semantics keywords have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantics {
    /// Those of JSON Schema.
    #[default]
    JsonSchema,
    /// Those of the API server where it differs: what `null` meets, limits without their fraction,
    /// comparison of enums, the findings of alternatives.
    Server,
}

/// What decides how values are held against a schema.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// How the schema was judged.
    pub profile: Profile,
    /// Whose semantics keywords have.
    pub semantics: Semantics,
    /// What becomes of keys that the schema does not speak about.
    pub unknown: Unknown,
    /// What becomes of defaults.
    pub defaults: DefaultMode,
    /// When two items are the same.
    pub equality: Equality,
    /// What is done when several alternatives match.
    pub ambiguity: Ambiguity,
    /// Whether several matching alternatives of an `anyOf` are always ambiguous.
    pub exclusive_any_of: bool,
    /// What an explicit `null` is where the schema allows none.
    pub nulls: Nulls,
    /// Which strings int-or-string takes.
    pub int_or_string: IntOrString,
    /// What is asked of embedded resources.
    pub embedded: Embedded,
    /// What numbers may be.
    pub numbers: Numbers,
    /// How rules are evaluated, if they are.
    pub cel: Option<CelOptions>,
    /// Formats that are checked; nodes name them by position.
    pub(crate) checks: Vec<FormatCheck>,
    /// So many of them, the first ones, are the caller's own.
    pub(crate) own_checks: usize,
    /// How texts of a format are spelled canonically.
    pub(crate) canonical: Vec<Normalise>,
    /// Whether some schema asks what others have looked at.
    pub(crate) tracks: bool,
    /// Whether what is declared anywhere counts as looked at.
    pub(crate) approximates: bool,
}

/// A check of text, by the name of its format.
#[derive(Clone)]
pub(crate) struct FormatCheck {
    pub(crate) name: Box<str>,
    pub(crate) accepts: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl FormatCheck {
    pub(crate) fn new(name: &str, accepts: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { name: name.into(), accepts: Arc::new(accepts) }
    }
}

impl fmt::Debug for FormatCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FormatCheck").field(&self.name).finish()
    }
}

type Spell = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The canonical spelling of text, by the name of its format.
#[derive(Clone)]
pub(crate) struct Normalise {
    pub(crate) name: Box<str>,
    pub(crate) spell: Arc<Spell>,
}

impl Normalise {
    pub(crate) fn new(
        name: &str,
        spell: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), spell: Arc::new(spell) }
    }
}

impl fmt::Debug for Normalise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Normalise").field(&self.name).finish()
    }
}

/// A compiled schema with its settings. Cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct CompiledSchema(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    table: Table,
    root: Id,
    settings: Settings,
    /// Where each schema was first written.
    places: BTreeMap<Id, FieldPath>,
    /// Whether no schema is made of others or has what the server's schemas do not, so that one node tells what applies
    /// to a value.
    is_plain: bool,
}

impl CompiledSchema {
    pub(crate) fn new(
        table: Table,
        root: Id,
        settings: Settings,
        places: BTreeMap<Id, FieldPath>,
    ) -> Self {
        let is_plain = table.ids().all(|id| {
            let node = table.node(id);
            let is_simple = node.junctors().is_none_or(|it| {
                let lists = [&it.any_of, &it.one_of, &it.all_of];
                it.not.is_none() && lists.into_iter().all(|list| list.is_empty())
            });
            is_simple && !node.more().is_some_and(|more| more.beyond)
        });
        Self(Arc::new(Inner { table, root, settings, places, is_plain }))
    }

    /// Whether one node tells what applies to a value, as in the server's schemas.
    pub(crate) fn is_plain(&self) -> bool {
        self.0.is_plain
    }

    /// Every schema with the place where it was first written.
    pub fn places(&self) -> impl Iterator<Item = (Id, &FieldPath)> {
        self.0.places.iter().map(|(id, path)| (*id, path))
    }

    /// The table that ids name nodes of.
    pub fn table(&self) -> &Table {
        &self.0.table
    }

    /// The schema of whole documents.
    pub fn root(&self) -> Id {
        self.0.root
    }

    /// What decides how values are held against it.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The node called `id`; of a reference, what it refers to.
    pub fn node(&self, id: Id) -> &Node {
        self.table().node(self.table().resolve(id))
    }
}
