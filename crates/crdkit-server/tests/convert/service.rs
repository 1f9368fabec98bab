//! A service that converts objects of the tests, well or badly, as the path it is called at says.

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_value::{Document, NodeId, Value};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

/// A service that runs until the test ends.
pub(crate) struct Service {
    port: u16,
    authority: String,
    pub(crate) calls: Arc<Mutex<Vec<usize>>>,
}

impl Service {
    pub(crate) async fn start() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
        let config = config.with_single_cert(vec![cert.der().clone()], key.into()).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&calls);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, noted) = (acceptor.clone(), Arc::clone(&noted));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request| answer(request, Arc::clone(&noted)));
                    let http = hyper::server::conn::http1::Builder::new();
                    let _ = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { port, authority: cert.pem(), calls }
    }

    /// A CRD whose objects are stored as `v1` and converted at a path of this service.
    pub(crate) fn crd(&self, path: &str, review: &str) -> String {
        let ca = crdkit_text::base64::Base64::Standard.encode(self.authority.as_bytes());
        let url = format!("https://localhost:{}/{path}", self.port);
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{{"name":"hosts.example.com"}},"spec":{{"group":"example.com","scope":"Namespaced",
"names":{{"plural":"hosts","kind":"Host"}},
"conversion":{{"strategy":"Webhook","webhook":{{"conversionReviewVersions":["v7","{review}"],
"clientConfig":{{"url":"{url}","caBundle":"{ca}"}}}}}},
"versions":[
{{"name":"v1","served":true,"storage":true,"subresources":{{"status":{{}}}},
"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","properties":{{
"host":{{"type":"string"}},"port":{{"type":"string","default":"80"}}}}}},"status":{{"type":"object","properties":{{"up":{{"type":"boolean"}}}}}}}}}}}}}},
{{"name":"v2","served":true,"storage":false,"subresources":{{"status":{{}}}},
"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","properties":{{
"address":{{"type":"string","pattern":":"}}}}}},"status":{{"type":"object","properties":{{"up":{{"type":"boolean"}}}}}}}}}}}}}}]}}}}"#
        )
    }

    /// How many objects each call had, since this was asked last.
    pub(crate) fn calls(&self) -> Vec<usize> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

async fn answer(
    request: hyper::Request<Incoming>,
    calls: Arc<Mutex<Vec<usize>>>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let review = Format::Json.decode(&body, &DecodeOptions::default()).unwrap().document;
    let text = |pointer: &str| {
        review.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let objects: Vec<Document> = review
        .root()
        .pointer("/request/objects")
        .into_iter()
        .flat_map(Value::items)
        .map(|object| convert(object, &text("/request/desiredAPIVersion")))
        .collect();
    calls.lock().unwrap().push(objects.len());
    let mut uid = text("/request/uid");
    let mut result = r#"{"status":"Success"}"#.to_owned();
    let mut shown: Vec<String> =
        objects.iter().map(|object| go_json::value(object.root())).collect();
    match path.as_str() {
        "hang" => tokio::time::sleep(Duration::from_mins(1)).await,
        "garbage" => return Ok(hyper::Response::new(Full::new("<html>".into()))),
        "large" => {
            let large = vec![b' '; 20 << 20];
            return Ok(hyper::Response::new(Full::new(large.into())));
        }
        "broken" => {
            let mut response = hyper::Response::new(Full::new("out of order".into()));
            *response.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
            return Ok(response);
        }
        "uid" => "other".clone_into(&mut uid),
        "refuse" => r#"{"status":"Failure","message":"not today"}"#.clone_into(&mut result),
        "few" => shown.clear(),
        "rename" => {
            shown = shown.iter().map(|it| it.replace("\"name\":\"", "\"name\":\"b")).collect();
        }
        _ => {}
    }
    let body = format!(
        r#"{{"kind":"ConversionReview","apiVersion":"{}","response":{{"uid":"{uid}","result":{result},"convertedObjects":[{}]}}}}"#,
        text("/apiVersion"),
        shown.join(",")
    );
    Ok(hyper::Response::new(Full::new(body.into())))
}

/// `host` and `port` of `v1` are `address` in `v2`.
fn convert(object: Value<'_>, wanted: &str) -> Document {
    let mut converted = Document::copy_of(object);
    let text = |key| {
        let spec = object.get("spec").and_then(|spec| spec.get(key)).and_then(Value::as_str);
        spec.unwrap_or_default().to_owned()
    };
    let spec = if wanted.ends_with("v2") {
        let address = format!("{}:{}", text("host"), text("port"));
        Document::object().with("address", &address).with("unknown", "x")
    } else {
        let address = text("address");
        let (host, port) = address.split_once(':').unwrap_or_default();
        Document::object().with("host", host).with("port", port)
    };
    converted.insert(NodeId::ROOT, "apiVersion", wanted);
    converted.insert(NodeId::ROOT, "spec", &spec);
    converted
}
