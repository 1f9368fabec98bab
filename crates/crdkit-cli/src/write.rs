//! One write to an object, as the API server does it, without one: create, update, patch, apply.
//!
//! Takes the object as it is and an [`ObjectWrite`], gives the server's verdict with the object as it would be stored, owners of
//! fields included, or why the change cannot be made.

use crdkit_codec::Decoded;
use crdkit_codec::media::PatchOffer;
use crdkit_engine::{Outcome, ReadObject, RequestOptions, Stored, Version};
use crdkit_native::{NativeKind, ReadNative};
use crdkit_patch::managed::{ApplyError, CrdVersions, Versions, Writer, copy_owners, keep_times};
use crdkit_patch::strategic::{self, StrategicError};
use crdkit_patch::{
    Definitions, PatchError, PatchLimits, Schema, json, merge, merge_configuration,
};
use crdkit_schema::status::{Status, Subject};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId};
use std::borrow::Cow;
use std::fmt;

/// What checks objects of a kind.
#[derive(Clone, Copy)]
pub(crate) enum KindRules<'k> {
    Custom(Version<'k>),
    Native(&'static NativeKind),
}

/// What is to become of an object.
pub(crate) enum ObjectWrite<'c> {
    Create(Decoded),
    Update(Decoded),
    UpdateStatus(Decoded),
    JsonPatch(&'c Document),
    MergePatch(&'c Document),
    StrategicPatch(&'c Document),
    /// Server-side apply.
    Apply {
        config: &'c Document,
        force: bool,
    },
}

/// Who makes a change, and when.
#[derive(Clone, Copy)]
pub(crate) struct Author<'a> {
    pub(crate) manager: &'a str,
    pub(crate) time: Timestamp,
}

/// Why a change cannot be made.
pub(crate) enum Refusal {
    Patch(PatchError),
    Strategic(StrategicError),
    Apply(ApplyError),
    /// The kind has no merge keys.
    NoMergeKeys(String),
    /// There is no object to change, or there is one to be created.
    Status(Box<Status>),
}

impl Refusal {
    /// The server's answer.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Patch(error) => error.status(),
            Self::Strategic(error) => error.status(),
            Self::Apply(error) => error.status(),
            Self::NoMergeKeys(_) => {
                let asked = PatchOffer::custom_resource(true)
                    .patch_type("application/strategic-merge-patch+json");
                let problem = asked.err().map(|problem| problem.to_string());
                Status::unsupported_media_type(problem.unwrap_or_default())
            }
            Self::Status(status) => (**status).clone(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patch(error) => error.fmt(f),
            Self::Strategic(error) => error.fmt(f),
            Self::Apply(error) => error.fmt(f),
            Self::NoMergeKeys(kind) => {
                write!(f, "{kind} has no merge keys, so the server takes no strategic merge patch")
            }
            Self::Status(status) => f.write_str(&status.message),
        }
    }
}

/// An object that was read.
enum Read<'r> {
    Custom(ReadObject<'r>),
    Native(ReadNative<'r>),
}

impl Read<'_> {
    fn document_mut(&mut self) -> &mut Document {
        match self {
            Self::Custom(read) => read.document_mut(),
            Self::Native(read) => read.document_mut(),
        }
    }

    fn read_again(self) -> Result<Self, Box<Outcome>> {
        match self {
            Self::Custom(read) => read.read_again().map(Self::Custom),
            Self::Native(read) => read.read_again().map(Self::Native),
        }
    }

    fn discard_system_fields(&mut self) {
        match self {
            Self::Custom(read) => read.discard_system_fields(),
            Self::Native(read) => read.discard_system_fields(),
        }
    }

    fn create(self) -> Outcome {
        match self {
            Self::Custom(read) => read.create(),
            Self::Native(read) => read.create(),
        }
    }

    fn update(self, old: &Stored) -> Outcome {
        match self {
            Self::Custom(read) => read.update(old),
            Self::Native(read) => read.update(old),
        }
    }

    fn update_status(self, old: &Stored) -> Outcome {
        match self {
            Self::Custom(read) => read.update_status(old),
            Self::Native(read) => read.update_status(old),
        }
    }
}

impl<'k> KindRules<'k> {
    /// `object` as it is read from the store.
    pub(crate) fn stored(&self, object: &Document, options: &RequestOptions) -> Stored {
        match self {
            Self::Custom(version) => version.stored(object, options),
            Self::Native(kind) => kind.stored(object, options),
        }
    }

    fn api_version(&self) -> String {
        match self {
            Self::Custom(version) => version.compiled().api_version.to_string(),
            Self::Native(kind) => kind.api_version(),
        }
    }

    fn kind(&self) -> &str {
        match self {
            Self::Custom(version) => version.crd().kind(),
            Self::Native(kind) => kind.kind,
        }
    }

    /// Fields that a request to `subresource` cannot change.
    fn reset_fields(&self, subresource: &str) -> Vec<Vec<&'static str>> {
        match (self, subresource) {
            (Self::Native(kind), _) => kind.reset_fields(subresource),
            (Self::Custom(_), "status") => vec![vec!["metadata"], vec!["spec"]],
            (Self::Custom(version), _) if version.compiled().status => vec![vec!["status"]],
            (Self::Custom(_), _) => Vec::new(),
        }
    }

    /// The object as field managers see it.
    fn seen<'d>(&self, object: &'d Document) -> Cow<'d, Document> {
        match self {
            Self::Custom(_) => Cow::Borrowed(object),
            Self::Native(kind) => Cow::Owned(kind.as_written(object)),
        }
    }

    fn read<'r>(
        &self,
        object: Decoded,
        options: &'r RequestOptions,
    ) -> Result<Read<'r>, Box<Outcome>>
    where
        'k: 'r,
    {
        match *self {
            Self::Custom(version) => version.read(object, options).map(Read::Custom),
            Self::Native(kind) => kind.read(object, options).map(Read::Native),
        }
    }

    /// Reads what server-side apply has made.
    fn read_applied<'r>(
        &self,
        object: Document,
        options: &'r RequestOptions,
    ) -> Result<Read<'r>, Box<Outcome>>
    where
        'k: 'r,
    {
        match *self {
            Self::Custom(version) => version.read_applied(object, options).map(Read::Custom),
            Self::Native(kind) => kind.read(object, options).map(Read::Native),
        }
    }

    /// What becomes of `live` when `change` is made. The inner outcome is the server's verdict on the object.
    pub(crate) fn write(
        &self,
        live: Option<&Stored>,
        change: ObjectWrite<'_>,
        author: Author<'_>,
        options: &RequestOptions,
    ) -> Result<Outcome, Refusal> {
        let api_version = self.api_version();
        let is_status = matches!(change, ObjectWrite::UpdateStatus(_));
        let subresource = if is_status { "status" } else { "" };
        let reset = self.reset_fields(subresource);
        let reset: Vec<&[&str]> = reset.iter().map(Vec::as_slice).collect();
        let writer = Writer {
            manager: author.manager,
            api_version: &api_version,
            subresource,
            time: author.time,
            reset: &reset,
            versions: self,
        };
        let before = live.map(Stored::document);
        let not_found = || Refusal::Status(Box::new(self.subject(options).not_found()));
        let patched = |patch: &dyn Fn(&mut Document) -> Result<(), Refusal>| {
            let mut object = self.seen(before.ok_or_else(not_found)?).into_owned();
            patch(&mut object)?;
            Ok(Decoded { document: object, issues: Vec::new() })
        };
        let object = match change {
            ObjectWrite::Create(object) => {
                if live.is_some() {
                    let status = self.subject(options).already_exists();
                    return Err(Refusal::Status(Box::new(status)));
                }
                object
            }
            ObjectWrite::Update(object) | ObjectWrite::UpdateStatus(object) => {
                before.ok_or_else(not_found)?;
                object
            }
            ObjectWrite::JsonPatch(patch) => patched(&|object| {
                let patch = json::JsonPatch::from_document(patch.clone(), &PatchLimits::default());
                patch.and_then(|patch| patch.apply(object)).map_err(Refusal::Patch)
            })?,
            ObjectWrite::MergePatch(patch) => patched(&|object| {
                let patch =
                    merge::MergePatch::from_document(patch.clone()).map_err(Refusal::Patch)?;
                patch.apply(object);
                Ok(())
            })?,
            ObjectWrite::StrategicPatch(patch) => patched(&|object| {
                let schema = match self {
                    Self::Native(_) => self.schema(&api_version),
                    Self::Custom(_) => None,
                };
                let schema = schema.ok_or_else(|| Refusal::NoMergeKeys(self.kind().to_owned()))?;
                strategic::apply(object, patch.root(), &schema).map_err(Refusal::Strategic)
            })?,
            ObjectWrite::Apply { config, force } => {
                let seen = before.map(|before| self.seen(before));
                let applied = writer.apply(self.kind(), seen.as_deref(), config, force);
                let applied = applied.map_err(Refusal::Apply)?;
                return Ok(match self.read_applied(applied.document, options) {
                    Err(refused) => *refused,
                    Ok(mut read) => {
                        if let Some(before) = before {
                            keep_times(before, read.document_mut());
                        }
                        finish(read, live, is_status)
                    }
                });
            }
        };
        let mut read = match self.read(object, options) {
            Err(refused) => return Ok(*refused),
            Ok(read) => read,
        };
        if before.is_none() {
            read.discard_system_fields();
        }
        let mut seen = self.seen(read.document_mut()).into_owned();
        match (before, self) {
            (Some(before), _) => writer.update(Some(&*self.seen(before)), &mut seen),
            (None, Self::Native(kind)) => writer.create(&kind.empty(), &mut seen),
            (None, Self::Custom(_)) => writer.update(None, &mut seen),
        }
        copy_owners(&seen, read.document_mut());
        if let Some(before) = before {
            keep_times(before, read.document_mut());
        }
        Ok(finish(read, live, is_status))
    }

    /// Creates an object, or replaces `live` or its status.
    pub(crate) fn finish(
        &self,
        object: Decoded,
        (live, is_status): (Option<&Stored>, bool),
        options: &RequestOptions,
    ) -> Outcome {
        match self.read(object, options) {
            Err(refused) => *refused,
            Ok(read) => finish(read, live, is_status),
        }
    }

    /// Creates an object, or replaces `live` or its status, after `change` has had its way with it.
    ///
    /// # Errors
    /// The answer that `change` gives.
    pub(crate) fn admit(
        &self,
        object: Decoded,
        (live, is_status): (Option<&Stored>, bool),
        options: &RequestOptions,
        change: impl FnOnce(&mut Document) -> Result<(), Box<Status>>,
    ) -> Result<Outcome, Box<Status>> {
        let mut read = match self.read(object, options) {
            Err(refused) => return Ok(*refused),
            Ok(read) => read,
        };
        change(read.document_mut())?;
        Ok(match read.read_again() {
            Err(refused) => *refused,
            Ok(read) => finish(read, live, is_status),
        })
    }

    /// Lays `made` over an object of the kind, as server-side apply would.
    ///
    /// # Errors
    /// What does not fit.
    pub(crate) fn merge(&self, object: &mut Document, made: &Document) -> Result<(), String> {
        let schema = self.schema(&self.api_version()).ok_or("the kind is not known")?;
        merge_configuration(&schema, object, made)
    }

    /// Whether objects are in namespaces.
    pub(crate) fn is_namespaced(&self) -> bool {
        match self {
            Self::Custom(version) => version.crd().is_namespaced(),
            Self::Native(kind) => kind.namespaced,
        }
    }

    /// The name of the resource.
    pub(crate) fn plural(&self) -> &str {
        match self {
            Self::Custom(version) => version.crd().plural(),
            Self::Native(kind) => kind.plural,
        }
    }

    /// The object that a request is for.
    fn subject<'s>(&'s self, options: &'s RequestOptions) -> Subject<'s> {
        let (group, plural) = match self {
            Self::Custom(version) => (version.crd().group(), version.crd().plural()),
            Self::Native(kind) => (kind.group, kind.plural),
        };
        let name = options.name.as_deref().unwrap_or_default();
        Subject { group, version: "", kind: plural, name }
    }
}

fn finish(read: Read<'_>, live: Option<&Stored>, is_status: bool) -> Outcome {
    match live {
        Some(live) if is_status => read.update_status(live),
        Some(live) => read.update(live),
        None => read.create(),
    }
}

impl Versions for KindRules<'_> {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        match self {
            Self::Custom(version) => {
                let crd = version.crd();
                let found = crd.versions().iter().find(|it| *it.api_version == *api_version)?;
                Some(Schema::new(crd.table(), found.schema, !crd.prunes()))
            }
            Self::Native(kind) => Schema::of_kind(Definitions::native(), api_version, kind.kind),
        }
    }

    fn convert(&self, object: &Document, api_version: &str) -> Result<Document, String> {
        if let Self::Custom(version) = self {
            return CrdVersions(version.crd()).convert(object, api_version);
        }
        let mut converted = object.clone();
        converted.insert(NodeId::ROOT, "apiVersion", api_version);
        Ok(converted)
    }
}
