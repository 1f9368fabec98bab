//! A mutating and validating admission webhook without its transport: an `AdmissionReview` in, one out.
//!
//! The object is read as the server reads it, labelled by the webhook, read again because it was changed, and judged.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::{AdmissionRequest, Crd, Document, Format, NewValue, RequestOptions, Style, Value};
use std::error::Error;

const CRD: &str = include_str!("../../../fixtures/crds/queues.yaml");

const REVIEW: &str = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
  "uid": "705ab4f5", "operation": "CREATE", "namespace": "default",
  "kind": {"group": "messaging.example.com", "version": "v1", "kind": "Queue"}, "object": {
    "apiVersion": "messaging.example.com/v1", "kind": "Queue", "metadata": {"name": "orders"},
    "spec": {"partitions": 100}
}}}"#;

/// The answer to `review`.
fn answer(crd: &Crd, review: &Document) -> Result<Document, Box<dyn Error>> {
    let request = AdmissionRequest::of(review.root())?;
    let version = crd.version(&request.kind().version).ok_or("the version is not served")?;
    let response = request.answer(version, &RequestOptions::new(), label);
    Ok(request.review(&response))
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
