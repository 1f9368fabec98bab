//! `crdkit pr` in a repository with a history.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use std::fs;
use std::path::Path;
use std::process::Command;

fn git(directory: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let output =
        Command::new("git").current_dir(directory).args(identity).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn crdkit(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    let output = command.current_dir(directory).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, listKind: LampList, plural: lamps, singular: lamp}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              watts: {type: integer, maximum: 60}
              socket:
                type: string
                x-kubernetes-validations: [{rule: self == oldSelf, message: a socket stays}]
";

fn lamp(socket: &str) -> String {
    format!(
        "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {{name: desk}}\nspec: {{watts: 40, socket: {socket}}}\n"
    )
}

/// A branch of a repository with a CRD, an object of it, and a file without objects.
fn branch() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    git(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
    fs::write(at("crd.yaml"), CRD).unwrap();
    fs::write(at("lamp.yaml"), lamp("e14")).unwrap();
    fs::write(at("ci.yaml"), "on: push\n").unwrap();
    git(directory.path(), &["add", "."]);
    git(directory.path(), &["commit", "--quiet", "--message", "a"]);
    git(directory.path(), &["checkout", "--quiet", "-b", "change"]);
    directory
}

#[test]
fn what_moved_is_an_update_and_what_is_gone_is_told() {
    let directory = branch();
    let at = |name: &str| directory.path().join(name);
    let pr = || crdkit(directory.path(), &["pr", "--crds", "crd", "main"]);
    fs::create_dir(at("crd")).unwrap();
    git(directory.path(), &["mv", "crd.yaml", "crd/lamps.yaml"]);
    // Too different to be the same file for git; the object is the same.
    git(directory.path(), &["rm", "--quiet", "lamp.yaml"]);
    fs::write(at("lamps.yaml"), "# All lamps, and where they are.\n".repeat(40) + &lamp("e27"))
        .unwrap();
    let (code, text) = pr();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("3 files changed"), "{text}");
    assert!(text.contains("a socket stays"), "{text}");
    assert!(text.contains("| compatibility of `crd/lamps.yaml` | fine |"), "{text}");

    fs::write(at("lamps.yaml"), lamp("e14")).unwrap();
    fs::write(at("crd/lamps.yaml"), CRD.replace("maximum: 60", "maximum: 50")).unwrap();
    let (code, text) = pr();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("| compatibility of `crd/lamps.yaml` | **findings** |"), "{text}");

    fs::write(at("crd/lamps.yaml"), CRD.replace("lamps", "candles")).unwrap();
    git(directory.path(), &["rm", "--quiet", "--force", "--cached", "crd/lamps.yaml"]);
    let (code, text) = pr();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("| compatibility of `crd.yaml` | **findings** |"), "{text}");
    assert!(text.contains("the CRD `lamps.example.com` was removed"), "{text}");
}

#[test]
fn a_branch_is_judged_against_what_it_is_based_on() {
    let directory = branch();
    let at = |name: &str| directory.path().join(name);

    let (code, text) = crdkit(directory.path(), &["pr"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Nothing changed since"), "{text}");

    // Elsewhere than in the root directory no change would be seen.
    fs::create_dir(at("sub")).unwrap();
    let (code, text) = crdkit(&at("sub"), &["pr"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("run `crdkit pr` in `../`"), "{text}");

    fs::write(at("lamp.yaml"), lamp("e27")).unwrap();
    fs::write(at("ci.yaml"), "on: pull_request\n").unwrap();
    let (code, text) = crdkit(directory.path(), &["pr", "--crds", "crd.yaml", "main"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("| objects | **findings** |"), "{text}");
    assert!(text.contains("a socket stays"), "{text}");

    fs::write(at("lamp.yaml"), lamp("e14")).unwrap();
    fs::write(at("crd.yaml"), CRD.replace("maximum: 60", "maximum: 30")).unwrap();
    let (code, text) =
        crdkit(directory.path(), &["pr", "--crds", "crd.yaml", "--report", "out.md"]);
    assert_eq!(code, Some(1), "{text}");
    let report = fs::read_to_string(at("out.md")).unwrap();
    assert!(report.contains("| CRDs in `crd.yaml` | fine |"), "{report}");
    assert!(report.contains("| compatibility of `crd.yaml` | **findings** |"), "{report}");
}
