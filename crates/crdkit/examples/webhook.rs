//! A mutating and validating admission webhook without its transport: an `AdmissionReview` in, one out.
//!
//! The object is read as the server reads it, labelled by the webhook, read again because it was changed, and judged.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::{Crd, Document, Format, NewValue, NodeId, RequestOptions, Style, Value};
use std::error::Error;

const CRD: &str = include_str!("../../../fixtures/crds/queues.yaml");

const REVIEW: &str = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
  "uid": "705ab4f5", "operation": "CREATE", "namespace": "default", "object": {
    "apiVersion": "messaging.example.com/v1", "kind": "Queue", "metadata": {"name": "orders"},
    "spec": {"partitions": 100}
}}}"#;

/// The answer to `review`.
fn answer(crd: &Crd, review: &Document) -> Result<Document, Box<dyn Error>> {
    let request = review.root().get("request").ok_or("there is no request")?;
    let text = |key| request.get(key).and_then(Value::as_str).unwrap_or_default();
    let object = request.get("object").ok_or("there is no object")?;
    let version = crd.version("v1").ok_or("v1 is not served")?;

    let options = RequestOptions::new().namespace(text("namespace"));
    let outcome = match version.read(Document::copy_of(object), &options) {
        Err(refused) => *refused,
        Ok(mut read) => {
            label(read.document_mut());
            match read.read_again() {
                Ok(read) => read.create(),
                Err(refused) => *refused,
            }
        }
    };

    let mut response = Document::object().with("uid", text("uid"));
    let root = response.root().id();
    response.insert(root, "allowed", outcome.is_accepted());
    if let Some(status) = outcome.status() {
        response.insert(root, "status", status.document().root());
    }
    let mut answer = Document::object()
        .with("apiVersion", "admission.k8s.io/v1")
        .with("kind", "AdmissionReview");
    answer.insert(NodeId::ROOT, "response", response.root());
    Ok(answer)
}

fn label(object: &mut Document) {
    let Some(metadata) = object.root().get("metadata").map(Value::id) else { return };
    let labels = object.value(metadata).get("labels").map(Value::id);
    let labels = labels.or_else(|| object.insert(metadata, "labels", NewValue::EmptyObject));
    labels.and_then(|labels| object.insert(labels, "reviewed-by", "lamp-webhook"));
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let crd: Crd = CRD.parse()?;
    let review = Format::Json.decode(REVIEW.as_bytes(), &crdkit::DecodeOptions::default());
    let review = review.map_err(|issue| issue.to_string())?.document;
    let answer = answer(&crd, &review)?;
    let mut text = Vec::new();
    Format::Json.encode(answer.root(), 0, Style::Pretty, &mut text)?;
    println!("{}", String::from_utf8(text)?);
    assert_eq!(answer.root().pointer("/response/allowed").and_then(Value::as_bool), Some(false));
    assert_eq!(answer.root().pointer("/response/status/code").and_then(Value::as_i64), Some(422));
    Ok(())
}
