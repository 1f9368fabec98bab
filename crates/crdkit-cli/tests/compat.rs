//! `crdkit compat` of an upgrade with many changes: what it comes to, and one finding for each cause.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

const FORMATS: &[&str] = &[
    "text", "pretty", "json", "yaml", "ndjson", "markdown", "sarif", "junit", "tap", "github",
    "gitlab",
];

/// A CRD with forty texts of at most so many characters.
fn crd(longest: usize) -> String {
    let mut text = String::from(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.example.com}\n\
         spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Lamp, listKind: LampList, plural: lamps, singular: lamp}\n\
         \x20 versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n\
         \x20       properties:\n          spec:\n            type: object\n            properties:\n",
    );
    for n in 0..40 {
        let _ = writeln!(text, "              label{n}: {{type: string, maxLength: {longest}}}");
    }
    text
}

/// Both sides of an upgrade, and thirty objects, twenty of which have a text that becomes too long.
fn upgrade() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("old.yaml", &crd(9));
    write("new.yaml", &crd(5));
    let mut objects = String::new();
    for n in 0..30 {
        let label = if n < 20 { "too long" } else { "fine" };
        let _ = write!(
            objects,
            "---\napiVersion: example.com/v1\nkind: Lamp\nmetadata: {{name: lamp-{n}}}\nspec: {{label3: {label}}}\n"
        );
    }
    write("objects.yaml", &objects);
    directory
}

fn compat(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    command.current_dir(directory).arg("compat").args(arguments).args(["old.yaml", "new.yaml"]);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn findings_with_one_cause_are_one_in_every_format() {
    let directory = upgrade();
    for format in FORMATS {
        let (code, out, err) = compat(directory.path(), &["-o", format]);
        assert_eq!(code, Some(1), "{format}: {err}");
        assert!(err.contains("40 errors, 0 warnings (1 cause, 40 places)"), "{err}");
        let n_told = match *format {
            // Once more in short, or as kubeconform has it.
            "json" | "yaml" | "junit" => 2,
            _ => 1,
        };
        let n_found = out.matches("now at most 5 characters (v1)").count();
        assert_eq!(n_found, n_told, "{format}: {out}");
        let told = match *format {
            "json" | "yaml" | "ndjson" => "spec.label39",
            _ => "the same in 39 more places",
        };
        assert!(out.contains(told), "{format}: {out}");
    }
}

#[test]
fn what_it_comes_to_is_part_of_reports() {
    let directory = upgrade();
    let words = "1 CRD compared, 0 added, 0 removed: 14 answers safe, 1 unsafe, 0 unknown; 40 errors, 0 warnings (1 cause, 40 places)";
    let (_, out, err) = compat(directory.path(), &["-o", "markdown"]);
    assert!(err.starts_with(words), "{err}");
    assert!(out.starts_with(words), "{out}");
    let (_, out, _) = compat(directory.path(), &["-o", "tap"]);
    assert!(out.contains(&format!("# {words}")), "{out}");
    for (format, place) in
        [("json", "/summary/comparison"), ("sarif", "/runs/0/properties/comparison")]
    {
        let (_, out, _) = compat(directory.path(), &["-o", format]);
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let counts = report.pointer(place).unwrap();
        for (key, n) in [("compared", 1), ("errors", 40), ("causes", 1)] {
            assert_eq!(counts[key], n, "{format}: {counts}");
        }
    }
}

#[test]
fn all_shows_every_place_and_max_only_some_causes() {
    let directory = upgrade();
    let (_, out, _) = compat(directory.path(), &["-o", "text", "--all"]);
    assert_eq!(out.lines().count(), 40, "{out}");
    for format in FORMATS {
        let (code, out, err) = compat(directory.path(), &["-o", format, "--all", "--max", "3"]);
        assert_eq!(code, Some(1), "{format}");
        assert!(err.contains("left out: 37 findings (`--max 3`)"), "{format}: {err}");
        let shown = (0..40).filter(|n| out.contains(&format!("spec.label{n}:")));
        let at_path = (0..40).filter(|n| out.contains(&format!("spec.label{n}\"")));
        let n_shown = match *format {
            "json" | "ndjson" => at_path.count(),
            "yaml" => out.matches("path: spec.label").count(),
            "markdown" => out.matches("`spec.label").count(),
            _ => shown.count(),
        };
        assert_eq!(n_shown, 3, "{format}: {out}");
    }
}

#[test]
fn objects_that_break_are_counted_and_told_once_for_each_cause() {
    let directory = upgrade();
    let arguments = ["-o", "text", "--with-objects", "objects.yaml"];
    let (code, out, err) = compat(directory.path(), &arguments);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("(2 causes, 60 places); 20 of 30 objects break"), "{err}");
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    let line = lines.last().unwrap();
    assert!(
        line.starts_with("objects.yaml:5:8: error[object-breaks]: Lamp lamp-0: spec.label3:"),
        "{line}"
    );
    assert!(
        line.ends_with(
            "; the same in 19 more places: Lamp lamp-1, Lamp lamp-2, Lamp lamp-3, \u{2026}"
        ),
        "{line}"
    );
    let (_, out, _) = compat(directory.path(), &[&arguments[..], &["--all"]].concat());
    assert_eq!(out.lines().count(), 60, "{out}");
}
