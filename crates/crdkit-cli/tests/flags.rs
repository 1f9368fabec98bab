//! Flags that terminal examples cannot show: colours, and updates of a subresource.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

fn validate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crdkit"))
        .args(["validate", "-o", "text", "--no-config"])
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn colours_are_as_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (crds, objects) = (root.join("fixtures/chart"), root.join("fixtures/lamps"));
    let arguments = ["--crds", crds.to_str().unwrap(), objects.to_str().unwrap()];
    for (choice, coloured) in [("always", true), ("never", false), ("auto", false)] {
        for flag in ["--color", "--colour"] {
            let output = validate(&[&arguments[..], &[flag, choice]].concat());
            assert_eq!(text(&output.stdout).contains("\u{1b}["), coloured, "{flag} {choice}");
        }
    }
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: taps.kitchen.example.com}
spec:
  group: kitchen.example.com
  scope: Namespaced
  names: {kind: Tap, plural: taps, singular: tap, listKind: TapList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {litres: {type: integer, maximum: 9}}}
          status: {type: object, properties: {open: {type: boolean}}}
";

#[test]
fn an_update_of_a_subresource_is_about_that_alone() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let object = |spec: &str, status: &str| {
        format!(
            "apiVersion: kitchen.example.com/v1\nkind: Tap\nmetadata: {{name: a}}\nspec: {{{spec}}}\nstatus: {{{status}}}\n"
        )
    };
    let crds = file("crd.yaml", CRD);
    let old = file("old.yaml", &object("litres: 1", "open: true"));
    let new = file("new.yaml", &object("litres: 10", "open: 7"));
    let update = ["--crds", &*crds, "--old", &*old, &*new];
    let output = validate(&update);
    let found = text(&output.stdout);
    assert!(found.contains("spec.litres") && !found.contains("status.open"), "{found}");
    let output = validate(&[&update[..], &["--subresource", "status"]].concat());
    let found = text(&output.stdout);
    assert!(found.contains("status.open") && !found.contains("spec.litres"), "{found}");
    // Without the object as it is there is nothing to update.
    let output = validate(&["--crds", &*crds, "--subresource", "status", &*new]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}
