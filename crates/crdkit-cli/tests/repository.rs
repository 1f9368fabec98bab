//! A repository as people have them: charts, overlays, patches, workflows, CRDs, values that Flux fills in, encrypted
//! ones. As it is, it is fine; every mistake that is put into it is found at its place.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/repository")
}

/// A copy of the repository that a test may change.
fn copy() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut pending = vec![PathBuf::new()];
    while let Some(inside) = pending.pop() {
        fs::create_dir_all(directory.path().join(&inside)).unwrap();
        for entry in fs::read_dir(fixture().join(&inside)).unwrap() {
            let path = inside.join(entry.unwrap().file_name());
            if fixture().join(&path).is_dir() {
                pending.push(path);
            } else {
                fs::copy(fixture().join(&path), directory.path().join(&path)).unwrap();
            }
        }
    }
    directory
}

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(directory: &Path, arguments: &[&str]) -> Ran {
    run_with(directory, arguments, None)
}

/// Runs the command; `programs` is the only place where it finds others.
fn run_with(directory: &Path, arguments: &[&str], programs: Option<&Path>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    command.current_dir(directory).args(arguments);
    if let Some(programs) = programs {
        command.env("PATH", programs);
    }
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// All files of the repository, hidden ones too, as a hook gets them.
fn files(directory: &Path) -> Vec<String> {
    let mut pending = vec![directory.to_owned()];
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .is_some_and(|it| ["yaml", "yml", "json"].iter().any(|known| it == *known))
        {
            found.push(path.strip_prefix(directory).unwrap().display().to_string());
        }
    }
    found.sort();
    found
}

#[test]
fn the_hook_passes_on_every_file_of_the_repository() {
    let files = files(&fixture());
    for arguments in [
        &["validate", "--allow-empty", "--ignore-missing-schemas"][..],
        &["validate", "--allow-empty"],
        &["lint", "--allow-empty"],
    ] {
        let all: Vec<_> =
            arguments.iter().copied().chain(files.iter().map(String::as_str)).collect();
        let ran = run(&fixture(), &all);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    }
    let ran =
        run(&fixture(), &["validate", ".pre-commit-config.yaml", "charts/lights/values.yaml"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("nothing to validate"), "{}", ran.err);
}

#[test]
fn files_without_objects_are_refused_on_request() {
    let ran = run(&fixture(), &["validate", "--require-objects", "-o", "text", ".sops.yaml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains(".sops.yaml:1:1: error[not-an-object]"), "{}", ran.out);
    // What looks like an object is one, and so is what stands beside one.
    let directory = copy();
    let path = directory.path().join("odd.yaml");
    for text in [
        "kind: Lamp\nspec: {}\n",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\njust: this\n",
    ] {
        fs::write(&path, text).unwrap();
        let ran = run(directory.path(), &["validate", "odd.yaml"]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.out.contains("not-an-object"), "{}", ran.out);
    }
}

#[test]
fn the_repository_as_it_is_has_no_findings() {
    let ran = run(&fixture(), &["validate", "--render", "never", "."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    for part in [
        "2 patches judged as parts of objects",
        "encrypted values",
        "`${\u{2026}}`",
        "2 kustomizations",
        "1 JSON patch",
        "1 template",
    ] {
        assert!(ran.err.contains(part), "`{part}` is missing in {}", ran.err);
    }
    assert_eq!(run(&fixture(), &["lint", "--quality", "conventions", "config/crd"]).code, Some(0));
}

/// A mistake: the file, what is replaced, by what, and how the findings begin.
type Mistake = (&'static str, &'static str, &'static str, &'static [&'static str]);

const MISTAKES: &[Mistake] = &[
    (
        "manifests/lamps.yaml",
        "watts: 60",
        "wats: 60",
        &[
            "manifests/lamps.yaml:15:3: error[unknown-field]: Lamp theatre/stage: spec.wats: there is no such field; did you mean `watts`?",
            "manifests/lamps.yaml:14:1: error[required]: Lamp theatre/stage: spec.watts: this field is required",
        ],
    ),
    (
        "manifests/lamps.yaml",
        "color: white",
        "color: whit",
        &[
            "manifests/lamps.yaml:7:10: error[enum-mismatch]: Lamp desk: spec.color: must be one of \"white\", \"amber\", \"red\"; did you mean `white`?",
        ],
    ),
    (
        "manifests/lamps.yaml",
        "watts: 40",
        "watts: \"40\"",
        &[
            "manifests/lamps.yaml:6:10: error[type-mismatch]: Lamp desk: spec.watts: expected integer, found string; did you mean `40`?",
        ],
    ),
    (
        "manifests/lamps.yaml",
        "label: \"42\"",
        "label: 42",
        &[
            "manifests/lamps.yaml:16:10: error[type-mismatch]: Lamp theatre/stage: spec.label: expected string, found integer; did you mean `\"42\"`?",
        ],
    ),
    (
        "overlays/prod/patches/lamp.yaml",
        "color: amber",
        "colour: amber",
        &["overlays/prod/patches/lamp.yaml:6:3: error[unknown-field]: Lamp hall: spec.colour"],
    ),
    (
        "overlays/prod/patches/replicas.yaml",
        "replicas: 3",
        "replicas: many",
        &["overlays/prod/patches/replicas.yaml:6:13: error["],
    ),
    (
        "clusters/prod/porch.yaml",
        "color: red",
        "color: blue",
        &[
            "clusters/prod/porch.yaml:7:10: error[enum-mismatch]: Lamp ${cluster_name}-porch: spec.color",
        ],
    ),
    (
        "secrets/token.yaml",
        "type: Opaque",
        "typ: Opaque",
        &[
            "secrets/token.yaml:5:1: error[unknown-field]: Secret token: typ: there is no such field; did you mean `type`?",
        ],
    ),
    (
        "charts/lights/templates/shelf.yaml",
        "watts: 20",
        "watts: 200",
        &["charts/lights/templates/shelf.yaml:6:10: error[maximum]: Lamp shelf: spec.watts"],
    ),
    (
        "config/crd/lamps.yaml",
        "type: integer, minimum",
        "type: integr, minimum",
        &[
            "config/crd/lamps.yaml:24:65: error[unsupported-value]: CustomResourceDefinition lamps.lighting.example.com: ",
        ],
    ),
];

#[test]
fn every_mistake_is_found_at_its_place() {
    for (file, from, to, expected) in MISTAKES {
        let directory = copy();
        let path = directory.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let ran = run(directory.path(), &["validate", "--render", "never", "-o", "text", "."]);
        assert_eq!(ran.code, Some(1), "{to}: {}{}", ran.out, ran.err);
        for line in *expected {
            let found = ran.out.lines().any(|it| it.starts_with(line));
            assert!(found, "{to}: no line begins with\n{line}\nin\n{}", ran.out);
        }
        // What is wrong with a CRD is not wrong with every object.
        assert!(ran.out.lines().count() <= 2, "{to}: {}", ran.out);
    }
}

#[test]
fn values_that_others_fill_in_can_be_judged_as_they_stand() {
    let arguments = ["validate", "--as-is", "-o", "text", "clusters", "secrets"];
    let ran = run(&fixture(), &arguments);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    for start in ["clusters/prod/porch.yaml:4:", "secrets/token.yaml:"] {
        assert!(ran.out.lines().any(|line| line.starts_with(start)), "{start}: {}", ran.out);
    }
}

#[test]
fn safe_corrections_keep_everything_else() {
    let directory = copy();
    let path = directory.path().join("manifests/lamps.yaml");
    let wanted = fs::read_to_string(&path).unwrap().replace("watts: 40", "watts: 40 # dim");
    let wrong = wanted
        .replace("watts: 40", "wattz: 40")
        .replace("watts: 60", "watts: \"60\"")
        .replace("label: \"42\"", "label: 42")
        .replacen("example.com/v1\n", "example.com/v1beta1\n", 1)
        .replace("white", "whit");
    fs::write(&path, wrong).unwrap();
    let ran = run(directory.path(), &["validate", "--fix", "manifests"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
    assert!(ran.err.contains("corrected 5 findings in 1 file"), "{}", ran.err);
}

#[cfg(unix)]
mod programs {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// A directory with a program that prints `text`.
    fn program(name: &str, text: &str) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n/bin/cat <<'END'\n{text}END\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        directory
    }

    #[test]
    fn a_chart_is_rendered_and_findings_lead_to_its_template() {
        let text = "---\n# Source: lights/templates/lamp.yaml\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  name: lights\nspec:\n  watts: 400\n  color: ambr\n";
        let helm = program("helm", text);
        let arguments = ["validate", "-o", "text", "charts/lights"];
        let ran = run_with(&fixture(), &arguments, Some(helm.path()));
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        let lines: Vec<_> = ran.out.lines().collect();
        let name = "charts/lights/templates/lamp.yaml";
        assert!(
            lines[0].starts_with(&format!(
                "{name}:7:1: error[maximum]: Lamp lights (charts/lights): spec.watts"
            )),
            "{}",
            ran.out
        );
        assert!(lines[1].starts_with(&format!("{name}:8:1: error[enum-mismatch]")), "{}", ran.out);
        assert_eq!(lines.len(), 2, "{}", ran.out);
    }

    #[test]
    fn what_a_patch_of_an_overlay_says_leads_to_the_patch() {
        let directory = copy();
        let patch = "overlays/prod/patches/lamp.yaml";
        let text = fs::read_to_string(directory.path().join(patch)).unwrap();
        fs::write(directory.path().join(patch), text.replace("color: amber", "colour: amber"))
            .unwrap();
        let base = directory.path().canonicalize().unwrap().join("overlays/base/lamp.yaml");
        let kustomize = program(
            "kustomize",
            &format!(
                "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: {}\n  name: hall\n  namespace: prod\nspec:\n  colour: amber\n  watts: 500\n",
                base.display()
            ),
        );
        let run = |format: &str| {
            let arguments = ["validate", "-o", format, "overlays/prod"];
            run_with(directory.path(), &arguments, Some(kustomize.path()))
        };
        let ran = run("text");
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        for (format, starts) in [
            (
                "text",
                [
                    "overlays/prod/patches/lamp.yaml:6:3: error[unknown-field]: Lamp prod/hall (overlays/prod): spec.colour",
                    "overlays/base/lamp.yaml:7:1: error[maximum]: Lamp prod/hall (overlays/prod): spec.watts",
                ],
            ),
            (
                "github",
                [
                    "::error file=overlays/prod/patches/lamp.yaml,line=6,",
                    "::error file=overlays/base/lamp.yaml,line=7,",
                ],
            ),
            (
                "ndjson",
                [
                    "{\"file\":\"overlays/prod/patches/lamp.yaml\",",
                    "{\"file\":\"overlays/base/lamp.yaml\",",
                ],
            ),
        ] {
            let ran = run(format);
            for start in starts {
                let found = ran.out.lines().any(|line| line.starts_with(start));
                assert!(found, "no line begins with\n{start}\nin\n{}", ran.out);
            }
        }
    }

    #[test]
    fn without_the_program_nothing_passes_silently() {
        let empty = tempfile::tempdir().unwrap();
        let ran = run_with(&fixture(), &["validate", "."], Some(empty.path()));
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        assert!(
            ran.err.contains("the chart `charts/lights` was not rendered: `helm` is not installed"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("neither `kustomize` nor `kubectl` is installed"), "{}", ran.err);
    }
}

#[test]
fn every_format_names_the_object_and_the_file_it_was_made_of() {
    let directory = copy();
    let text = "# Source: lights/templates/lamp.yaml\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: stage, namespace: theatre}\nspec: {watts: 600}\n";
    fs::write(directory.path().join("rendered.yaml"), text).unwrap();
    for format in [
        "text", "pretty", "json", "yaml", "ndjson", "markdown", "sarif", "junit", "tap", "github",
        "gitlab",
    ] {
        let ran = run(directory.path(), &["validate", "-o", format, "rendered.yaml"]);
        assert_eq!(ran.code, Some(1), "{format}: {}{}", ran.out, ran.err);
        for part in ["Lamp", "theatre", "stage", "lights/templates/lamp.yaml", "rendered.yaml"] {
            assert!(ran.out.contains(part), "{format}: no {part} in {}", ran.out);
        }
    }
}

#[test]
fn templates_outside_of_charts_are_left_out_and_texts_with_braces_are_not() {
    let directory = copy();
    let templates = directory.path().join("templates");
    fs::create_dir(&templates).unwrap();
    let write = |name: &str, text: &str| fs::write(templates.join(name), text).unwrap();
    write("if.yaml", "{{- if .lit }}\napiVersion: v1\nkind: Namespace\n{{- end }}\n");
    write("name.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: {{ .name }}}\n");
    write(
        "alerts.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: alerts}\ndate: {text: '{{ $value }}'}\n",
    );
    let ran = run(directory.path(), &["validate", "-o", "text", "templates"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let start = "templates/alerts.yaml:4:1: error[unknown-field]: ConfigMap alerts: date";
    assert!(ran.out.starts_with(start), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(ran.err.contains("left out: 2 templates"), "{}", ran.err);
    // As objects on standard input they are refused, and so they are where objects are asked for.
    let arguments = ["validate", "--require-objects", "-o", "text", "templates/if.yaml"];
    let ran = run(directory.path(), &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("error[yaml-syntax]"), "{}", ran.out);
}

#[test]
fn an_unreadable_part_does_not_hide_the_others() {
    let directory = copy();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere.yaml", directory.path().join("manifests/dangling.yaml"))
        .unwrap();
    let ran = run(directory.path(), &["validate", "manifests"]);
    #[cfg(unix)]
    {
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains("is a link that leads nowhere"), "{}", ran.err);
    }
    assert!(ran.err.contains("2 valid"), "{}", ran.err);
    fs::create_dir(directory.path().join("empty")).unwrap();
    assert_eq!(run(directory.path(), &["validate", "empty"]).code, Some(3));
    assert_eq!(run(directory.path(), &["validate", "--allow-empty", "empty"]).code, Some(0));
}

#[test]
fn crds_of_one_name_that_differ_are_told() {
    let directory = copy();
    let text = fs::read_to_string(directory.path().join("config/crd/lamps.yaml")).unwrap();
    fs::create_dir(directory.path().join("more")).unwrap();
    fs::write(directory.path().join("more/lamps.yaml"), text.replace("maximum: 60", "maximum: 50"))
        .unwrap();
    let check = |choice: &str, code: i32, expected: &str| {
        let arguments =
            ["validate", "-o", "text", "--crds", "more", "--crds-conflict", choice, "manifests"];
        let ran = run(directory.path(), &arguments);
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains(expected), "{}", ran.out);
    };
    check("first", 0, "more/lamps.yaml:4:9: warning[crd-conflict]");
    check("last", 1, "differently in config/crd/lamps.yaml:4; this one counts");
    check("error", 1, "more/lamps.yaml:4:9: error[crd-conflict]");
}

#[cfg(unix)]
mod integrations {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
    }

    /// Where programs are found, this one first.
    fn path() -> String {
        let own = Path::new(env!("CARGO_BIN_EXE_crdkit")).parent().unwrap().display().to_string();
        format!("{own}:{}", std::env::var("PATH").unwrap())
    }

    fn git(directory: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(directory).args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
        ]);
        let output = command.args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// A copy under git, with a branch that others are merged into.
    fn committed() -> tempfile::TempDir {
        let directory = copy();
        git(directory.path(), &["init", "-q", "-b", "main"]);
        git(directory.path(), &["add", "-A"]);
        git(directory.path(), &["commit", "-q", "-m", "a"]);
        git(directory.path(), &["update-ref", "refs/remotes/origin/main", "main"]);
        directory
    }

    /// The script of a step of the action.
    fn step(name: &str) -> String {
        let ran = run(&root(), &["convert", "--compact", "action.yml"]);
        let action: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let steps = action.pointer("/runs/steps").unwrap().as_array().unwrap();
        let step = steps.iter().find(|step| step["name"] == name).unwrap();
        step["run"].as_str().unwrap().to_owned()
    }

    /// Runs a step as the service would, with inputs; the log, with the report and the summary that it wrote.
    fn act(directory: &Path, name: &str, base: &str) -> (Option<i32>, String) {
        let summary = directory.join("summary.md");
        let mut command = Command::new("bash");
        command.args(["-e", "-o", "pipefail", "-c", &step(name)]).current_dir(directory);
        command.env("PATH", path()).env("GITHUB_STEP_SUMMARY", &summary);
        command.env("PATHS", ".").env("CRDS", "").env("ARGS", "--render never");
        command.env("SARIF", "crdkit.sarif").env("REPORT", "crdkit.md").env("BASE", base);
        let output = command.output().unwrap();
        let mut log = String::from_utf8(output.stdout).unwrap();
        log += &String::from_utf8(output.stderr).unwrap();
        log += &fs::read_to_string(summary).unwrap_or_default();
        (output.status.code(), log)
    }

    #[test]
    fn steps_of_the_action_find_what_is_wrong_and_nothing_else() {
        let directory = committed();
        let (code, log) = act(directory.path(), "Validate", "");
        assert_eq!(code, Some(0), "{log}");
        let change = "Judge what the pull request changes";
        let (code, log) = act(directory.path(), change, "origin/main");
        assert_eq!(code, Some(0), "{log}");
        let (code, log) = act(directory.path(), change, "origin/gone");
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("check it out with fetch-depth 0"), "{log}");

        let lamps = directory.path().join("manifests/lamps.yaml");
        let text = fs::read_to_string(&lamps).unwrap();
        fs::write(&lamps, text.replace("watts: 60", "watts: 600")).unwrap();
        let (code, log) = act(directory.path(), "Validate", "");
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains("::error file=manifests/lamps.yaml,line=15,col=10"), "{log}");
        let sarif = fs::read_to_string(directory.path().join("crdkit.sarif")).unwrap();
        assert!(sarif.contains("\"ruleId\": \"maximum\""), "{sarif}");
        let (code, log) = act(directory.path(), change, "origin/main");
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains("| objects | **findings** |"), "{log}");
    }

    #[test]
    fn hooks_work_under_pre_commit_where_that_is_installed() {
        let is_there = Command::new("pre-commit").arg("--version").output().is_ok();
        if !is_there {
            // The same command lines are run above.
            return;
        }
        let directory = committed();
        let hooks = |hook: &str| {
            let mut command = Command::new("pre-commit");
            command.current_dir(directory.path()).env("PATH", path());
            command.env("PRE_COMMIT_HOME", directory.path().join(".git/pre-commit"));
            command.args(["try-repo", &root().display().to_string(), hook, "--all-files"]);
            let output = command.output().unwrap();
            (output.status.success(), String::from_utf8(output.stdout).unwrap())
        };
        for hook in ["crdkit-validate", "crdkit-lint"] {
            let (passed, log) = hooks(hook);
            assert!(passed, "{log}");
        }
        let lamps = directory.path().join("manifests/lamps.yaml");
        let text = fs::read_to_string(&lamps).unwrap();
        fs::write(&lamps, text.replace("watts: 60", "wats: 60")).unwrap();
        let (passed, log) = hooks("crdkit-validate");
        assert!(!passed && log.contains("did you mean `watts`?"), "{log}");
    }
}
