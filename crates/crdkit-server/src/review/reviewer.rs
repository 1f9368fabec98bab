//! What is said to a review: by the schema of a CRD, and by policies.
//!
//! Objects of a CRD are judged as the API server would do it were the CRD installed, whatever is installed there. A kind
//! for which there is no CRD is judged by policies alone.

use crdkit_admission::policy::PolicySet;
use crdkit_admission::{AdmissionRequest, Match, Operation, User};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_convert::{Conversion, Conversions};
use crdkit_engine::{Crd, RequestOptions, Version};
use crdkit_patch::managed::{CrdVersions, Versions as _};
use crdkit_patch::{Definitions, Schema, diff, merge_configuration};
use crdkit_review::{AdmissionRequest as Review, AdmissionResponse};
use crdkit_schema::status::Status;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, Limits, Value};
use std::collections::HashMap;

/// Answers reviews.
#[derive(Debug, Default)]
pub struct Reviewer {
    crds: Vec<Crd>,
    /// Which CRD and which version of it a kind is.
    kinds: HashMap<GroupVersionKind, (usize, Box<str>)>,
    policies: PolicySet,
    /// Kinds, as `KIND.GROUP`, whose objects are only warned about; `*` is all.
    warned: Vec<Box<str>>,
    conversions: Conversions,
}

/// What a review is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewPurpose {
    /// The object is judged.
    Validate,
    /// The object gets defaults, and what policies give it.
    Mutate,
    /// Objects are given in another version, by rules. The review is a `ConversionReview`.
    Convert,
}

/// Why bytes are no review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReviewError(String);

/// A kind that reviews are asked for.
pub(super) struct Reviewed<'r> {
    pub(super) group: &'r str,
    pub(super) plural: &'r str,
    pub(super) versions: Vec<&'r str>,
}

/// The parts of a request that its description refers to.
struct Described {
    operation: Operation,
    kind: GroupVersionKind,
    resource: GroupVersionResource,
    subresource: String,
    name: String,
    namespace: String,
    user: User,
    dry_run: bool,
    options: Option<Document>,
    old_object: Option<Document>,
}

impl Reviewer {
    /// A reviewer that judges objects of `crds`, and all objects by `policies`.
    pub fn new(crds: Vec<Crd>, policies: PolicySet) -> Self {
        let mut kinds = HashMap::new();
        for (at, crd) in crds.iter().enumerate() {
            for version in crd.compiled().versions() {
                kinds.insert(
                    crd.compiled().kind_in(version),
                    (at, Box::from(version.name.as_ref())),
                );
            }
        }
        Self { crds, kinds, policies, warned: Vec::new(), conversions: Conversions::default() }
    }

    /// Only warns about objects of these kinds, written `KIND.GROUP`; `*` means all.
    #[must_use]
    pub fn warning<'k>(mut self, kinds: impl IntoIterator<Item = &'k str>) -> Self {
        self.warned.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Converts objects by these rules.
    #[must_use]
    pub fn converting(mut self, conversions: Conversions) -> Self {
        self.conversions = conversions;
        self
    }

    /// Whether there is anything to judge objects by.
    pub(super) fn judges(&self) -> bool {
        !self.crds.is_empty() || !self.policies.is_empty()
    }

    /// The rules that objects are converted by.
    pub(super) fn conversions(&self) -> impl Iterator<Item = &Conversion> {
        self.conversions.iter()
    }

    /// What reviews are asked for: the resources of all CRDs, with their served versions.
    pub(super) fn reviewed(&self) -> impl Iterator<Item = Reviewed<'_>> {
        self.crds.iter().map(|crd| {
            let crd = crd.compiled();
            let versions = crd.versions().iter().map(|version| version.name.as_ref()).collect();
            Reviewed { group: crd.group(), plural: crd.plural(), versions }
        })
    }

    /// The answer to the review in `body`, which is JSON, as JSON.
    ///
    /// # Errors
    /// What is wrong with a body that is no review.
    pub fn review(&self, purpose: ReviewPurpose, body: &[u8]) -> Result<Vec<u8>, ReviewError> {
        if purpose == ReviewPurpose::Convert {
            let answer = self.conversions.review(body);
            return answer.map_err(|problem| ReviewError(problem.to_string()));
        }
        let options = DecodeOptions::new().limits(Limits::default());
        let decoded = Format::Json.decode(body, &options);
        let decoded =
            decoded.map_err(|issue| ReviewError(format!("the body is not JSON: {issue}")))?;
        let review = Review::of(decoded.document.root());
        let review = review.map_err(|problem| ReviewError(problem.to_owned()))?;
        let response = self.respond(purpose, &review, decoded.document.root());
        let mut out = Vec::with_capacity(256);
        json::write(review.review(&response).root(), Layout::Compact, &mut out);
        Ok(out)
    }

    fn respond(
        &self,
        purpose: ReviewPurpose,
        review: &Review<'_>,
        root: Value<'_>,
    ) -> AdmissionResponse {
        let kind = review.kind();
        let described = root.get("request").and_then(Described::of);
        let mut refused = None;
        let mut mutate = |object: &mut Document| {
            if let (Some(described), ReviewPurpose::Mutate) = (&described, purpose)
                && self.policies.mutates()
            {
                refused = self.mutate(described, object).err();
            }
        };
        let mut response = AdmissionResponse::allowed();
        if let Some(version) = self.version(&kind) {
            response = review.answer(version, &RequestOptions::new(), mutate);
        } else if let Some(sent) = review.object() {
            let mut object = Document::copy_of(sent);
            mutate(&mut object);
            let patch = diff::json(sent, object.root());
            response.patch = Some(patch).filter(|it| it.root().items().len() > 0);
        }
        if let Some(status) = refused {
            response.status = Some(*status);
        }
        if purpose == ReviewPurpose::Validate {
            response.patch = None;
            if let (None, Some(described)) = (&response.status, &described) {
                self.judge(described, review.object(), &mut response);
            }
        }
        if response.status.is_some() && self.only_warns(&kind) {
            let status = response.status.take();
            response.warnings.extend(status.iter().flat_map(lines));
        }
        if response.status.is_some() {
            response.patch = None;
        }
        response
    }

    fn version(&self, kind: &GroupVersionKind) -> Option<Version<'_>> {
        let (at, version) = self.kinds.get(kind)?;
        self.crds.get(*at)?.version(version)
    }

    fn only_warns(&self, kind: &GroupVersionKind) -> bool {
        let named = format!("{}.{}", kind.kind, kind.group);
        self.warned.iter().any(|it| matches!(&**it, "*") || **it == *named)
    }

    fn mutate(&self, described: &Described, object: &mut Document) -> Result<(), Box<Status>> {
        let asked = object.clone();
        let namespace = self.policies.namespace(&described.namespace);
        let request = described.request(Some(&asked), namespace);
        let merge = |kind: &GroupVersionKind, object: &mut Document, made: &Document| {
            self.merge(kind, object, made)
        };
        self.policies.mutate(&request, object, &unconverted, &merge)
    }

    fn merge(
        &self,
        kind: &GroupVersionKind,
        object: &mut Document,
        made: &Document,
    ) -> Result<(), String> {
        let api_version = kind.group_version().to_string();
        if let Some((at, _)) = self.kinds.get(kind)
            && let Some(crd) = self.crds.get(*at)
        {
            let versions = CrdVersions(crd.compiled());
            let schema = versions.schema(&api_version);
            return merge_with(schema, object, made);
        }
        merge_with(Schema::of_kind(Definitions::native(), &api_version, &kind.kind), object, made)
    }

    fn judge(
        &self,
        described: &Described,
        object: Option<Value<'_>>,
        response: &mut AdmissionResponse,
    ) {
        if self.policies.is_empty() {
            return;
        }
        let object = object.map(Document::copy_of);
        let namespace = self.policies.namespace(&described.namespace);
        let request = described.request(object.as_ref(), namespace);
        let judgement = self.policies.judge(&request, &unconverted);
        response.warnings.extend(judgement.remarks.warnings);
        // The server puts the name of the webhook and a slash before a key, and takes no second slash.
        let notes = judgement.remarks.audit_annotations.into_iter();
        let notes = notes.map(|(key, value)| (key.replace('/', "."), value));
        response.audit_annotations.extend(notes);
        response.status = judgement.refusal;
    }
}

fn merge_with(
    schema: Option<Schema<'_>>,
    object: &mut Document,
    made: &Document,
) -> Result<(), String> {
    let schema = schema.ok_or_else(|| "the kind is not known".to_owned())?;
    merge_configuration(&schema, object, made)
}

/// Reviews come in the version that was asked for.
#[expect(clippy::unnecessary_wraps, reason = "what policies ask for")]
fn unconverted(object: &Document, _: &Match) -> Result<Document, Box<Status>> {
    Ok(object.clone())
}

/// A refusal as warnings: a line for each cause.
fn lines(status: &Status) -> Vec<String> {
    let causes = status.causes();
    if causes.is_empty() {
        return vec![status.message.clone()];
    }
    let line = |cause: &crdkit_schema::status::Cause| match &*cause.field {
        "" => cause.message.clone(),
        field => format!("{field}: {}", cause.message),
    };
    causes.iter().map(line).collect()
}

impl Described {
    fn of(request: Value<'_>) -> Option<Self> {
        let text = |pointer: &str| -> String {
            request.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let texts = |value: Value<'_>| -> Vec<String> {
            value.items().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let operation = match &*text("/operation") {
            "CREATE" => Operation::Create,
            "UPDATE" => Operation::Update,
            "DELETE" => Operation::Delete,
            "CONNECT" => Operation::Connect,
            _ => return None,
        };
        let document =
            |key: &str| request.get(key).filter(|it| !it.is_null()).map(Document::copy_of);
        let extra = request.pointer("/userInfo/extra").into_iter().flat_map(Value::members);
        Some(Self {
            operation,
            kind: GroupVersionKind {
                group: text("/kind/group"),
                version: text("/kind/version"),
                kind: text("/kind/kind"),
            },
            resource: GroupVersionResource {
                group: text("/resource/group"),
                version: text("/resource/version"),
                resource: text("/resource/resource"),
            },
            subresource: text("/subResource"),
            name: text("/name"),
            namespace: text("/namespace"),
            user: User {
                name: text("/userInfo/username"),
                uid: text("/userInfo/uid"),
                groups: request.pointer("/userInfo/groups").map(texts).unwrap_or_default(),
                extra: extra.map(|(key, values)| (key.to_owned(), texts(values))).collect(),
            },
            dry_run: request.get("dryRun").and_then(Value::as_bool).unwrap_or_default(),
            options: document("options"),
            old_object: document("oldObject"),
        })
    }

    fn request<'d>(
        &'d self,
        object: Option<&'d Document>,
        namespace_object: Option<&'d Document>,
    ) -> AdmissionRequest<'d> {
        AdmissionRequest {
            operation: self.operation,
            kind: &self.kind,
            resource: &self.resource,
            subresource: &self.subresource,
            equivalents: &[],
            name: &self.name,
            namespace: &self.namespace,
            user: &self.user,
            dry_run: self.dry_run,
            options: self.options.as_ref(),
            object,
            old_object: self.old_object.as_ref(),
            namespace_object,
            authorizer: None,
        }
    }
}
