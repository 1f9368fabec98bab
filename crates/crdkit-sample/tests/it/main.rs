//! Samples of schemas, rule by rule, and of schemas that ask for the impossible.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod hostile;
mod schemas;

use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_sample::{Extent, Sample, Sampler, annotate};
use crdkit_value::Document;

/// A CRD whose `spec` has the schema in YAML.
fn crd(spec: &str) -> Document {
    let decoded = yaml::decode(spec.as_bytes(), &DecodeOptions::default());
    let schema = decoded.expect("a schema").document;
    let mut text = Vec::new();
    json::write(schema.root(), json::Layout::Compact, &mut text);
    let schema = String::from_utf8(text).expect("UTF-8");
    let text = format!(
        r#"{{"spec": {{"group": "example.com", "scope": "Cluster",
            "names": {{"kind": "Lamp", "plural": "lamps"}},
            "versions": [{{"name": "v1", "served": true, "storage": true, "schema": {{
              "openAPIV3Schema": {{"type": "object", "required": ["spec"],
                "properties": {{"spec": {schema}}}}}}}}}]}}}}"#
    );
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("a CRD").document
}

fn sample(spec: &str, extent: Extent) -> Sample {
    let document = crd(spec);
    let sampler = Sampler::new(&document).expect("a CRD");
    let sample = sampler.sample("v1", extent).expect("a version");
    let schemas = &sampler.crd().schemas;
    let text = annotate::yaml(sample.document.root(), schemas, sampler.schema("v1"));
    let again = yaml::decode(text.as_bytes(), &DecodeOptions::default()).expect("YAML");
    assert_eq!(again.document, sample.document, "{text}");
    sample
}

/// The `spec` of a sample as compact JSON; panics unless it is accepted.
fn spec(schema: &str, extent: Extent) -> String {
    let sample = sample(schema, extent);
    if let Some(problem) = sample.problems.first() {
        panic!("{schema}: {problem}");
    }
    let mut out = Vec::new();
    let spec = sample.document.root().get("spec").expect("a spec");
    json::write(spec, json::Layout::Compact, &mut out);
    String::from_utf8(out).expect("UTF-8")
}
