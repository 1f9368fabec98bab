//! A CRD that judges objects, and one version of it.

use crate::{Input, Options, Outcome, Stage, pipeline};
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Issue;
use crdkit_schema::compile::{CompiledCrd, CompiledVersion, Compiler};
use crdkit_schema::read;
use crdkit_value::Document;
use std::fmt;

/// A compiled CRD. Owns all it needs, cheap to clone, safe to share between threads.
#[derive(Clone, Debug)]
pub struct Crd {
    compiled: CompiledCrd,
}

/// One version of a CRD, the one a request names.
#[derive(Clone, Copy, Debug)]
pub struct Version<'c> {
    pub(crate) crd: &'c CompiledCrd,
    pub(crate) version: &'c CompiledVersion,
}

/// Why there is no CRD.
#[derive(Debug)]
#[non_exhaustive]
pub enum CrdError {
    /// The text is not a document.
    Decode(Box<Issue>),
    /// Its schemas cannot be worked with: they nest too deep.
    Unreadable(Vec<Issue>),
}

impl Crd {
    /// Compiles the CRD in `document`. Checking it is a matter of its own: what the API server would
    /// refuse is taken here as far as it makes sense.
    ///
    /// # Errors
    /// When its schemas cannot be read.
    pub fn compile(document: &Document) -> Result<Self, CrdError> {
        let crds = Self::compile_all([document])?;
        crds.into_iter().next().ok_or(CrdError::Unreadable(Vec::new()))
    }

    /// Compiles all of `documents` together, so that they share equal schemas.
    ///
    /// # Errors
    /// When the schemas of one cannot be read.
    pub fn compile_all<'d>(
        documents: impl IntoIterator<Item = &'d Document>,
    ) -> Result<Vec<Self>, CrdError> {
        let mut compiler = Compiler::default();
        for document in documents {
            let (crd, issues) = read::crd(document.root());
            if !issues.is_empty() {
                return Err(CrdError::Unreadable(issues));
            }
            compiler.add(&crd);
        }
        Ok(compiler.finish().into_iter().map(|compiled| Self { compiled }).collect())
    }

    /// Compiles the CRD in JSON text.
    ///
    /// # Errors
    /// When it is not JSON, or its schemas cannot be read.
    pub fn from_json(bytes: &[u8]) -> Result<Self, CrdError> {
        let decoded = json::decode(bytes, &DecodeOptions::default()).map_err(CrdError::Decode)?;
        Self::compile(&decoded.document)
    }

    /// The version called `name`, if it is served.
    pub fn version(&self, name: &str) -> Option<Version<'_>> {
        let mut versions = self.compiled.versions().iter();
        let version = versions.find(|version| version.served && &*version.name == name)?;
        Some(Version { crd: &self.compiled, version })
    }

    /// What was compiled.
    pub fn compiled(&self) -> &CompiledCrd {
        &self.compiled
    }
}

impl From<CompiledCrd> for Crd {
    fn from(compiled: CompiledCrd) -> Self {
        Self { compiled }
    }
}

impl<'c> Version<'c> {
    /// What becomes of `object` when it is created.
    pub fn create<'i>(&self, object: impl Into<Input<'i>>, options: &Options) -> Outcome<'c> {
        pipeline::create(*self, object.into(), options, None)
    }

    /// The same, and `watch` is told of every stage when it has ended. A stage may have several parts.
    pub fn create_watched<'i>(
        &self,
        object: impl Into<Input<'i>>,
        options: &Options,
        watch: &mut dyn FnMut(Stage),
    ) -> Outcome<'c> {
        pipeline::create(*self, object.into(), options, Some(watch))
    }

    /// What becomes of `object` when it replaces `old`, which is as it was stored.
    pub fn update<'i>(
        &self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &Options,
    ) -> Outcome<'c> {
        pipeline::update(*self, old, object.into(), options)
    }

    /// What becomes of the `status` of `object` when it replaces that of `old`.
    pub fn update_status<'i>(
        &self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &Options,
    ) -> Outcome<'c> {
        pipeline::update_status(*self, old, object.into(), options)
    }

    /// What becomes of `old` when its `scale` subresource is set to `replicas`.
    pub fn scale(&self, old: &Document, replicas: i64, options: &Options) -> Outcome<'c> {
        pipeline::scale(*self, old, replicas, options)
    }

    /// The CRD this is a version of.
    pub fn crd(&self) -> &'c CompiledCrd {
        self.crd
    }

    /// What was compiled of this version.
    pub fn compiled(&self) -> &'c CompiledVersion {
        self.version
    }
}

impl fmt::Display for CrdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(issue) => issue.fmt(f),
            Self::Unreadable(issues) => match issues.first() {
                Some(issue) => issue.fmt(f),
                None => f.write_str("there is no CRD"),
            },
        }
    }
}

impl std::error::Error for CrdError {}
