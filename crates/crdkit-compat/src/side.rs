//! One of two CRDs that are compared.

use crate::classes::{Class, Classes, Interner};
use crdkit_schema::model::{Crd, Schema, SchemaId};

/// A CRD with the classes of its schemas.
pub(crate) struct Side<'c> {
    pub(crate) crd: &'c Crd<'c>,
    classes: Classes,
}

impl<'c> Side<'c> {
    /// Both sides share an interner.
    pub(crate) fn new(crd: &'c Crd<'c>, interner: &mut Interner) -> Self {
        Self { crd, classes: interner.classes(&crd.schemas) }
    }

    pub(crate) fn schema(&self, id: SchemaId) -> &'c Schema<'c> {
        self.crd.schemas.get(id)
    }

    pub(crate) fn class(&self, id: SchemaId) -> Class {
        self.classes.of(id)
    }
}
