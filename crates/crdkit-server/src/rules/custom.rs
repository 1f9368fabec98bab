//! Custom resources: the phases of the engine.

use super::{Accepted, Between, Part, Refused, Verdict};
use crate::convert::{Converter, Recent};
use crate::{decode, stored};
use crdkit_engine::{
    Crd, FieldValidation, Input, Outcome, ReadObject, RequestOptions, Stored, Version,
};
use crdkit_schema::status::Status;
use crdkit_store::StoreEntry;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, NodeId, Value};
use std::sync::Arc;

/// One version of a CRD.
pub(crate) struct CustomRules {
    pub(crate) crd: Crd,
    pub(crate) version: Box<str>,
    api_version: Box<str>,
    options: RequestOptions,
    /// The service that converts objects between versions; none if they are as good as the same.
    converter: Option<Arc<Converter>>,
    recent: Recent,
}

impl CustomRules {
    pub(crate) fn new(crd: Crd, version: &str, converter: Option<Arc<Converter>>) -> Self {
        // Stored objects say themselves where they live.
        let options = RequestOptions::new().namespace("");
        let api_version = format!("{}/{version}", crd.compiled().group()).into();
        let (version, recent) = (version.into(), Recent::default());
        Self { crd, version, api_version, options, converter, recent }
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
            let kind = self.crd.compiled().kind();
            let ignores = options.field_validation == FieldValidation::Ignore;
            let unrecognized = body.and_then(|(format, bytes)| {
                let missing = ignores.then(|| decode::kind_missing(format, bytes)).flatten();
                match missing {
                    Some(problem) => Some(Status::bad_request(format!(
                        "{kind} in version {} cannot be handled as a {kind}: {problem}",
                        quote(&self.version)
                    ))),
                    None => decode::unrecognized(format, bytes, kind),
                }
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
            _ => read.update(old),
        })
    }

    pub(crate) fn has_converter(&self) -> bool {
        self.converter.is_some()
    }

    /// An object of any version as one of this version.
    pub(crate) async fn convert(&self, document: &Document) -> Result<Document, Box<Status>> {
        let mut converted = self.read_all(vec![document.clone()]).await?;
        Ok(converted.pop().unwrap_or_default())
    }

    /// What is stored, whatever its version, as objects of this version.
    pub(crate) async fn read_all(
        &self,
        mut objects: Vec<Document>,
    ) -> Result<Vec<Document>, Box<Status>> {
        if let Some(converter) = &self.converter {
            let mut others = Vec::new();
            let wanted = &*self.api_version;
            for object in &mut objects {
                let text = object.root().get("apiVersion").and_then(Value::as_str);
                let text = text.unwrap_or_default();
                others.push(text != wanted);
                let name = text.rsplit('/').next().unwrap_or_default();
                if let Some(version) = self.crd.version(name) {
                    let read = version.stored(object, &self.options).into_document();
                    *object = read;
                }
            }
            let objects = converter.convert(objects, wanted).await?;
            let version = self.version()?;
            let trimmed = objects.into_iter().zip(others).map(|(object, is_other)| {
                if is_other { version.trimmed(object, &self.options) } else { object }
            });
            return Ok(trimmed.collect());
        }
        for object in &mut objects {
            *object = self.read(object);
        }
        Ok(objects)
    }

    /// An entry that others may want to see as well.
    pub(crate) async fn read_shared(&self, entry: &StoreEntry) -> Result<Document, Box<Status>> {
        self.recent.convert(entry, || async { self.convert(&stored::object(entry)).await }).await
    }

    /// What is stored as an object of this version, where no service has to be asked.
    pub(super) fn read(&self, document: &Document) -> Document {
        match self.version() {
            Ok(version) => version.stored(document, &self.options).into_document(),
            Err(_) => document.clone(),
        }
    }

    /// An object in another version, as field managers compare it.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) async fn in_version(
        &self,
        object: &Document,
        api_version: &str,
    ) -> Result<Document, Box<Status>> {
        let mut converted = object.clone();
        if let Some(converter) = &self.converter {
            let objects = converter.convert(vec![converted], api_version).await?;
            return Ok(objects.into_iter().next().unwrap_or_default());
        }
        converted.insert(NodeId::ROOT, "apiVersion", api_version);
        Ok(converted)
    }

    /// The object in the storage version, without what the schema of that does not name.
    pub(super) async fn to_storage(&self, document: Document) -> Result<Document, Box<Status>> {
        let storage = self.crd.compiled().storage_version();
        let Some(storage) = storage.filter(|storage| storage.name != self.version) else {
            return Ok(document);
        };
        let Some(version) = self.crd.version(&storage.name) else { return Ok(document) };
        let Some(converter) = &self.converter else {
            return Ok(version.converted(&document, &self.options));
        };
        let objects = converter.convert(vec![document], &storage.api_version).await?;
        let object = objects.into_iter().next().unwrap_or_default();
        Ok(version.trimmed(object, &self.options))
    }
}

/// Fields of metadata that are there with nothing in them, which apply leaves in what is written.
fn empty_metadata(document: &Document) -> Vec<(String, Document)> {
    let metadata = document.root().get("metadata").into_iter().flat_map(Value::members);
    let empty = metadata.filter(|(_, value)| match value.kind() {
        Kind::Null => true,
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
