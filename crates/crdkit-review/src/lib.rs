//! Admission reviews: what the server asks a webhook in, the answer out, as documents and without a transport.
//!
//! The object of a request is read as the server reads it, changed by the caller, read again, and judged. The answer
//! has the verdict with its status, the warnings, and a JSON Patch from the object of the request to what became of it.
//!
//! Holds: the patch applied to the object of the request gives the object that was judged; an object that is refused
//! has no patch.

use crdkit_codec::json::{self, Layout};
use crdkit_engine::{FieldValidation, Outcome, RequestOptions, Version};
use crdkit_patch::diff;
use crdkit_schema::status::Status;
use crdkit_text::base64::Base64;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// What is asked: one `AdmissionReview` with a request.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest<'d> {
    api_version: &'d str,
    request: Value<'d>,
}

/// What is done to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewOperation {
    /// `CREATE`.
    Create,
    /// `UPDATE`.
    Update,
    /// `DELETE`.
    Delete,
    /// `CONNECT`.
    Connect,
}

/// The answer to a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmissionResponse {
    /// Why the request is refused, if it is.
    pub status: Option<Status>,
    /// What the client is told besides.
    pub warnings: Vec<String>,
    /// What the audit log is told, by keys that the webhook chooses.
    pub audit_annotations: Vec<(String, String)>,
    /// The operations of a JSON Patch that make the object of the request what it became; none if nothing changed.
    pub patch: Option<Document>,
}

impl<'d> AdmissionRequest<'d> {
    /// The request of a review.
    ///
    /// # Errors
    /// What the document lacks.
    pub fn of(review: Value<'d>) -> Result<Self, &'static str> {
        let text = |key: &str| review.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("kind") != "AdmissionReview" {
            return Err("the document is not an AdmissionReview");
        }
        let request = review.get("request").ok_or("the review has no request")?;
        let this = Self { api_version: text("apiVersion"), request };
        if this.uid().is_empty() {
            return Err("the request has no uid");
        }
        this.operation().ok_or("the request has no operation that is known")?;
        Ok(this)
    }

    fn text(&self, pointer: &str) -> &'d str {
        self.request.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// What the answer must name.
    pub fn uid(&self) -> &'d str {
        self.text("/uid")
    }

    /// The kind of the object.
    pub fn kind(&self) -> GroupVersionKind {
        let group_version = match self.text("/kind/group") {
            "" => self.text("/kind/version").to_owned(),
            group => format!("{group}/{}", self.text("/kind/version")),
        };
        GroupVersionKind::of(&group_version, self.text("/kind/kind"))
    }

    /// What is done.
    pub fn operation(&self) -> Option<ReviewOperation> {
        match self.text("/operation") {
            "CREATE" => Some(ReviewOperation::Create),
            "UPDATE" => Some(ReviewOperation::Update),
            "DELETE" => Some(ReviewOperation::Delete),
            "CONNECT" => Some(ReviewOperation::Connect),
            _ => None,
        }
    }

    /// The subresource, empty for the object itself.
    pub fn subresource(&self) -> &'d str {
        self.text("/subResource")
    }

    /// The namespace of the request.
    pub fn namespace(&self) -> &'d str {
        self.text("/namespace")
    }

    /// What becomes of fields that the schema does not have, as the client has asked; it is told by default.
    pub fn field_validation(&self) -> FieldValidation {
        match self.text("/options/fieldValidation") {
            "Strict" => FieldValidation::Strict,
            "Ignore" => FieldValidation::Ignore,
            _ => FieldValidation::Warn,
        }
    }

    /// The object of the request.
    pub fn object(&self) -> Option<Value<'d>> {
        self.request.get("object").filter(|object| !object.is_null())
    }

    /// The object that is there already.
    pub fn old_object(&self) -> Option<Value<'d>> {
        self.request.get("oldObject").filter(|object| !object.is_null())
    }

    /// Judges the object of the request as one of `version`, after `change` has had its way with it. What has no object
    /// to judge is allowed.
    pub fn answer(
        &self,
        version: Version<'_>,
        options: &RequestOptions,
        change: impl FnOnce(&mut Document),
    ) -> AdmissionResponse {
        let judged =
            matches!(self.operation(), Some(ReviewOperation::Create | ReviewOperation::Update));
        let Some(object) = self.object().filter(|_| judged) else {
            return AdmissionResponse::allowed();
        };
        let options =
            options.clone().namespace(self.namespace()).field_validation(self.field_validation());
        let read = version.read(Document::copy_of(object), &options).and_then(|mut read| {
            change(read.document_mut());
            read.read_again()
        });
        let read = match read {
            Ok(read) => read,
            Err(refused) => return AdmissionResponse::of(&refused, None),
        };
        let became = Document::copy_of(read.document().root());
        let outcome = match self.old_object() {
            None => read.create(),
            Some(old) => {
                let old = version.stored(&Document::copy_of(old), &options);
                match self.subresource() {
                    "status" => read.update_status(&old),
                    _ => read.update(&old),
                }
            }
        };
        AdmissionResponse::of(&outcome, Some((object, &became)))
    }

    /// The review that answers this one.
    pub fn review(&self, response: &AdmissionResponse) -> Document {
        let mut review =
            Document::object().with("apiVersion", self.api_version).with("kind", "AdmissionReview");
        if let Some(id) = review.insert(NodeId::ROOT, "response", NewValue::EmptyObject) {
            review.insert(id, "uid", self.uid());
            review.insert(id, "allowed", response.is_allowed());
            if let Some(status) = &response.status {
                review.insert(id, "status", status.document().root());
            }
            if let Some(patch) = &response.patch {
                let mut text = Vec::new();
                json::write(patch.root(), Layout::Compact, &mut text);
                review.insert(id, "patch", &*Base64::Standard.encode(&text));
                review.insert(id, "patchType", "JSONPatch");
            }
            if !response.audit_annotations.is_empty() {
                let mut notes = Document::object();
                for (key, value) in &response.audit_annotations {
                    notes = notes.with(key, value);
                }
                review.insert(id, "auditAnnotations", notes.root());
            }
            if !response.warnings.is_empty() {
                let warnings = Document::array_of(response.warnings.iter().map(String::as_str));
                review.insert(id, "warnings", warnings.root());
            }
        }
        review
    }
}

impl AdmissionResponse {
    /// Nothing is said against the request.
    pub fn allowed() -> Self {
        Self { status: None, warnings: Vec::new(), audit_annotations: Vec::new(), patch: None }
    }

    /// Whether the request may go on.
    pub fn is_allowed(&self) -> bool {
        self.status.is_none()
    }

    fn of(outcome: &Outcome, change: Option<(Value<'_>, &Document)>) -> Self {
        let status = outcome.status();
        let change = change.filter(|_| status.is_none());
        let patch = change.map(|(from, to)| diff::json(from, to.root()));
        let patch = patch.filter(|patch| patch.root().items().len() > 0);
        let warnings = outcome.warning_texts().collect();
        Self { status, warnings, patch, ..Self::allowed() }
    }
}
