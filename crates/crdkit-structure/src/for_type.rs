//! Schemas of Rust types, as `schemars` describes them.
//!
//! Takes a type that derives `JsonSchema`; gives the schema that its JSON Schema is, with everything that schemas here
//! have: presence, preserving output, codecs.

use super::schema::{Imported, import};
use super::tri::Tri;
use crate::import::{Dialect, ImportError, ImportOptions, Profile};
use crdkit_codec::typed::to_document;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// The schema of `T`. Any keyword that `schemars` writes counts, so the profile is the loose one.
///
/// # Errors
/// Why the type's description is no schema.
pub fn for_type<T: JsonSchema>(options: &ImportOptions) -> Result<Imported, ImportError> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let document =
        to_document(&schema).map_err(|error| ImportError::Selector(error.to_string()))?;
    let options = options.clone().profile(Profile::Loose).dialect(Dialect::Draft202012);
    import(document.root(), &options)
}

/// Missing is a matter of the object around it; what is there is a value or `null`.
impl<T: JsonSchema> JsonSchema for Tri<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        Option::<T>::inline_schema()
    }
}
