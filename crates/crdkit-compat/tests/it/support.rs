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
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
          metadata: {{name: lamps.example.com}},
          spec: {{group: example.com, scope: Namespaced,
            names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}},
            versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema:
              {{type: object, properties: {{spec: {schema}}}}}}}}}]}}}}"
    )
}
