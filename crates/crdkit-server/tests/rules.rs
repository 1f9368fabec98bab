//! A server whose CRD is converted by the webhook, by rules.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_convert::{Conversion, Conversions};
use crdkit_server::review::{ReviewServer, Reviewer};
use crdkit_server::{Certificates, Server};
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const RULES: &str = "
for: Lamp.lighting.example.com
conversions:
- from: v1alpha1
  to: v1
  rules:
  - rename: {path: spec.power, to: watts}
  - cel: {from: spec.seconds, to: spec.duration, forward: \"string(self) + 's'\", backward: \"int(self.replace('s', ''))\"}
";

fn document(text: &str) -> Document {
    Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document
}

async fn call(server: &Server, method: &str, path: &str, yaml: &str) -> (u16, Document) {
    let body = if yaml.is_empty() { String::new() } else { go_json::value(document(yaml).root()) };
    let answer = server.call(method, path, "application/json", body).await;
    let decoded = Format::Json.decode(&answer.body, &DecodeOptions::default());
    (answer.code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_converted_by_rules() {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let certificates = Certificates::generate(&[local]).unwrap();
    let conversions: Conversions =
        [Conversion::read(document(RULES).root()).unwrap()].into_iter().collect();
    let reviewer = Reviewer::default().converting(conversions);
    let listen = SocketAddr::new(local, 0);
    let webhook = ReviewServer::start(listen, &certificates, reviewer).await.unwrap();
    let bundle = Base64::Standard.encode(certificates.authority.as_bytes());
    let schema = |properties: &str| {
        format!(
            "schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{properties}}}}}}}}}}}"
        )
    };
    let crd = format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: lamps.lighting.example.com}}
spec:
  group: lighting.example.com
  scope: Namespaced
  names: {{kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {{url: 'https://{}/convert', caBundle: {bundle}}}
  versions:
  - {{name: v1alpha1, served: true, storage: false, {}}}
  - {{name: v1, served: true, storage: true, {}}}
",
        webhook.address(),
        schema("power: {type: integer}, seconds: {type: integer}"),
        schema("watts: {type: integer}, duration: {type: string}"),
    );
    let server = Server::builder().crds([document(&crd)]).start().await.unwrap();
    let path =
        |version: &str| format!("/apis/lighting.example.com/{version}/namespaces/default/lamps");
    let lamp = "{apiVersion: lighting.example.com/v1alpha1, kind: Lamp, metadata: {name: desk}, spec: {power: 40, seconds: 90}}";
    let (code, made) = call(&server, "POST", &path("v1alpha1"), lamp).await;
    assert_eq!(code, 201, "{made:?}");
    let (_, lamps) = call(&server, "GET", &path("v1"), "").await;
    let spec = lamps.root().pointer("/items/0/spec").map(go_json::value);
    assert_eq!(spec.as_deref(), Some(r#"{"duration":"90s","watts":40}"#));
    let bad = "{apiVersion: lighting.example.com/v1, kind: Lamp, metadata: {name: bad}, spec: {duration: long}}";
    assert_eq!(call(&server, "POST", &path("v1"), bad).await.0, 201);
    let (code, refused) = call(&server, "GET", &format!("{}/bad", path("v1alpha1")), "").await;
    let message = refused.root().get("message").and_then(Value::as_str).unwrap_or_default();
    assert_eq!(code, 500);
    assert!(
        message.starts_with(
            "conversion webhook for lighting.example.com/v1, Kind=Lamp failed: expression 'int("
        ),
        "{message}"
    );
    server.stop().await;
    webhook.stop().await;
}
