//! A server with lamps, a client whose requests can be looked at, and a server that is a function.

use bytes::Bytes;
use crdkit_client::{Api, Client, ClientGates, ClientSettings, Resource, Retry};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_testenv::TestEnv;
use crdkit_value::{Document, Value};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use kube::client::Body;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::service_fn;

pub(crate) const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, listKind: LampList, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.bulbs, statusReplicasPath: .status.lit}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              colour: {type: string, enum: [red, green, blue]}
              bulbs: {type: integer, format: int32, maximum: 100, default: 1}
              serial:
                type: string
                x-kubernetes-validations: [{rule: self == oldSelf, message: a serial number stays}]
          status:
            type: object
            properties: {lit: {type: integer, format: int32, maximum: 100}}
";

/// What went over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) content_type: String,
    pub(crate) accept: String,
    pub(crate) sent: Vec<u8>,
    pub(crate) code: u16,
    pub(crate) answered: String,
    pub(crate) received: Vec<u8>,
}

/// Everything that went over the wire since it was looked at last.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Vec<Exchange>>>);

impl Wire {
    pub(crate) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// The only exchange since the last time.
    #[track_caller]
    pub(crate) fn only(&self) -> Exchange {
        let mut all = self.take();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }
}

pub(crate) async fn server() -> TestEnv {
    TestEnv::builder().crds(CRD).unwrap().start().await.unwrap()
}

/// Settings that do not wait.
pub(crate) fn settings(gates: ClientGates) -> ClientSettings {
    let mut settings = ClientSettings::default();
    settings.gates = gates;
    settings.retry = Retry { first_pause: Duration::from_millis(1), ..Retry::default() };
    settings
}

pub(crate) const CBOR: ClientGates = ClientGates { allow: true, prefer: true };

/// A client of `env`, and what goes over its wire.
pub(crate) async fn client(env: &TestEnv, gates: ClientGates) -> (Client, Wire) {
    let inner = env.client().await.unwrap();
    let wire = Wire::default();
    let noted = wire.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (inner, wire) = (inner.clone(), noted.clone());
        async move {
            let (parts, body) = request.into_parts();
            let sent = body.collect().await?.to_bytes();
            let header = |headers: &http::HeaderMap, name| {
                let value = headers.get(name).map(|value| value.to_str().unwrap().to_owned());
                value.unwrap_or_default()
            };
            let mut exchange = Exchange {
                method: parts.method.to_string(),
                path: parts.uri.path().to_owned(),
                content_type: header(&parts.headers, http::header::CONTENT_TYPE),
                accept: header(&parts.headers, http::header::ACCEPT),
                sent: sent.to_vec(),
                ..Exchange::default()
            };
            let is_watch = parts.uri.query().is_some_and(|query| query.contains("watch=true"));
            let response = inner.send(Request::from_parts(parts, Body::from(sent))).await?;
            exchange.code = response.status().as_u16();
            exchange.answered = header(response.headers(), http::header::CONTENT_TYPE);
            let (parts, body) = response.into_parts();
            if is_watch {
                wire.0.lock().unwrap().push(exchange);
                return Ok::<_, kube::Error>(Response::from_parts(parts, body));
            }
            let received = body.collect().await?.to_bytes();
            exchange.received = received.to_vec();
            wire.0.lock().unwrap().push(exchange);
            Ok(Response::from_parts(parts, Body::from(received)))
        }
    });
    let transport = kube::Client::new(service, "default");
    (Client::new(transport).with_settings(settings(gates)), wire)
}

/// A client of a server that is a function of the request.
pub(crate) fn answered_by(
    gates: ClientGates,
    answer: impl FnMut(Request<Bytes>) -> Response<Bytes> + Send + 'static,
) -> Client {
    let answer = Arc::new(Mutex::new(answer));
    let service = service_fn(move |request: Request<Body>| {
        let answer = Arc::clone(&answer);
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let request = Request::from_parts(parts, body);
            let response = (*answer.lock().unwrap())(request);
            Ok::<_, kube::Error>(response.map(Full::new))
        }
    });
    Client::new(kube::Client::new(service, "default")).with_settings(settings(gates))
}

pub(crate) fn answer(code: u16, content_type: &str, body: impl Into<Bytes>) -> Response<Bytes> {
    let response = Response::builder().status(code).header("content-type", content_type);
    response.body(body.into()).unwrap()
}

pub(crate) fn lamps(client: &Client) -> Api<Document> {
    client.dynamic(Resource::new("example.com", "v1", "lamps")).within("default")
}

pub(crate) fn document(text: &str) -> Document {
    Format::of_bytes(text.as_bytes())
        .decode(text.as_bytes(), &DecodeOptions::default())
        .unwrap()
        .document
}

pub(crate) fn lamp(name: &str, spec: &str) -> Document {
    document(&format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"{name}"}},"spec":{spec}}}"#
    ))
}

pub(crate) fn at(document: &Document, pointer: &str) -> String {
    document.root().pointer(pointer).map_or(String::new(), |value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => json::text(value, Layout::Compact),
    })
}

pub(crate) fn name(document: &Document) -> &str {
    document.root().pointer("/metadata/name").and_then(Value::as_str).unwrap()
}
