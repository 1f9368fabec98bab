//! Without the feature `cel`: rules are not passed over in silence.
#![cfg(not(feature = "cel"))]
#![expect(clippy::expect_used, reason = "tests")]

use crdkit_engine::{Crd, RequestOptions};

#[test]
fn an_object_with_rules_is_accepted_with_a_warning() {
    let crd: Crd = "
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-validations: [{rule: 'false'}]}
"
    .parse()
    .expect("a CRD");
    let lamps = crd.version("v1").expect("v1");
    let object = r#"{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a"}, "spec": {}}"#;
    let outcome = lamps.create(object, &RequestOptions::new());
    assert!(outcome.is_accepted());
    let codes: Vec<_> = outcome.issues.iter().map(|issue| issue.code.to_string()).collect();
    assert_eq!(codes, ["rules-not-run"]);
}
