//! What charts of the usual kind come to is taken, and changes nothing the second time.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_codec::{DecodeOptions, Format, json};
use crdkit_server::Server;
use crdkit_value::{Document, Value};

const SHOP: &str = include_str!("../../../fixtures/usual/shop.yaml");

/// Where objects of a kind are, in the namespace `default`.
fn path(object: Value<'_>) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let plural = match text("/kind") {
        "Ingress" => "ingresses".to_owned(),
        kind => format!("{}s", kind.to_lowercase()),
    };
    let group = match text("/apiVersion") {
        "v1" => "api/v1".to_owned(),
        version => format!("apis/{version}"),
    };
    format!("/{group}/namespaces/default/{plural}/{}", text("/metadata/name"))
}

async fn apply(server: &Server, object: &Document, query: &str) -> (u16, Document) {
    let mut body = Vec::new();
    json::write(object.root(), json::Layout::Compact, &mut body);
    let target = format!("{}?fieldManager=helm&fieldValidation=Strict{query}", path(object.root()));
    let answer = server.call("PATCH", &target, "application/apply-patch+yaml", body).await;
    let decoded = Format::Json.decode(&answer.body, &DecodeOptions::default()).unwrap();
    (answer.code, decoded.document)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chart_of_the_usual_kind_is_installed_and_upgraded() {
    let server = Server::builder().start().await.unwrap();
    let objects = SHOP.split("\n---\n").map(|part| {
        Format::Yaml.decode(part.as_bytes(), &DecodeOptions::default()).unwrap().document
    });
    let mut kinds = 0;
    for object in objects {
        let name = path(object.root());
        let (code, tried) = apply(&server, &object, "&dryRun=All").await;
        assert_eq!(code, 201, "{name}: {tried:?}");
        let (code, made) = apply(&server, &object, "").await;
        assert_eq!(code, 201, "{name}: {made:?}");
        let (code, again) = apply(&server, &object, "").await;
        assert_eq!((code, again.root()), (200, made.root()), "{name}");
        kinds += 1;
    }
    assert_eq!(kinds, 11);
    server.stop().await;
}
