//! Sources and inputs that terminal examples cannot show: a server, archives, commits, large files.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const LAMP: &str = "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: desk}\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty directory of its own for each test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn crd() -> String {
    fs::read_to_string(root().join("fixtures/chart/crds/lamps.yaml")).unwrap()
}

/// What a run ends with: its code, and all it printed.
struct Ran {
    code: Option<i32>,
    text: String,
}

fn crdkit(directory: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    let Output { status, stdout, stderr } =
        command.current_dir(directory).args(arguments).output().unwrap();
    let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    Ran { code: status.code(), text }
}

#[track_caller]
fn check(directory: &Path, arguments: &[&str], code: i32, expected: &[&str]) {
    let ran = crdkit(directory, arguments);
    assert_eq!(ran.code, Some(code), "{}", ran.text);
    for part in expected {
        assert!(ran.text.contains(part), "`{part}` is missing in:\n{}", ran.text);
    }
}

/// A server that knows `/crds.yaml`, `/chart.tgz` and a web page; gives its address and counts requests.
fn serve() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::Relaxed);
            answer(stream.unwrap());
        }
    });
    (address, count)
}

fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let n_bytes = stream.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..n_bytes]);
    }
    let request = String::from_utf8(request).unwrap();
    let (status, body) = match request.split(' ').nth(1).unwrap() {
        "/crds.yaml" => ("200 OK", crd().into_bytes()),
        "/lamp_v1.json" => {
            let path = "fixtures/schemas/lighting.example.com/lamp_v1.json";
            ("200 OK", fs::read(root().join(path)).unwrap())
        }
        "/chart.tgz" => ("200 OK", chart()),
        "/page.yaml" => ("200 OK", b"<!DOCTYPE html><html></html>".to_vec()),
        "/limited.yaml" => ("429 Too Many Requests", Vec::new()),
        _ => ("404 Not Found", Vec::new()),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
}

/// The chart of the fixtures, packed.
fn chart() -> Vec<u8> {
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    archive.append_dir_all("lamps", root().join("fixtures/chart")).unwrap();
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn urls_are_fetched_and_kept() {
    let directory = directory("urls");
    fs::write(directory.join("lamp.yaml"), format!("{LAMP}spec: {{watts: 100}}\n")).unwrap();
    let (address, count) = serve();
    let crds = format!("{address}/crds.yaml");
    let expected = ["lamp.yaml:4:15: error[maximum]: Lamp desk: spec.watts"];
    for _ in 0..2 {
        check(
            &directory,
            &["validate", "--crds", &crds, "--cache", "kept", "lamp.yaml"],
            1,
            &expected,
        );
    }
    assert_eq!(count.load(Ordering::Relaxed), 1, "the second run uses what was kept");
    let offline = ["validate", "--offline", "--crds", &crds, "--cache", "kept", "lamp.yaml"];
    check(&directory, &offline, 1, &expected);

    let chart = format!("{address}/chart.tgz");
    check(&directory, &["validate", "--crds", &chart, "lamp.yaml"], 1, &expected);
    let template = format!("{address}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json");
    check(
        &directory,
        &["validate", "-schema-location", &template, "lamp.yaml"],
        1,
        &["is invalid: spec.watts"],
    );
}

#[test]
fn what_a_server_does_not_give_is_said() {
    let directory = directory("refusals");
    fs::write(directory.join("lamp.yaml"), LAMP).unwrap();
    let (address, _) = serve();
    for (path, expected) in [
        ("other.yaml", "does not exist"),
        ("page.yaml", "name the address of the raw file"),
        ("limited.yaml", "too many requests"),
    ] {
        let source = format!("{address}/{path}");
        check(&directory, &["validate", "--crds", &source, "lamp.yaml"], 3, &[expected]);
    }
    // A port that was just given back is refused.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let source = format!("http://{closed}/crds.yaml");
    check(&directory, &["validate", "--crds", &source, "lamp.yaml"], 3, &["is the network there?"]);
}

#[test]
fn packed_charts_have_their_crds_and_plain_templates() {
    let directory = directory("charts");
    fs::write(directory.join("lamps-1.2.0.tgz"), chart()).unwrap();
    fs::write(directory.join("lamp.yaml"), format!("{LAMP}spec: {{watts: 40}}\n")).unwrap();
    fs::write(
        directory.join("switch.yaml"),
        "apiVersion: lighting.example.com/v1\nkind: Switch\nmetadata: {name: hall}\nspec: {lit: 1}\n",
    )
    .unwrap();
    let expected = ["switch.yaml:4:13: error[type-mismatch]", "1 valid, 1 invalid"];
    let chart = "lamps-1.2.0.tgz";
    check(&directory, &["validate", "--crds", chart, "lamp.yaml", "switch.yaml"], 1, &expected);
    // As a part of a directory it counts as well.
    check(&directory, &["validate", "--crds", ".", "lamp.yaml", "switch.yaml"], 1, &expected);
    check(&directory, &["lint", chart], 0, &["2 CRDs: 2 valid"]);
    fs::write(directory.join("cut.tgz"), &fs::read(directory.join(chart)).unwrap()[..200]).unwrap();
    check(
        &directory,
        &["validate", "--crds", "cut.tgz", "lamp.yaml"],
        3,
        &["`cut.tgz` cannot be read"],
    );
}

#[test]
fn commits_are_read_through_git() {
    let directory = directory("commits");
    let git = |arguments: &[&str]| {
        let settings =
            ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
        Command::new("git").current_dir(&directory).args(settings).args(arguments).output()
    };
    if git(&["init", "-q", "-b", "main"]).is_err() {
        // Without the program there is nothing to read through.
        return;
    }
    fs::create_dir_all(directory.join("config/crd")).unwrap();
    fs::write(directory.join("config/crd/lamps.yaml"), crd()).unwrap();
    fs::write(directory.join("lamp.yaml"), format!("{LAMP}spec: {{watts: 100}}\n")).unwrap();
    git(&["add", "-A"]).unwrap();
    git(&["commit", "-qm", "first"]).unwrap();
    git(&["tag", "v1"]).unwrap();
    fs::write(
        directory.join("config/crd/lamps.yaml"),
        crd().replace("maximum: 60", "maximum: 600"),
    )
    .unwrap();
    git(&["commit", "-qam", "second"]).unwrap();

    let expected = ["error[maximum]: Lamp desk: spec.watts: must be less than or equal to 60"];
    check(&directory, &["validate", "--crds", "git:v1:config/crd", "lamp.yaml"], 1, &expected);
    check(&directory, &["validate", "--crds", "git:main:config/crd", "lamp.yaml"], 0, &[]);
    // From below the top the path is still from the top.
    let below = directory.join("config");
    check(&below, &["validate", "--crds", "git:v1:config/crd", "../lamp.yaml"], 1, &expected);
    let other = format!("git+{}?ref=v1&path=config/crd", directory.display());
    check(
        Path::new("/"),
        &["validate", "--crds", &other, &directory.join("lamp.yaml").display().to_string()],
        1,
        &expected,
    );
    check(&directory, &["validate", "--crds", "git:v0:config/crd", "lamp.yaml"], 3, &["git says:"]);
    check(
        &directory,
        &["validate", "--crds", "git:v1:nowhere", "lamp.yaml"],
        3,
        &["no YAML or JSON files"],
    );
    check(
        &directory,
        &["lint", "--old", "git:v1:config/crd", "config/crd"],
        0,
        &["1 CRD: 1 valid"],
    );
}

#[test]
fn settings_are_found_above_the_working_directory() {
    let directory = directory("settings");
    fs::create_dir_all(directory.join("a/b")).unwrap();
    fs::write(directory.join("lamps.yaml"), crd()).unwrap();
    fs::write(directory.join(".crdkit.yaml"), "crds: lamps.yaml\nseverity: {maximum: off}\n")
        .unwrap();
    fs::write(directory.join("a/b/lamp.yaml"), format!("{LAMP}spec: {{watts: 100}}\n")).unwrap();
    check(&directory.join("a/b"), &["validate", "lamp.yaml"], 0, &["1 valid"]);
    check(&directory.join("a/b"), &["validate", "--no-config", "lamp.yaml"], 1, &["no-schema"]);
}

#[test]
fn large_inputs_are_judged_in_parts_with_their_lines() {
    let directory = directory("large");
    fs::write(directory.join("crds.yaml"), crd()).unwrap();
    let padding = format!("# {}\n", "x".repeat(1 << 20));
    let good = format!("---\n{LAMP}spec: {{watts: 1}}\n{padding}");
    let mut text = good.repeat(40);
    text += &["---\n", LAMP, "spec: {watts: 100}\n"].concat();
    fs::write(directory.join("lamps.yaml"), &text).unwrap();
    let expected =
        ["lamps.yaml:245:15: error[maximum]", "41 objects in 1 file: 40 valid, 1 invalid"];
    check(&directory, &["validate", "--crds", "crds.yaml", "lamps.yaml"], 1, &expected);
}

#[test]
fn a_large_list_in_json_is_judged_in_parts_with_its_places() {
    let directory = directory("list");
    fs::write(directory.join("crds.yaml"), crd()).unwrap();
    let item = |name: &str, watts: u32| {
        let padding = "\u{e9}".repeat(1 << 19);
        format!(
            "{{\"apiVersion\":\"lighting.example.com/v1\",\"kind\":\"Lamp\",\"metadata\":{{\"name\":\"{name}\"}},\
             \"spec\":{{\"colour\":\"{padding}\",\"watts\":{watts}}}}}"
        )
    };
    let mut items: Vec<_> = (0..20).map(|number| item(&format!("a{number}"), 1)).collect();
    items.push(item("bright", 100));
    for (between, line) in [(",", 1), (",\n  ", 21)] {
        // The kind comes after the items, as `kubectl` writes it.
        let text = format!("{{\"items\":[{}],\"kind\":\"List\"}}\n", items.join(between));
        let at = text.lines().nth(line - 1).unwrap();
        let column = at.chars().count() - "100}}],\"kind\":\"List\"}".len() + 1;
        fs::write(directory.join("lamps.json"), &text).unwrap();
        let place = format!("lamps.json:{line}:{column}: error[maximum]: Lamp bright: spec.watts");
        let expected = [place.as_str(), "21 objects in 1 file: 20 valid, 1 invalid"];
        let arguments = ["validate", "--crds", "crds.yaml", "-o", "text", "lamps.json"];
        check(&directory, &arguments, 1, &expected);
        // A list that is cut off never looks like success.
        fs::write(directory.join("lamps.json"), text.replace("],\"kind\":\"List\"}", "")).unwrap();
        check(&directory, &arguments, 1, &["error[truncated]"]);
    }
}

#[test]
fn suites_are_blessed_where_they_stand() {
    let directory = directory("bless");
    fs::write(directory.join("crds.yaml"), crd()).unwrap();
    let suite = "# Kept.\ncrds: crds.yaml\nbase: {apiVersion: lighting.example.com/v1, kind: Lamp, metadata: {name: a}}\n\
                 cases:\n- name: one\n  expect:\n    spec: {watts: 2}\n  create: # kept\n    spec: {watts: 1}\n\
                 - name: two\n  create: {spec: {}}\n";
    fs::write(directory.join("suite.yaml"), suite).unwrap();
    let expected = ["0 passed, 2 failed", "2 failed cases now expect what came\n"];
    check(&directory, &["test", "--bless", "suite.yaml"], 0, &expected);
    let blessed = suite.replace("  expect:\n    spec: {watts: 2}\n", "").replace(
        "    spec: {watts: 1}\n",
        "    spec: {watts: 1}\n  expect:\n    spec:\n      watts: 1\n",
    ) + "  errors:\n  - 'spec.watts: Required value'\n";
    assert_eq!(fs::read_to_string(directory.join("suite.yaml")).unwrap(), blessed);
    check(&directory, &["test", "suite.yaml"], 0, &["2 passed, 0 failed"]);
    // A case on one line has no lines of its own to change.
    let by_hand = suite.to_owned() + "- {name: three, create: {spec: {}}}\n";
    fs::write(directory.join("suite.yaml"), by_hand).unwrap();
    let expected = ["2 failed cases now expect what came, 1 to be changed by hand\n"];
    check(&directory, &["test", "--bless", "suite.yaml"], 1, &expected);
}

#[test]
fn shells_and_manuals_know_all_commands() {
    let directory = directory("help");
    for shell in ["bash", "zsh", "fish"] {
        check(&directory, &["completions", shell], 0, &["validate", "ignore-missing-schemas"]);
    }
    check(&directory, &["man", "pages/man1"], 0, &[]);
    let page = fs::read_to_string(directory.join("pages/man1/crdkit-validate.1")).unwrap();
    assert!(page.contains(".TH crdkit-validate 1") && page.contains("\\-\\-crds"), "{page}");
    assert!(directory.join("pages/man1/crdkit.1").is_file());
    fs::write(directory.join("file"), "").unwrap();
    check(&directory, &["man", "file/man1"], 3, &["cannot be written"]);
}

#[test]
fn output_is_in_input_order_whatever_the_number_of_workers() {
    let directory = directory("order");
    fs::write(directory.join("crds.yaml"), crd()).unwrap();
    fs::create_dir(directory.join("lamps")).unwrap();
    for number in 0..300 {
        let text = format!("{LAMP}spec: {{watts: {}}}\n", 100 + number);
        fs::write(directory.join(format!("lamps/{number:03}.yaml")), text).unwrap();
    }
    let with = |jobs: &str| {
        let arguments = ["validate", "--crds", "crds.yaml", "-n", jobs, "-o", "ndjson", "lamps"];
        crdkit(&directory, &arguments).text
    };
    let alone = with("1");
    assert_eq!(alone, with("8"));
    let mut lines: Vec<_> = alone.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(lines.len(), 300);
    let written = lines.clone();
    lines.sort_unstable();
    assert_eq!(written, lines);
    let first = crdkit(
        &directory,
        &["validate", "--crds", "crds.yaml", "--fail-fast", "-o", "text", "lamps"],
    );
    assert_eq!(first.text.matches("error[").count(), 1, "{}", first.text);
}

#[test]
fn outputs_go_to_files_side_by_side() {
    let directory = directory("outputs");
    fs::write(directory.join("crds.yaml"), crd()).unwrap();
    fs::write(directory.join("lamp.yaml"), format!("{LAMP}spec: {{watts: 100}}\n")).unwrap();
    let arguments = [
        "validate",
        "--crds",
        "crds.yaml",
        "-o",
        "text",
        "-o",
        "sarif=a.sarif",
        "-o",
        "pretty=b.txt",
        "lamp.yaml",
    ];
    check(&directory, &arguments, 1, &["lamp.yaml:4:15: error[maximum]"]);
    let sarif: serde_json::Value =
        serde_json::from_slice(&fs::read(directory.join("a.sarif")).unwrap()).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 4);
    let pretty = fs::read_to_string(directory.join("b.txt")).unwrap();
    assert!(pretty.contains("^^^") && !pretty.contains('\u{1b}'), "{pretty}");
    check(
        &directory,
        &["validate", "--crds", "crds.yaml", "-o", "json=no/such.json", "lamp.yaml"],
        3,
        &["cannot be written"],
    );
}

#[test]
fn every_command_fetches_keeps_and_says_so() {
    let here = directory("fetching");
    fs::write(here.join("lamp.yaml"), format!("{LAMP}spec: {{watts: 10}}\n")).unwrap();
    fs::write(here.join("crds.yaml"), crd()).unwrap();
    let base = "base: {apiVersion: lighting.example.com/v1, kind: Lamp, metadata: {name: a}}";
    let suite = format!("{base}\ncases:\n- name: one\n  create: {{spec: {{watts: 1}}}}\n");
    fs::write(here.join("suite.yaml"), suite).unwrap();
    let (address, count) = serve();
    let url = format!("{address}/crds.yaml");
    let commands: [&[&str]; 8] = [
        &["validate", "--crds", &url, "lamp.yaml"],
        &["default", "--crds", &url, "lamp.yaml"],
        &["explain", "--crds", &url, "lamp"],
        &["sample", "--crds", &url, "lamp"],
        &["schema", "export", "--crds", &url, "lamp"],
        &["lint", &url],
        &["compat", &url, "crds.yaml"],
        &["test", "--crds", &url, "suite.yaml"],
    ];
    for (n, command) in commands.into_iter().enumerate() {
        let kept = format!("kept-{n}");
        let more = ["--cache", &kept, "--insecure-skip-tls-verify", "--debug"];
        check(&here, &[command, &more].concat(), 0, &[&url]);
        assert_eq!(count.load(Ordering::Relaxed), n + 1, "{command:?}");
        check(&here, &[command, &["--cache", &kept, "--offline"]].concat(), 0, &[]);
        assert_eq!(count.load(Ordering::Relaxed), n + 1, "{command:?} is offline");
    }
}

#[test]
fn what_goes_to_files_is_there() {
    let here = directory("files");
    let root = root();
    let fixture = |name: &str| root.join("fixtures").join(name).display().to_string();
    let manifests = fixture("manifests");
    check(&here, &["convert", "--output", "all.ndjson", &manifests], 0, &[]);
    let text = fs::read_to_string(here.join("all.ndjson")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("{\"apiVersion\"")).count(), 3);
    check(&here, &["convert", "-o", "all.cborseq", "all.ndjson"], 0, &[]);
    let crds = fixture("crds");
    check(&here, &["validate", "--crds", &crds, "all.cborseq"], 0, &["3 valid, 0 invalid"]);
    // Bytes get to standard output as they get to a file.
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    command.current_dir(&here).args(["convert", "--to", "cbor-seq", "all.ndjson"]);
    assert_eq!(command.output().unwrap().stdout, fs::read(here.join("all.cborseq")).unwrap());

    let export = ["schema", "export", "--crds", &crds, "--out"];
    for (notation, file) in [
        ("json-schema", "backup.storage.example.com_v1.schema.json"),
        ("openapi", "storage.example.com/v1.json"),
        ("kubeconform", "storage.example.com/backup_v1.json"),
    ] {
        let to = ["out", "--to", notation];
        check(&here, &[export.as_slice(), &to].concat(), 0, &[]);
        assert!(here.join("out").join(file).is_file(), "{notation}");
    }

    let sides = [fixture("compat/old"), fixture("compat/new")];
    let compat = ["compat", "--emit-witness", "witnesses", &sides[0], &sides[1]];
    check(&here, &compat, 1, &["error["]);
    let witnesses: Vec<_> = fs::read_dir(here.join("witnesses")).unwrap().collect();
    assert!(!witnesses.is_empty());
}

#[test]
fn versions_of_a_kind_may_be_in_several_openapi_documents() {
    let directory = directory("openapi-versions");
    let text = crd();
    let (head, version) = text.split_once("  - name: v1\n").unwrap();
    let old =
        version.replace("storage: true", "storage: false").replace("maximum: 60", "maximum: 6");
    let both = format!("{head}  - name: v1\n{version}  - name: v1beta1\n{old}");
    fs::write(directory.join("crd.yaml"), both).unwrap();
    let export = ["schema", "export", "--crds", "crd.yaml", "--to", "openapi", "--out", "api"];
    check(&directory, &export, 0, &["2 files"]);
    let lamp = |version: &str, watts: u32| {
        let lamp = LAMP.replace("/v1", &format!("/{version}"));
        format!("---\n{lamp}spec: {{watts: {watts}}}\n")
    };
    let lamps = [lamp("v1", 50), lamp("v1", 70), lamp("v1beta1", 5), lamp("v1beta1", 50)].concat();
    fs::write(directory.join("lamps.yaml"), lamps).unwrap();
    let expected =
        ["4 objects in 1 file: 2 valid, 2 invalid (", "lamps.yaml:10:", "lamps.yaml:20:"];
    for crds in ["crd.yaml", "api"] {
        check(&directory, &["validate", "--crds", crds, "-o", "text", "lamps.yaml"], 1, &expected);
    }
}
