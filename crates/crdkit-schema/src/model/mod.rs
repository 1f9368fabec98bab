//! What a document says, in types: a CRD and its schemas.
//!
//! Everything borrows from the decoded [`crdkit_value::Document`]: text as `&str`, values that are not
//! interpreted (defaults, enums, examples) as [`crdkit_value::Value`], whose id leads to positions.
//! Nothing is checked here beyond having the right JSON type.
//!
//! The layout of [`Crd`] is the API server's internal one, because its findings are about that
//! layout: what is equal in all versions (schema, subresources, columns, selectable fields) stands
//! once at the top of the spec and not in the versions.

mod crd;
mod metadata;
mod schema;

pub use crd::{
    ClientConfig, Column, Condition, Conversion, Crd, CrdSpec, CrdStatus, CrdVersion, Names, Scale,
    SelectableField, Service, Subresources, Validation,
};
pub use metadata::{ManagedFields, ObjectMeta, OwnerReference, TextMap};
pub use schema::{
    Additional, Bounds, Dependency, Extensions, ExternalDocs, Items, Junctors, Legacy, Properties,
    Published, Rule, Schema, SchemaId, Schemas, Union,
};
