//! A server is started and talked to over TLS: CRDs, objects, a watch, and the end.
#![expect(clippy::unwrap_used, clippy::panic, clippy::similar_names, reason = "tests")]

use crdkit_codec::{DecodeOptions, Format};
use crdkit_server::{Server, Settings};
use crdkit_value::{Document, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"watts":{"type":"integer","maximum":60,"default":40}}},
"status":{"type":"object","properties":{"on":{"type":"boolean"}}}}}}}]}}"#;
const LAMPS: &str = "/apis/example.com/v1/namespaces/default/lamps";

struct Client {
    server: Server,
    tls: TlsConnector,
}

impl Client {
    async fn start(settings: Settings) -> Self {
        let builder = Server::builder().administrator_token("secret").settings(settings);
        let server = builder.start().await.unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(server.authority().as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Self { server, tls: TlsConnector::from(Arc::new(config)) }
    }

    async fn send(&self, method: &str, path: &str, kind: &str, body: &str) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.server.address()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = self.tls.connect(name, stream).await.unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\nuser-agent: test\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The status and the body of an answer.
    async fn call(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, Document) {
        let mut stream = self.send(method, path, kind, body).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8(answer).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let code = head[9..12].parse().unwrap();
        let decoded = Format::Json.decode(body.as_bytes(), &DecodeOptions::default());
        (code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
    }

    async fn json(&self, method: &str, path: &str, body: &str) -> (u16, Document) {
        self.call(method, path, "application/json", body).await
    }
}

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

async fn gone(client: &Client, path: &str) {
    for _ in 0..100 {
        if client.json("GET", path, "").await.0 == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{path} is still there");
}
