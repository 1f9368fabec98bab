//! Reviews are answered: by schemas and policies, in either version, and over connections whose certificate changes.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_admission::policy::PolicySet;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::Crd;
use crdkit_server::Certificates;
use crdkit_server::review::{ManifestOptions, ReviewPurpose, ReviewServer, Reviewer};
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

const CRD: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: lamps, kind: Lamp}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {watts: {type: integer, maximum: 60, default: 40}, tone: {type: string}}}
";

const POLICIES: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: tone}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: ['*'], resources: [lamps]}]}
  validations: [{expression: "!has(object.spec.tone) || object.spec.tone != 'green'", message: no green lamps}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: all}
spec: {policyName: tone, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: warm}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [lamps]}]}
  matchConditions: [{name: unset, expression: "!has(object.spec.tone)"}]
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{tone: 'warm'}}"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: all}
spec: {policyName: warm}
"#;

fn documents(text: &str) -> Vec<Document> {
    let decode = |part: &str| {
        Format::Yaml.decode(part.as_bytes(), &DecodeOptions::default()).unwrap().document
    };
    text.split("\n---\n").map(decode).collect()
}

fn reviewer() -> Reviewer {
    let crds = Crd::compile_all(&documents(CRD)).unwrap();
    Reviewer::new(crds, PolicySet::read(documents(POLICIES)))
}

fn review(version: &str, spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"admission.k8s.io/{version}","kind":"AdmissionReview","request":{{"uid":"u1",
        "kind":{{"group":"example.com","version":"v1","kind":"Lamp"}},
        "resource":{{"group":"example.com","version":"v1","resource":"lamps"}},
        "operation":"CREATE","namespace":"default","name":"desk","userInfo":{{"username":"ann"}},
        "object":{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"desk","namespace":"default"}},"spec":{spec}}}}}}}"#
    )
}

fn answer(reviewer: &Reviewer, purpose: ReviewPurpose, body: &str) -> Document {
    let bytes = reviewer.review(purpose, body.as_bytes()).unwrap();
    Format::Json.decode(&bytes, &DecodeOptions::default()).unwrap().document
}

fn text(document: &Document, pointer: &str) -> String {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn allowed(document: &Document) -> bool {
    document.root().pointer("/response/allowed").and_then(Value::as_bool).unwrap()
}

#[test]
fn schemas_and_policies_judge() {
    let reviewer = reviewer();
    let validate = |spec| answer(&reviewer, ReviewPurpose::Validate, &review("v1", spec));
    let fine = validate(r#"{"watts":40}"#);
    assert!(allowed(&fine));
    assert_eq!(text(&fine, "/response/uid"), "u1");
    assert!(fine.root().pointer("/response/patch").is_none());
    let bright = validate(r#"{"watts":100}"#);
    assert!(!allowed(&bright));
    assert!(text(&bright, "/response/status/message").contains("spec.watts"));
    let green = validate(r#"{"tone":"green"}"#);
    assert!(text(&green, "/response/status/message").ends_with("denied request: no green lamps"));
}

#[test]
fn defaults_and_policies_change_by_patch() {
    let reviewer = reviewer();
    let changed = answer(&reviewer, ReviewPurpose::Mutate, &review("v1", "{}"));
    assert!(allowed(&changed));
    let patch = Base64::Standard.decode(text(&changed, "/response/patch").as_bytes()).unwrap();
    let patch = String::from_utf8(patch).unwrap();
    assert!(patch.contains(r#""path":"/spec/watts","value":40"#), "{patch}");
    assert!(patch.contains(r#""path":"/spec/tone","value":"warm""#), "{patch}");
    let whole =
        answer(&reviewer, ReviewPurpose::Mutate, &review("v1", r#"{"watts":1,"tone":"x"}"#));
    assert!(whole.root().pointer("/response/patch").is_none());
}

#[test]
fn policies_tell_the_audit_log() {
    let noted = "  validations: [{expression: 'false', message: noted}]\n  auditAnnotations: [{key: tone, valueExpression: \"'asked by ' + request.userInfo.username\"}]\n";
    let (head, rest) = POLICIES.split_once("  validations: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let policies = format!("{head}{noted}{rest}").replace("[Deny]", "[Audit]");
    let policies = PolicySet::read(documents(&policies));
    let reviewer = Reviewer::new(Crd::compile_all(&documents(CRD)).unwrap(), policies);
    let answer = answer(&reviewer, ReviewPurpose::Validate, &review("v1", "{}"));
    assert!(allowed(&answer));
    assert_eq!(text(&answer, "/response/auditAnnotations/tone.tone"), "asked by ann");
    let failure =
        "/response/auditAnnotations/validation.policy.admission.k8s.io.validation_failure";
    assert!(text(&answer, failure).contains(r#""message":"noted","policy":"tone""#));
}

#[test]
fn answers_are_in_the_version_of_the_review() {
    let answered = answer(&reviewer(), ReviewPurpose::Validate, &review("v1beta1", "{}"));
    assert_eq!(text(&answered, "/apiVersion"), "admission.k8s.io/v1beta1");
}

#[test]
fn a_kind_may_be_only_warned_about() {
    let reviewer = reviewer().warning(["Lamp.example.com"]);
    let warned = answer(&reviewer, ReviewPurpose::Validate, &review("v1", r#"{"watts":100}"#));
    assert!(allowed(&warned));
    let warning = text(&warned, "/response/warnings/0");
    assert!(warning.starts_with("spec.watts: "), "{warning}");
}

#[test]
fn manifests_name_what_is_reviewed() {
    let manifests = reviewer().manifests(&ManifestOptions {
        name: "lamps".into(),
        namespace: "garden".into(),
        image: "crdkit".into(),
        authority: "PEM".into(),
        arguments: vec!["--crds=crds/".into()],
    });
    let documents = documents(&manifests);
    assert_eq!(documents.len(), 4);
    for document in &documents[..2] {
        assert_eq!(text(document, "/webhooks/0/rules/0/resources/0"), "lamps");
        assert_eq!(text(document, "/webhooks/0/clientConfig/caBundle"), "UEVN");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_posted_panics(body in ".{0,200}", spec in r#"\{("[a-z]{1,5}":[1-9][0-9]{0,2})?\}"#) {
        let reviewer = reviewer();
        for purpose in [ReviewPurpose::Validate, ReviewPurpose::Mutate] {
            let _ = reviewer.review(purpose, body.as_bytes());
            let whole = review("v1", &spec);
            prop_assert!(reviewer.review(purpose, whole.as_bytes()).is_ok());
            let cut = whole.as_bytes().get(..body.len().min(whole.len())).unwrap_or_default();
            let _ = reviewer.review(purpose, cut);
        }
    }
}

/// The status and the body of an answer to a request over TLS, trusting `authority`.
async fn post(
    server: &ReviewServer,
    authority: &str,
    path: &str,
    body: &str,
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect(server.address()).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_answers_and_takes_new_certificates() {
    let local = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
    let (first, second) =
        (Certificates::generate(&local).unwrap(), Certificates::generate(&local).unwrap());
    let server = ReviewServer::start(([127, 0, 0, 1], 0).into(), &first, reviewer()).await.unwrap();
    let fine = review("v1", "{}");
    let answered = post(&server, &first.authority, "/validate", &fine).await.unwrap();
    assert!(answered.starts_with("HTTP/1.1 200") && answered.contains(r#""allowed":true"#));
    for (path, body, code) in
        [("/validate", "no review", "400"), ("/elsewhere", "", "404"), ("/mutate", "{}", "400")]
    {
        let answered = post(&server, &first.authority, path, body).await.unwrap();
        assert!(answered.starts_with(&format!("HTTP/1.1 {code}")), "{answered}");
    }
    let large = format!("\"{}\"", "x".repeat(9 << 20));
    let answered = post(&server, &first.authority, "/validate", &large).await.unwrap();
    assert!(answered.starts_with("HTTP/1.1 413"), "{answered}");
    server.secure(&second).unwrap();
    assert!(post(&server, &first.authority, "/validate", &fine).await.is_err());
    server.replace(Reviewer::default());
    let bright = review("v1", r#"{"watts":100}"#);
    let answered = post(&server, &second.authority, "/validate", &bright).await.unwrap();
    assert!(answered.contains(r#""allowed":true"#));
    let figures = post(&server, &second.authority, "/metrics", "").await.unwrap();
    assert!(
        figures.contains(r#"crdkit_webhook_reviews_total{purpose="validate",verdict="allowed"} 2"#)
    );
    server.stop().await;
}
