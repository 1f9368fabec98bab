//! A server is started and talked to over TLS: CRDs, objects, a watch, and the end.
#![expect(clippy::unwrap_used, clippy::panic, clippy::similar_names, reason = "tests")]

mod support;

use crdkit_server::Settings;
use crdkit_value::{Document, Value};
use futures_util::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use support::Client;
use tokio::io::AsyncReadExt as _;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::{Error, Message};

const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"watts":{"type":"integer","maximum":60,"default":40}}},
"status":{"type":"object","properties":{"on":{"type":"boolean"}}}}}}}]}}"#;
const LAMPS: &str = "/apis/example.com/v1/namespaces/default/lamps";

fn at<'d>(document: &'d Document, pointer: &str) -> Option<Value<'d>> {
    document.root().pointer(pointer)
}

fn lamp(name: &str, more: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"{name}"{more}}},"spec":{{}}}}"#
    )
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_served_the_moment_their_crd_is_there() {
    let client = Client::start(Settings::default()).await;
    assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
    let (code, object) = client.json("POST", LAMPS, &lamp("desk", "")).await;
    assert_eq!(code, 201, "{object:?}");
    assert_eq!(at(&object, "/spec/watts").and_then(Value::as_i64), Some(40));
    assert_eq!(
        at(&object, "/metadata/managedFields/0/manager").and_then(Value::as_str),
        Some("test")
    );

    let mut watch = client.send("GET", &format!("{LAMPS}?watch=1&timeoutSeconds=2"), "", "").await;
    let patch = r#"{"spec":{"watts":100}}"#;
    let path = format!("{LAMPS}/desk");
    let merge = "application/merge-patch+json";
    let (code, status) = client.call("PATCH", &path, merge, patch).await;
    assert_eq!(code, 422);
    let message = at(&status, "/message").and_then(Value::as_str).unwrap();
    assert!(message.starts_with("Lamp.example.com \"desk\" is invalid: spec.watts"), "{message}");
    assert_eq!(client.call("PATCH", &path, merge, r#"{"spec":{"watts":7}}"#).await.0, 200);
    let other = format!("{path}?fieldManager=other");
    let apply = client.call(
        "PATCH",
        &other,
        "application/apply-patch+yaml",
        "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: desk}\nspec: {watts: 8}\n",
    );
    assert_eq!(apply.await.0, 409);
    assert_eq!(client.json("DELETE", &path, "").await.0, 200);
    assert_eq!(client.json("GET", &path, "").await.0, 404);
    let mut events = String::new();
    let _ = watch.read_to_string(&mut events).await;
    for kind in ["ADDED", "MODIFIED", "DELETED"] {
        assert_eq!(events.matches(&format!("\"type\":\"{kind}\"")).count(), 1, "{events}");
    }

    let (_, list) = client.json("GET", CRDS, "").await;
    assert_eq!(
        at(&list, "/items/0/metadata/name").and_then(Value::as_str),
        Some("lamps.example.com")
    );
    let started = tokio::time::Instant::now();
    client.server.stop().await;
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dependents_and_what_is_in_a_namespace_go_along() {
    let client = Client::start(Settings::default()).await;
    assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
    let (_, owner) = client.json("POST", LAMPS, &lamp("owner", "")).await;
    let uid = at(&owner, "/metadata/uid").and_then(Value::as_str).unwrap();
    let reference = format!(
        r#","ownerReferences":[{{"apiVersion":"example.com/v1","kind":"Lamp","name":"owner","uid":"{uid}"}}]"#
    );
    assert_eq!(client.json("POST", LAMPS, &lamp("owned", &reference)).await.0, 201);
    client.json("DELETE", &format!("{LAMPS}/owner"), "").await;
    gone(&client, &format!("{LAMPS}/owned")).await;

    let namespaces = "/api/v1/namespaces";
    let (code, _) = client.json("POST", namespaces, r#"{"metadata":{"name":"short"}}"#).await;
    assert_eq!(code, 201);
    let inside = "/apis/example.com/v1/namespaces/short/lamps";
    assert_eq!(client.json("POST", inside, &lamp("inside", "")).await.0, 201);
    assert_eq!(client.json("DELETE", "/api/v1/namespaces/short", "").await.0, 200);
    gone(&client, "/api/v1/namespaces/short").await;
    assert_eq!(client.json("GET", &format!("{inside}/inside"), "").await.0, 404);
}

/// What a kind was before its CRD is nothing that a watch could begin with; what came after it is all there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_goes_back_to_the_crd_and_no_further() {
    let client = Client::start(Settings::default()).await;
    let (_, crd) = client.json("POST", CRDS, CRD).await;
    assert_eq!(client.json("POST", LAMPS, &lamp("desk", "")).await.0, 201);
    let created = at(&crd, "/metadata/resourceVersion").and_then(Value::as_str).unwrap();
    let events = async |start: &str| {
        let watch = format!("{LAMPS}?watch=1&resourceVersion={start}&timeoutSeconds=1");
        let (code, _, events) = client.raw("GET", &watch, &[], b"").await;
        assert_eq!(code, 200);
        String::from_utf8(events).unwrap()
    };
    let refused = events("1").await;
    assert!(refused.contains(&format!("too old resource version: 1 ({created})")), "{refused}");
    assert!(refused.contains("\"code\":410") && !refused.contains("ADDED"), "{refused}");
    let served = events(created).await;
    assert!(served.contains("ADDED") && !served.contains("ERROR"), "{served}");
}

async fn gone(client: &Client, path: &str) {
    for _ in 0..100 {
        if client.json("GET", path, "").await.0 == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{path} is still there");
}

/// The handshake of a WebSocket.
fn upgrade(path: &str) -> hyper::Request<()> {
    let request = hyper::Request::get(format!("wss://localhost{path}"))
        .header("authorization", "Bearer secret")
        .header("host", "localhost")
        .header("connection", "keep-alive, Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    request.body(()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watches_go_over_websockets_too() {
    let client = Client::start(Settings::default()).await;
    assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
    let request = upgrade(&format!("{LAMPS}?watch=1"));
    let (mut socket, answer) = client_async(request, client.connect().await).await.unwrap();
    assert_eq!(answer.status(), 101);
    client.json("POST", LAMPS, &lamp("desk", "")).await;
    socket.send(Message::Ping("x".into())).await.unwrap();
    let (mut events, mut pongs) = (Vec::new(), 0);
    while events.is_empty() || pongs == 0 {
        match socket.next().await.unwrap().unwrap() {
            Message::Text(text) => events.push(text),
            Message::Pong(_) => pongs += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(events.len(), 1);
    assert!(events[0].starts_with(r#"{"type":"ADDED","object":{"#), "{}", events[0]);
    socket.close(None).await.unwrap();

    // What does not come in pieces is answered as ever, a refusal among it.
    for (path, code) in [(LAMPS, 200), ("/apis/example.com/v1/lanterns?watch=1", 404)] {
        let refused = client_async(upgrade(path), client.connect().await).await;
        let Err(Error::Http(answer)) = refused else { panic!("{refused:?}") };
        assert_eq!(answer.status(), code);
    }
}

fn pod(name: &str, node: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}"}},"spec":{{"nodeName":"{node}","containers":[{{"name":"a","image":"b"}}]}}}}"#
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pods_get_the_time_to_end_that_they_ask_for() {
    const PODS: &str = "/api/v1/namespaces/default/pods";
    const GRACE: &str = "/metadata/deletionGracePeriodSeconds";
    let client = Client::start(Settings::default()).await;
    let grace = |pod: &Document| at(pod, GRACE).and_then(Value::as_i64);
    for (name, node) in [("waiting", ""), ("running", "n")] {
        let (code, answer) = client.json("POST", PODS, &pod(name, node)).await;
        assert_eq!(code, 201, "{answer:?}");
    }
    let (waiting, running) = (format!("{PODS}/waiting"), format!("{PODS}/running"));
    let (_, list) = client.json("GET", PODS, "").await;
    let start = at(&list, "/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();

    // On no node there is nothing to end; still it says first that it is being deleted.
    let (code, gone) = client.json("DELETE", &waiting, "").await;
    assert_eq!((code, grace(&gone)), (200, Some(0)), "{gone:?}");
    assert_eq!(client.json("GET", &waiting, "").await.0, 404);
    let watch = format!("{PODS}?watch=1&resourceVersion={start}&timeoutSeconds=1");
    let (_, _, events) = client.raw("GET", &watch, &[], b"").await;
    let events = String::from_utf8(events).unwrap();
    let (modified, deleted) = (events.find("MODIFIED").unwrap(), events.find("DELETED").unwrap());
    let marked = events.find("\"deletionGracePeriodSeconds\":0").unwrap();
    assert!(modified < marked && marked < deleted, "{events}");

    let (code, ending) = client.json("DELETE", &running, "").await;
    assert_eq!((code, grace(&ending)), (200, Some(30)), "{ending:?}");
    // Whoever reports what it does meanwhile does not end it, nor does who asks again.
    let status = r#"{"status":{"message":"ending"}}"#;
    let path = format!("{running}/status");
    assert_eq!(client.call("PATCH", &path, "application/merge-patch+json", status).await.0, 200);
    let (code, ending) = client.json("DELETE", &running, "").await;
    assert_eq!((code, grace(&ending)), (200, Some(30)), "{ending:?}");
    assert_eq!(client.json("DELETE", &format!("{running}?gracePeriodSeconds=0"), "").await.0, 200);
    assert_eq!(client.json("GET", &running, "").await.0, 404);
}

/// The owners of the replicas of a Deployment, as `NAME OPERATION SUBRESOURCE`.
fn owners_of_replicas(deployment: &Document) -> Vec<String> {
    let entries = at(deployment, "/metadata/managedFields").unwrap().items();
    let owns = |entry: &Value<'_>| entry.pointer("/fieldsV1/f:spec/f:replicas").is_some();
    let text = |entry: Value<'_>, key| {
        entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let shown = entries.filter(owns).map(|entry| {
        let parts = ["manager", "operation", "apiVersion", "subresource"];
        parts.map(|key| text(entry, key)).join(" ").trim_end().to_owned()
    });
    shown.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scales_of_native_kinds_are_applied() {
    const APPLY: &str = "application/apply-patch+yaml";
    let client = Client::start(Settings::default()).await;
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = r#"{"metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},
"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#;
    assert_eq!(client.json("POST", deployments, deployment).await.0, 201);
    let web = format!("{deployments}/web");
    let scale = |replicas: i32| {
        format!("{{apiVersion: autoscaling/v1, kind: Scale, spec: {{replicas: {replicas}}}}}")
    };
    let by = |manager: &str| format!("{web}/scale?fieldManager={manager}");

    // The number belongs to whoever has created the object.
    let (code, status) = client.call("PATCH", &by("one"), APPLY, &scale(2)).await;
    assert_eq!(code, 409);
    assert_eq!(
        at(&status, "/message").and_then(Value::as_str),
        Some(
            "Apply failed with 1 conflict: conflict with \"test\" using autoscaling/v1: .spec.replicas"
        )
    );
    let (_, stored) = client.json("GET", &web, "").await;
    assert_eq!(owners_of_replicas(&stored), ["test Update apps/v1"]);

    let forced = format!("{}&force=true", by("one"));
    let (code, scaled) = client.call("PATCH", &forced, APPLY, &scale(2)).await;
    assert_eq!(code, 200, "{scaled:?}");
    assert_eq!(at(&scaled, "/kind").and_then(Value::as_str), Some("Scale"));
    assert_eq!(at(&scaled, "/spec/replicas").and_then(Value::as_i64), Some(2));
    let (_, stored) = client.json("GET", &web, "").await;
    assert_eq!(at(&stored, "/spec/replicas").and_then(Value::as_i64), Some(2));
    assert_eq!(owners_of_replicas(&stored), ["one Apply apps/v1 scale"]);

    // What is the same is shared; what is not is a conflict with all who share it.
    assert_eq!(client.call("PATCH", &by("two"), APPLY, &scale(2)).await.0, 200);
    let (_, stored) = client.json("GET", &web, "").await;
    let both = ["one Apply apps/v1 scale", "two Apply apps/v1 scale"];
    assert_eq!(owners_of_replicas(&stored), both);
    assert_eq!(client.call("PATCH", &by("three"), APPLY, &scale(5)).await.0, 409);

    // Nothing of it is stored unless all is well.
    let other = "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 7}}";
    assert_eq!(client.call("PATCH", &by("one"), APPLY, other).await.0, 400);
    assert_eq!(
        client.call("PATCH", &format!("{forced}&dryRun=All"), APPLY, &scale(9)).await.0,
        200
    );
    let (_, stored) = client.json("GET", &web, "").await;
    assert_eq!(at(&stored, "/spec/replicas").and_then(Value::as_i64), Some(2));
    let gone = format!("{deployments}/gone/scale?fieldManager=one");
    assert_eq!(client.call("PATCH", &gone, APPLY, &scale(2)).await.0, 404);
}
