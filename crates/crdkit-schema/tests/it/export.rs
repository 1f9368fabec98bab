//! Exported schemas, held against an independent validator of JSON Schema.

use crate::support::decode;
use crdkit_codec::json::{self, Layout};
use crdkit_schema::export::{Strictness, json_schema, openapi};
use crdkit_schema::read;
use crdkit_value::Value;
use serde_json::json;

fn as_json(value: Value<'_>) -> serde_json::Value {
    let mut out = Vec::new();
    json::write(value, Layout::Compact, &mut out);
    serde_json::from_slice(&out).expect("JSON")
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/crds/", $name, ".yaml"))
    };
}

/// The JSON Schema of one version of the CRD in `text`.
fn exported(text: &str, version: &str, strictness: Strictness) -> serde_json::Value {
    let decoded = decode(text);
    let (crd, _) = read::crd(decoded.document.root());
    let at = crd.spec.versions.iter().position(|it| it.name == version).expect("a version");
    as_json(json_schema(&crd, at, strictness).expect("a schema").root())
}

#[test]
fn exported_schemas_are_json_schemas() {
    for (text, versions) in [
        (fixture!("backups"), &["v1"][..]),
        (fixture!("clusters"), &["v1beta1", "v1"]),
        (fixture!("pipelines"), &["v1"]),
        (fixture!("queues"), &["v1"]),
        (fixture!("sensors"), &["v1"]),
    ] {
        for version in versions {
            for strictness in [Strictness::Strict, Strictness::Open] {
                let schema = exported(text, version, strictness);
                assert!(jsonschema::meta::is_valid(&schema), "{version} of {text}");
                jsonschema::validator_for(&schema).expect("a schema that compiles");
            }
        }
    }
}

#[test]
fn valid_objects_are_accepted_and_wrong_ones_refused() {
    let fine = json!({
        "apiVersion": "build.example.com/v1", "kind": "Pipeline", "metadata": {"name": "a"},
        "spec": {"steps": [{"name": "x", "port": "http"}, {"name": "y", "port": 80}],
                 "labels": ["a", "b"], "template": {"apiVersion": "v1", "kind": "Pod"},
                 "settings": {"anything": 1}},
    });
    let strict = exported(fixture!("pipelines"), "v1", Strictness::Strict);
    let strict = jsonschema::validator_for(&strict).expect("a schema");
    let open = exported(fixture!("pipelines"), "v1", Strictness::Open);
    let open = jsonschema::validator_for(&open).expect("a schema");
    for validator in [&strict, &open] {
        let errors: Vec<_> = validator.iter_errors(&fine).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    for (pointer, value) in [
        ("/apiVersion", json!("build.example.com/v2")),
        ("/kind", json!("Other")),
        ("/spec/steps", json!("none")),
        ("/spec/steps/0/name", json!(1)),
        ("/spec/steps/0/port", json!(true)),
        ("/spec/labels", json!(["a", "a"])),
        ("/spec/template", json!({"kind": 1})),
        ("/metadata", json!({"labels": {"a": 1}})),
    ] {
        let mut wrong = fine.clone();
        *wrong.pointer_mut(pointer).expect("a field") = value;
        for validator in [&strict, &open] {
            assert!(!validator.is_valid(&wrong), "{pointer}");
        }
    }
    let mut more = fine;
    *more.pointer_mut("/spec/steps/0").expect("a step") = json!({"name": "x", "other": 1});
    assert!(!strict.is_valid(&more));
    assert!(open.is_valid(&more));
}

#[test]
fn a_field_that_the_server_fills_in_need_not_be_written() {
    let text = br#"{"spec": {"group": "example.com", "names": {"kind": "Lamp", "plural": "lamps"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
          "type": "object", "properties": {"spec": {"type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "integer", "default": 1},
                           "b": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "nullable": true},
                           "c": {"type": "string", "pattern": "(?i)^x$"}}}}}}}]}}"#;
    let document =
        json::decode(text, &crdkit_codec::DecodeOptions::default()).expect("JSON").document;
    let (crd, _) = read::crd(document.root());
    let schema = json_schema(&crd, 0, Strictness::Strict).expect("a schema");
    let spec = as_json(schema.root().pointer("/properties/spec").expect("a spec"));
    assert_eq!(
        spec,
        json!({"type": "object", "required": ["b"], "additionalProperties": false, "properties": {
            "a": {"type": "integer", "default": 1},
            "b": {"type": ["number", "null"], "exclusiveMinimum": 0},
            "c": {"type": "string", "$comment": "a pattern that only Go understands: (?i)^x$"},
        }})
    );
}

#[test]
fn an_openapi_document_tells_names_and_scope() {
    let decoded = decode(fixture!("clusters"));
    let (crd, _) = read::crd(decoded.document.root());
    let document = openapi("data.example.com", "v1", std::slice::from_ref(&crd));
    let paths: Vec<_> = document.root().get("paths").into_iter().flat_map(Value::members).collect();
    let paths: Vec<_> = paths.into_iter().map(|(path, _)| path).collect();
    let object = "/apis/data.example.com/v1/clusters/{name}";
    let subresources = ["status", "scale"].map(|name| format!("{object}/{name}"));
    assert_eq!(paths, [object, &subresources[0], &subresources[1]]);
    let pointer = "/components/schemas/com.example.data.v1.Cluster/x-kubernetes-group-version-kind";
    let named = document.root().pointer(pointer).expect("a kind");
    assert_eq!(
        as_json(named),
        json!([{"group": "data.example.com", "version": "v1", "kind": "Cluster"}])
    );
}
