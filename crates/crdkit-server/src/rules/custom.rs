//! Custom resources: the phases of the engine.

use super::{Accepted, Between, Part, Refused, Verdict};
use crate::{decode, stored};
use crdkit_engine::{Crd, Input, Outcome, ReadObject, RequestOptions, Stored, Version};
use crdkit_schema::status::Status;
use crdkit_value::{Document, Kind, NodeId, Value};

/// One version of a CRD.
pub(crate) struct CustomRules {
    pub(crate) crd: Crd,
    pub(crate) version: Box<str>,
    options: RequestOptions,
}

impl CustomRules {
    pub(crate) fn new(crd: Crd, version: &str) -> Self {
        // Stored objects say themselves where they live.
        Self { crd, version: version.into(), options: RequestOptions::new().namespace("") }
    }

    /// The version, which is served as long as this is.
    pub(crate) fn version(&self) -> Result<Version<'_>, Box<Status>> {
        let gone = || Box::new(Status::no_such_path());
        self.crd.version(&self.version).ok_or_else(gone)
    }

    pub(super) fn create(
        &self,
        input: Input<'_>,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        let mut read = self.read_input(input, options)?;
        read.discard_system_fields();
        let read = pass(read, between)?;
        verdict(read.create())
    }

    /// Reads an object, and says what is wrong with a body that is none.
    fn read_input<'r>(
        &'r self,
        input: Input<'r>,
        options: &'r RequestOptions,
    ) -> Result<ReadObject<'r>, Box<Refused>> {
        let body = match &input {
            Input::Bytes(format, bytes) => Some((*format, *bytes)),
            Input::Decoded(_) => None,
        };
        self.version()?.read(input, options).map_err(|outcome| {
            let mut refused = refused(outcome);
            let unrecognized = body.and_then(|(format, bytes)| {
                decode::unrecognized(format, bytes, self.crd.compiled().kind())
            });
            if let Some(status) = unrecognized {
                refused.status = Box::new(status);
            }
            refused
        })
    }

    pub(super) fn create_applied(
        &self,
        document: Document,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        let empty = empty_metadata(&document);
        let mut read = self.version()?.read_applied(document, options).map_err(refused)?;
        read.discard_system_fields();
        let read = pass(read, between)?;
        verdict(read.create()).map(|accepted| with_empty(accepted, &empty))
    }

    pub(super) fn update_applied(
        &self,
        part: Part,
        old: &Document,
        document: Document,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        let empty = empty_metadata(&document);
        let version = self.version()?;
        let read = version.read_applied(document, options).map_err(refused)?;
        let read = pass(read, between)?;
        let verdict = Self::replace(part, &version.stored(old, &self.options), read);
        verdict.map(|accepted| with_empty(accepted, &empty))
    }

    pub(super) fn update(
        &self,
        part: Part,
        old: &Document,
        input: Input<'_>,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        let version = self.version()?;
        let read = self.read_input(input, options)?;
        let read = pass(read, between)?;
        Self::replace(part, &version.stored(old, &self.options), read)
    }

    /// What a write to the `scale` subresource makes of an object.
    pub(crate) fn scale(
        &self,
        old: &Document,
        replicas: i64,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        let version = self.version()?;
        let old = version.stored(old, &self.options);
        let read = version.read_scale(&old, replicas, options).map_err(refused)?;
        let read = pass(read, between)?;
        Self::replace(Part::Main, &old, read)
    }

    fn replace(part: Part, old: &Stored, read: ReadObject<'_>) -> Verdict {
        verdict(match part {
            Part::Status => read.update_status(old),
            Part::Main | Part::Finalize => read.update(old),
        })
    }

    /// An object of another version, which says already that it is of this one.
    pub(crate) fn convert(&self, document: &Document) -> Document {
        self.read(document)
    }

    pub(super) fn read(&self, document: &Document) -> Document {
        match self.version() {
            Ok(version) => version.stored(document, &self.options).into_document(),
            Err(_) => document.clone(),
        }
    }

    /// An object of any version in another one, without what the schema of that does not name.
    pub(crate) fn converted(&self, object: &Document, api_version: &str) -> Document {
        let name = api_version.rsplit('/').next().unwrap_or_default();
        if let Some(version) = self.crd.version(name) {
            version.converted(object, &self.options)
        } else {
            let mut object = object.clone();
            object.insert(NodeId::ROOT, "apiVersion", api_version);
            object
        }
    }

    /// The object in the storage version, without what the schema of that does not name.
    pub(super) fn to_storage(&self, document: Document) -> Document {
        match self.crd.compiled().storage_version() {
            Some(storage) if storage.name != self.version => {
                self.converted(&document, &storage.api_version)
            }
            _ => document,
        }
    }
}

/// Fields of metadata that are there with nothing in them, which apply leaves in what is written.
fn empty_metadata(document: &Document) -> Vec<(String, Document)> {
    let metadata = document.root().get("metadata").into_iter().flat_map(Value::members);
    let empty = metadata.filter(|(_, value)| match value.kind() {
        Kind::Object(members) => members.len() == 0,
        Kind::Array(items) => items.len() == 0,
        _ => false,
    });
    empty.map(|(key, value)| (key.to_owned(), Document::copy_of(value))).collect()
}

fn with_empty(mut accepted: Accepted, empty: &[(String, Document)]) -> Accepted {
    if !empty.is_empty() {
        let written = accepted.written.get_or_insert_with(|| accepted.document.clone());
        let metadata = stored::metadata(written);
        for (key, value) in empty {
            written.insert(metadata, key, value);
        }
    }
    accepted
}

/// Lets `between` at an object that was read.
fn pass<'r>(
    mut read: ReadObject<'r>,
    between: Between<'_>,
) -> Result<ReadObject<'r>, Box<Refused>> {
    match between(read.document_mut()) {
        Ok(()) => Ok(read),
        Err(status) => {
            let warnings = read.warning_texts().collect();
            Err(Box::new(Refused { status, warnings, undecodable: None }))
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_box_returns,
    reason = "what `map_err` gives and wants"
)]
fn refused(outcome: Box<Outcome>) -> Box<Refused> {
    let warnings = outcome.warning_texts().collect();
    let undecodable = outcome.undecodable();
    let status =
        outcome.status().unwrap_or_else(|| Status::internal_error("refused without a reason"));
    Box::new(Refused { status: Box::new(status), warnings, undecodable })
}

fn verdict(outcome: Outcome) -> Verdict {
    if !outcome.is_accepted() {
        return Err(refused(Box::new(outcome)));
    }
    let warnings = outcome.warning_texts().collect();
    let (document, written) = outcome.into_written();
    Ok(Accepted { document, written, warnings })
}
