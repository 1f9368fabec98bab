//! Verdicts of the engine on objects that are to be sent.
//!
//! Whatever is refused here is refused by the server too. What is passed may still be refused there: by admission, by quotas,
//! or because the CRD is another by now.

use crate::{Manifest, WriteOptions};
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions};
use crdkit_issue::{Issue, Position, Severity};
use crdkit_schema::set::CrdDefinition;
use crdkit_schema::status::Status;
use crdkit_value::{Document, Value};
use std::fmt;

/// Why an object was not sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefusedObject {
    /// What the server would answer.
    pub status: Status,
    /// What is wrong, as data.
    pub issues: Vec<Issue>,
    /// The name of the file; empty if the object did not come from one.
    pub file: String,
    /// Where in the file each of the issues is.
    pub places: Vec<Option<Position>>,
}

/// What an object is to do.
#[derive(Clone, Copy)]
pub(crate) enum Judged<'a> {
    Create,
    Update(&'a Document),
    UpdateStatus(&'a Document),
}

/// # Errors
/// The verdict, when the server would refuse the object.
pub(crate) fn judge(
    definition: &CrdDefinition,
    judged: Judged<'_>,
    document: &Document,
    manifest: Option<&Manifest>,
    namespace: Option<&str>,
    options: &WriteOptions,
) -> Result<(), Box<RefusedObject>> {
    // What cannot be compiled is for the server to judge.
    let Ok(compiled) = definition.compiled() else { return Ok(()) };
    let crd = Crd::from(compiled.clone());
    let api_version = document.root().get("apiVersion").and_then(Value::as_str);
    let version = api_version.unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let Some(version) = crd.version(version) else { return Ok(()) };
    let validation = options.field_validation.unwrap_or(FieldValidation::Warn);
    let mut request = RequestOptions::new().field_validation(validation);
    if let Some(namespace) = namespace {
        request = request.namespace(namespace);
    }
    let mut outcome: Outcome = match judged {
        Judged::Create => version.create(document.clone(), &request),
        Judged::Update(old) => version.update(old, document.clone(), &request),
        Judged::UpdateStatus(old) => version.update_status(old, document.clone(), &request),
    };
    let Some(status) = outcome.status() else { return Ok(()) };
    if let Some(decoded) = manifest.and_then(Manifest::with_positions) {
        outcome.locate(&decoded);
    }
    let issues = outcome.issues.into_iter().filter(|issue| issue.severity == Severity::Error);
    let issues: Vec<Issue> = issues.collect();
    let places = issues.iter().map(|issue| manifest?.position(issue.span?.start)).collect();
    let file = manifest.map(|manifest| manifest.name().to_owned()).unwrap_or_default();
    Err(Box::new(RefusedObject { status, issues, file, places }))
}

impl fmt::Display for RefusedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() {
            return self.status.fmt(f);
        }
        for (at, (issue, place)) in self.issues.iter().zip(&self.places).enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&self.file)?;
            if let Some(place) = place {
                write!(f, ":{}:{}", place.line, place.column)?;
            }
            write!(f, ": {issue}")?;
        }
        Ok(())
    }
}
