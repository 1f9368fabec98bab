//! The phases of a request, each alone and in their order.

use crate::generate::{Choices, Shape, choices, object};
use crate::support;
use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, FieldValidation, Outcome, ReadObject, RequestOptions, Stored, Version};
use crdkit_issue::{Code, Severity, codes};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId, Value};
use proptest::prelude::*;

const SCHEMA: &str = "
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer, default: 2}
      mode: {type: string, enum: [a, b]}
  status:
    type: object
    properties:
      replicas: {type: integer}
      phase: {type: string, default: New}
";

const SUBRESOURCES: &str = "
subresources:
  status: {}
  scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
";

fn crd() -> Crd {
    support::crd(SCHEMA, SUBRESOURCES)
}

fn lenient() -> RequestOptions {
    RequestOptions::new().field_validation(FieldValidation::Ignore)
}

/// A lamp with the given members of `metadata`, and whatever follows.
fn lamp(metadata: &str, rest: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"desk"{metadata}}}{rest}}}"#
    )
}

fn at<'d>(document: &'d Document, pointer: &str) -> Option<&'d str> {
    document.root().pointer(pointer).and_then(Value::as_str)
}

fn number(document: &Document, pointer: &str) -> Option<i64> {
    document.root().pointer(pointer).and_then(Value::as_i64)
}

#[track_caller]
fn read<'r>(version: Version<'r>, text: &'r str, options: &'r RequestOptions) -> ReadObject<'r> {
    version.read(text, options).expect("read")
}

#[track_caller]
fn stored(version: Version<'_>, text: &str) -> Stored {
    let mut stored = version.create(text, &lenient()).into_stored().expect("accepted");
    stored.set_resource_version("5");
    stored
}

#[test]
fn outcomes_cross_threads_and_borrow_nothing() {
    fn owned<T: Send + Sync + 'static>() {}
    fn sent<T: Send>() {}
    owned::<Outcome>();
    owned::<Stored>();
    owned::<Crd>();
    owned::<RequestOptions>();
    sent::<ReadObject<'_>>();
}

#[test]
fn what_is_read_is_trimmed_filled_in_and_placed_but_not_checked() {
    let (crd, options) = (crd(), lenient().namespace("garden"));
    let version = crd.version("v1").expect("v1");
    let text = lamp("", r#","spec":{"other":1,"mode":"c"}"#);
    let read = read(version, &text, &options);
    assert_eq!(number(read.document(), "/spec/replicas"), Some(2));
    assert!(read.document().root().pointer("/spec/other").is_none());
    assert_eq!(at(read.document(), "/metadata/namespace"), Some("garden"));
    assert_eq!(read.issues().count(), 0);
    assert_eq!(read.create().status().map(|status| status.code), Some(422));
}

/// What is refused first, of objects with more and more mistakes.
#[test]
fn refusals_come_in_the_order_of_the_stages() {
    let crd = crd();
    let version = crd.version("v1").expect("v1");
    let old = stored(version, &lamp("", ""));
    let mut old = Document::copy_of(old.document().root());
    let metadata = old.root().get("metadata").map(Value::id).expect("metadata");
    old.insert(metadata, "uid", "u");
    let options = RequestOptions::new();
    let named = RequestOptions::new().name("desk");
    let object = |version: &str, name: &str, metadata: &str, spec: &str| {
        format!(
            r#"{{"apiVersion":"example.com/{version}","kind":"Lamp",
            "metadata":{{"name":"{name}"{metadata}}},"spec":{spec}}}"#
        )
    };
    let (unknown, wrong) = (r#"{"other":1,"mode":"c"}"#, r#"{"mode":"c"}"#);
    let elsewhere = r#","namespace":"garden","uid":"x""#;
    let cases: [(String, Code, u16); 11] = [
        (String::new(), codes::decode::EMPTY_INPUT, 400),
        (r#"{"metadata":7}"#.into(), codes::object::KIND_MISSING, 400),
        (object("v2", "lamp", r#","labels":7"#, unknown), codes::object::METADATA_TYPE, 400),
        (object("v2", "lamp", elsewhere, unknown), codes::crd::UNKNOWN_FIELD, 400),
        (lamp(elsewhere, "").replace("/v1", "/v2"), codes::object::API_VERSION_MISMATCH, 400),
        (object("v1", "lamp", elsewhere, wrong), codes::object::NAMESPACE_MISMATCH, 400),
        (object("v1", "lamp", r#","uid":"x""#, wrong), codes::object::NAME_MISMATCH, 400),
        (object("v1", "", r#","uid":"x""#, wrong), codes::object::NAME_MISSING, 400),
        (object("v1", "desk", r#","uid":"x""#, wrong), codes::object::UID_MISMATCH, 409),
        (object("v1", "desk", "", wrong), codes::crd::RESOURCE_VERSION_REQUIRED, 422),
        (object("v1", "desk", r#","resourceVersion":"5""#, wrong), codes::object::NOT_IN_ENUM, 422),
    ];
    for (text, code, status) in cases {
        for options in [&options, &named] {
            let outcome = version.update(&old, text.as_str(), options);
            let first = outcome.issues.first().map(|issue| issue.code);
            assert_eq!(first, Some(code), "{text}");
            assert_eq!(outcome.status().map(|status| status.code), Some(status), "{text}");
        }
    }
}

#[test]
fn a_name_from_the_url_is_that_of_the_object() {
    let (crd, options) = (crd(), RequestOptions::new().name("lamp"));
    let version = crd.version("v1").expect("v1");
    let message = |text: &str| {
        let refused = version.read(text, &options).err().expect("refused");
        refused.status().expect("a status").message
    };
    assert_eq!(
        message(&lamp("", "")),
        "the name of the object (desk) does not match the name on the URL (lamp)"
    );
    assert_eq!(
        message(r#"{"apiVersion":"example.com/v1","kind":"Lamp"}"#),
        "the name of the object (lamp based on URL) was undeterminable: name must be provided"
    );
}

#[test]
fn an_object_may_be_changed_between_reading_and_checking() {
    let (crd, options) = (crd(), lenient());
    let version = crd.version("v1").expect("v1");
    let text = lamp("", r#","spec":{"mode":"a"}"#);
    let mut changed = read(version, &text, &options);
    let change =
        json::decode(br#"{"mode":"c","other":1}"#, &DecodeOptions::default()).expect("JSON");
    changed.document_mut().insert(NodeId::ROOT, "spec", change.document.root());
    let changed = changed.read_again().expect("read");
    assert_eq!(number(changed.document(), "/spec/replicas"), Some(2));
    assert!(changed.document().root().pointer("/spec/other").is_none());
    let outcome = changed.create();
    let [issue] = outcome.issues.as_slice() else { panic!("{:?}", outcome.issues) };
    assert_eq!(issue.code, codes::object::NOT_IN_ENUM);
    let mut moved = read(version, &text, &options);
    let metadata = moved.document().root().get("metadata").map(Value::id).expect("metadata");
    moved.document_mut().insert(metadata, "namespace", "garden");
    let refused = moved.read_again().err().expect("refused");
    assert_eq!(refused.issues[0].code, codes::object::NAMESPACE_MISMATCH);
}

#[test]
fn identity_and_time_are_those_of_the_request() {
    let crd = crd();
    let version = crd.version("v1").expect("v1");
    let time = Timestamp::parse_rfc3339("2024-02-29T13:00:00.5+01:00").expect("a time");
    let options = RequestOptions::new().uid("f81d4fae").time(time);
    let text = lamp(r#","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z""#, "");
    let mut before = read(version, &text, &options);
    before.discard_system_fields();
    assert_eq!(at(before.document(), "/metadata/uid"), None);
    let mut created = before.create().into_stored().expect("accepted");
    created.set_resource_version("7");
    let identity = |document: &Document| {
        let text = |pointer| at(document, pointer).map(str::to_owned);
        (text("/metadata/uid"), text("/metadata/creationTimestamp"))
    };
    let expected = (Some("f81d4fae".into()), Some("2024-02-29T12:00:00Z".into()));
    assert_eq!(identity(created.document()), expected);
    let later = RequestOptions::new().uid("another");
    let text = lamp(r#","resourceVersion":"7""#, r#","spec":{"mode":"b"}"#);
    let updated = read(version, &text, &later).update(&created);
    assert!(updated.is_accepted(), "{:?}", updated.issues);
    assert_eq!(identity(updated.document()), expected);
    let plain = version.create(&*lamp(r#","uid":"mine""#, ""), &RequestOptions::new());
    assert_eq!(identity(plain.document()), (None, None));
}

#[test]
fn a_status_update_takes_status_and_managed_fields_from_the_request() {
    let crd = crd();
    let version = crd.version("v1").expect("v1");
    let manager = |name: &str| {
        format!(
            r#","managedFields":[{{"manager":"{name}","operation":"Update","fieldsType":"FieldsV1"}}]"#
        )
    };
    let old = stored(version, &lamp(&manager("old"), r#","spec":{"mode":"a"}"#));
    let options = lenient();
    let text = lamp(
        &format!(r#","resourceVersion":"5","labels":{{"a":"b"}}{}"#, manager("new")),
        r#","spec":{"mode":"b"},"status":{"replicas":3}"#,
    );
    let outcome = read(version, &text, &options).update_status(&old);
    assert!(outcome.is_accepted(), "{:?}", outcome.issues);
    let document = outcome.document();
    assert_eq!(at(document, "/metadata/managedFields/0/manager"), Some("new"));
    assert_eq!(document.root().pointer("/metadata/labels"), None);
    assert_eq!(at(document, "/spec/mode"), Some("a"));
    assert_eq!(at(document, "/status/phase"), Some("New"));
    let without = lamp(r#","resourceVersion":"5""#, "");
    let outcome = read(version, &without, &options).update_status(&old);
    assert_eq!(outcome.document().root().pointer("/metadata/managedFields"), None);
}

#[test]
fn scale_is_an_update_of_one_number() {
    let crd = crd();
    let version = crd.version("v1").expect("v1");
    let old = stored(version, &lamp("", ""));
    let options = lenient();
    let mut read = version.read_scale(&old, 4, &options).expect("read");
    let metadata = read.document().root().get("metadata").map(Value::id).expect("metadata");
    let managers = json::decode(
        br#"[{"manager":"new","operation":"Update","fieldsType":"FieldsV1"}]"#,
        &DecodeOptions::default(),
    );
    let managers = managers.expect("JSON").document;
    read.document_mut().insert(metadata, "managedFields", managers.root());
    let outcome = read.update(&old);
    assert!(outcome.is_accepted(), "{:?}", outcome.issues);
    assert_eq!(number(outcome.document(), "/spec/replicas"), Some(4));
    assert_eq!(number(outcome.document(), "/metadata/generation"), Some(2));
    assert_eq!(at(outcome.document(), "/metadata/managedFields/0/manager"), Some("new"));
    let negative = version.scale(old.document(), -1, &options);
    assert_eq!(
        negative.status().expect("refused").message,
        "Lamp.example.com \"desk\" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer"
    );
    let plain = support::crd(SCHEMA, "");
    let refused = plain.version("v1").expect("v1").scale(old.document(), 1, &options);
    assert_eq!(refused.status().map(|status| status.code), Some(400));
}

#[test]
fn strict_validation_can_report_everything_with_the_same_answer() {
    let crd = crd();
    let version = crd.version("v1").expect("v1");
    let text = lamp(r#","finalizers":["bare"]"#, r#","spec":{"other":1,"other":2,"mode":"c"}"#);
    let strict = version.create(&*text, &RequestOptions::new());
    let all = version.create(&*text, &RequestOptions::new().report_all(true));
    assert_eq!(all.status(), strict.status());
    let codes = |outcome: &Outcome| -> Vec<(Code, Severity)> {
        outcome.issues.iter().map(|issue| (issue.code, issue.severity)).collect()
    };
    let refused = [codes::decode::DUPLICATE_KEY, codes::crd::UNKNOWN_FIELD];
    let mut expected = refused.map(|code| (code, Severity::Error)).to_vec();
    assert_eq!(codes(&strict), expected);
    expected.push((codes::object::NOT_IN_ENUM, Severity::Error));
    assert_eq!(codes(&all), expected);
    let fine = version.create(&*lamp("", ""), &RequestOptions::new().report_all(true));
    assert!(fine.is_accepted());
}

#[test]
fn an_object_stored_in_another_version_is_read_as_one_of_the_version_asked_for() {
    let crd = Crd::compile(
        &support::decode(
            "spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {watts: {type: integer}, old: {type: string}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {watts: {type: integer}}}}
",
        )
        .document,
    )
    .expect("a CRD");
    let [v1, v2] = ["v1", "v2"].map(|name| crd.version(name).expect("a version"));
    let old = stored(v1, &lamp("", r#","watts":3"#));
    let options = lenient();
    let text = lamp(r#","resourceVersion":"5""#, r#","watts":3"#).replace("/v1", "/v2");
    let same = read(v2, &text, &options).update(&old);
    assert!(same.is_accepted(), "{:?}", same.issues);
    assert_eq!(number(same.document(), "/metadata/generation"), Some(1));
    let old = stored(v1, &lamp("", r#","watts":3,"old":"x""#));
    let read_by_v2 = v2.stored(old.document(), &options);
    assert_eq!(at(read_by_v2.document(), "/apiVersion"), Some("example.com/v2"));
    assert_eq!(read_by_v2.document().root().get("old"), None);
}

/// Two objects of one shape, and the CRD with its schema.
fn made(shape: &Shape, choices: [&[u8]; 2]) -> (Crd, [String; 2]) {
    let schema = format!(
        r#"{{"type":"object","properties":{{"spec":{},"status":{}}}}}"#,
        shape.schema(),
        shape.schema()
    );
    let bodies = choices.map(|choices| {
        let mut choices = Choices::new(choices);
        let [spec, status] = [(); 2].map(|()| shape.value(&mut choices));
        lamp("", &format!(r#","spec":{spec},"status":{status}"#))
    });
    (support::crd(&schema, "subresources: {status: {}}"), bodies)
}

fn same(one: &Outcome, other: &Outcome) -> Result<(), TestCaseError> {
    prop_assert_eq!(one.status(), other.status());
    prop_assert_eq!(&one.issues, &other.issues);
    prop_assert_eq!(support::text(one.document().root()), support::text(other.document().root()));
    Ok(())
}

proptest! {
    #[test]
    fn a_stored_object_is_replaced_as_if_it_were_read_again(
        shape in object(), first in choices(), second in choices()
    ) {
        let (crd, [first, second]) = made(&shape, [&first, &second]);
        let version = crd.version("v1").expect("v1");
        let options = lenient();
        if let Some(old) = version.create(first.as_str(), &options).into_stored() {
            let again = version.stored(old.document(), &options);
            prop_assert_eq!(support::text(again.document().root()), support::text(old.document().root()));
            let (document, other) = (old.document(), crd_again(&shape));
            let foreign = other.version("v1").expect("v1").stored(document, &options);
            for old in [&old, &again, &foreign] {
                same(
                    &read(version, &second, &options).update(old),
                    &version.update(document, second.as_str(), &options),
                )?;
                same(
                    &read(version, &second, &options).update_status(old),
                    &version.update_status(document, second.as_str(), &options),
                )?;
            }
            // What replaced it can be replaced in turn.
            let replaced = read(version, &second, &options).update(&old);
            if let Some(replaced) = replaced.into_stored() {
                let again = version.stored(replaced.document(), &options);
                prop_assert_eq!(
                    support::text(again.document().root()),
                    support::text(replaced.document().root())
                );
            }
        }
    }

    #[test]
    fn places_may_be_found_when_the_verdict_is_known(shape in object(), choices in choices()) {
        let (crd, [text, _]) = made(&shape, [&choices, &[]]);
        let version = crd.version("v1").expect("v1");
        for options in [RequestOptions::new(), RequestOptions::new().report_all(true)] {
            let plain = json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON");
            let positions = DecodeOptions::new().positions(true);
            let mut outcome = version.create(plain, &options);
            outcome.locate(&json::decode(text.as_bytes(), &positions).expect("JSON"));
            prop_assert_eq!(&outcome.issues, &version.create(text.as_str(), &options).issues);
        }
    }
}

/// The same CRD as [`made`], compiled on its own.
fn crd_again(shape: &Shape) -> Crd {
    made(shape, [&[], &[]]).0
}

/// What is stored in another version keeps what that version knows; a webhook makes of it what it likes.
#[test]
fn the_storage_version_decides_what_is_left_unless_a_webhook_does() {
    let crd = |conversion: &str| {
        let text = format!(
            r#"{{"spec": {{"group": "example.com", "scope": "Cluster", "names": {{"kind": "Lamp", "plural": "lamps"}}, {conversion}
            "versions": [
              {{"name": "v1", "served": true, "storage": false, "schema": {{"openAPIV3Schema": {{"type": "object", "properties": {{"old": {{"type": "string"}}}}}}}}}},
              {{"name": "v2", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {{"type": "object", "properties": {{"new": {{"type": "string"}}}}}}}}}}
            ]}}}}"#
        );
        Crd::from_json(text.as_bytes()).unwrap()
    };
    let webhook = r#""conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://localhost/convert"}}},"#;
    for (conversion, left) in [("", None), (webhook, Some("x"))] {
        let crd = crd(conversion);
        let outcome =
            crd.version("v1").unwrap().create(lamp("", r#","old":"x""#).as_str(), &lenient());
        assert!(outcome.is_accepted(), "{:?}", outcome.issues);
        assert_eq!(at(outcome.document(), "/old"), left, "{conversion}");
    }
}

/// Where the storage version adds nothing and removes nothing, nothing else is written than what is read back.
#[test]
fn the_storage_version_fills_in_and_removes_what_only_its_schema_says() {
    let text = r#"{"spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Lamp", "plural": "lamps"}, "versions": [
      {"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "properties":
        {"shade": {"type": "string"}, "note": {"type": "string", "nullable": true}}}}},
      {"name": "v2", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties":
        {"shade": {"type": "string", "default": "white"}, "note": {"type": "string"}, "more": {"type": "string", "default": "x"}}}}}
    ]}}"#;
    let crd = Crd::from_json(text.as_bytes()).unwrap();
    let cases = [
        (r#","note":"n""#, Some("white"), Some("n"), true),
        (r#","shade":"red","note":null"#, Some("red"), None, true),
        (r#","shade":"red","note":"n""#, Some("red"), Some("n"), false),
    ];
    for (fields, shade, note, is_changed) in cases {
        let outcome = crd.version("v1").unwrap().create(lamp("", fields).as_str(), &lenient());
        assert!(outcome.is_accepted(), "{:?}", outcome.issues);
        let (document, written) = outcome.into_written();
        assert_eq!(at(&document, "/shade"), shade, "{fields}");
        assert_eq!(at(&document, "/note"), note, "{fields}");
        assert!(document.root().get("more").is_none());
        assert_eq!(written.is_some(), is_changed, "{fields}");
    }
}

/// Schemas that a server publishes do not say which version is stored.
#[test]
fn a_version_is_read_back_as_itself_where_none_is_known_to_be_stored() {
    let text = r#"{"spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "Lamp", "plural": "lamps"}, "versions": [
      {"name": "v1", "served": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object", "properties":
        {"status": {"type": "object", "default": {"phase": "New"}, "properties": {"phase": {"type": "string"}}}}}}}
    ]}}"#;
    let crd = Crd::from_json(text.as_bytes()).unwrap();
    let sent = lamp("", r#","status":{"phase":"Old"}"#);
    let outcome = crd.version("v1").unwrap().create(sent.as_str(), &lenient());
    assert_eq!(at(outcome.document(), "/status/phase"), Some("New"));
}
