//! Suite `cbor-builtin`: the same document through both serializers into Kubernetes' own types.
//!
//! Of the types, the fields that are written down here are those that the documents use, and those that Go
//! writes even when they are empty. `CustomResourceDefinition` has no counterpart: its schemas are read by
//! Go types that decode themselves, strictly whatever the mode. Messages are compared where they do not name
//! a Go type.

use super::super::{Answerer, Suite};
use super::counterparts::{Bytes, IntOrString, Map, MicroTime, Quantity, Time, from_json, is_json};
use super::partial::Metadata;
use super::typed::base64;
use super::{same_json_text, skipped, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::cbor;
use crdkit_value::{Document, Value};
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;

pub(crate) const BUILTIN: Suite = Suite {
    name: "cbor-builtin",
    cases: "cbor/json_vs_cbor_typed.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

/// A value that `null` leaves as it is, in JSON as well.
#[derive(Default, Serialize)]
#[serde(transparent)]
struct Zero<T>(T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Zero<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        if is_json() {
            return Ok(Self(Option::deserialize(input)?.unwrap_or_default()));
        }
        T::deserialize(input).map(Self)
    }
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Kind {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Pod {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
    metadata: Zero<Metadata>,
    spec: Zero<PodSpec>,
    status: Zero<Nothing>,
}

#[derive(Default, Deserialize, Serialize)]
struct Nothing {}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct PodSpec {
    containers: Option<Vec<Zero<Container>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    termination_grace_period_seconds: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i32>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    node_selector: Map<Bytes>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Container {
    name: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    image: Bytes,
    resources: Zero<Resources>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Resources {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    limits: BTreeMap<String, Quantity>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    requests: BTreeMap<String, Quantity>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Service {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
    metadata: Zero<Metadata>,
    spec: Zero<ServiceSpec>,
    status: Zero<ServiceStatus>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct ServiceSpec {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<Zero<ServicePort>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    selector: Map<Bytes>,
}

#[derive(Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct ServicePort {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    name: Bytes,
    port: Zero<i32>,
    target_port: IntOrString,
}

impl Default for ServicePort {
    fn default() -> Self {
        Self { name: Bytes::default(), port: Zero(0), target_port: IntOrString::Int(0) }
    }
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct ServiceStatus {
    load_balancer: Zero<Nothing>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct CoreEvent {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
    metadata: Zero<Metadata>,
    involved_object: Zero<Nothing>,
    source: Zero<Nothing>,
    first_timestamp: Option<Time>,
    last_timestamp: Option<Time>,
    event_time: Option<MicroTime>,
    reporting_component: Bytes,
    reporting_instance: Bytes,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Secret {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
    metadata: Zero<Metadata>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    data: BTreeMap<String, Data>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    string_data: Map<Bytes>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct ConfigMap {
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    kind: Bytes,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    api_version: Bytes,
    metadata: Zero<Metadata>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    data: Map<Bytes>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    binary_data: BTreeMap<String, Data>,
}

/// Bytes, in JSON as base64.
struct Data(Option<ByteBuf>);

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        if !is_json() {
            return Option::deserialize(input).map(Self);
        }
        let Some(text) = Option::<String>::deserialize(input)? else { return Ok(Self(None)) };
        let item = cbor::to_vec(&text).map_err(de::Error::custom)?;
        cbor::from_slice(&item).map(Some).map(Self).map_err(de::Error::custom)
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            None => out.serialize_none(),
            Some(bytes) => base64(bytes, out),
        }
    }
}

fn answer(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let item = unhex(case.text("cbor_hex"));
    let kind = cbor::from_slice::<Kind>(&item).map(|kind| kind.kind.0).unwrap_or_default();
    let both = match kind.as_slice() {
        b"Pod" => both::<Pod>,
        b"Service" => both::<Service>,
        b"Event" => both::<CoreEvent>,
        b"Secret" => both::<Secret>,
        b"ConfigMap" => both::<ConfigMap>,
        _ => {
            return answer.string("skipped", "a Go type whose parts decode themselves").finish();
        }
    };
    answer.merge(&both(&item, case.text("json"))).finish()
}

fn both<T: DeserializeOwned + Serialize>(item: &[u8], text: &str) -> Answer {
    let show = |value: &T| serde_json::to_string(value).unwrap_or_default();
    let answer = match cbor::from_slice_strict::<T>(item) {
        Err(error) => Answer::new().bool("ok", false).string("error", &error.to_string()),
        Ok((value, unknown)) => {
            let answer = Answer::new().bool("ok", true).string("object_json", &show(&value));
            match unknown.first() {
                None => answer,
                Some(issue) => {
                    let message = format!("strict decoding error: {}", issue.server_message());
                    answer.string("error", &message)
                }
            }
        }
    };
    match from_json::<T>(text) {
        Err(_) => answer.bool("json_ok", false),
        Ok(value) => answer.bool("json_ok", true).string("json_object", &show(&value)),
    }
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    if skipped(case, answer, score) {
        return;
    }
    let got = |key: &str| answer.root().get(key);
    let text =
        |value: Option<Value<'_>>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let want = |mode: &str, key: &str| case.get(mode).and_then(|mode| mode.get(key));
    score.add("verdict", want("cbor_lax", "ok") == got("ok"), &case.id);
    score.add("verdict of JSON", want("json_lax", "ok") == got("json_ok"), &case.id);
    if want("cbor_lax", "ok").and_then(Value::as_bool) == Some(true) {
        let same =
            same_json_text(&text(want("cbor_lax", "object_json")), &text(got("object_json")));
        score.add("value", same, &case.id);
        let strict = text(want("cbor_strict", "error"));
        score.add("strict", strict == text(got("error")), &case.id);
    }
    if want("json_lax", "ok").and_then(Value::as_bool) == Some(true) {
        let same =
            same_json_text(&text(want("json_lax", "object_json")), &text(got("json_object")));
        score.add("value of JSON", same, &case.id);
    }
}
