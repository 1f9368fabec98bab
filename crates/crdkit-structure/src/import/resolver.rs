//! Other documents that a schema refers to.
//!
//! Nothing here fetches anything: a caller that wants references to other documents to work hands in a
//! [`Resolver`]. How often it is asked, and how much it may give, is bounded.

use crdkit_value::Document;
use std::collections::BTreeMap;

/// Gives the documents that `$ref` names by address.
pub trait Resolver: Send + Sync {
    /// The document at `uri`, which has no fragment.
    fn resolve(&self, uri: &str) -> Result<Document, ResolveError>;
}

/// Why a document is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The resolver does not know or does not want the address.
    #[error("references to other documents are not allowed here")]
    Refused,
    /// The resolver tried.
    #[error("{0}")]
    Failed(String),
    /// The limits were reached.
    #[error("the schema refers to more than the {0} allowed")]
    TooMuch(&'static str),
}

/// How much is taken from a resolver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolverLimits {
    /// Documents in all.
    pub documents: usize,
    /// Values in all documents together.
    pub nodes: usize,
}

impl Default for ResolverLimits {
    fn default() -> Self {
        Self { documents: 64, nodes: 1 << 20 }
    }
}

/// Refuses everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefuseAll;

impl Resolver for RefuseAll {
    fn resolve(&self, _: &str) -> Result<Document, ResolveError> {
        Err(ResolveError::Refused)
    }
}

/// Documents that are at hand, by address.
impl Resolver for BTreeMap<String, Document> {
    fn resolve(&self, uri: &str) -> Result<Document, ResolveError> {
        self.get(uri).cloned().ok_or(ResolveError::Refused)
    }
}
