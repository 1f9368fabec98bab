//! The one place that knows how documents become CRDs.

use crdkit_codec::{DecodeOptions, yaml};
use crdkit_value::Document;

/// One YAML document.
#[track_caller]
pub(crate) fn document(text: &str) -> Document {
    match yaml::decode(text.as_bytes(), &DecodeOptions::default()) {
        Ok(decoded) => decoded.document,
        Err(issue) => panic!("{issue}\n{text}"),
    }
}

/// A CRD with one version `v1` whose `spec` has this schema.
pub(crate) fn crd(schema: &str) -> String {
    with_versions(&[schema])
}

/// A CRD with versions `v1`, `v2` and so on whose `spec` have these schemas; the first is stored.
pub(crate) fn with_versions(schemas: &[&str]) -> String {
    let versions: Vec<_> = (1..)
        .zip(schemas)
        .map(|(number, schema)| {
            let storage = number == 1;
            format!(
                "{{name: v{number}, served: true, storage: {storage}, schema: {{openAPIV3Schema:
                  {{type: object, properties: {{spec: {schema}}}}}}}}}"
            )
        })
        .collect();
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
          metadata: {{name: lamps.example.com}},
          spec: {{group: example.com, scope: Namespaced,
            names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}},
            versions: [{}]}}}}",
        versions.join(", ")
    )
}
