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
                "{name}:7:3: error[maximum]: Lamp lights (charts/lights): spec.watts"
            )),
            "{}",
            ran.out
        );
        assert!(lines[1].starts_with(&format!("{name}:8:3: error[enum-mismatch]")), "{}", ran.out);
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
                    "overlays/base/lamp.yaml:7:10: error[maximum]: Lamp prod/hall (overlays/prod): spec.watts",
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
                "tap",
                [
                    "    file: \"overlays/prod/patches/lamp.yaml\"",
                    "not ok 1 - overlays/base/lamp.yaml (",
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

    /// A chart in which a program finds nothing, and a copy of the repository around it.
    fn with_chart(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = copy();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        directory
    }

    #[test]
    fn helm_is_told_which_kubernetes_is_meant() {
        let helm = program("helm", "");
        let path = helm.path().join("helm");
        fs::write(&path, "#!/bin/sh\n/bin/echo \"$@\" > called\n").unwrap();
        let directory = copy();
        let arguments = [
            "validate",
            "--allow-empty",
            "--kubernetes-version",
            "1.34",
            "--api-versions",
            "monitoring.coreos.com/v1",
            "charts/lights",
        ];
        let ran = run_with(directory.path(), &arguments, Some(helm.path()));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let called = fs::read_to_string(directory.path().join("called")).unwrap();
        for part in ["--kube-version 1.34.0", "apps/v1/Deployment,", ",monitoring.coreos.com/v1"] {
            assert!(called.contains(part), "{part}: {called}");
        }
    }

    #[test]
    fn a_library_chart_has_nothing_to_render() {
        let directory = with_chart(&[
            ("charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n"),
            ("charts/lib/templates/_name.tpl", "{{- define \"name\" }}a{{ end }}\n"),
        ]);
        let helm = program("helm", "");
        fs::write(helm.path().join("helm"), "#!/bin/sh\n/bin/echo 'Error: called' >&2; exit 1\n")
            .unwrap();
        let ran = run_with(
            directory.path(),
            &["validate", "--allow-empty", "charts/lib"],
            Some(helm.path()),
        );
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }

    /// Packs files as `helm package` does.
    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut archive = tar::Builder::new(encoder);
        for (name, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    const CHART: &str = "apiVersion: v2\nname: lamps\nversion: 0.1.0\n";
    const TEMPLATE: &str = "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  name: a\nspec:\n  watts: {{ .Values.watts }}\n";

    #[test]
    fn a_packed_chart_is_rendered_as_one_in_a_directory() {
        let directory = copy();
        let files = [("lamps/Chart.yaml", CHART), ("lamps/templates/lamp.yaml", TEMPLATE)];
        fs::write(directory.path().join("lamps-0.1.0.tgz"), packed(&files)).unwrap();
        let text = TEMPLATE.replace("{{ .Values.watts }}", "500");
        let helm = program("helm", &format!("---\n# Source: lamps/templates/lamp.yaml\n{text}"));
        let arguments = ["validate", "-o", "text", "lamps-0.1.0.tgz"];
        let ran = run_with(directory.path(), &arguments, Some(helm.path()));
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        let start = "lamps-0.1.0.tgz/lamps/templates/lamp.yaml:6:3: error[maximum]: Lamp a";
        assert!(ran.out.starts_with(start), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
        // Without the program it does not pass.
        let ran = run_with(directory.path(), &arguments, Some(directory.path()));
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    }

    #[test]
    fn templates_of_packed_dependencies_are_named() {
        let directory =
            with_chart(&[("charts/all/Chart.yaml", "apiVersion: v2\nname: all\nversion: 0.1.0\n")]);
        let files = [("lamps/Chart.yaml", CHART), ("lamps/templates/lamp.yaml", TEMPLATE)];
        fs::create_dir(directory.path().join("charts/all/charts")).unwrap();
        fs::write(directory.path().join("charts/all/charts/lamps-0.1.0.tgz"), packed(&files))
            .unwrap();
        let text = TEMPLATE.replace("{{ .Values.watts }}", "500");
        let helm = program(
            "helm",
            &format!("---\n# Source: all/charts/lamps/templates/lamp.yaml\n{text}"),
        );
        let ran = run_with(
            directory.path(),
            &["validate", "-o", "text", "charts/all"],
            Some(helm.path()),
        );
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        let start =
            "charts/all/charts/lamps-0.1.0.tgz/lamps/templates/lamp.yaml:6:3: error[maximum]";
        assert!(ran.out.starts_with(start), "{}", ran.out);
    }

    #[test]
    fn excerpts_show_the_files_that_findings_point_to() {
        let directory = copy();
        let text = "---\n# Source: lights/templates/lamp.yaml\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  name: lights\nspec:\n  watts: 400\n  color: white\n";
        let helm = program("helm", text);
        let arguments = ["validate", "--color", "never", "charts/lights"];
        let ran = run_with(directory.path(), &arguments, Some(helm.path()));
        let template =
            fs::read_to_string(directory.path().join("charts/lights/templates/lamp.yaml")).unwrap();
        let line = template.lines().nth(6).unwrap();
        assert!(ran.out.contains(&format!("\n7 | {line}\n")), "{}", ran.out);
        assert!(ran.out.contains("\n  = rendered: watts: 400\n"), "{}", ran.out);
        // Comments silence what is found in what was made of their file.
        let path = directory.path().join("charts/lights/templates/lamp.yaml");
        let silenced =
            template.replace(line, &format!("{line} # crdkit-ignore: maximum it is far away"));
        fs::write(path, silenced).unwrap();
        let ran = run_with(directory.path(), &arguments, Some(helm.path()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
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
fn broken_files_that_cannot_be_objects_are_left_out() {
    let directory = copy();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("tsconfig.json", "// settings\n{\"compilerOptions\": {\"strict\": true,}}\n");
    write("devcontainer.json", "// settings\n{\"image\": \"a\"}\n");
    let arguments = ["validate", "-o", "text", "tsconfig.json", "devcontainer.json", "manifests"];
    let ran = run(directory.path(), &arguments);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(ran.err.contains("2 files without Kubernetes objects"), "{}", ran.err);
    write("tsconfig.json", "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\",}\n");
    let ran = run(directory.path(), &arguments);
    assert!(ran.code == Some(1) && ran.out.contains("error[json-syntax]"), "{}", ran.out);
}

#[test]
fn items_of_a_list_of_one_kind_are_of_that_kind() {
    let directory = copy();
    let item =
        |watts| format!("{{\"metadata\": {{\"name\": \"a\"}}, \"spec\": {{\"watts\": {watts}}}}}");
    let list = |items: &str| {
        format!(
            "{{\"kind\": \"LampList\", \"apiVersion\": \"lighting.example.com/v1\", \"metadata\": {{}}, \"items\": [{items}]}}"
        )
    };
    // The second is large enough to be read in parts.
    let many = vec![item(40); 50_000].join(",\n");
    for (name, items) in [("few.json", item(500)), ("many.json", format!("{many},\n{}", item(500)))]
    {
        fs::write(directory.path().join(name), list(&items)).unwrap();
        let ran = run(directory.path(), &["validate", "-o", "text", name]);
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("error[maximum]: Lamp a: spec.watts"), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    }
}

#[test]
fn a_field_that_there_is_not_is_found_whatever_is_filled_in() {
    let directory = copy();
    let path = directory.path().join("clusters/prod/porch.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("spec:\n", "spec:\n  wats: ${watts}\n")).unwrap();
    let ran = run(directory.path(), &["validate", "-o", "text", "clusters"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("error[unknown-field]: Lamp ${cluster_name}-porch: spec.wats"),
        "{}",
        ran.out
    );
}

#[test]
fn built_in_kinds_are_judged_as_a_server_judges_new_objects() {
    let directory = copy();
    let check = |text: &str, expected: &str| {
        fs::write(directory.path().join("new.yaml"), text).unwrap();
        let ran = run(directory.path(), &["validate", "-o", "text", "new.yaml"]);
        assert_eq!(ran.code, Some(i32::from(!expected.is_empty())), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains(expected), "{}", ran.out);
    };
    // The server gives a new Job an identity that its labels cannot have already, and a LimitRange a name.
    check(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    metadata: {labels: {controller-uid: x}}\n    spec: {restartPolicy: Never, containers: [{name: a, image: b}]}\n",
        "spec.template.metadata.labels[controller-uid]",
    );
    check("apiVersion: v1\nkind: LimitRange\nspec: {limits: [{type: Pod, max: {cpu: 1}}]}\n", "");
    check(
        "apiVersion: v1\nkind: Deploymnt\nmetadata: {name: a}\n",
        "did you mean `apiVersion: apps/v1, kind: Deployment`?",
    );
    // Lines of files from Windows end before what ends them.
    fs::write(
        directory.path().join("new.yaml"),
        "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: a}\r\ndatas: {}\r\n",
    )
    .unwrap();
    let ran = run(directory.path(), &["validate", "--color", "never", "new.yaml"]);
    assert!(ran.out.contains("\n4 | datas: {}\n"), "{}", ran.out);
}

#[test]
fn templates_with_crds_are_told_where_crds_are_looked_for() {
    let directory = copy();
    let templates = directory.path().join("charts/lights/templates");
    let crd = fs::read_to_string(directory.path().join("config/crd/lamps.yaml")).unwrap();
    fs::write(
        templates.join("crd.yaml"),
        format!("{{{{- if .Values.crds }}}}\n{crd}{{{{- end }}}}\n"),
    )
    .unwrap();
    fs::create_dir(directory.path().join("charts/lights/crds")).unwrap();
    fs::write(
        directory.path().join("charts/lights/crds/other.yaml"),
        crd.replace("lamps", "torches").replace("Lamp", "Torch").replace("lamp", "torch"),
    )
    .unwrap();
    let ran = run(directory.path(), &["lint", "charts/lights"]);
    assert!(
        ran.err.contains("1 template of `charts/lights` with CRDs was not read"),
        "{}",
        ran.err
    );
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

/// With the real programs, if `HELM` and `KUSTOMIZE` say where they are.
#[cfg(unix)]
mod real_programs {
    use super::*;

    /// A directory with nothing but `program`, which the environment names.
    fn program(name: &str) -> Option<tempfile::TempDir> {
        let path = std::env::var_os(name.to_uppercase())?;
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(path, directory.path().join(name)).unwrap();
        Some(directory)
    }

    fn write(directory: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[track_caller]
    fn check(directory: &Path, programs: &Path, source: &str, expected: &[&str]) {
        let ran = run_with(directory, &["validate", "-o", "text", source], Some(programs));
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.lines().count(), expected.len(), "{}", ran.out);
        for (line, expected) in ran.out.lines().zip(expected) {
            assert!(line.starts_with(expected), "{line}\ndoes not begin with\n{expected}");
        }
    }

    #[test]
    fn helm_renders_what_a_chart_can_have() {
        let Some(helm) = program("helm") else { return };
        let directory = copy();
        let arguments = ["validate", "charts"];
        let ran = run_with(directory.path(), &arguments, Some(helm.path()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
        write(
            directory.path(),
            &[
                ("charts/all/Chart.yaml", "apiVersion: v2\nname: all\nversion: 0.1.0\n"),
                (
                    "charts/all/values.yaml",
                    "watts: 500\nrooms: [hall, desk]\nspec: {watts: 40, color: blue}\n",
                ),
                ("charts/all/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n"),
                (
                    "charts/all/charts/sub/templates/svc.yaml",
                    "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\nspec:\n  ports:\n  - port: 80\n    protocl: TCP\n",
                ),
                (
                    "charts/all/charts/lib/Chart.yaml",
                    "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
                ),
                (
                    "charts/all/charts/lib/templates/_labels.tpl",
                    "{{- define \"labels\" }}\n    app: lamps\n{{- end }}\n",
                ),
                (
                    "charts/all/templates/hook.yaml",
                    "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {helm.sh/hook: pre-install}\nspec:\n  backoffLimit: -1\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}\n",
                ),
                (
                    "charts/all/templates/lamps.yaml",
                    "{{- range .Values.rooms }}\n---\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  name: {{ . }}\n  labels: {{- include \"labels\" $ }}\nspec:\n  watts: {{ $.Values.watts }}\n{{- end }}\n---\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata:\n  name: stage\nspec:\n  {{- toYaml .Values.spec | nindent 2 }}\n",
                ),
                (
                    "charts/all/templates/budget.yaml",
                    "{{- if .Capabilities.APIVersions.Has \"policy/v1/PodDisruptionBudget\" }}\napiVersion: policy/v1\n{{- else }}\napiVersion: policy/v1beta1\n{{- end }}\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1, selector: {}}\n",
                ),
                (
                    "charts/all/templates/schedule.yaml",
                    "{{- if semverCompare \">=1.25-0\" .Capabilities.KubeVersion.Version }}\napiVersion: batch/v1\n{{- else }}\napiVersion: batch/v1beta1\n{{- end }}\nkind: CronJob\nmetadata: {name: a}\nspec:\n  schedule: '@daily'\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}\n",
                ),
            ],
        );
        let expected = [
            "charts/all/charts/sub/templates/svc.yaml:7:5: error[unknown-field]: Service all (charts/all): spec.ports[0].protocl",
            "charts/all/templates/hook.yaml:7:17: error[native-invalid]: Job migrate (charts/all): spec.backoffLimit",
            "charts/all/templates/lamps.yaml:9:3: error[maximum]: Lamp hall (charts/all): spec.watts",
            "charts/all/templates/lamps.yaml:9:3: error[maximum]: Lamp desk (charts/all): spec.watts",
            "charts/all/templates/lamps.yaml:17:3: error[enum-mismatch]: Lamp stage (charts/all): spec.color",
        ];
        check(directory.path(), helm.path(), "charts/all", &expected);
        // What Helm complains about is passed on.
        write(
            directory.path(),
            &[("charts/all/templates/bad.yaml", "a: {{ required \"say how\" .Values.none }}\n")],
        );
        let ran = run_with(directory.path(), &["validate", "charts/all"], Some(helm.path()));
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("the chart `charts/all` was not rendered"), "{}", ran.err);
        assert!(ran.err.contains("say how"), "{}", ran.err);
    }

    #[test]
    fn kustomize_builds_what_an_overlay_can_have() {
        let Some(kustomize) = program("kustomize") else { return };
        let directory = copy();
        let ran = run_with(directory.path(), &["validate", "overlays"], Some(kustomize.path()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
        write(
            directory.path(),
            &[
                ("k/base/kustomization.yaml", "resources: [all.yaml]\n"),
                (
                    "k/base/all.yaml",
                    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{name: http, port: 80}, {name: admin, port: 81}]}\n---\napiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: hall}\nspec: {watts: 40, color: white}\n",
                ),
                (
                    "k/all/kustomization.yaml",
                    "resources: [../base]\nnamePrefix: my-\nnamespace: prod\npatches:\n- path: lamp.yaml\n- target: {kind: Service}\n  path: service.json\n- patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata:\n      name: web\n    spec:\n      sessionAffinity: Sometimes\nconfigMapGenerator:\n- {name: motd, literals: [a=b]}\n",
                ),
                (
                    "k/all/lamp.yaml",
                    "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: hall}\nspec: {color: blue}\n",
                ),
                (
                    "k/all/service.json",
                    "[{\"op\": \"replace\", \"path\": \"/spec/ports/1/port\", \"value\": 99999},\n {\"op\": \"add\", \"path\": \"/spec/typ\", \"value\": \"NodePort\"}]\n",
                ),
            ],
        );
        let expected = [
            "k/all/lamp.yaml:4:15: error[enum-mismatch]: Lamp prod/my-hall (k/all): spec.color",
            "k/all/service.json:1:59: error[native-invalid]: Service prod/my-web (k/all): spec.ports[1].port",
            "k/base/all.yaml:4:40: error[native-invalid]: Service prod/my-web (k/all): spec.ports[1].targetPort",
            "k/all/kustomization.yaml:14:24: error[native-unsupported]: Service prod/my-web (k/all): spec.sessionAffinity",
            "k/all/service.json:2:24: error[unknown-field]: Service prod/my-web (k/all): spec.typ",
        ];
        let ran = run_with(
            directory.path(),
            &["validate", "-o", "text", "k/all"],
            Some(kustomize.path()),
        );
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.lines().count(), expected.len(), "{}", ran.out);
        for start in expected {
            assert!(ran.out.lines().any(|line| line.starts_with(start)), "{start}\n{}", ran.out);
        }
    }
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
