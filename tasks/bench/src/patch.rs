//! Bench `patch`: merge patch and JSON Patch against `json-patch`, and server-side apply against creating the object.
//!
//! The object has about 2 KB. It has five managers: in one run each has its part of it, as an operator, an autoscaler and others
//! have, in the other every one of them owns all of it.

use crate::measure::{Entry, compare};
use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_patch::managed::{CrdVersions, Writer};
use crdkit_patch::{PatchLimits, json::JsonPatch, merge};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Document;
use std::hint::black_box;
use std::path::Path;

const CRD: &[u8] = br#"{"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{
  "size":{"type":"integer"},
  "opts":{"type":"object","additionalProperties":{"type":"string"}},
  "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
  "args":{"type":"array","items":{"type":"string"}},
  "containers":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
    "items":{"type":"object","required":["name"],"properties":{
      "name":{"type":"string"},"image":{"type":"string"},
      "env":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
        "items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}},
      "resources":{"type":"object","properties":{
        "limits":{"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true}},
        "requests":{"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true}}}}}}}}}}}}}]}}"#;

const MERGE: &[u8] =
    br#"{"spec":{"size":9,"opts":{"a":null,"d":"4"}},"metadata":{"labels":{"x":"y"}}}"#;

const JSON: &[u8] = br#"[{"op":"test","path":"/spec/size","value":3},
{"op":"replace","path":"/spec/size","value":4},{"op":"add","path":"/spec/tags/-","value":"t4"},
{"op":"remove","path":"/spec/opts/a"},{"op":"replace","path":"/spec/containers/2/image","value":"x:2"}]"#;

pub(crate) fn run(_corpus: &Path) -> Result<()> {
    let text = object();
    let document = decode(&text)?;
    patches(&text, &document)?;
    applies(&text, &document)
}

fn patches(text: &str, document: &Document) -> Result<()> {
    let limits = PatchLimits::default();
    let peer: serde_json::Value = serde_json::from_str(text)?;
    let merge_entries = vec![
        Entry::new("crdkit", 1000, || {
            let mut object = document.clone();
            if let Ok(patch) = merge::MergePatch::read(MERGE, &limits) {
                patch.apply(&mut object);
            }
            black_box(object);
        }),
        Entry::new("json-patch", 1000, || {
            let mut object = peer.clone();
            if let Ok(patch) = serde_json::from_slice(MERGE) {
                json_patch::merge(&mut object, &patch);
            }
            black_box(object);
        }),
    ];
    compare("merge patch", text.len() * 1000, 20, "json-patch", merge_entries);
    let json_entries = vec![
        Entry::new("crdkit", 1000, || {
            let mut object = document.clone();
            let _ = JsonPatch::read(JSON, &limits).and_then(|patch| patch.apply(&mut object));
            black_box(object);
        }),
        Entry::new("json-patch", 1000, || {
            let mut object = peer.clone();
            if let Ok(patch) = serde_json::from_slice::<json_patch::Patch>(JSON) {
                let _ = json_patch::patch(&mut object, &patch);
            }
            black_box(object);
        }),
    ];
    compare("JSON patch", text.len() * 1000, 20, "json-patch", json_entries);
    Ok(())
}

fn applies(text: &str, config: &Document) -> Result<()> {
    let crd = Crd::from_json(CRD)?;
    let version = crd.version("v1").context("not served")?;
    let versions = CrdVersions(crd.compiled());
    let options = RequestOptions::new();
    let apply = |manager: &str, live: Option<&Document>, config: &Document| {
        let time = Timestamp { seconds: 1_700_000_000, nanoseconds: 0, offset: 0 };
        let writer = Writer {
            manager,
            api_version: "example.com/v1",
            subresource: "",
            time,
            reset: &[],
            versions: &versions,
        };
        writer.apply("Widget", live, config, true).map(|applied| applied.document)
    };
    let part = |spec: &str| {
        let text = format!(
            r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a","namespace":"default"}},"spec":{spec}}}"#
        );
        decode(&text)
    };
    let parts = [
        ("m2", r#"{"opts":{"x":"1","y":"2"}}"#),
        ("m3", r#"{"tags":["t8","t9"]}"#),
        ("m4", r#"{"containers":[{"name":"web","env":[{"name":"D","value":"4"}]}]}"#),
        ("m5", r#"{"containers":[{"name":"sidecar","image":"sidecar:1"}]}"#),
    ];
    let (mut shared, mut divided) = (apply("m1", None, config)?, apply("m1", None, config)?);
    for (manager, spec) in parts {
        shared = apply(manager, Some(&shared), config)?;
        divided = apply(manager, Some(&divided), &part(spec)?)?;
    }
    // As a server holds it: read from the store.
    let [shared, divided] = [&shared, &divided].map(ToString::to_string);
    let (shared, divided) = (decode(&shared)?, decode(&divided)?);
    let mut changed = config.clone();
    let size = changed.root().pointer("/spec/size").map(crdkit_value::Value::id);
    changed.set(size.context("no size")?, 9);
    let entries = vec![
        Entry::new("create", 1000, || drop(black_box(version.create(text.as_bytes(), &options)))),
        Entry::new("parts, the same", 1000, || {
            drop(black_box(apply("m1", Some(&divided), config)));
        }),
        Entry::new("parts, one field changed", 1000, || {
            drop(black_box(apply("m1", Some(&divided), &changed)));
        }),
        Entry::new("shared, the same", 1000, || {
            drop(black_box(apply("m1", Some(&shared), config)));
        }),
        Entry::new("shared, one field taken", 1000, || {
            drop(black_box(apply("m1", Some(&shared), &changed)));
        }),
    ];
    compare("apply, five managers", text.len() * 1000, 20, "create", entries);
    Ok(())
}

fn decode(text: &str) -> Result<Document> {
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    Ok(decoded.map_err(|issue| anyhow!("{issue}"))?.document)
}

fn object() -> String {
    let container = |name: &str| {
        format!(
            r#"{{"name":"{name}","image":"registry.example.com/team/{name}:1.2.3","env":[{{"name":"A","value":"some value"}},{{"name":"B","value":"another value"}},{{"name":"C","value":"third"}}],"resources":{{"limits":{{"cpu":"500m","memory":"256Mi"}},"requests":{{"cpu":"100m","memory":"128Mi"}}}}}}"#
        )
    };
    let containers = ["web", "proxy", "logs", "init", "cache", "sync"].map(container).join(",");
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a","namespace":"default","labels":{{"app":"web","tier":"front"}}}},"spec":{{"size":3,"opts":{{"a":"1","b":"2","c":"3"}},"tags":["t1","t2","t3"],"args":["--a","--b","--c"],"containers":[{containers}]}}}}"#
    )
}
