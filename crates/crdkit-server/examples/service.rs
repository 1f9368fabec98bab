//! Admission reviews inside a service of one's own: the service brings the transport and its other paths, `Reviewer` the
//! verdicts.
//!
//! The program serves, asks itself about two objects, shows the answers and ends. A real one listens with TLS, which is all
//! that Kubernetes asks for besides.
#![expect(clippy::print_stdout, reason = "a program for people")]

use bytes::Bytes;
use crdkit_admission::policy::PolicySet;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::Crd;
use crdkit_server::review::{ReviewPurpose, Reviewer};
use crdkit_value::Value;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

const CRD: &str = include_str!("../../../fixtures/crds/queues.yaml");

const POLICIES: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owned}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [messaging.example.com], apiVersions: ['*'], operations: [CREATE], resources: [queues]}
  validations:
  - {expression: \"has(object.metadata.labels) && 'team' in object.metadata.labels\", message: say whose it is}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owned}
spec: {policyName: owned, validationActions: [Deny]}
";

/// No review is larger than the object of a request can be, twice.
const LARGEST: usize = 7 << 20;

/// A handler as those of any other path of the service.
async fn handle(
    reviewer: Arc<Reviewer>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let purpose = match request.uri().path() {
        "/validate" => ReviewPurpose::Validate,
        "/mutate" => ReviewPurpose::Mutate,
        _ => return Ok(answer(StatusCode::NOT_FOUND, "there is nothing here")),
    };
    let Ok(body) = Limited::new(request.into_body(), LARGEST).collect().await else {
        return Ok(answer(StatusCode::PAYLOAD_TOO_LARGE, "this is no review"));
    };
    Ok(match reviewer.review(purpose, &body.to_bytes()) {
        Ok(review) => answer(StatusCode::OK, review),
        Err(problem) => answer(StatusCode::BAD_REQUEST, problem.to_string()),
    })
}

fn answer(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
}

/// Asks the service about a queue with these labels, as an API server would, and gives its verdict.
async fn ask(listener: &TcpListener, labels: &str) -> Result<bool, Box<dyn Error>> {
    let review = format!(
        r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{
          "uid": "705ab4f5", "operation": "CREATE", "namespace": "default", "name": "orders",
          "kind": {{"group": "messaging.example.com", "version": "v1", "kind": "Queue"}},
          "resource": {{"group": "messaging.example.com", "version": "v1", "resource": "queues"}}, "object": {{
            "apiVersion": "messaging.example.com/v1", "kind": "Queue",
            "metadata": {{"name": "orders", "labels": {labels}}}, "spec": {{"partitions": 10}}
        }}}}}}"#
    );
    let stream = TcpStream::connect(listener.local_addr()?).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::post("/validate").header("host", "localhost");
    let response = sender.send_request(request.body(Full::new(Bytes::from(review)))?).await?;
    let body = response.into_body().collect().await?.to_bytes();
    println!("{}", String::from_utf8_lossy(&body));
    let review = Format::Json.decode(&body, &DecodeOptions::default());
    let review = review.map_err(|issue| issue.to_string())?.document;
    let allowed = review.root().pointer("/response/allowed").and_then(Value::as_bool);
    allowed.ok_or_else(|| "the answer is no review".into())
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let decode = |text: &str| Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default());
    let policies = POLICIES.split("---\n").map(|text| decode(text).map(|it| it.document));
    let policies = policies.collect::<Result<Vec<_>, _>>().map_err(|issue| issue.to_string())?;
    let reviewer = Arc::new(Reviewer::new(vec![CRD.parse::<Crd>()?], PolicySet::read(policies)));

    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await?);
    let accepting = Arc::clone(&listener);
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = accepting.accept().await {
            let reviewer = Arc::clone(&reviewer);
            let service = service_fn(move |request| handle(Arc::clone(&reviewer), request));
            let connection = hyper::server::conn::http1::Builder::new();
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
        }
    });
    assert!(ask(&listener, r#"{"team": "shop"}"#).await?);
    assert!(!ask(&listener, "{}").await?);
    serving.abort();
    Ok(())
}
