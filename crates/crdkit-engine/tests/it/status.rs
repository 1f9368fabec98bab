//! The server's answers, word for word.

use crate::support;
use crdkit_engine::{Crd, FieldValidation, RequestOptions};

#[track_caller]
fn check(body: &str, code: u16, message: &str) {
    let schema =
        "type: object\nproperties:\n  spec: {type: object, properties: {a: {type: integer}}}\n";
    let crd = support::crd(schema, "");
    let outcome = crd.version("v1").expect("v1").create(body, &RequestOptions::default());
    let status = outcome.status().expect("a refusal");
    assert_eq!((status.code, status.message.as_str()), (code, message));
    assert!(outcome.issues.iter().all(|issue| issue.span.is_some()), "{:?}", outcome.issues);
}

#[test]
fn what_is_no_object_of_any_kind_is_unrecognized() {
    check(
        "[1]",
        400,
        "the object provided is unrecognized (must be of type Lamp): json: cannot unmarshal array into \
         Go value of type map[string]interface {} (5b315d)",
    );
    check(
        "",
        400,
        "the object provided is unrecognized (must be of type Lamp): unexpected end of JSON input (<empty>)",
    );
    check(
        r#"{"apiVersion":"example.com/v1"}"#,
        400,
        "the object provided is unrecognized (must be of type Lamp): Object 'Kind' is missing in \
         '{\"apiVersion\":\"example.com/v1\"}' ({\"apiVersion\":\"example.com/v1\" ...)",
    );
    check(
        r#"{"kind":"Lamp",}"#,
        400,
        "the object provided is unrecognized (must be of type Lamp): invalid character '}' looking for \
         beginning of object key string ({\"kind\":\"Lamp\",})",
    );
}

#[test]
fn another_version_or_kind_is_refused_in_different_ways() {
    check(
        r#"{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"}}"#,
        400,
        "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
    );
    check(
        r#"{"kind":"Lamp","apiVersion":"a/b/c"}"#,
        400,
        "Lamp in version \"\" cannot be handled as a Lamp: unexpected GroupVersion string: a/b/c",
    );
    check(
        r#"{"kind":"Lamp","apiVersion":1}"#,
        400,
        "Lamp in version \"\" cannot be handled as a Lamp: .apiVersion accessor error: 1 is of the type \
         int64, expected string",
    );
    check(
        r#"{"kind":"Torch","apiVersion":"example.com/v1","metadata":{"name":"a"}}"#,
        422,
        "Torch.example.com \"a\" is invalid: kind: Invalid value: \"Torch\": must be Lamp",
    );
}

#[test]
fn fields_that_are_unknown_or_repeated_are_named_in_order() {
    check(
        r#"{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a","z":1},"spec":{"b":1,"a":1,"a":2},"x":1}"#,
        400,
        "Lamp in version \"v1\" cannot be handled as a Lamp: strict decoding error: duplicate field \
         \"spec.a\", unknown field \"metadata.z\", unknown field \"spec.b\", unknown field \"x\"",
    );
    check(
        r#"{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a","labels":{"b":1}}}"#,
        400,
        "Lamp in version \"v1\" cannot be handled as a Lamp: json: cannot unmarshal number into Go struct \
         field ObjectMeta.labels of type string",
    );
}

#[test]
fn findings_are_joined_into_one_message() {
    check(
        r#"{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"A"},"spec":{"a":"x"}}"#,
        422,
        "Lamp.example.com \"A\" is invalid: [metadata.name: Invalid value: \"A\": a lowercase RFC 1123 \
         subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end \
         with an alphanumeric character (e.g. 'example.com', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.a: Invalid value: \
         \"string\": spec.a in body must be of type integer: \"string\"]",
    );
    check(
        r#"{"kind":"Lamp","apiVersion":"example.com/v1"}"#,
        422,
        "Lamp.example.com \"\" is invalid: metadata.name: Required value: name or generateName is required",
    );
}

#[test]
fn an_update_must_be_about_the_stored_object() {
    let crd = support::crd("type: object\n", "");
    let version = crd.version("v1").expect("v1");
    let stored = |version: &str| {
        support::object(&format!(
            "metadata: {{name: a, namespace: default, resourceVersion: '{version}'}}\n"
        ))
    };
    let old = stored("5").document;
    let options = RequestOptions::new().field_validation(FieldValidation::Ignore);
    let answer = |object: &str| {
        let outcome = version.update(&old, support::object(object), &options);
        outcome.status().map(|status| (status.code, status.message))
    };
    assert_eq!(answer("metadata: {name: a, resourceVersion: '5'}\n"), None);
    assert_eq!(
        answer("metadata: {name: a}\n"),
        Some((
            422,
            "lamps.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified \
             for an update"
                .into()
        ))
    );
    assert_eq!(
        answer("metadata: {name: a, resourceVersion: '4'}\n"),
        Some((
            409,
            "Operation cannot be fulfilled on lamps.example.com \"a\": the object has been modified; please \
             apply your changes to the latest version and try again"
                .into()
        ))
    );
    assert_eq!(
        answer("metadata: {name: b, resourceVersion: '5'}\n"),
        Some((400, "the name of the object (b) does not match the name on the URL (a)".into()))
    );
}

#[test]
fn a_crd_that_nests_too_deep_is_refused() {
    let mut schema = String::from(r#"{"type":"string"}"#);
    for _ in 0..5_000 {
        schema = format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#);
    }
    let text = format!(
        r#"{{"spec":{{"group":"example.com","names":{{"kind":"A","plural":"as"}},"scope":"Cluster",
        "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
    );
    assert!(Crd::from_json(text.as_bytes()).is_err());
}
