//! The rows of the proposal's test plan that speak of a server and its clients. Requests are made, and what goes over the wire is
//! looked at.

use crate::support::{
    CBOR, CRD, Exchange, answer, answered_by, at, client, document, lamp, lamps, server,
};
use crdkit_client::{
    ApplyOptions, ClientGates, DeleteOptions, ListOptions, Patch, WatchEvent, WatchOptions,
    WriteOptions,
};
use crdkit_codec::cbor::SELF_DESCRIBED;
use crdkit_testenv::{Settings, TestEnv};
use crdkit_value::Document;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const JSON: ClientGates = ClientGates { allow: false, prefer: false };
const READS: ClientGates = ClientGates { allow: true, prefer: false };

#[track_caller]
fn is_cbor(exchange: &Exchange) {
    assert_eq!(exchange.answered, "application/cbor", "{exchange:?}");
    assert!(exchange.received.starts_with(&SELF_DESCRIBED), "{exchange:?}");
    if !exchange.sent.is_empty() {
        assert_eq!(exchange.content_type, "application/cbor", "{exchange:?}");
        assert!(exchange.sent.starts_with(&SELF_DESCRIBED), "{exchange:?}");
    }
}

// I3, I4.
#[tokio::test]
async fn every_verb_goes_over_the_wire_in_cbor() {
    let env = server().await;
    let (client, wire) = client(&env, CBOR).await;
    let lamps = lamps(&client);
    let write = WriteOptions::default();

    let mut desk = lamps.create(&lamp("desk", r#"{"colour":"red"}"#), &write).await.unwrap();
    is_cbor(&wire.only());
    assert_eq!(at(&desk, "/spec/bulbs"), "1");
    let spec = desk.root().get("spec").unwrap().id();
    desk.insert(spec, "bulbs", 3_i64);
    lamps.replace(&desk, &write).await.unwrap();
    is_cbor(&wire.only());
    assert_eq!(at(&lamps.get("desk").await.unwrap(), "/spec/bulbs"), "3");
    is_cbor(&wire.only());
    assert_eq!(lamps.list(&ListOptions::default()).await.unwrap().items.len(), 1);
    is_cbor(&wire.only());

    let scale = lamps.clone().subresource("scale");
    let mut now = scale.get("desk").await.unwrap();
    is_cbor(&wire.only());
    let spec = now.root().get("spec").unwrap().id();
    now.insert(spec, "replicas", 5_i64);
    scale.replace(&now, &write).await.unwrap();
    is_cbor(&wire.only());
    let status = lamps.clone().subresource("status");
    let mut now = lamps.get("desk").await.unwrap();
    assert_eq!(at(&now, "/spec/bulbs"), "5");
    wire.take();
    now = now.with("status", &document(r#"{"lit":2}"#));
    status.replace(&now, &write).await.unwrap();
    is_cbor(&wire.only());

    let applied = lamp("desk", r#"{"colour":"blue"}"#);
    lamps.apply(&applied, &ApplyOptions::by("me").force()).await.unwrap();
    let exchange = wire.only();
    assert_eq!(exchange.content_type, "application/apply-patch+cbor");
    assert!(!exchange.sent.starts_with(&SELF_DESCRIBED) && !exchange.sent.starts_with(b"{"));
    assert!(exchange.received.starts_with(&SELF_DESCRIBED));
    // These patches are JSON by definition; their answers need not be.
    let patch = Patch::Merge(document(r#"{"spec":{"colour":"green"}}"#));
    lamps.patch("desk", &patch, &write).await.unwrap();
    let exchange = wire.only();
    assert_eq!(exchange.content_type, "application/merge-patch+json");
    assert!(exchange.received.starts_with(&SELF_DESCRIBED));

    let options =
        WatchOptions { send_initial_events: true, bookmarks: true, ..WatchOptions::default() };
    let objects =
        ListOptions { resource_version_match: "NotOlderThan".into(), ..ListOptions::default() };
    let mut watch = lamps.watch(&WatchOptions { objects, ..options }).await.unwrap();
    assert_eq!(wire.only().answered, "application/cbor-seq");
    assert!(matches!(watch.next().await.unwrap(), Some(WatchEvent::Added(_))));
    let bookmark = watch.next().await.unwrap();
    assert!(matches!(bookmark, Some(WatchEvent::Bookmark { ends_initial_events: true, .. })));

    let refused = lamps.create(&lamp("odd", r#"{"colour":"pink"}"#), &write).await.unwrap_err();
    assert_eq!(refused.code(), 422);
    assert!(refused.status().unwrap().causes().iter().any(|cause| cause.field == "spec.colour"));
    is_cbor(&wire.only());
    let options = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    lamps.delete("desk", &options).await.unwrap();
    is_cbor(&wire.only());
    lamps.delete_collection(&ListOptions::default(), &options).await.unwrap();
    is_cbor(&wire.only());
    assert!(matches!(watch.next().await.unwrap(), Some(WatchEvent::Deleted(_))));
}

// I6.
#[tokio::test]
async fn gates_decide_what_goes_over_the_wire() {
    let env = server().await;
    let both = "application/json;q=0.9,application/cbor;q=1";
    let table = [
        (
            JSON,
            "application/json",
            "application/json",
            "application/json",
            "application/apply-patch+yaml",
        ),
        (
            ClientGates { allow: false, prefer: true },
            "application/json",
            "application/json",
            "application/json",
            "application/apply-patch+yaml",
        ),
        (READS, "application/json", both, "application/cbor", "application/apply-patch+yaml"),
        (CBOR, "application/cbor", both, "application/cbor", "application/apply-patch+cbor"),
    ];
    for (at, (gates, written, accept, answered, applied)) in table.into_iter().enumerate() {
        let (client, wire) = client(&env, gates).await;
        let lamps = lamps(&client);
        let object = lamp(&format!("lamp-{at}"), "{}");
        lamps.create(&object, &WriteOptions::default()).await.unwrap();
        let exchange = wire.only();
        assert_eq!(exchange.content_type, written);
        assert_eq!(exchange.accept, accept);
        assert_eq!(exchange.answered, answered);
        assert_eq!(exchange.sent.starts_with(&SELF_DESCRIBED), written == "application/cbor");
        assert_eq!(exchange.received.starts_with(&SELF_DESCRIBED), answered == "application/cbor");
        lamps.apply(&object, &ApplyOptions::by("me").force()).await.unwrap();
        assert_eq!(wire.only().content_type, applied);
    }
}

/// A server that stores CBOR or does not.
async fn storing(cbor: bool) -> TestEnv {
    let mut settings = Settings::default();
    settings.cbor_storage = cbor;
    TestEnv::builder().settings(settings).crds(CRD).unwrap().start().await.unwrap()
}

/// How the lamps of a server are stored: their names, and whether that is CBOR.
async fn stored(env: &TestEnv) -> Vec<(String, bool)> {
    let snapshot = env.snapshot().await.unwrap();
    let lamps = snapshot.entries().filter(|(key, _)| key.contains("/lamps/"));
    lamps
        .map(|(key, value)| {
            let is_cbor = value.starts_with(&SELF_DESCRIBED);
            assert!(is_cbor || value.starts_with(b"{"), "{value:?}");
            (key.rsplit('/').next().unwrap().to_owned(), is_cbor)
        })
        .collect()
}

// I1, I2, I5.
#[tokio::test]
async fn storage_is_what_it_is_switched_to_and_both_are_read() {
    let write = WriteOptions::default();
    let first = storing(true).await;
    let (sender, _) = client(&first, JSON).await;
    let made = lamps(&sender).create(&lamp("desk", r#"{"colour":"red"}"#), &write).await.unwrap();
    assert_eq!(at(&made, "/spec/bulbs"), "1");
    assert_eq!(stored(&first).await, [("desk".to_owned(), true)]);

    let second = storing(false).await;
    second.restore(&first.snapshot().await.unwrap()).await.unwrap();
    for gates in [JSON, CBOR] {
        let (client, _) = client(&second, gates).await;
        let read = lamps(&client).get("desk").await.unwrap();
        assert_eq!(at(&read, "/metadata/uid"), at(&made, "/metadata/uid"));
        assert_eq!(at(&read, "/spec"), at(&made, "/spec"));
    }
    let (writer, _) = client(&second, CBOR).await;
    lamps(&writer).create(&lamp("hall", "{}"), &write).await.unwrap();
    let both = [("desk".to_owned(), true), ("hall".to_owned(), false)];
    assert_eq!(stored(&second).await, both);
    assert_eq!(lamps(&writer).list(&ListOptions::default()).await.unwrap().items.len(), 2);
    // A write takes an object along.
    let patch = Patch::Merge(document(r#"{"spec":{"colour":"blue"}}"#));
    lamps(&writer).patch("desk", &patch, &write).await.unwrap();
    assert!(stored(&second).await.iter().all(|(_, is_cbor)| !is_cbor));
}

/// A server that does not know CBOR: how often it was asked, and how often in CBOR.
fn without_cbor(says: Option<&'static str>) -> (crdkit_client::Client, Arc<[AtomicUsize; 2]>) {
    let counted = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let counts = Arc::clone(&counted);
    let client = answered_by(CBOR, move |request| {
        let [asked, in_cbor] = &*counts;
        asked.fetch_add(1, Ordering::Relaxed);
        let kind = request.headers().get("content-type");
        if kind.is_some_and(|kind| kind.to_str().unwrap().ends_with("cbor")) {
            in_cbor.fetch_add(1, Ordering::Relaxed);
            let text = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the body of the request was in an unknown format","reason":"UnsupportedMediaType","code":415}"#;
            let mut response = answer(415, "application/json", text);
            if let Some(says) = says {
                response.headers_mut().insert("accept", says.parse().unwrap());
            }
            return response;
        }
        let is_list = request.method() == "GET" && !request.uri().path().ends_with("desk");
        let text = if is_list {
            r#"{"apiVersion":"example.com/v1","kind":"LampList","metadata":{},"items":[{"metadata":{"name":"desk"}}]}"#
        } else {
            r#"{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"desk"}}"#
        };
        answer(200, "application/json", text)
    });
    (client, counted)
}

// I7, E1.
#[tokio::test]
async fn what_refused_cbor_is_not_asked_again() {
    for says in [None, Some("application/json, application/yaml")] {
        let (client, counted) = without_cbor(says);
        let counts = || [0, 1].map(|at: usize| counted[at].swap(0, Ordering::Relaxed));
        let lamps = lamps(&client);
        let write = WriteOptions::default();
        // Reading works at once.
        let list = lamps.list(&ListOptions::default()).await.unwrap();
        assert_eq!(at(&list.items[0], "/kind"), "Lamp");
        assert_eq!(counts(), [1, 0]);
        // The first write is repeated without CBOR, the next ones begin without it.
        lamps.create(&lamp("desk", "{}"), &write).await.unwrap();
        assert_eq!(counts(), [2, 1]);
        lamps.create(&lamp("desk", "{}"), &write).await.unwrap();
        client
            .clone()
            .dynamic(crdkit_client::Resource::new("example.com", "v1", "lamps"))
            .within("other")
            .create(&lamp("desk", "{}"), &write)
            .await
            .unwrap();
        assert_eq!(counts(), [2, 0]);
        // Another method, another resource and another client know nothing of it.
        lamps.replace(&lamp("desk", "{}"), &write).await.unwrap();
        assert_eq!(counts(), [2, 1]);
        let shades = client.dynamic(crdkit_client::Resource::new("example.com", "v1", "shades"));
        shades.create(&lamp("desk", "{}"), &write).await.unwrap();
        assert_eq!(counts(), [2, 1]);
        let (other, fresh) = without_cbor(says);
        crate::support::lamps(&other).create(&lamp("desk", "{}"), &write).await.unwrap();
        assert_eq!(fresh[1].load(Ordering::Relaxed), 1);
    }
    // Apply falls back too, unless the server says that it takes no apply at all.
    let (client, counted) = without_cbor(None);
    let applied = lamp("desk", "{}");
    lamps(&client).apply(&applied, &ApplyOptions::by("me")).await.unwrap();
    lamps(&client).apply(&applied, &ApplyOptions::by("me")).await.unwrap();
    assert_eq!(counted[0].load(Ordering::Relaxed), 3);
    assert_eq!(counted[1].load(Ordering::Relaxed), 1);
    let (client, counted) = without_cbor(Some("application/merge-patch+json"));
    let refused = lamps(&client).apply(&applied, &ApplyOptions::by("me")).await.unwrap_err();
    assert_eq!(refused.code(), 415);
    assert_eq!(counted[0].load(Ordering::Relaxed), 1);
}

// I7.
#[tokio::test]
async fn a_description_says_beforehand_what_is_taken() {
    let counted = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&counted);
    let client = answered_by(CBOR, move |request| {
        let text = match request.uri().path() {
            "/openapi/v3" => {
                r#"{"paths":{"apis/example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/example.com/v1?hash=1"}}}"#
            }
            "/openapi/v3/apis/example.com/v1" => {
                r#"{"openapi":"3.0.0","paths":{"/apis/example.com/v1/namespaces/{namespace}/lamps":{"post":{"requestBody":{"content":{"application/json":{}}}}}}}"#
            }
            _ => {
                let kind = request.headers().get("content-type").unwrap();
                counts.fetch_add(usize::from(kind == "application/cbor"), Ordering::Relaxed);
                r#"{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"desk"}}"#
            }
        };
        answer(200, "application/json", text)
    });
    client.learn_openapi("example.com", "v1").await.unwrap();
    lamps(&client).create(&lamp("desk", "{}"), &WriteOptions::default()).await.unwrap();
    assert_eq!(counted.load(Ordering::Relaxed), 0);
    lamps(&client).replace(&lamp("desk", "{}"), &WriteOptions::default()).await.unwrap();
    assert_eq!(counted.load(Ordering::Relaxed), 1);
    assert!(client.learn_openapi("other.example.com", "v1").await.is_err());

    // What a real server says of itself is understood.
    let env = server().await;
    let (client, wire) = crate::support::client(&env, CBOR).await;
    client.learn_openapi("example.com", "v1").await.unwrap();
    wire.take();
    let made: Document =
        lamps(&client).create(&lamp("desk", "{}"), &WriteOptions::default()).await.unwrap();
    assert_eq!(at(&made, "/spec/bulbs"), "1");
    assert_eq!(wire.only().code, 201);
}
