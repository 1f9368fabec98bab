//! Admission reviews: a question in, an answer out.

use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{AdmissionRequest, Crd, RequestOptions, difference};
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Value};
use proptest::prelude::*;

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
fn what_is_no_question_has_no_answer() {
    for text in [
        "{}",
        r#"{"kind":"AdmissionReview"}"#,
        r#"{"kind":"AdmissionReview","request":{"operation":"CREATE"}}"#,
        r#"{"kind":"AdmissionReview","request":{"uid":"1","operation":"LOOK"}}"#,
    ] {
        assert!(AdmissionRequest::of(decode(text.as_bytes()).root()).is_err(), "{text}");
    }
}

/// Applies operations whose paths lead to places that are there.
fn apply(document: &mut Document, operations: &Document) {
    for operation in operations.root().items() {
        let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
        let (op, path) = (text("op"), text("path"));
        let value = operation.get("value");
        match (op, document.root().pointer(path).map(Value::id)) {
            ("remove", Some(id)) => document.remove(id),
            ("replace", Some(id)) => {
                document.set(id, value.unwrap());
            }
            ("add", _) => {
                let (parent, key) = path.rsplit_once('/').unwrap();
                let parent = document.root().pointer(parent).map(Value::id).unwrap();
                document.insert(parent, &key.replace("~1", "/").replace("~0", "~"), value.unwrap());
            }
            _ => panic!("{operation:?}"),
        }
    }
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("null".to_owned()), (0..3_i32).prop_map(|int| int.to_string())];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let keys = prop::sample::select(vec!["a", "b/c", "~", ""]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::btree_map(keys, inner, 0..4).prop_map(|members| {
                let members = members.iter().map(|(key, value)| format!("{key:?}:{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn a_patch_leads_from_one_value_to_the_other(from in value(), to in value()) {
        let (mut from, to) = (decode(from.as_bytes()), decode(to.as_bytes()));
        let patch = difference(from.root(), to.root());
        apply(&mut from, &patch);
        prop_assert_eq!(from.root(), to.root());
    }
}
