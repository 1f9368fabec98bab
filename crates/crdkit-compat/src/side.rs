//! One of two CRDs that are compared.

use crate::classes::{Class, Classes, Interner};
use crdkit_schema::model::{Additional, Crd, Schema, SchemaId};
use std::cell::OnceCell;

/// A CRD with the classes of its schemas.
pub(crate) struct Side<'c> {
    pub(crate) crd: &'c Crd<'c>,
    classes: Classes,
    blind: OnceCell<Vec<bool>>,
}

impl<'c> Side<'c> {
    /// Both sides share an interner.
    pub(crate) fn new(crd: &'c Crd<'c>, interner: &mut Interner) -> Self {
        Self { crd, classes: interner.classes(&crd.schemas), blind: OnceCell::new() }
    }

    pub(crate) fn schema(&self, id: SchemaId) -> &'c Schema<'c> {
        self.crd.schemas.get(id)
    }

    pub(crate) fn class(&self, id: SchemaId) -> Class {
        self.classes.of(id)
    }
    /// Whether a value of a schema, outside of lists that are compared as a whole, may have members that
    /// have no schema.
    pub(crate) fn is_blind(&self, id: SchemaId) -> bool {
        let blind = self.blind.get_or_init(|| {
            let schemas = &self.crd.schemas;
            let mut blind = vec![false; schemas.len()];
            let mut rows: Vec<_> = schemas.iter().collect();
            // A child comes after the schema it is in.
            while let Some((id, schema)) = rows.pop() {
                let is_map = schema.extensions().list_type == Some("map");
                let items = schema.item_schema().filter(|_| is_map);
                let fields = schema.properties.iter().map(|(_, id)| id);
                let mut parts = fields.chain(schema.additional_schema()).chain(items);
                let is_blind = keeps(schema)
                    || schema.extensions().embedded_resource
                    || parts.any(|id| blind.get(id.index()) == Some(&true));
                if let Some(row) = blind.get_mut(id.index()) {
                    *row = is_blind;
                }
            }
            blind
        });
        blind.get(id.index()) == Some(&true)
    }
}

/// Whether members without a schema are kept.
pub(crate) fn keeps(schema: &Schema<'_>) -> bool {
    schema.preserves_unknown_fields()
        || schema.additional_properties == Some(Additional::Allowed(true))
}
