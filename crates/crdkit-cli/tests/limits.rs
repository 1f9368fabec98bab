//! Limits: each has a flag, and what goes beyond it is a finding that names both. Inputs that ask for more than they are
//! end in little memory.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LAMP: &str = "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: desk}\n";

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// A CRD for lamps with this schema for their `spec`.
fn crd(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: lamps.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {schema}}}}}}}
"
    )
}

/// Runs in a directory with the files; gives the exit code and all that was printed.
fn run(name: &str, files: &[(&str, &[u8])], arguments: &[&str]) -> (i32, String) {
    let directory = directory(name);
    for (name, bytes) in files {
        fs::write(directory.join(name), bytes).unwrap();
    }
    let command = &mut Command::new(env!("CARGO_BIN_EXE_crdkit"));
    told(command.current_dir(&directory).args(arguments).output().unwrap())
}

fn told(output: Output) -> (i32, String) {
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

/// Validates a lamp with `spec` under a CRD with `schema`.
fn validate(name: &str, schema: &str, spec: &str, flags: &[&str]) -> (i32, String) {
    let (crd, lamp) = (crd(schema), format!("{LAMP}spec: {spec}\n"));
    let files = [("crd.yaml", crd.as_bytes()), ("lamp.yaml", lamp.as_bytes())];
    let arguments = [&["validate", "-o", "text", "--crds", "crd.yaml", "lamp.yaml"], flags];
    run(name, &files, &arguments.concat())
}

/// `flags` refuse what is fine without them, and the finding names them.
#[track_caller]
fn check(schema: &str, spec: &str, flags: &[&str], finding: &str) {
    let flag = flags.first().unwrap();
    let (code, text) = validate(flag.trim_start_matches('-'), schema, spec, &[]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = validate(flag.trim_start_matches('-'), schema, spec, flags);
    assert_ne!(code, 0, "{text}");
    assert!(text.contains(flag) && text.contains(finding), "{flag}, {finding}: {text}");
}

#[test]
fn every_limit_has_a_flag_and_a_finding_that_names_it() {
    let texts = "{type: array, items: {type: string}}";
    let alias = "[&a some text, *a, *a]";
    check(texts, alias, &["--max-alias-bytes", "10"], "error[aliases-too-large]");
    check(texts, alias, &["--max-values", "5"], "error[too-many-values]");
    check(texts, alias, &["--max-document-bytes", "50"], "cannot be read");
    let filled = "{type: object, default: {}, properties: {a: {type: string, default: some text}}}";
    check(filled, "{}", &["--max-default-bytes", "10"], "error[defaults-too-large]");
    let rule = "{type: string, maxLength: 100, x-kubernetes-validations: [{rule: 'self.replace(\"a\", \"bcdefg\").size() > 0'}]}";
    check(rule, "aaaaaaaaaaaaaaaaaaaa", &["--max-rule-bytes", "20"], "error[rule-error]");
}

#[test]
fn findings_of_one_kind_are_shown_up_to_the_limit_and_counted() {
    let (code, text) = validate(
        "findings",
        "{type: array, items: {type: string}}",
        "[1, 2, 3, 4, 5]",
        &["--max-findings", "2"],
    );
    assert_eq!(code, 1, "{text}");
    assert_eq!(text.matches("error[").count(), 2, "{text}");
    assert!(text.contains("3 more findings of this kind: type-mismatch"), "{text}");
    assert!(text.contains("--max-findings"), "{text}");
}

#[test]
fn patterns_without_room_give_the_same_verdict() {
    let schema = "{type: string, pattern: '^[a-z]+([-.][a-z]+)*$'}";
    for (spec, code) in [("some-name.example", 0), ("'-no'", 1)] {
        for flags in [&[][..], &["--max-pattern-bytes", "0"]] {
            assert_eq!(validate("patterns", schema, spec, flags).0, code, "{spec} {flags:?}");
        }
    }
}

#[test]
fn an_expression_says_which_limit_ended_it() {
    let big = "'aaaaaaaaaaaaaaaaaaaaaaaa'.replace('a', 'bcdefghijk')";
    let (code, text) = run("cel", &[], &["cel", "eval", "--max-rule-bytes", "20", big]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("`--max-rule-bytes` is 20"), "{text}");
    let (code, text) = run("cel", &[], &["cel", "eval", big]);
    assert_eq!(code, 0, "{text}");
}
