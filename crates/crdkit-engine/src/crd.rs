//! A CRD that judges objects, and one version of it.

use crate::pipeline::{self, Request};
use crate::{Input, Outcome, ReadObject, RequestOptions, Stage, Stored};
#[cfg(feature = "k8s-openapi")]
use crdkit_codec::typed::{TypedError, to_document};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_issue::Issue;
use crdkit_schema::compile::{CompiledCrd, CompiledVersion, Compiler};
use crdkit_schema::read;
use crdkit_value::Document;
#[cfg(feature = "k8s-openapi")]
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled CRD. Owns all it needs, cheap to clone, safe to share between threads.
#[derive(Clone, Debug)]
pub struct Crd {
    compiled: CompiledCrd,
    key: VersionKey,
}

/// One version of a CRD, the one a request names.
#[derive(Clone, Copy, Debug)]
pub struct Version<'c> {
    pub(crate) crd: &'c CompiledCrd,
    pub(crate) compiled: &'c CompiledVersion,
    pub(crate) key: VersionKey,
}

/// Tells a version of a CRD from all others of this process, however they are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionKey {
    crd: u64,
    version: usize,
}

impl VersionKey {
    /// A key that no other version has.
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { crd: NEXT.fetch_add(1, Ordering::Relaxed), version: 0 }
    }
}

/// Why there is no CRD.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrdError {
    /// The text is not a document.
    #[error("{0}")]
    Decode(Box<Issue>),
    /// Its schemas cannot be worked with: they nest too deep.
    #[error("{}", .0.first().map_or_else(|| "there is no CRD".to_owned(), Issue::to_string))]
    Unreadable(Vec<Issue>),
    /// A value of a Rust type that is not a document.
    #[cfg(feature = "k8s-openapi")]
    #[error("{0}")]
    Typed(#[from] TypedError),
}

impl Crd {
    fn new(compiled: CompiledCrd) -> Self {
        Self { compiled, key: VersionKey::unique() }
    }

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
        Ok(compiler.finish().into_iter().map(Self::new).collect())
    }

    /// Compiles the CRD in JSON text.
    ///
    /// # Errors
    /// When it is not JSON, or its schemas cannot be read.
    pub fn from_json(bytes: &[u8]) -> Result<Self, CrdError> {
        Self::from_bytes(Format::Json, bytes)
    }

    /// Compiles the CRD in YAML text, the first document of it.
    ///
    /// # Errors
    /// When it is not YAML, or its schemas cannot be read.
    pub fn from_yaml(bytes: &[u8]) -> Result<Self, CrdError> {
        Self::from_bytes(Format::Yaml, bytes)
    }

    /// Compiles the CRD in `bytes`.
    ///
    /// # Errors
    /// When they are not of that format, or its schemas cannot be read.
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Result<Self, CrdError> {
        let decoded = format.decode(bytes, &DecodeOptions::default()).map_err(CrdError::Decode)?;
        Self::compile(&decoded.document)
    }

    /// The version called `name`, if it is served.
    pub fn version(&self, name: &str) -> Option<Version<'_>> {
        let mut versions = self.compiled.versions().iter().enumerate();
        let (at, version) =
            versions.find(|(_, version)| version.served && &*version.name == name)?;
        let key = VersionKey { version: at, ..self.key };
        Some(Version { crd: &self.compiled, compiled: version, key })
    }

    /// What was compiled.
    pub fn compiled(&self) -> &CompiledCrd {
        &self.compiled
    }
}

/// JSON or YAML, whichever the text looks like.
impl FromStr for Crd {
    type Err = CrdError;

    fn from_str(text: &str) -> Result<Self, CrdError> {
        Self::from_bytes(Format::of_bytes(text.as_bytes()), text.as_bytes())
    }
}

/// A CRD as Kubernetes' own Rust types have it, such as what `kube::CustomResourceExt::crd` gives.
#[cfg(feature = "k8s-openapi")]
impl TryFrom<&CustomResourceDefinition> for Crd {
    type Error = CrdError;

    fn try_from(crd: &CustomResourceDefinition) -> Result<Self, CrdError> {
        Self::compile(&to_document(crd)?)
    }
}

impl From<CompiledCrd> for Crd {
    fn from(compiled: CompiledCrd) -> Self {
        Self::new(compiled)
    }
}

/// The phases of a request: an object is read, may be changed by whoever sends or guards it, and is then
/// created or replaces another.
impl<'c> Version<'c> {
    /// Reads `object`: decoded, of this version, where the request is for, without unknown fields, with
    /// defaults. An object that was changed after it was read is read again in the same way.
    ///
    /// # Errors
    /// The outcome, when the object is refused.
    pub fn read<'r>(
        &self,
        object: impl Into<Input<'r>>,
        options: &'r RequestOptions,
    ) -> Result<ReadObject<'r>, Box<Outcome>>
    where
        'c: 'r,
    {
        pipeline::read(*self, object.into(), options, None)
    }

    /// Reads an object that server-side apply has made of one of this version: nothing is removed from it, defaults
    /// are added.
    ///
    /// # Errors
    /// The outcome, when the object is refused.
    pub fn read_applied<'r>(
        &self,
        object: Document,
        options: &'r RequestOptions,
    ) -> Result<ReadObject<'r>, Box<Outcome>>
    where
        'c: 'r,
    {
        pipeline::read_applied(*self, object, options)
    }

    /// Reads what a write to the `scale` subresource makes of `old`; as an update of `old` it is done.
    ///
    /// # Errors
    /// The outcome, when `replicas` cannot be set.
    pub fn read_scale<'r>(
        &self,
        old: &Stored,
        replicas: i64,
        options: &'r RequestOptions,
    ) -> Result<ReadObject<'r>, Box<Outcome>>
    where
        'c: 'r,
    {
        pipeline::read_scale(*self, old, replicas, options)
    }

    /// Reads an object that was stored, with what this version makes of it today. Nothing is refused.
    pub fn stored(&self, object: &Document, options: &RequestOptions) -> Stored {
        pipeline::stored(*self, object, options)
    }

    /// An object of another version of the same CRD as one of this version, as it is written: without defaults.
    pub fn converted(&self, object: &Document, options: &RequestOptions) -> Document {
        pipeline::converted(*self, object, options)
    }

    /// An object that somebody else has made one of this version, without what its schema does not name.
    pub fn trimmed(&self, object: Document, options: &RequestOptions) -> Document {
        pipeline::trimmed(*self, object, options)
    }

    /// What becomes of `object` when it is created.
    pub fn create<'i>(&self, object: impl Into<Input<'i>>, options: &RequestOptions) -> Outcome {
        pipeline::run(*self, object.into(), options, None, Request::create)
    }

    /// The same, and `watch` is told of every stage when it has ended. A stage may have several parts.
    pub fn create_watched<'i>(
        &self,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
        watch: &mut (dyn FnMut(Stage) + Send),
    ) -> Outcome {
        pipeline::run(*self, object.into(), options, Some(watch), Request::create)
    }

    /// What becomes of `object` when it replaces `old`, which is as it was stored.
    pub fn update<'i>(
        &self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
    ) -> Outcome {
        let old = self.stored(old, options);
        pipeline::run(*self, object.into(), options, None, |request| request.update(&old))
    }

    /// What becomes of the `status` of `object` when it replaces that of `old`.
    pub fn update_status<'i>(
        &self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
    ) -> Outcome {
        let old = self.stored(old, options);
        pipeline::run(*self, object.into(), options, None, |request| request.update_status(&old))
    }

    /// What becomes of `old` when its `scale` subresource is set to `replicas`.
    pub fn scale(&self, old: &Document, replicas: i64, options: &RequestOptions) -> Outcome {
        let old = self.stored(old, options);
        match pipeline::read_scale(*self, &old, replicas, options) {
            Ok(read) => read.update(&old),
            Err(refused) => *refused,
        }
    }

    /// The CRD this is a version of.
    pub fn crd(&self) -> &'c CompiledCrd {
        self.crd
    }

    /// What was compiled of this version.
    pub fn compiled(&self) -> &'c CompiledVersion {
        self.compiled
    }
}
