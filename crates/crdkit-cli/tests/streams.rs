//! Standard input: judged as it comes in, with memory that does not grow with it.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn crds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/chart/crds/lamps.yaml")
}

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_crdkit"))
        .args(["validate", "-o", "text", "--no-config"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn yaml(name: usize, watts: usize) -> String {
    let pad = "x".repeat(200);
    format!(
        "---\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {{name: lamp-{name}}}\nspec: {{watts: {watts}, colour: {pad}}}\n"
    )
}

fn json(name: usize, watts: usize) -> String {
    let pad = "x".repeat(200);
    format!(
        "{{\"apiVersion\":\"lighting.example.com/v1\",\"kind\":\"Lamp\",\"metadata\":{{\"name\":\"lamp-{name}\"}},\"spec\":{{\"watts\":{watts},\"colour\":\"{pad}\"}}}}\n"
    )
}

#[test]
fn the_first_finding_comes_before_the_input_ends() {
    let crds = crds();
    for object in [yaml, json] {
        let mut child = start(&["--crds", crds.to_str().unwrap()]);
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        stdin.write_all(object(0, 1000).as_bytes()).unwrap();
        for name in 1..12_000 {
            stdin.write_all(object(name, 40).as_bytes()).unwrap();
        }
        // Nothing is closed yet.
        let first = lines.next().unwrap().unwrap();
        assert!(first.contains("error[maximum]: Lamp lamp-0: spec.watts"), "{first}");
        stdin.write_all(object(12_000, 1000).as_bytes()).unwrap();
        drop(stdin);
        let last = lines.last().unwrap().unwrap();
        assert!(last.contains("Lamp lamp-12000"), "{last}");
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("12001 objects in 1 file: 11999 valid, 2 invalid"), "{text}");
    }
}

#[test]
fn objects_wait_for_crds_that_come_later() {
    let crd = std::fs::read_to_string(crds()).unwrap();
    let mut child = start(&["-"]);
    let mut stdin = child.stdin.take().unwrap();
    for name in 0..9_000 {
        stdin.write_all(yaml(name, if name == 7 { 1000 } else { 40 }).as_bytes()).unwrap();
    }
    stdin.write_all(format!("---\n{crd}").as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(out.contains("Lamp lamp-7: spec.watts") && out.lines().count() == 1, "{out}");
    assert!(err.contains("9001 objects in 1 file: 9000 valid, 1 invalid"), "{err}");
}

#[test]
fn helm_says_which_file_an_object_is_from() {
    let crds = crds();
    let mut child = start(&["--crds", crds.to_str().unwrap(), "--stdin-filename", "out.yaml"]);
    let text = format!(
        "---\n# Source: lights/templates/lamp.yaml\n{}",
        yaml(1, 1000).trim_start_matches("---\n")
    );
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let start =
        "out.yaml:6:15: error[maximum]: Lamp lamp-1 (lights/templates/lamp.yaml): spec.watts: ";
    assert!(out.starts_with(start), "{out}");
}

#[test]
fn a_list_in_yaml_is_taken_apart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("list.yaml");
    let mut text = "apiVersion: v1\nitems:\n".to_owned();
    let pad = "x".repeat(400);
    for name in 0..9_000 {
        let watts = if name % 4_000 == 1 { 1000 } else { 40 };
        write!(
            text,
            "- apiVersion: lighting.example.com/v1\n  kind: Lamp\n  metadata:\n    name: lamp-{name}\n  spec:\n    watts: {watts}\n    colour: {pad}\n"
        )
        .unwrap();
    }
    text.push_str("kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    std::fs::write(&path, text).unwrap();
    let crds = crds();
    let child = start(&["--crds", crds.to_str().unwrap(), path.to_str().unwrap()]);
    let output = child.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(err.contains("9000 objects in 1 file: 8997 valid, 3 invalid"), "{err}{out}");
    assert!(out.contains(":15:12: error[maximum]: Lamp lamp-1: "), "{out}");
    assert!(
        out.contains(&format!(":{}:12: error[maximum]: Lamp lamp-8001: ", 2 + 8001 * 7 + 6)),
        "{out}"
    );
}
