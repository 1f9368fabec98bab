//! An object that is changed in place.

use super::Target;
use super::write::Written;
use crate::admission::Change;
use crate::answer::Answer;
use crate::negotiate::Form;
use crate::options::{WriteKind, WriteOptions};
use crate::rules::{Part, Refused, Verdict};
use crate::stored::{self, metadata_text};
use crate::view::Shape;
use crdkit_codec::media::{PatchType, UnsupportedMediaType};
use crdkit_codec::{Decoded, go_json};
use crdkit_engine::{FieldValidation, Input};
use crdkit_issue::Issue;
use crdkit_patch::{Definitions, PatchError, PatchLimits, Schema, json, merge, strategic};
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;
use crdkit_value::{Document, NodeId, Value};

/// A patch that was read.
pub(super) enum Patch {
    Json(json::JsonPatch),
    Merge(merge::MergePatch),
    Strategic(strategic::StrategicPatch),
}

impl Patch {
    /// Reads a patch; what is wrong with it beyond its syntax is said after the object was found.
    pub(super) fn read(
        kind: PatchType,
        body: &[u8],
    ) -> Result<Result<Self, PatchError>, Box<Status>> {
        let limits = PatchLimits::default();
        let patch = match kind {
            PatchType::Json => json::JsonPatch::read(body, &limits).map(Self::Json),
            PatchType::Strategic => {
                strategic::StrategicPatch::read(body, &limits).map(Self::Strategic)
            }
            _ => merge::MergePatch::read(body, &limits).map(Self::Merge),
        };
        match patch {
            Err(error) if error.is_syntax() => Err(error.status().into()),
            patch => Ok(patch),
        }
    }

    /// Applies the patch to an object of a kind.
    pub(super) fn apply(
        &self,
        object: &mut Document,
        api_version: &str,
        kind: &str,
    ) -> Result<(), Box<Status>> {
        match self {
            Self::Strategic(patch) => {
                let schema = Schema::of_kind(Definitions::native(), api_version, kind);
                let schema = schema.ok_or_else(|| Box::new(Status::rejected()))?;
                patch.apply(object, &schema).map_err(|error| error.status().into())
            }
            Self::Json(patch) => patch.apply(object).map_err(|error| error.status().into()),
            Self::Merge(patch) => {
                patch.apply(object);
                Ok(())
            }
        }
    }

    /// What a strict reader says of the patch itself.
    ///
    /// # Errors
    /// The answer, when it cannot be read as one.
    fn strict(&self, validation: FieldValidation) -> Result<Vec<String>, Box<Status>> {
        match self {
            Self::Json(patch) if validation != FieldValidation::Ignore => {
                patch.strict().map_err(|error| error.status().into())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Keys that the patch has more than once.
    pub(super) fn repeated(&self) -> &[Issue] {
        match self {
            Self::Json(_) => &[],
            Self::Merge(patch) => patch.repeated(),
            Self::Strategic(patch) => patch.repeated(),
        }
    }
}

impl Target<'_> {
    pub(super) async fn patch(&self) -> Result<Answer, Box<Status>> {
        let kind = self.patch_type()?;
        let name = self.name()?;
        let form = self.form()?;
        let body = self.request.body()?;
        if matches!(kind, PatchType::ApplyYaml | PatchType::ApplyCbor) {
            return self.apply(kind, name, &form, body).await;
        }
        let options = WriteOptions::of(self.request, WriteKind::Patch)?;
        let shape = self.shape(&form)?;
        let patch = Patch::read(kind, body)?;
        let engine = self.engine_options(&options).name(name);
        let managing = self.managing(&options);
        let part = self.part();
        let make = |old: &Document| {
            let patch = patch.as_ref().map_err(|error| Box::new(error.status()))?;
            let mut patched = old.clone();
            let kind = &self.served.resource.kind;
            let strict = patch.strict(options.validation)?;
            patch.apply(&mut patched, &self.served.resource.api_version(), &kind.kind)?;
            if options.validation == FieldValidation::Warn {
                for text in &strict {
                    self.request.warn(text);
                }
            }
            self.check_type(part, name, &mut patched, old.root())?;
            let shown = patched.clone();
            let change = Change::update(&options, old);
            let mut between = |document: &mut Document| {
                self.keep_uid(part, document, old.root());
                self.check_same_uid(name, document.root(), old.root())?;
                Self::check_patched_version(document.root())?;
                managing.update(Some(old), document);
                self.mutate(change, document)
            };
            let issues = match options.validation {
                FieldValidation::Ignore => Vec::new(),
                _ => patch.repeated().to_vec(),
            };
            let input = Input::Decoded(Decoded { document: patched, issues });
            let verdict = self.served.rules.update(part, old, input, &engine, &mut between);
            let settled = self.settle(of_patch(verdict));
            if options.validation == FieldValidation::Strict && !strict.is_empty() {
                return Err(strict_refused(&strict, settled.err().as_deref(), &shown));
            }
            let accepted = settled.map_err(|refused| patch_refused(*refused, &shown))?;
            self.validate(change, Some(&accepted.document))?;
            Ok(accepted)
        };
        let written = self.replace(name, options.dry_run, make).await?;
        let written = written.ok_or_else(|| Box::new(self.subject(name).not_found()))?;
        self.show(&form, &shape, written)
    }

    /// The answer to a write.
    pub(super) fn show(
        &self,
        form: &Form,
        shape: &Shape,
        mut written: Written,
    ) -> Result<Answer, Box<Status>> {
        let view = self.view(form, shape);
        let code = if written.created { 201 } else { 200 };
        match (&written.value, written.revision) {
            (Some(value), Some(revision)) => {
                view.written(code, value, revision, &mut written.document)
            }
            _ => view.object(code, &written.document),
        }
    }

    pub(super) fn patch_type(&self) -> Result<PatchType, Box<Status>> {
        let found = self.patch_offer().patch_type(self.request.header("content-type"));
        found.map_err(|problem: UnsupportedMediaType| {
            let text = if self.served.resource.is_custom() {
                problem.to_string()
            } else {
                "415: Unsupported Media Type".to_owned()
            };
            Status::unsupported_media_type(text).into()
        })
    }

    /// A patch may not make an object one of another version; what kind it is the rules check.
    fn check_type(
        &self,
        part: Part,
        name: &str,
        patched: &mut Document,
        old: Value<'_>,
    ) -> Result<(), Box<Status>> {
        let text = |object: Value<'_>, key: &str| {
            object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (found, expected) = (text(patched.root(), "apiVersion"), text(old, "apiVersion"));
        if part != Part::Main {
            patched.insert(NodeId::ROOT, "apiVersion", &expected);
            patched.insert(NodeId::ROOT, "kind", &text(old, "kind"));
            return Ok(());
        }
        if found == expected || !self.served.resource.is_custom() {
            return Ok(());
        }
        // No schema knows the other version, so that no schema knows the rest.
        if self.request.query.text("fieldValidation") != "Ignore" {
            let known = ["apiVersion", "kind", "metadata"];
            let unknown = patched.root().members().filter(|(key, _)| !known.contains(key));
            unknown.for_each(|(key, _)| self.request.warn(format!("unknown field \"{key}\"")));
        }
        let cause = Cause {
            reason: "FieldValueInvalid".into(),
            field: "apiVersion".to_owned(),
            message: format!("Invalid value: {}: must be {expected}", quote(&found)),
        };
        let kind = text(patched.root(), "kind");
        let subject = Subject { kind: &kind, ..self.kind_subject(name) };
        Err(subject.refused(vec![cause]).into())
    }

    /// What the status of a custom resource is patched with says nothing about which object it is.
    pub(super) fn keep_uid(&self, part: Part, new: &mut Document, old: Value<'_>) {
        if part == Part::Status && self.served.resource.is_custom() {
            let metadata = stored::metadata(new);
            new.insert(metadata, "uid", metadata_text(old, "uid"));
        }
    }

    pub(super) fn check_same_uid(
        &self,
        name: &str,
        new: Value<'_>,
        old: Value<'_>,
    ) -> Result<(), Box<Status>> {
        let (found, expected) = (metadata_text(new, "uid"), metadata_text(old, "uid"));
        if found.is_empty() || found == expected {
            return Ok(());
        }
        let cause = Cause {
            reason: "FieldValueInvalid".into(),
            field: "metadata.uid".to_owned(),
            message: format!("Invalid value: {}: field is immutable", quote(found)),
        };
        Err(self.kind_subject(name).refused(vec![cause]).into())
    }

    fn check_patched_version(new: Value<'_>) -> Result<(), Box<Status>> {
        let found = metadata_text(new, "resourceVersion");
        match crate::query::parse_uint(found) {
            Err(problem) if !found.is_empty() => Err(Status::unclassified(format!(
                "resourceVersion: Invalid value: {}: {problem}",
                quote(found)
            ))
            .into()),
            _ => Ok(()),
        }
    }
}

/// The verdict on a patch, whose result nobody has written down.
fn of_patch(mut verdict: Verdict) -> Verdict {
    const WRITTEN: &str = "contains duplicate entries;";
    const MADE: &str = "contains duplicate entries after mutating admission happens;";
    let warnings = match &mut verdict {
        Ok(accepted) => &mut accepted.warnings,
        Err(refused) => &mut refused.warnings,
    };
    for text in warnings.iter_mut().filter(|text| text.starts_with(".metadata.ownerReferences")) {
        *text = text.replace(WRITTEN, MADE);
    }
    verdict
}

/// The answer to a patch whose result cannot be read is about the patch.
fn patch_refused(refused: Refused, patched: &Document) -> Box<Status> {
    match refused.undecodable {
        Some(problem) => patch_invalid(patched, &problem),
        None => refused.status,
    }
}

/// The answer to a patch that a strict reader refuses, for what it says of the patch and of its result.
fn strict_refused(texts: &[String], refused: Option<&Refused>, patched: &Document) -> Box<Status> {
    const STRICT: &str = "strict decoding error: ";
    let result = refused.and_then(|refused| refused.undecodable.as_deref()?.strip_prefix(STRICT));
    let texts: Vec<&str> = texts.iter().map(String::as_str).chain(result).collect();
    patch_invalid(patched, &format!("{STRICT}{}", texts.join(", ")))
}

/// The answer to a patch whose result cannot be read.
pub(super) fn patch_invalid(patched: &Document, problem: &str) -> Box<Status> {
    let shown = quote(&go_json::value(patched.root()));
    let cause = Cause {
        reason: "FieldValueInvalid".into(),
        field: "patch".to_owned(),
        message: format!("Invalid value: {shown}: {problem}"),
    };
    let subject = Subject { group: "", version: "", kind: "", name: "" };
    subject.refused(vec![cause]).into()
}
