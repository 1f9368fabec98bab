//! The source `kube:`, against a server in this process that knows a little of the API.
#![cfg(feature = "kube")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests do I/O")]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

const LAMP: &str =
    "apiVersion: lighting.example.com/v1\nkind: Lamp\nmetadata: {name: desk}\nspec: {watts: 100}\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The CRD of lamps as the server sends it: within a list, without `apiVersion` and `kind`.
fn lamps() -> String {
    let crd = root().join("fixtures/chart/crds/lamps.yaml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    let output = command.args(["convert", "--compact"]).arg(crd).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.replace("\"apiVersion\":\"apiextensions.k8s.io/v1\",", "");
    text.replace("\"kind\":\"CustomResourceDefinition\",", "").trim().to_owned()
}

/// A server; gives its address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(|stream| answer(stream.unwrap())));
    address
}

fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let n_bytes = stream.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..n_bytes]);
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let status = |code: u16, reason: &str| {
        let body = format!(
            r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no {reason}","reason":"{reason}","code":{code}}}"#
        );
        (format!("{code} {reason}"), body)
    };
    let (status, body) = match path.strip_prefix(crds) {
        _ if request.contains("Bearer nobody") => status(401, "Unauthorized"),
        _ if request.contains("Bearer guest") => status(403, "Forbidden"),
        // Two pages, the first of which is empty.
        Some(query) if query.contains("continue=next") => {
            let list =
                format!(r#"{{"kind":"CustomResourceDefinitionList","items":[{}]}}"#, lamps());
            ("200 OK".into(), list)
        }
        Some(query) if query.starts_with('?') => (
            "200 OK".into(),
            r#"{"kind":"CustomResourceDefinitionList","metadata":{"continue":"next"},"items":[]}"#
                .into(),
        ),
        Some("/lamps.lighting.example.com") => ("200 OK".into(), lamps()),
        _ if path.starts_with("/apis/lighting.example.com/v1/lamps?") => {
            let lamp = |name: &str, watts: u32| {
                format!(
                    r#"{{"metadata":{{"name":"{name}","namespace":"hall"}},"spec":{{"watts":{watts}}}}}"#
                )
            };
            let items = [lamp("dim", 10), lamp("bright", 55)].join(",");
            (
                "200 OK".into(),
                format!(
                    r#"{{"kind":"LampList","apiVersion":"lighting.example.com/v1","items":[{items}]}}"#
                ),
            )
        }
        _ => status(404, "NotFound"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
}

/// A directory with a kubeconfig that has a context for each user, and a lamp that is too bright.
fn directory(name: &str, address: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("lamp.yaml"), LAMP).unwrap();
    let mut text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n\
         - {{name: here, cluster: {{server: '{address}'}}}}\n\
         - {{name: gone, cluster: {{server: 'http://127.0.0.1:1'}}}}\nusers:\n"
    );
    for user in ["admin", "guest", "nobody"] {
        let _ = writeln!(text, "- {{name: {user}, user: {{token: {user}}}}}");
    }
    text += "contexts:\n- {name: down, context: {cluster: gone, user: admin}}\n";
    for user in ["admin", "guest", "nobody"] {
        let _ = writeln!(text, "- {{name: {user}, context: {{cluster: here, user: {user}}}}}");
    }
    fs::write(path.join("config"), text).unwrap();
    path
}

#[track_caller]
fn check(directory: &Path, kubeconfig: &str, arguments: &[&str], code: i32, expected: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    command.current_dir(directory).args(arguments).env("KUBECONFIG", directory.join(kubeconfig));
    command.env_remove("KUBERNETES_SERVICE_HOST").env_remove("HTTP_PROXY").env_remove("http_proxy");
    let output = command.output().unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    for part in expected {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn crds_of_a_cluster_are_listed_page_by_page() {
    let directory = directory("kube-list", &serve());
    let expected = ["lamp.yaml:4:15: error[maximum]: Lamp desk: spec.watts"];
    for source in ["kube:", "kube:admin"] {
        let arguments = ["validate", "-o", "text", "--crds", source, "lamp.yaml"];
        check(&directory, "config", &arguments, 1, &expected);
    }
}

#[test]
fn one_crd_of_a_cluster_can_be_named() {
    let directory = directory("kube-one", &serve());
    let arguments = ["lint", "kube://lamps.lighting.example.com"];
    check(&directory, "config", &arguments, 0, &["1 CRD: 1 valid"]);
    let arguments = ["lint", "kube://ramps.lighting.example.com"];
    check(&directory, "config", &arguments, 3, &["has no such CRD", "kubectl get crds"]);
}

#[test]
fn what_goes_wrong_is_said_with_what_to_do() {
    let directory = directory("kube-wrong", &serve());
    for (kubeconfig, source, expected) in [
        ("none", "kube:", &["there is no kubeconfig", "KUBECONFIG"][..]),
        ("config", "kube:elsewhere", &["no context `elsewhere`", "admin, guest, nobody"]),
        ("config", "kube:guest", &["does not allow it", "`list`"]),
        ("config", "kube:nobody", &["does not know who is asking"]),
        ("config", "kube:down", &["cannot be reached", "kubectl get crds"]),
    ] {
        check(&directory, kubeconfig, &["lint", source], 3, expected);
    }
    check(&directory, "config", &["lint", "--offline", "kube:"], 3, &["`--offline` was given"]);
    let arguments = ["validate", "--crds", "kube:", "kube:"];
    check(&directory, "config", &arguments, 3, &["a cluster is a source of CRDs"]);
}

#[test]
fn a_change_is_tried_on_live_objects() {
    let directory = directory("kube-live", &serve());
    let crd = fs::read_to_string(root().join("fixtures/chart/crds/lamps.yaml")).unwrap();
    fs::write(directory.join("new.yaml"), crd.replace("maximum: 60", "maximum: 50")).unwrap();
    let arguments = ["compat", "-o", "text", "--with-objects", "kube:", "kube:", "new.yaml"];
    let expected = [
        "; 1 of 2 objects break",
        "kube:/lamps/hall/bright.json:",
        "error[object-breaks]: Lamp hall/bright: spec.watts",
    ];
    check(&directory, "config", &arguments, 1, &expected);
}

#[test]
fn what_a_cluster_has_can_be_pinned() {
    let directory = directory("kube-pin", &serve());
    let cache = directory.join("cache").display().to_string();
    check(
        &directory,
        "config",
        &["fetch", "--cache", &cache, "kube:"],
        0,
        &["kube:: 1 CRD, sha256:"],
    );
    let arguments = [
        "validate",
        "--offline",
        "--locked",
        "--cache",
        &cache,
        "-o",
        "text",
        "--crds",
        "kube:",
        "lamp.yaml",
    ];
    check(&directory, "gone", &arguments, 1, &["lamp.yaml:4:15: error[maximum]"]);
}
