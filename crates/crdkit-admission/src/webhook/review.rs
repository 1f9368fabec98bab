//! `AdmissionReview`, from the side of whoever asks.
//!
//! [`ask`] makes the bytes of a review, [`read`] takes the bytes of the answer: a [`WebhookAnswer`], or why it is none, in the
//! words that follow the name of the webhook that was called.
//!
//! Upstream: `apiserver/pkg/admission/plugin/webhook/request/admissionreview.go`, `webhook/errors/statuserror.go`.

use crate::matching::Match;
use crate::request::AdmissionRequest;
use crdkit_codec::DecodeOptions;
use crdkit_codec::json::{self, Layout};
use crdkit_schema::status::{Cause, Details, Status};
use crdkit_text::base64::Base64;
use crdkit_text::kind::GroupVersionKind;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, NewValue, Value};

/// What a webhook says.
#[derive(Clone, Debug)]
pub struct WebhookAnswer {
    /// Why the request is refused, if it is.
    pub refusal: Option<Status>,
    /// A JSON patch for the object; empty for none.
    pub patch: Vec<u8>,
    /// For whoever sent the request.
    pub warnings: Vec<String>,
    /// For the audit log: keys without the name of the webhook, and values.
    pub audit_annotations: Vec<(String, String)>,
}

/// The review that is sent in `version`. The objects of `request` are in the version of `matched`.
pub fn ask(version: &str, uid: &str, request: &AdmissionRequest<'_>, matched: &Match) -> Vec<u8> {
    let described = request
        .document(uid, matched)
        .with("object", or_null(request.object))
        .with("oldObject", or_null(request.old_object));
    let review = Document::object()
        .with("kind", "AdmissionReview")
        .with("apiVersion", &format!("admission.k8s.io/{version}"))
        .with("request", &described);
    let mut bytes = Vec::new();
    json::write(review.root(), Layout::Compact, &mut bytes);
    bytes
}

fn or_null(object: Option<&Document>) -> NewValue<'_> {
    object.map_or(NewValue::Null, NewValue::from)
}

/// What the answer of the webhook called `webhook` says.
///
/// # Errors
/// Why it is not an answer to the review.
pub fn read(webhook: &str, version: &str, uid: &str, body: &[u8]) -> Result<WebhookAnswer, String> {
    let unreadable = |why: &str| {
        format!("failed to call webhook: couldn't get version/kind; json parse error: {why}")
    };
    let decoded = json::decode(body, &DecodeOptions::default());
    let decoded = decoded.map_err(|issue| unreadable(&issue.server_message()))?;
    let root = decoded.document.root();
    if root.as_object().is_none() && !root.is_null() {
        let found = match root.kind() {
            Kind::Array(_) => "array",
            Kind::String(_) => "string",
            Kind::Bool(_) => "bool",
            _ => "number",
        };
        return Err(unreadable(&format!(
            "json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        )));
    }
    answer(webhook, version, uid, root)
        .map_err(|problem| format!("received invalid webhook response: {problem}"))
}

fn answer(
    webhook: &str,
    version: &str,
    uid: &str,
    root: Value<'_>,
) -> Result<WebhookAnswer, String> {
    let text = |value: Value<'_>, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    if version == "v1" {
        let found = GroupVersionKind::of(&text(root, "apiVersion"), &text(root, "kind"));
        let GroupVersionKind { group, version, kind } = &found;
        if (&**group, &**version, &**kind) != ("admission.k8s.io", "v1", "AdmissionReview") {
            return Err(format!(
                "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {group}/{version}, Kind={kind}"
            ));
        }
    }
    let response = root.get("response").filter(|response| !response.is_null());
    let response = response.ok_or("webhook response was absent")?;
    let got = text(response, "uid");
    if version == "v1" && got != uid {
        return Err(format!("expected response.uid={}, got {}", quote(uid), quote(&got)));
    }
    let patch_type = response.get("patchType").and_then(Value::as_str);
    let encoded = text(response, "patch");
    match (encoded.is_empty(), patch_type) {
        (false, None) if version == "v1" => {
            return Err("webhook returned response.patch but not response.patchType".into());
        }
        (false, Some(other)) if other != "JSONPatch" => {
            return Err(format!("webhook returned invalid response.patchType of {}", quote(other)));
        }
        (true, Some(_)) if version == "v1" => {
            return Err("webhook returned response.patchType but not response.patch".into());
        }
        _ => {}
    }
    let patch = Base64::Standard.decode(encoded.as_bytes());
    let allowed = response.get("allowed").and_then(Value::as_bool).unwrap_or_default();
    let warnings = response.get("warnings").into_iter().flat_map(Value::items);
    let annotations = response.get("auditAnnotations").into_iter().flat_map(Value::members);
    let annotations =
        annotations.filter_map(|(key, value)| Some((key.into(), value.as_str()?.into())));
    Ok(WebhookAnswer {
        refusal: (!allowed).then(|| refusal(webhook, response.get("status"))),
        patch: patch.map_err(|_| "webhook returned a response.patch that is not base64")?,
        warnings: warnings.filter_map(Value::as_str).map(Into::into).collect(),
        audit_annotations: annotations.collect(),
    })
}

/// The status of a webhook, with its name and never a success.
fn refusal(webhook: &str, status: Option<Value<'_>>) -> Status {
    let text = |value: Option<Value<'_>>, key: &str| {
        value.and_then(|it| it.get(key)?.as_str()).unwrap_or_default().to_owned()
    };
    let number = |value: Option<Value<'_>>, key: &str| value.and_then(|it| it.get(key)?.as_i64());
    let (message, reason) = (text(status, "message"), text(status, "reason"));
    let denied = format!("admission webhook {} denied the request", quote(webhook));
    let message = match (message.as_str(), reason.as_str()) {
        ("", "") => format!("{denied} without explanation"),
        ("", why) | (why, _) => format!("{denied}: {why}"),
    };
    let code = number(status, "code").and_then(|code| u16::try_from(code).ok()).unwrap_or_default();
    let answer = Status::new(code.max(400), reason, message);
    let Some(details) = status.and_then(|status| status.get("details")) else { return answer };
    let causes = details.get("causes").into_iter().flat_map(Value::items);
    let causes = causes.map(|cause| Cause {
        reason: text(Some(cause), "reason").into(),
        field: text(Some(cause), "field"),
        message: text(Some(cause), "message"),
    });
    let details = Some(details);
    let seconds = number(details, "retryAfterSeconds");
    answer.details(Details {
        name: text(details, "name"),
        group: text(details, "group"),
        kind: text(details, "kind"),
        uid: text(details, "uid"),
        causes: causes.collect(),
        retry_after_seconds: seconds.and_then(|it| u32::try_from(it).ok()).unwrap_or_default(),
    })
}
