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

/// A list, with the parts that come before its items, between them and after them.
struct Notation {
    object: fn(usize, usize) -> String,
    around: [&'static str; 3],
    column: usize,
}

const LISTS: [Notation; 2] = [
    Notation {
        object: |name, watts| {
            let pad = "x".repeat(200);
            format!(
                "- apiVersion: lighting.example.com/v1\n  kind: Lamp\n  metadata:\n    name: lamp-{name}\n  spec:\n    watts: {watts}\n    colour: {pad}\n"
            )
        },
        around: [
            "apiVersion: v1\nitems:\n",
            "",
            "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
        ],
        column: 12,
    },
    Notation {
        object: |name, watts| json(name, watts).trim_end().replace("\"spec\":", "\n\"spec\":"),
        around: [
            "{\"apiVersion\":\"v1\",\"items\":[\n",
            ",\n",
            "],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}\n",
        ],
        column: 17,
    },
];

#[test]
fn lists_are_judged_while_they_come_in() {
    let crds = crds();
    for Notation { object, around: [before, between, after], column } in LISTS {
        let mut child = start(&["--crds", crds.to_str().unwrap()]);
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        stdin.write_all(format!("{before}{}", object(0, 1000)).as_bytes()).unwrap();
        for name in 1..12_000 {
            stdin.write_all(format!("{between}{}", object(name, 40)).as_bytes()).unwrap();
        }
        // Nothing is closed yet.
        let first = lines.next().unwrap().unwrap();
        assert!(first.contains("error[maximum]: Lamp lamp-0: spec.watts"), "{first}");
        let last = object(12_000, 1000);
        stdin.write_all(format!("{between}{last}{after}").as_bytes()).unwrap();
        // What follows the list is a document of its own.
        let separator = if before.starts_with('{') { "" } else { "---\n" };
        let after = if before.starts_with('{') { json(1, 1000) } else { yaml(1, 1000) };
        let after = after.trim_start_matches("---\n").replace("lamp-1", "after");
        stdin.write_all(format!("{separator}{after}").as_bytes()).unwrap();
        drop(stdin);
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("12002 objects in 1 file: 11999 valid, 3 invalid"), "{text}{rest:?}");
        let mut rest = rest.iter();
        let (last, after) = (rest.next().unwrap(), rest.next().unwrap());
        let n_lines = object(0, 40).matches('\n').count() + between.matches('\n').count();
        let line = before.matches('\n').count() + 12_000 * n_lines;
        let line = line + if between.is_empty() { 6 } else { 2 };
        let place = format!("<stdin>:{line}:{column}: error[maximum]: Lamp lamp-12000: ");
        assert!(last.starts_with(&place), "{last}: {place}");
        assert!(after.contains("Lamp after: spec.watts"), "{after}");
    }
}

#[test]
fn what_is_wrong_around_the_items_is_found() {
    let crds = crds();
    let [yaml, json] = LISTS;
    for (Notation { object, around: [before, between, _], .. }, after, expected) in [
        (yaml, "kind: Lamp\nmetadata: {name: a}\n", "error[no-schema]: Lamp a: "),
        (json, "]", "error[truncated]: "),
    ] {
        let mut child = start(&["--crds", crds.to_str().unwrap()]);
        let mut stdin = child.stdin.take().unwrap();
        let items: Vec<_> = (0..9_000).map(|name| object(name, 40)).collect();
        let text = format!("{before}{}{after}", items.join(between));
        stdin.write_all(text.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(err.contains("9000 valid"), "{err}{out}");
        assert!(out.lines().count() == 1 && out.contains(expected), "{out}");
    }
}

#[test]
fn a_byte_order_mark_before_json_makes_it_yaml_as_for_kubectl() {
    let crds = crds();
    let mut child = start(&["--crds", crds.to_str().unwrap()]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("\u{feff}{}", json(1, 1000)).as_bytes()).unwrap();
    // More than is waited for, in one value.
    let large = json(2, 40).replace("xxx", &"x".repeat(20_000));
    stdin.write_all(format!("---\n{large}").as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.contains("error[maximum]: Lamp lamp-1: spec.watts"), "{out}{err}");
    assert!(err.contains("2 objects in 1 file: 1 valid, 1 invalid"), "{err}");
}
