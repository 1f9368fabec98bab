//! What a server tells about itself: figures, health, the audit log.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_server::{AuditLevel, Server, Settings};
use crdkit_value::{Document, Value};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::Client;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn text(client: &Client, path: &str) -> (u16, String) {
    let (code, _, body) = client.raw("GET", path, &[], b"").await;
    (code, String::from_utf8(body).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_have_the_names_that_people_graph() {
    let client = Client::start(Settings::default()).await;
    for (query, code) in [("?dryRun=All", 201), ("", 201), ("", 409)] {
        let body = r#"{"metadata":{"name":"a"}}"#;
        assert_eq!(client.json("POST", &format!("{MAPS}{query}"), body).await.0, code);
    }
    let applied =
        r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"},"metadata":{"name":"a"}}"#;
    let path = format!("{MAPS}/a?fieldManager=test&force=true");
    assert_eq!(client.call("PATCH", &path, "application/apply-patch+yaml", applied).await.0, 200);
    for path in ["/livez", "/api/v1/nothing%22of/that%22kind", "/apis/no%22/v1/such"] {
        client.raw("GET", path, &[], b"").await;
    }
    let watch = client.send("GET", &format!("{MAPS}?watch=1"), "", "").await;
    // The watch is there when its first bytes are.
    let labels = |verb: &str, scope: &str, dry_run: &str| {
        format!(
            "component=\"apiserver\",dry_run=\"{dry_run}\",group=\"\",resource=\"configmaps\",scope=\"{scope}\",subresource=\"\",verb=\"{verb}\",version=\"v1\""
        )
    };
    let watching =
        format!("apiserver_longrunning_requests{{{}}} ", labels("WATCH", "namespace", ""));
    let figures = until(&client, &format!("{watching}1")).await;
    for line in [
        format!("apiserver_request_total{{code=\"201\",{}}} 1", labels("POST", "namespace", "All")),
        format!("apiserver_request_total{{code=\"201\",{}}} 1", labels("POST", "namespace", "")),
        format!("apiserver_request_total{{code=\"409\",{}}} 1", labels("POST", "namespace", "")),
        format!(
            "apiserver_request_duration_seconds_count{{{}}} 2",
            labels("POST", "namespace", "")
        ),
        format!("apiserver_request_total{{code=\"200\",{}}} 1", labels("APPLY", "resource", "")),
        "apiserver_current_inflight_requests{request_kind=\"mutating\"} 0".to_owned(),
        "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1".to_owned(),
        "apiserver_panics_total 0".to_owned(),
        "crdkit_custom_resource_definitions 0".to_owned(),
    ] {
        assert!(figures.lines().any(|it| it == line), "no line `{line}` in\n{figures}");
    }
    assert!(figures.contains("subresource=\"/livez\""), "{figures}");
    assert!(figures.contains("etcd_request_duration_seconds_bucket{operation=\"create\""));
    for line in figures.lines() {
        // Whatever clients ask for, no label ends early.
        let is_figure =
            line.starts_with('#') || line.rsplit_once(' ').unwrap().1.parse::<f64>().is_ok();
        assert!(is_figure && line.matches('"').count() % 2 == 0, "{line}");
        assert!(!line.contains("such") && !line.contains("nothing"), "{line}");
    }
    drop(watch);
    until(&client, &format!("{watching}0")).await;
}

/// The figures, once `line` is among them.
async fn until(client: &Client, line: &str) -> String {
    for _ in 0..200 {
        let (_, figures) = text(client, "/metrics").await;
        if figures.lines().any(|it| it == line) {
            return figures;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no line `{line}`");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_told_check_by_check() {
    let client = Client::start(Settings::default()).await;
    for (path, code, expected) in [
        ("/livez", 200, "ok"),
        ("/readyz/etcd", 200, "ok"),
        ("/readyz?verbose", 200, "[+]ping ok\n[+]log ok\n[+]etcd ok\nreadyz check passed\n"),
        (
            "/healthz?verbose&exclude=etcd&exclude=disk",
            200,
            "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for \"disk\"\nhealthz check passed\n",
        ),
        ("/livez/disk", 404, "404 page not found\n"),
    ] {
        assert_eq!(text(&client, path).await, (code, expected.to_owned()), "{path}");
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// The events so far, each of which is one line of JSON.
    fn events(&self) -> Vec<Document> {
        let bytes = self.0.lock().unwrap().clone();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let decode = |line| Format::Json.decode(line, &DecodeOptions::default()).unwrap().document;
        lines.map(decode).collect()
    }
}

fn at(event: &Document, pointer: &str) -> String {
    event.root().pointer(pointer).map(go_json::value).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_log_has_a_line_for_each_request() {
    for level in [AuditLevel::Metadata, AuditLevel::RequestResponse] {
        let lines = Lines::default();
        let client = Client::of(Server::builder().audit_log(Box::new(lines.clone()), level)).await;
        let before = lines.events().len();
        let yaml = "metadata:\n  name: a\n";
        let path = format!("{MAPS}?fieldManager=x%20y");
        assert_eq!(client.call("POST", &path, "application/yaml", yaml).await.0, 201);
        assert_eq!(client.json("POST", MAPS, "{\"metadata\"\n:").await.0, 400);
        assert_eq!(client.json("GET", &format!("{MAPS}/b"), "").await.0, 404);
        let wrong = [("authorization", "Bearer wrong"), ("audit-id", "mine")];
        let (code, head, _) = client.raw_of_anyone("GET", "/version", &wrong, b"").await;
        assert!(code == 401 && head.contains("audit-id: mine"), "{head}");
        let events = lines.events().split_off(before);
        let [created, broken, missing, unknown] = events.as_slice() else {
            panic!("{events:?}");
        };
        assert_eq!(at(created, "/requestURI"), format!("\"{path}\""));
        assert_eq!(at(created, "/sourceIPs"), "[\"127.0.0.1\"]");
        assert_eq!(
            at(created, "/objectRef"),
            r#"{"apiVersion":"v1","namespace":"default","resource":"configmaps"}"#
        );
        assert_eq!(at(created, "/responseStatus"), r#"{"code":201,"metadata":{}}"#);
        assert_eq!(at(created, "/user/username"), "\"admin\"");
        assert_eq!(at(missing, "/responseStatus/reason"), "\"NotFound\"");
        assert_eq!(at(missing, "/responseStatus/message"), "\"configmaps \\\"b\\\" not found\"");
        assert_eq!(at(unknown, "/auditID"), "\"mine\"");
        assert_eq!(at(unknown, "/user/username"), "\"system:anonymous\"");
        let has_bodies = level == AuditLevel::RequestResponse;
        let is = |pointer, expected| {
            assert_eq!(at(created, pointer), if has_bodies { expected } else { "" }, "{pointer}");
        };
        is("/requestObject", r#"{"metadata":{"name":"a"}}"#);
        is("/responseObject/kind", "\"ConfigMap\"");
        // What is no object is in the log as what was answered.
        assert_eq!(at(broken, "/requestObject"), "");
        assert_eq!(at(broken, "/responseStatus/code"), "400");
        let times = ["/requestReceivedTimestamp", "/stageTimestamp"].map(|it| at(created, it));
        assert!(times.iter().all(|time| time.len() == "\"2026-01-01T00:00:00.000000Z\"".len()));
        let groups = created.root().pointer("/user/groups").into_iter().flat_map(Value::items);
        assert!(groups.filter_map(Value::as_str).any(|it| it == "system:masters"));
    }
}

/// A policy that tells the audit log what is known about whoever asks.
const TEAMS: [(&str, &str); 2] = [
    (
        "validatingadmissionpolicies",
        r#"{"metadata":{"name":"teams"},"spec":{
        "matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]},
        "auditAnnotations":[{"key":"teams","valueExpression":"request.userInfo.extra['example.com/team'].join('+')"}]}}"#,
    ),
    (
        "validatingadmissionpolicybindings",
        r#"{"metadata":{"name":"teams"},"spec":{"policyName":"teams","validationActions":["Deny"]}}"#,
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn admission_and_the_audit_log_know_all_about_whoever_asks() {
    let lines = Lines::default();
    let level = AuditLevel::Metadata;
    let client = Client::of(Server::builder().audit_log(Box::new(lines.clone()), level)).await;
    for (resource, body) in TEAMS {
        let path = format!("/apis/admissionregistration.k8s.io/v1/{resource}");
        assert_eq!(client.json("POST", &path, body).await.0, 201);
    }
    let headers = [
        ("content-type", "application/json"),
        ("impersonate-user", "jane"),
        ("impersonate-group", "system:masters"),
        ("impersonate-extra-example.com%2fteam", "red"),
        ("impersonate-extra-example.com%2fteam", "blue"),
    ];
    let body = br#"{"metadata":{"name":"a"}}"#;
    assert_eq!(client.raw("POST", MAPS, &headers, body).await.0, 201);
    let event = lines.events().pop().unwrap();
    assert_eq!(at(&event, "/user/extra"), r#"{"example.com/team":["red","blue"]}"#);
    assert_eq!(at(&event, "/annotations"), r#"{"teams/teams":"red+blue"}"#);
}
