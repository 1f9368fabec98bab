//! Clients that ask for Protobuf get it, where there is a message.
#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use crdkit_native::protobuf;
use crdkit_server::Settings;
use crdkit_value::{Document, Limits, Value};
use support::Client;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#;

fn text<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The code, the content type and the document of an answer in Protobuf.
async fn get(client: &Client, path: &str, accept: &str) -> (u16, String, Document) {
    let (code, head, body) = client.raw("GET", path, &[("accept", accept)], b"").await;
    let head = head.to_lowercase();
    let kind = head.lines().find_map(|line| line.strip_prefix("content-type: "));
    let kind = kind.unwrap_or_default().to_owned();
    let document = if kind.starts_with(PROTOBUF) {
        protobuf::decode(&body, &Limits::default()).unwrap()
    } else {
        Document::null()
    };
    (code, kind, document)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_lists_and_answers_have_messages() {
    let client = Client::start(Settings::default()).await;
    assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
    let map = r#"{"metadata":{"name":"m"},"data":{"a":"b"}}"#;
    let headers = [("accept", PROTOBUF), ("content-type", "application/json")];
    let (code, _, body) = client.raw("POST", MAPS, &headers, map.as_bytes()).await;
    let made = protobuf::decode(&body, &Limits::default()).unwrap();
    assert_eq!((code, text(&made, "/data/a"), text(&made, "/kind")), (201, "b", "ConfigMap"));

    let list = "application/vnd.kubernetes.protobuf,application/json";
    for (path, accept, expected) in [
        (format!("{MAPS}/m"), PROTOBUF, (200, "ConfigMap", "/metadata/name", "m")),
        (MAPS.to_owned(), list, (200, "ConfigMapList", "/items/0/metadata/name", "m")),
        (format!("{MAPS}/none"), PROTOBUF, (404, "Status", "/reason", "NotFound")),
        (
            CRDS.to_owned(),
            PROTOBUF,
            (200, "CustomResourceDefinitionList", "/items/0/spec/group", "example.com"),
        ),
        ("/apis".to_owned(), PROTOBUF, (200, "APIGroupList", "/kind", "APIGroupList")),
        ("/api/v1".to_owned(), PROTOBUF, (200, "APIResourceList", "/groupVersion", "v1")),
        (
            format!("{MAPS}/m"),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            (200, "PartialObjectMetadata", "/metadata/name", "m"),
        ),
        (
            MAPS.to_owned(),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            (200, "PartialObjectMetadataList", "/items/0/metadata/name", "m"),
        ),
    ] {
        let (code, kind, document) = get(&client, &path, accept).await;
        assert_eq!(kind, PROTOBUF, "{path}");
        let (pointer, value) = (expected.2, expected.3);
        let found = (code, text(&document, "/kind"), pointer, text(&document, pointer));
        assert_eq!(found, (expected.0, expected.1, pointer, value), "{path}: {document:?}");
    }
    // Custom resources have none.
    let (code, kind, _) = get(&client, "/apis/example.com/v1/lamps", list).await;
    assert_eq!((code, kind.as_str()), (200, "application/json"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_framed_messages() {
    let client = Client::start(Settings::default()).await;
    client.json("POST", MAPS, r#"{"metadata":{"name":"m"},"data":{"a":"b"}}"#).await;
    let path = format!("{MAPS}?watch=1&timeoutSeconds=1");
    let (code, head, body) = client.raw("GET", &path, &[("accept", PROTOBUF)], b"").await;
    assert_eq!(code, 200);
    assert!(head.contains("application/vnd.kubernetes.protobuf;stream=watch"), "{head}");
    // A chunk of the body has one frame: its length, and a message that holds an object.
    let at = body.windows(2).position(|it| it == b"\r\n").unwrap();
    let frame = &body[at + 2..];
    let length = u32::from_be_bytes(frame[..4].try_into().unwrap()) as usize;
    let message = &frame[4..4 + length];
    assert!(message.starts_with(b"\x0a\x05ADDED\x12"), "{message:?}");
    let start = message.windows(4).position(|it| it == protobuf::MAGIC).unwrap();
    let object = protobuf::decode(&message[start..], &Limits::default()).unwrap();
    assert_eq!(text(&object, "/metadata/name"), "m");
}
