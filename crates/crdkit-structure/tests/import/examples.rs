//! A schema with preserved fields, a number that may be text, and a list with two keys, as a user writes it.

use crate::support::{check_with, try_import};
use crdkit_structure::import::{
    Ambiguity, CelOptions, DefaultMode, DiagnosticLevel, Embedded, Equality, ImportOptions,
    Numbers, Profile, Unknown,
};

const SNIPPET: &str = "
openAPIV3Schema:
  type: object
  x-kubernetes-preserve-unknown-fields: true
  properties:
    replicas:
      oneOf:
      - type: integer
      - type: string
        x-kubernetes-int-or-string: true
    selectors:
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys: [name, namespace]
      items:
        type: object
        properties:
          name: {type: string}
          namespace: {type: string}
        required: [name, namespace]
";

fn options() -> ImportOptions {
    ImportOptions::new()
        .unknown(Unknown::Prune)
        .profile(Profile::StructuralV1)
        .cel(CelOptions::default())
        .defaults(DefaultMode::Annotate)
        .numbers(Numbers::Float64 { lossy: false })
        .ambiguity(Ambiguity::Error)
        .equality(Equality::Structural)
        .embedded(Embedded::Minimal)
}

// Proves REQ-001, REQ-011, REQ-098, REQ-108.
#[test]
fn the_snippet_behaves_as_described() {
    for replicas in ["3", "'3'", "'-3'"] {
        check_with(
            &options(),
            SNIPPET,
            &format!("{{replicas: {replicas}, other: {{kept: 1}}}}"),
            &[],
        );
    }
    for replicas in ["x", "3.5", "true", "null"] {
        let closest = u8::from(replicas == "x");
        let line = format!("union-no-match @ /replicas (closest is {closest})");
        check_with(&options(), SNIPPET, &format!("{{replicas: {replicas}}}"), &[&line]);
    }
    check_with(
        &options(),
        SNIPPET,
        "{selectors: [{name: a, namespace: x}, {name: a, namespace: w}, {namespace: x, name: a}]}",
        &["repeated-keys @ /selectors/2 (first at /selectors/0)"],
    );
    check_with(
        &options(),
        SNIPPET,
        "{selectors: [{name: a}, {name: a}]}",
        &["required @ /selectors/0/namespace", "required @ /selectors/1/namespace"],
    );
}

// Proves REQ-102, REQ-103.
#[test]
fn what_is_not_structural_about_the_snippet_is_said_and_can_be_denied() {
    let imported = try_import(SNIPPET, &options()).expect("only remarks");
    assert!(imported.diagnostics.has_warnings());
    let remarks: Vec<String> = imported
        .diagnostics
        .warnings()
        .map(|it| format!("{} {}", it.code, it.schema_path.pointer()))
        .collect();
    assert_eq!(
        remarks,
        [
            "schema_non_structural /openAPIV3Schema/properties/replicas",
            "schema_non_structural /openAPIV3Schema/properties/replicas/oneOf/0/type",
            "schema_non_structural /openAPIV3Schema/properties/replicas/oneOf/1/type",
        ]
    );
    assert!(try_import(SNIPPET, &options().deny(DiagnosticLevel::Warning)).is_err());
    assert!(try_import(SNIPPET, &options().deny(DiagnosticLevel::Error)).is_ok());
    assert!(
        try_import(SNIPPET, &options().profile(Profile::Loose).deny(DiagnosticLevel::Warning))
            .is_ok()
    );
}
