//! Bodies in CBOR that are no objects, in the server's words.

#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use crdkit_codec::{DecodeOptions, Format};
use crdkit_server::Settings;
use crdkit_value::Value;
use support::Client;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRD: &str = r#"{"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com",
"scope":"Namespaced","names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#;
const LAMPS: &str = "/apis/example.com/v1/namespaces/default/lamps";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_object_is_said_so() {
    let client = Client::start(Settings::default()).await;
    assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
    let type_meta = "unable to determine group/version/kind: cbor: cannot unmarshal";
    for (body, expected) in [
        (
            &b"\x81\x01"[..],
            format!(
                "{type_meta} array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct without toarray option) (d9d9f78101)"
            ),
        ),
        (
            b"\x41x",
            format!("{type_meta} byte string into Go value of type v1.TypeMeta (d9d9f74178)"),
        ),
        (b"\xf6", "Object 'Kind' is missing in '55799(null)' (d9d9f7f6)".to_owned()),
        (b"\xa0", "Object 'Kind' is missing in '55799({})' (d9d9f7a0)".to_owned()),
    ] {
        let body = [&b"\xd9\xd9\xf7"[..], body].concat();
        let headers = [("content-type", "application/cbor")];
        let (code, _, answer) = client.raw("POST", LAMPS, &headers, &body).await;
        let decoded = Format::Json.decode(&answer, &DecodeOptions::default());
        let decoded = decoded.map(|it| it.document).unwrap_or_default();
        let message = decoded.root().get("message").and_then(Value::as_str).unwrap_or_default();
        let expected =
            format!("the object provided is unrecognized (must be of type Lamp): {expected}");
        assert_eq!((code, message), (400, &*expected));
    }
    let headers = [("content-type", "application/cbor")];
    let body = b"\xd9\xd9\xf7\xa1\x44kind\x44Lamp";
    let (code, _, answer) = client.raw("POST", LAMPS, &headers, body).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    assert_eq!(code, 400);
    assert!(text.contains("Object 'apiVersion' is missing in '55799({'kind': 'Lamp'})'"), "{text}");
    client.server.stop().await;
}
