//! CRDs that name a service for the conversion of their objects.
#![expect(clippy::unwrap_used, reason = "tests")]

mod service;
#[path = "../support/mod.rs"]
mod support;

use crdkit_server::Settings;
use crdkit_value::{Document, Value};
use service::Service;
use std::time::Duration;
use support::Client;
use tokio::io::AsyncReadExt as _;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const V1: &str = "/apis/example.com/v1/namespaces/default/hosts";
const V2: &str = "/apis/example.com/v2/namespaces/default/hosts";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

fn text<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn host(version: &str, name: &str, spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/{version}","kind":"Host","metadata":{{"name":"{name}","labels":{{"n":"{name}"}}}},"spec":{spec}}}"#
    )
}

async fn start(path: &str, review: &str) -> (Client, Service) {
    let service = Service::start().await;
    let mut settings = Settings::default();
    settings.conversion_timeout = Duration::from_secs(1);
    settings.garbage_collection = false;
    let client = Client::start(settings).await;
    let (code, answer) = client.json("POST", CRDS, &service.crd(path, review)).await;
    assert_eq!(code, 201, "{answer:?}");
    (client, service)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_read_and_written_in_any_version() {
    for review in ["v1", "v1beta1"] {
        let (client, service) = start("good", review).await;
        let (code, made) = client.json("POST", V2, &host("v2", "a", r#"{"address":"x:1"}"#)).await;
        assert_eq!((code, text(&made, "/spec/address")), (201, "x:1"), "{made:?}");
        assert!(made.root().pointer("/spec/unknown").is_none(), "{made:?}");
        let (_, stored) = client.json("GET", &format!("{V1}/a"), "").await;
        assert_eq!((text(&stored, "/spec/host"), text(&stored, "/spec/port")), ("x", "1"));
        assert_eq!(client.json("POST", V1, &host("v1", "b", r#"{"host":"y"}"#)).await.0, 201);
        // Defaults are those of the version that is stored.
        let (_, read) = client.json("GET", &format!("{V2}/b"), "").await;
        assert_eq!(text(&read, "/spec/address"), "y:80");

        assert_eq!(client.json("POST", V1, &host("v1", "c", r#"{"host":"z"}"#)).await.0, 201);
        service.calls();
        let (_, list) = client.json("GET", V2, "").await;
        assert_eq!(service.calls(), [3]);
        assert_eq!(text(&list, "/items/2/spec/address"), "z:80");
        let (_, list) = client.json("GET", &format!("{V2}?labelSelector=n%3Db"), "").await;
        assert_eq!(list.root().get("items").into_iter().flat_map(Value::items).count(), 1);
        let (_, list) = client.json("GET", V1, "").await;
        assert_eq!(text(&list, "/items/0/spec/host"), "x");
        service.calls();
        assert_eq!(client.json("GET", &format!("{V1}/a"), "").await.0, 200);
        assert!(service.calls().is_empty(), "nothing is converted to the version that is stored");

        let patch = r#"{"spec":{"address":"x:2"}}"#;
        let (code, patched) = client.call("PATCH", &format!("{V2}/a"), MERGE, patch).await;
        assert_eq!((code, text(&patched, "/spec/address")), (200, "x:2"));
        let patch = r#"{"spec":{"address":"bad"}}"#;
        assert_eq!(client.call("PATCH", &format!("{V2}/a"), MERGE, patch).await.0, 422);
        let status = r#"{"status":{"up":true}}"#;
        let (code, _) = client.call("PATCH", &format!("{V2}/a/status"), MERGE, status).await;
        assert_eq!(code, 200);
        let (_, read) = client.json("GET", &format!("{V1}/a"), "").await;
        assert_eq!(text(&read, "/spec/port"), "2");
        assert!(read.root().pointer("/status/up").is_some());

        let applied = "{apiVersion: example.com/v2, kind: Host, metadata: {name: a}, spec: {address: \"w:3\"}}";
        let other = format!("{V2}/a?fieldManager=other");
        assert_eq!(client.call("PATCH", &other, APPLY, applied).await.0, 409);
        let (code, forced) =
            client.call("PATCH", &format!("{other}&force=true"), APPLY, applied).await;
        assert_eq!((code, text(&forced, "/spec/address")), (200, "w:3"), "{forced:?}");

        let dry = format!("{V2}?dryRun=All");
        let (code, dry) = client.json("POST", &dry, &host("v2", "d", r#"{"address":"q:1"}"#)).await;
        assert_eq!((code, text(&dry, "/spec/address")), (201, "q:1"));
        assert_eq!(client.json("GET", &format!("{V2}/d"), "").await.0, 404);
        assert_eq!(client.json("DELETE", &format!("{V2}/a"), "").await.0, 200);
        assert_eq!(client.json("GET", &format!("{V1}/a"), "").await.0, 404);
        let (code, gone) = client.json("DELETE", V2, "").await;
        assert_eq!((code, text(&gone, "/items/0/apiVersion")), (200, "example.com/v2"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_see_their_version_and_share_conversions() {
    let (client, service) = start("good", "v1").await;
    client.json("POST", V1, &host("v1", "a", r#"{"host":"x"}"#)).await;
    let mut watches = Vec::new();
    for _ in 0..5 {
        let path = format!("{V2}?watch=1&timeoutSeconds=2");
        watches.push(client.send("GET", &path, "", "").await);
    }
    let selected = format!("{V2}?watch=1&timeoutSeconds=2&labelSelector=n%3Db");
    watches.push(client.send("GET", &selected, "", "").await);
    // All of them have to be there before something happens.
    for _ in 0..100 {
        if service.calls.lock().unwrap().len() >= 6 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    service.calls();
    client.json("POST", V1, &host("v1", "b", r#"{"host":"y"}"#)).await;
    client.json("DELETE", &format!("{V1}/b"), "").await;
    for (at, mut watch) in watches.into_iter().enumerate() {
        let mut events = String::new();
        let _ = watch.read_to_string(&mut events).await;
        let count = |text: &str| events.matches(text).count();
        let first = usize::from(at < 5);
        assert_eq!(count("\"type\":\"ADDED\""), 1 + first, "{events}");
        assert_eq!(count("\"type\":\"DELETED\""), 1, "{events}");
        assert_eq!(count("\"address\":\"y:80\""), 2, "{events}");
        assert_eq!(count("example.com/v1\",\"kind"), 0, "{events}");
    }
    assert_eq!(service.calls(), [1], "one conversion for all who watch");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn services_that_fail_are_the_answer_to_the_request_alone() {
    for (path, expected) in [
        ("garbage", "failed: couldn't get version/kind; json parse error: "),
        ("large", "failed: Post \"https://localhost:"),
        (
            "broken",
            "failed: an error on the server (\"out of order\") has prevented the request from succeeding",
        ),
        ("uid", "failed: expected response.uid=\""),
        ("refuse", "failed: not today"),
        ("few", "returned 0 objects, expected 1"),
        ("rename", "returned invalid object: must have the same name: a != ba"),
        ("hang", "context deadline exceeded"),
    ] {
        let (client, _service) = start(path, "v1").await;
        assert_eq!(client.json("POST", V1, &host("v1", "a", r#"{"host":"x"}"#)).await.0, 201);
        let (code, status) = client.json("GET", &format!("{V2}/a"), "").await;
        let message = text(&status, "/message");
        let start = "conversion webhook for example.com/v1, Kind=Host ";
        assert!(code == 500 && message.starts_with(start), "{path}: {code} {message}");
        assert!(message.contains(expected), "{path}: {message}");
        let body = host("v2", "c", r#"{"address":"x:1"}"#);
        assert_eq!(client.json("POST", V2, &body).await.0, 500, "{path}");
        // What needs no service goes on.
        assert_eq!(client.json("GET", &format!("{V1}/a"), "").await.0, 200, "{path}");
        assert_eq!(client.json("GET", &format!("{V1}/c"), "").await.0, 404, "{path}");
        client.server.stop().await;
    }
}
