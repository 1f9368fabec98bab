//! `crdkit fetch` and `crdkit.lock`, against a server in this process: a web server, a Helm repository and a registry.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

const LAMP: &str =
    "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: desk}\nspec: {watts: 100}\n";
const TOO_BRIGHT: &str = "lamp.yaml:4:15: error[maximum]: Lamp desk: spec.watts";

fn crd() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("fixtures/chart/crds/lamps.yaml")).unwrap()
}

fn digest(bytes: &[u8]) -> String {
    let hex = Sha256::digest(bytes).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    });
    format!("sha256:{hex}")
}

/// A packed chart with these files.
fn chart(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A server of files, some of which want a token.
#[derive(Clone)]
struct Server {
    address: String,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = Self { address, files: Arc::default(), asked: Arc::default() };
        let own = server.clone();
        std::thread::spawn(move || listener.incoming().for_each(|it| own.answer(it.unwrap())));
        server
    }

    fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.lock().unwrap().insert(path.to_owned(), bytes.into());
    }

    fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// An artifact of the registry: its manifest under a tag and its digest, its layers as blobs.
    fn artifact(&self, repository: &str, tag: &str, layers: &[(&str, &str, Vec<u8>)]) -> String {
        let mut rows = Vec::new();
        for (media_type, title, bytes) in layers {
            let id = digest(bytes);
            self.put(&format!("/v2/{repository}/blobs/{id}"), bytes.clone());
            rows.push(format!(
                r#"{{"mediaType":"{media_type}","digest":"{id}","size":{},"annotations":{{"org.opencontainers.image.title":"{title}"}}}}"#,
                bytes.len()
            ));
        }
        let manifest = format!(r#"{{"schemaVersion":2,"layers":[{}]}}"#, rows.join(","));
        let id = digest(manifest.as_bytes());
        for name in [tag, &id] {
            self.put(&format!("/v2/{repository}/manifests/{name}"), manifest.clone());
        }
        id
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let n_bytes = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..n_bytes]);
        }
        let request = String::from_utf8(request).unwrap();
        let path = request.split(' ').nth(1).unwrap();
        self.asked.lock().unwrap().push(path.to_owned());
        let has = |header: &str| request.to_lowercase().contains(&header.to_lowercase());
        let (file, query) = path.split_once('?').unwrap_or((path, ""));
        let is_private = file.starts_with("/v2/private/");
        let body = self.files.lock().unwrap().get(file).cloned();
        let (status, body) = match body {
            _ if file == "/token"
                && query != "service=here&scope=repository:private/lamps:pull" =>
            {
                ("400 Bad Request", query.into())
            }
            _ if file == "/token" && has("authorization: Basic bWU6c2VjcmV0") => {
                ("200 OK", br#"{"token":"t1"}"#.to_vec())
            }
            _ if file == "/token" => ("401 Unauthorized", Vec::new()),
            _ if is_private && !has("authorization: Bearer t1") => ("401 Unauthorized", Vec::new()),
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", Vec::new()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\
             WWW-Authenticate: Bearer realm=\"http://{}/token\",service=\"here\",\
             scope=\"repository:private/lamps:pull\"\r\n\r\n",
            body.len(),
            self.address
        );
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
    }
}

/// A project with a lamp that is too bright, and a cache of its own.
struct Project(tempfile::TempDir);

impl Project {
    fn new(sources: &[&str]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("lamp.yaml", LAMP);
        project.write(".crdkit.yaml", &format!("crds: [{}]\n", quoted(sources)));
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.path("crdkit.lock")).unwrap()
    }

    #[track_caller]
    fn check(&self, arguments: &[&str], code: i32, expected: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
        command.current_dir(self.0.path()).args(arguments).env("CRDKIT_CACHE", self.path("cache"));
        command.env("DOCKER_CONFIG", self.path("docker")).env("HOME", self.path("home"));
        for name in ["HTTP_PROXY", "http_proxy", "HELM_REGISTRY_CONFIG"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let text =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        for part in expected {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
    }
}

fn quoted(sources: &[&str]) -> String {
    sources.iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(", ")
}

const VALIDATE: [&str; 4] = ["validate", "-o", "text", "lamp.yaml"];
const LOCKED: [&str; 6] = ["validate", "--locked", "--offline", "-o", "text", "lamp.yaml"];

#[test]
fn what_is_pinned_needs_no_network() {
    let server = Server::start();
    server.put("/crds.yaml", crd());
    let url = format!("http://{}/crds.yaml", server.address);
    let project = Project::new(&[&url]);
    project.check(&LOCKED, 3, &["is not in `crdkit.lock`, and `--locked` was given"]);
    project.check(&["fetch", "--locked"], 3, &["is not in `crdkit.lock`"]);
    project.check(&["fetch"], 0, &["/crds.yaml: 1 CRD, sha256:", ": pinned"]);
    let lock = project.lock();
    assert!(
        lock.contains("version: 1\n") && lock.contains("- lamps.lighting.example.com\n"),
        "{lock}"
    );
    let n_asked = server.n_asked();
    for arguments in [&LOCKED[..], &VALIDATE[..]] {
        project.check(arguments, 1, &[TOO_BRIGHT]);
    }
    project.check(&["fetch", "--locked", "--offline"], 0, &[": as pinned"]);
    assert_eq!(server.n_asked(), n_asked, "what is kept is not fetched again");
    assert_eq!(project.lock(), lock);

    // Comments and the order of keys do not matter; what a CRD says does.
    server.put("/crds.yaml", format!("# new\n{}", crd()));
    fs::remove_dir_all(project.path("cache")).unwrap();
    project.check(&LOCKED, 3, &["is not kept here; `crdkit fetch` keeps it"]);
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);
    server.put("/crds.yaml", crd().replace("maximum: 60", "maximum: 600"));
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);
    fs::remove_dir_all(project.path("cache")).unwrap();
    project.check(&VALIDATE, 3, &["is not what `crdkit.lock` says", "`crdkit fetch --update`"]);
    project.check(&["fetch"], 3, &["is not what `crdkit.lock` says"]);
    assert_eq!(project.lock(), lock, "what was pinned stays pinned");
    project.check(&["fetch", "--update"], 0, &[": changed"]);
    project.check(&LOCKED, 0, &["1 valid"]);
}

#[test]
fn a_lock_follows_the_settings() {
    let server = Server::start();
    let (one, two) =
        (format!("http://{}/a.yaml", server.address), format!("http://{}/b.yaml", server.address));
    server.put("/a.yaml", crd());
    server.put("/b.yaml", crd().replace("lamps", "bulbs"));
    let project = Project::new(&[&one, &two, "crds"]);
    fs::create_dir(project.path("crds")).unwrap();
    project.check(&["fetch"], 0, &["a.yaml: 1 CRD", "b.yaml: 1 CRD"]);
    project.write(".crdkit.yaml", &format!("crds: [\"{two}\"]\n"));
    project.check(&["fetch", "--locked"], 3, &["a.yaml`, which `.crdkit.yaml` does not name"]);
    project.check(&["fetch"], 0, &[]);
    assert!(!project.lock().contains("a.yaml"), "{}", project.lock());
    project.check(&["fetch", &one, "--into", "out"], 0, &["a.yaml: 1 CRD"]);
    assert!(project.lock().contains("a.yaml") && project.lock().contains("b.yaml"));
    project.check(
        &["validate", "--no-config", "--crds", "out", "-o", "text", "lamp.yaml"],
        1,
        &[TOO_BRIGHT],
    );
    project.check(&["fetch", "crds"], 3, &["`crds` is not on the network; files need no pin"]);
    project.check(&["fetch", "--no-config"], 3, &["nothing to fetch"]);
    project.write("crdkit.lock", "version: 7\n");
    project.check(&VALIDATE, 3, &["`crdkit.lock` is not of version 1"]);
    project.write("crdkit.lock", "version: 1\nsources: [{source: x}]\n");
    project.check(&["fetch"], 3, &["each source has `source` and `digest`"]);
    project.write("crdkit.lock", "version: 1\nsources: {source: x}\n");
    project.check(&["fetch"], 3, &["`sources` is not a list"]);
    for digest in ["../../secret", "sha256:../secret", "sha256:0", "SHA256:00"] {
        let lock = format!("version: 1\nsources: [{{source: \"{two}\", digest: \"{digest}\"}}]\n");
        project.write("crdkit.lock", &lock);
        project.check(&VALIDATE, 3, &[&format!("`{digest}` is not a digest")]);
    }
    for broken in ["", "version: 1\nsources: [", "\u{0}", "[]", "7"] {
        project.write("crdkit.lock", broken);
        project.check(&VALIDATE, 3, &["`crdkit.lock` "]);
    }
}

#[test]
fn charts_come_from_repositories() {
    let server = Server::start();
    let packed = chart(&[("lamps/Chart.yaml", "name: lamps\n"), ("lamps/crds/lamps.yaml", &crd())]);
    let index = format!(
        "apiVersion: v1\nentries:\n  lamps:\n  - {{version: 1.1.0, urls: [charts/lamps-1.1.0.tgz], digest: {}}}\n  \
         - {{version: 1.2.0-rc.1, urls: [gone.tgz]}}\n  - {{version: 1.0.0, urls: [charts/bad.tgz], digest: ab}}\n",
        digest(&packed).trim_start_matches("sha256:")
    );
    server.put("/repo/index.yaml", index);
    server.put("/repo/charts/lamps-1.1.0.tgz", packed.clone());
    server.put("/repo/charts/bad.tgz", packed);
    let base = format!("helm+http://{}/repo", server.address);
    let source = format!("{base}?chart=lamps");
    let project = Project::new(&[&source]);
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);
    project.check(&["fetch"], 0, &["1 CRD at 1.1.0, sha256:"]);
    project.check(&LOCKED, 1, &[TOO_BRIGHT]);
    let check = |query: &str, expected: &str| {
        let source = format!("{base}{query}");
        project.check(&["fetch", &source], 3, &[expected]);
    };
    check("?chart=lamps&version=1.0.0", "is not what the index says");
    check("?chart=lamps&version=3", "`lamps` has no version `3`; the newest are 1.1.0");
    check("?chart=bulbs", "the repository has no chart `bulbs`; it has lamps");
    check("?chart=lamps&version=1.2.0-rc.1", "does not exist");
    check("", "write `helm+URL?chart=NAME&version=VERSION`");
    check("?name=lamps", "`name=lamps` is not understood");
}

#[test]
fn registries_have_charts_archives_and_files() {
    let server = Server::start();
    let chart_type = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
    let packed = chart(&[("lamps/crds/lamps.yaml", &crd()), ("lamps/templates/a.yaml", "{{ a }}")]);
    let provenance = "application/vnd.cncf.helm.chart.provenance.v1.prov";
    let id = server.artifact(
        "charts/lamps",
        "1.0.0",
        &[(provenance, "", b"signature".to_vec()), (chart_type, "", packed.clone())],
    );
    server.artifact("files", "latest", &[("application/octet-stream", "lamps.yaml", crd().into())]);
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&*packed).read_to_end(&mut tar).unwrap();
    server.artifact("flux", "v1", &[("application/vnd.oci.image.layer.v1.tar", "", tar)]);
    server.artifact("other", "v1", &[("application/wasm", "", b"x".to_vec())]);
    let oci = |name: &str| format!("oci://{}/{name}", server.address);
    let project = Project::new(&[&oci("charts/lamps:1.0.0")]);
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);
    project.check(&["fetch"], 0, &[&format!("1 CRD at {id}, sha256:")]);
    project.check(&LOCKED, 1, &[TOO_BRIGHT]);
    for name in ["files", "flux:v1", &format!("charts/lamps@{id}")] {
        project.check(&["fetch", &oci(name)], 0, &["1 CRD at sha256:"]);
    }

    // A tag that moves does not matter: the manifest is asked for by its digest.
    let moved = chart(&[("lamps/crds/lamps.yaml", &crd().replace("maximum: 60", "maximum: 70"))]);
    server.artifact("charts/lamps", "1.0.0", &[(chart_type, "", moved)]);
    fs::remove_dir_all(project.path("cache")).unwrap();
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);

    let check = |source: &str, expected: &str| project.check(&["fetch", source], 3, &[expected]);
    check(&oci("charts/lamps:2.0.0"), "the registry does not have it");
    check(&oci("other:v1"), "there is no archive, YAML or JSON in it; it has application/wasm");
    check("oci://nowhere", "write `oci://HOST/REPOSITORY:TAG`");
    let blob = format!("/v2/files/blobs/{}", digest(crd().as_bytes()));
    server.put(&blob, "changed");
    let update = ["fetch", "--update", &oci("files")];
    project.check(&update, 3, &["the registry sends sha256:"]);
    project.check(
        &["fetch", "--offline", &oci("new:v1")],
        3,
        &["a registry is on the network, and `--offline` was given"],
    );
}

#[test]
fn registries_may_ask_who_it_is() {
    let server = Server::start();
    server.artifact("private/lamps", "v1", &[("application/yaml", "", crd().into())]);
    let project = Project::new(&[]);
    let source = format!("oci://{}/private/lamps:v1", server.address);
    project.check(
        &["fetch", &source],
        3,
        &["gives no token (status 401)", "log in with `docker login`"],
    );
    fs::create_dir(project.path("docker")).unwrap();
    let settings = format!(r#"{{"auths":{{"{}":{{"auth":"bWU6c2VjcmV0"}}}}}}"#, server.address);
    project.write("docker/config.json", &settings);
    project.check(&["fetch", &source], 0, &["1 CRD at sha256:"]);
}

#[test]
fn commits_stay_what_they_were() {
    let project = Project::new(&[]);
    let repository = project.path("other");
    fs::create_dir_all(repository.join("crds")).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(&repository).args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
        ]);
        assert!(command.args(arguments).output().unwrap().status.success(), "{arguments:?}");
    };
    let commit = |text: &str| {
        fs::write(repository.join("crds/lamps.yaml"), text).unwrap();
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "a"]);
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    fs::create_dir_all(repository.join("templates")).unwrap();
    fs::write(repository.join("templates/a.yaml"), "{{ if }}\n").unwrap();
    commit(&crd());
    let source = format!("git+{}?ref=main", repository.display());
    project.write(".crdkit.yaml", &format!("crds: [\"{source}\"]\n"));
    project.check(&["fetch"], 0, &["1 CRD at "]);
    commit(&crd().replace("maximum: 60", "maximum: 600"));
    fs::remove_dir_all(project.path("cache")).unwrap();
    project.check(&VALIDATE, 1, &[TOO_BRIGHT]);
    project.check(&["fetch", "--update"], 0, &[": changed"]);
    project.check(&LOCKED, 0, &["1 valid"]);
    let far = "git+https://example.invalid/x?ref=main";
    project.check(&["fetch", "--offline", far], 3, &["another repository is on the network"]);
}

#[test]
fn a_chart_without_crds_says_where_they_may_be() {
    let server = Server::start();
    server.put(
        "/c.tgz",
        chart(&[(
            "c/templates/crd.yaml",
            "{{- if .x }}\nkind: CustomResourceDefinition\n{{ end }}",
        )]),
    );
    let url = format!("http://{}/c.tgz", server.address);
    let expected = [
        "there is no CustomResourceDefinition in",
        "`helm template --include-crds CHART > crds.yaml`",
    ];
    Project::new(&[]).check(&["fetch", &url], 3, &expected);
}
