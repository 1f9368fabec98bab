//! Admission reviews: a question in, an answer out.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_review::AdmissionRequest;
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};

fn decode(text: &[u8]) -> Document {
    json::decode(text, &DecodeOptions::default()).unwrap().document
}

fn crd() -> Crd {
    Crd::from_yaml(
        b"
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              watts: {type: integer, maximum: 60, default: 40}
              colour: {type: string}
            x-kubernetes-validations:
            - {rule: self.watts >= oldSelf.watts, message: lamps do not fade}
          status: {type: object, properties: {lit: {type: boolean}}}
",
    )
    .unwrap()
}

/// The answer to a request about `object`, and about `old` if there is one.
fn answer(operation: &str, subresource: &str, object: &str, old: &str) -> Document {
    let lamp = |rest: &str| match rest {
        "" => "null".to_owned(),
        rest => format!(
            r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"a","namespace":"ns"}},{rest}}}"#
        ),
    };
    let review = format!(
        r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"u1",
        "kind":{{"group":"example.com","version":"v1","kind":"Lamp"}},"operation":"{operation}",
        "subResource":"{subresource}","namespace":"ns","object":{},"oldObject":{}}}}}"#,
        lamp(object),
        lamp(old)
    );
    let review = decode(review.as_bytes());
    let request = AdmissionRequest::of(review.root()).unwrap();
    let crd = crd();
    let version = crd.version(&request.kind().version).unwrap();
    let response = request.answer(version, &RequestOptions::new(), |_| {});
    request.review(&response)
}

fn patch(review: &Document) -> Option<String> {
    let text = review.root().pointer("/response/patch")?.as_str()?;
    Some(String::from_utf8(Base64::Standard.decode(text).unwrap()).unwrap())
}

fn text<'d>(review: &'d Document, pointer: &str) -> Option<&'d str> {
    review.root().pointer(pointer).and_then(Value::as_str)
}

#[test]
fn an_accepted_object_is_patched_to_what_became_of_it() {
    let review = answer("CREATE", "", r#""spec":{"other":1}"#, "");
    let allowed = review.root().pointer("/response/allowed").and_then(Value::as_bool);
    assert_eq!(allowed, Some(true), "{review}");
    assert_eq!(text(&review, "/response/uid"), Some("u1"));
    assert_eq!(text(&review, "/response/patchType"), Some("JSONPatch"));
    assert_eq!(
        patch(&review).unwrap(),
        r#"[{"op":"remove","path":"/spec/other"},{"op":"add","path":"/spec/watts","value":40}]"#
    );
    let warnings = review.root().pointer("/response/warnings").unwrap().to_string();
    assert!(warnings.contains("deprecated"), "{warnings}");
    assert!(warnings.contains("unknown field"), "{warnings}");
    assert_eq!(patch(&answer("CREATE", "", r#""spec":{"watts":1}"#, "")), None);
}

#[test]
fn a_refused_object_has_the_servers_status_and_no_patch() {
    let review = answer("CREATE", "", r#""spec":{"watts":100,"other":1}"#, "");
    assert_eq!(review.root().pointer("/response/allowed").and_then(Value::as_bool), Some(false));
    assert_eq!(
        text(&review, "/response/status/message"),
        Some(
            "Lamp.example.com \"a\" is invalid: spec.watts: Invalid value: 100: spec.watts in body should be less than or equal to 60"
        )
    );
    assert_eq!(patch(&review), None);
}

#[test]
fn an_update_is_held_against_what_is_there() {
    let old = r#""spec":{"watts":20},"status":{"lit":true}"#;
    let fading = answer("UPDATE", "", r#""spec":{"watts":10}"#, old);
    assert!(text(&fading, "/response/status/message").unwrap().contains("lamps do not fade"));
    let status = answer("UPDATE", "status", r#""spec":{"watts":10},"status":{"lit":false}"#, old);
    assert_eq!(text(&status, "/response/status/message"), None, "{status}");
    let deleted = answer("DELETE", "", "", old);
    assert_eq!(deleted.root().pointer("/response/allowed").and_then(Value::as_bool), Some(true));
}

#[test]
fn what_is_not_a_question_has_no_answer() {
    for text in [
        "{}",
        r#"{"kind":"AdmissionReview"}"#,
        r#"{"kind":"AdmissionReview","request":{"operation":"CREATE"}}"#,
        r#"{"kind":"AdmissionReview","request":{"uid":"1","operation":"LOOK"}}"#,
    ] {
        assert!(AdmissionRequest::of(decode(text.as_bytes()).root()).is_err(), "{text}");
    }
}
