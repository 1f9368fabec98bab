//! `PartialObjectMetadata` as Rust types, read from CBOR and shown as Go shows it.

use super::counterparts::{Bytes, Map, Time};
use super::object::kind_text;
use crate::answer::Answer;
use crdkit_codec::DecodeOptions;
use crdkit_codec::cbor::{self, FieldsV1};
use crdkit_text::kind::GroupVersionKind;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Partial {
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    api_version: String,
    metadata: Metadata,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metadata {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    generate_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    self_link: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    uid: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    resource_version: String,
    #[serde(skip_serializing_if = "is_zero")]
    generation: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    creation_timestamp: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_timestamp: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_grace_period_seconds: Option<i64>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    labels: Map<Bytes>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    annotations: Map<Bytes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owner_references: Vec<OwnerReference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    finalizers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    managed_fields: Vec<ManagedFields>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_owner_deletion: Option<bool>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct ManagedFields {
    #[serde(skip_serializing_if = "String::is_empty")]
    manager: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    operation: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    api_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    #[serde(skip_serializing_if = "String::is_empty")]
    fields_type: String,
    #[serde(rename = "fieldsV1", skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "fields_json")]
    fields_v1: Option<FieldsV1>,
    #[serde(skip_serializing_if = "String::is_empty")]
    subresource: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn fields_json<S: Serializer>(fields: &Option<FieldsV1>, out: S) -> Result<S::Ok, S::Error> {
    use serde::ser::Error as _;
    let Some(fields) = fields else { return out.serialize_none() };
    let text = fields.to_json().map_err(S::Error::custom)?;
    serde_json::from_slice::<serde_json::Value>(&text).map_err(S::Error::custom)?.serialize(out)
}

/// What decoding `bytes` gives: verdict, kind, and JSON text unless the fields have none.
pub(super) fn answer(bytes: &[u8], strict: bool) -> Answer {
    let answer = Answer::new();
    let kind = match cbor::object_kind(bytes, &DecodeOptions::default()) {
        Ok(kind) => kind_text(&completed(kind)),
        Err(error) => {
            return answer.bool("ok", false).string("error", &error.server_message());
        }
    };
    let answer = answer.string("gvk", &kind);
    let (partial, unknown) = match cbor::from_slice_strict::<Partial>(bytes) {
        Ok(outcome) => outcome,
        Err(cbor::Error::Refused(issue)) => {
            return answer.bool("ok", false).string("error", &issue.server_message());
        }
        Err(error) => return answer.bool("ok", false).string("error", &error.to_string()),
    };
    let text = serde_json::to_string(&partial).unwrap_or_default();
    let answer = answer.bool("ok", true).string("json", &text);
    match unknown.first().filter(|_| strict) {
        None => answer,
        Some(issue) => {
            let message = format!("strict decoding error: {}", issue.server_message());
            answer.string("error", &message)
        }
    }
}

/// What an object leaves out is taken from the type it is decoded into.
fn completed(mut kind: GroupVersionKind) -> GroupVersionKind {
    if kind.kind.is_empty() {
        kind.kind = "PartialObjectMetadata".into();
    }
    if kind.version.is_empty() && (kind.group.is_empty() || kind.group == "meta.k8s.io") {
        kind.group = "meta.k8s.io".into();
        kind.version = "v1".into();
    }
    kind
}
