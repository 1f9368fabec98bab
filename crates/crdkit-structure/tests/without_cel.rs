//! Without the feature `cel`: rules are not passed over in silence.
#![cfg(not(feature = "cel"))]
#![expect(clippy::expect_used, reason = "tests")]

use crdkit_structure::{CelOptions, ImportOptions, import_yaml};

const SCHEMA: &[u8] = b"{type: object, x-kubernetes-validations: [{rule: 'true'}]}";

#[test]
fn a_schema_whose_rules_nothing_can_evaluate_is_refused() {
    let imported = import_yaml(SCHEMA, &ImportOptions::new()).expect("a schema");
    assert!(!imported.diagnostics.is_empty(), "that rules are not evaluated is said");
    let refused = import_yaml(SCHEMA, &ImportOptions::new().cel(CelOptions::default()));
    let problem = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(problem.contains("there is no engine that could evaluate it"), "{problem}");
}
