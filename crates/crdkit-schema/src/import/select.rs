//! Which schema of a document is meant.
//!
//! A document is a schema itself, an object with `openAPIV3Schema` or `schema` in it, a CRD, or a list of
//! CRDs. Nothing is guessed: what a selector leaves open and the document answers in two ways is an error.

/// Which CRD, and which of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdSelector {
    pub(crate) group: Option<Box<str>>,
    pub(crate) kind: Option<Box<str>>,
    pub(crate) name: Option<Box<str>>,
    pub(crate) version: VersionSelector,
}

/// Which version of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionSelector {
    /// The one that objects are stored in.
    #[default]
    Storage,
    /// The first one that is served.
    FirstServed,
    /// The one with this name.
    Named(Box<str>),
}

impl CrdSelector {
    /// The CRD of objects of this kind.
    pub fn kind(kind: &str) -> Self {
        Self { kind: Some(kind.into()), ..Self::default() }
    }

    /// The CRD with this name, such as `widgets.example.com`.
    pub fn name(name: &str) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// The one of this group.
    #[must_use]
    pub fn group(self, group: &str) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// This version of it.
    #[must_use]
    pub fn version(self, version: VersionSelector) -> Self {
        Self { version, ..self }
    }
}
