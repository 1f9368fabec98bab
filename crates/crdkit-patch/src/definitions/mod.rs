//! Types of kinds that no CRD defines: what OpenAPI definitions say about merging.
//!
//! [`Definitions`] is a table of types by name, with list types, map types and merge keys. It is made of OpenAPI, such as a
//! cluster serves it, or of its own compact text.

mod openapi;
mod text;

use crate::typed::{ListKind, ScalarKind};
use crdkit_value::Document;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Types by name.
#[derive(Debug, Default)]
pub struct Definitions {
    rows: Vec<TypeRow>,
    names: BTreeMap<Box<str>, RowId>,
    /// By `apiVersion/kind`.
    kinds: BTreeMap<Box<str>, RowId>,
}

/// Names a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowId(u32);

/// What is said about one type: about scalars, lists and objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TypeRow {
    pub(crate) scalar: Option<ScalarKind>,
    pub(crate) list: Option<ListRow>,
    pub(crate) map: Option<MapRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListRow {
    pub(crate) kind: ListKind,
    pub(crate) keys: Box<[Box<str>]>,
    pub(crate) items: TypeRef,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapRow {
    pub(crate) atomic: bool,
    /// Sorted by name.
    pub(crate) fields: Box<[FieldRow]>,
    /// The type of members that are no fields; none if there may be none.
    pub(crate) element: Option<TypeRef>,
}

/// A field of a structure, and how a strategic merge patch treats it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldRow {
    pub(crate) name: Box<str>,
    pub(crate) of: TypeRef,
    /// Whether the field says that its value is merged member by member, whatever its type says.
    pub(crate) is_granular: bool,
    pub(crate) strategy: Strategy,
    pub(crate) default: Option<Document>,
}

/// A type, or that nothing is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeRef {
    Row(RowId),
    /// Objects are merged, lists are leaves.
    Deduced,
    /// Everything is one leaf.
    Atomic,
}

/// `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strategy {
    /// `merge`.
    pub(crate) merges: bool,
    /// `replace`.
    pub(crate) replaces: bool,
    /// `retainKeys`.
    pub(crate) retains_keys: bool,
    pub(crate) merge_key: Box<str>,
}

impl Definitions {
    pub(crate) fn row(&self, RowId(at): RowId) -> Option<&TypeRow> {
        self.rows.get(at as usize)
    }

    /// The kinds that come with Kubernetes.
    pub fn native() -> &'static Self {
        static NATIVE: LazyLock<Definitions> =
            LazyLock::new(|| Definitions::from_text(include_str!("../../resources/native.types")));
        &NATIVE
    }

    /// The definition of a kind.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> Option<RowId> {
        self.kinds.get(&*format!("{api_version}/{kind}")).copied()
    }

    /// The definition called `name`.
    pub(crate) fn named(&self, name: &str) -> Option<RowId> {
        self.names.get(name).copied()
    }

    /// The name of a definition, without its package.
    pub(crate) fn short_name(&self, id: RowId) -> &str {
        let found = self.names.iter().find(|(_, row)| **row == id);
        let name = found.map_or("", |(name, _)| name);
        name.rsplit('.').next().unwrap_or(name)
    }

    fn add(&mut self, row: TypeRow) -> RowId {
        if let Some(at) = self.rows.iter().skip(self.names.len()).position(|known| *known == row) {
            return RowId(u32::try_from(at + self.names.len()).unwrap_or(u32::MAX));
        }
        self.rows.push(row);
        RowId(u32::try_from(self.rows.len() - 1).unwrap_or(u32::MAX))
    }
}

impl MapRow {
    pub(crate) fn field(&self, name: &str) -> Option<&FieldRow> {
        let found = self.fields.binary_search_by(|field| (*field.name).cmp(name)).ok()?;
        self.fields.get(found)
    }
}
