//! The versions of a kind: their schemas, and objects converted between them.

use crate::typed::Schema;
use crdkit_schema::compile::CompiledCrd;
use crdkit_value::{Document, NodeId};

/// The versions of a kind.
pub trait Versions {
    /// The schema of objects of `api_version`; none if there is no such version.
    fn schema(&self, api_version: &str) -> Option<Schema<'_>>;

    /// `object` in another version.
    ///
    /// # Errors
    /// Why it cannot be converted.
    fn convert(&self, object: &Document, api_version: &str) -> Result<Document, String>;

    /// Why nothing can be applied while somebody owns fields at `api_version`, of which there is no schema. Nothing where
    /// such owners are forgotten.
    fn refusal(&self, _api_version: &str) -> Option<String> {
        None
    }
}

/// The versions of a CRD whose objects are converted by giving them another `apiVersion`.
#[derive(Clone, Copy, Debug)]
pub struct CrdVersions<'c>(pub &'c CompiledCrd);

impl Versions for CrdVersions<'_> {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        let crd = self.0;
        let version = crd.versions().iter().find(|it| *it.api_version == *api_version)?;
        Some(Schema::new(crd.table(), version.schema, !crd.prunes()))
    }

    fn convert(&self, object: &Document, api_version: &str) -> Result<Document, String> {
        let mut converted = object.clone();
        converted.insert(NodeId::ROOT, "apiVersion", api_version);
        Ok(converted)
    }

    fn refusal(&self, api_version: &str) -> Option<String> {
        Some(format!("request to convert CR to an invalid group/version: {api_version}"))
    }
}
