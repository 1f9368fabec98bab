//! What holds for every object.

use crate::generate::{Choices, Shape, choices, object};
use crate::support;
use crdkit_codec::{DecodeOptions, Format, cbor, yaml};
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions};
use crdkit_issue::codes;
use proptest::prelude::*;
use std::fmt::Write as _;

const SCHEMA: &str = "
type: object
properties:
  spec:
    type: object
    required: [size]
    properties:
      size: {type: integer, minimum: 0, maximum: 9, default: 3}
      mode: {type: string, enum: [a, b], nullable: true, default: a}
      labels: {type: object, additionalProperties: {type: string, maxLength: 2}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      open: {type: object, additionalProperties: true}
      either: {x-kubernetes-int-or-string: true}
      zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          required: [name]
          properties:
            name: {type: string}
            number: {type: integer, default: 80}
      limits:
        type: object
        default: {low: 1}
        properties:
          low: {type: number}
          high: {type: number, default: 2.5}
        x-kubernetes-validations:
        - rule: '!has(self.low) || self.low <= self.high'
";

fn crd() -> Crd {
    support::crd(SCHEMA, "")
}

/// Values that often have the names and types of the schema.
fn value(depth: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-2_i64..12).prop_map(|int| int.to_string()),
        (-20..20_i32).prop_map(|float| format!("{:?}", f64::from(float) / 4.0)),
        "[ab]{0,3}".prop_map(|text| format!("{text:?}")),
    ];
    leaf.prop_recursive(depth, 40, 6, |inner| {
        let keys = prop::sample::select(vec![
            "spec", "size", "mode", "labels", "free", "open", "either", "zones", "ports", "name",
            "number", "limits", "low", "high", "other",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(keys, inner, 0..6).prop_map(|members| {
                let members = members.iter().map(|(key, value)| format!("{key:?}:{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

fn body(spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"a"}},"spec":{spec}}}"#
    )
}

fn options(field_validation: FieldValidation) -> RequestOptions {
    RequestOptions::new().field_validation(field_validation)
}

/// An object made after a schema, and the CRD with that schema.
fn made(shape: &Shape, choices: &[u8]) -> (Crd, String) {
    let schema = format!(r#"{{"type":"object","properties":{{"spec":{}}}}}"#, shape.schema());
    (support::crd(&schema, ""), body(&shape.value(&mut Choices::new(choices))))
}

/// What was pruned and defaulted stays as it is; an accepted object is accepted again, a refused one is
/// refused for the same reasons.
fn check_stored(crd: &Crd, text: &str) -> Result<(), TestCaseError> {
    let version = crd.version("v1").expect("v1");
    let first = version.create(text.as_bytes(), &options(FieldValidation::Ignore));
    let stored = support::text(first.document().root());
    let second = version.create(stored.as_bytes(), &options(FieldValidation::Strict));
    prop_assert_eq!(support::text(second.document().root()), stored);
    prop_assert!(second.changes.pruned.is_empty());
    prop_assert!(second.changes.dropped.is_empty());
    prop_assert!(second.changes.defaulted.is_empty());
    prop_assert_eq!(first.is_accepted(), second.is_accepted(), "{:?}", second.issues);
    let codes = |issues: &[crdkit_issue::Issue]| {
        issues.iter().map(|issue| (issue.code, issue.path.clone())).collect::<Vec<_>>()
    };
    prop_assert_eq!(codes(&first.issues), codes(&second.issues));
    Ok(())
}

fn check_order(crd: &Crd, text: &str) -> Result<(), TestCaseError> {
    let version = crd.version("v1").expect("v1");
    let reversed = reverse(&json(text));
    for validation in [FieldValidation::Ignore, FieldValidation::Warn, FieldValidation::Strict] {
        let one = version.create(text.as_bytes(), &options(validation));
        let other = version.create(reversed.as_bytes(), &options(validation));
        prop_assert_eq!(one.status(), other.status());
        let warnings = |outcome: &Outcome| outcome.warning_texts().collect::<Vec<_>>();
        prop_assert_eq!(warnings(&one), warnings(&other));
        if one.is_accepted() {
            prop_assert_eq!(one.document(), other.document());
        }
    }
    Ok(())
}

/// The verdict on `text`, which is JSON, on the same as YAML in two styles, and on the same as CBOR.
fn check_format(crd: &Crd, text: &str) -> Result<(), TestCaseError> {
    let version = crd.version("v1").expect("v1");
    let (mut block, mut binary) = (Vec::new(), Vec::new());
    yaml::write(json(text).root(), &mut block);
    cbor::encode(json(text).root(), cbor::Order::Sorted, &mut binary).expect("finite numbers");
    let one = version.create(text.as_bytes(), &options(FieldValidation::Strict));
    let others =
        [(Format::Yaml, text.as_bytes()), (Format::Yaml, &*block), (Format::Cbor, &*binary)];
    for other in others {
        let other = version.create(other, &options(FieldValidation::Strict));
        prop_assert!(other.issues.iter().all(|issue| issue.span.is_some()), "{:?}", other.issues);
        prop_assert_eq!(one.status(), other.status());
        prop_assert_eq!(one.document(), other.document());
    }
    Ok(())
}

/// Every finding points at the key or the value that its path leads to, or at the nearest around it if
/// that was not written; an unknown field is shown by its key.
fn check_places(crd: &Crd, text: &str) -> Result<(), TestCaseError> {
    let version = crd.version("v1").expect("v1");
    let kept = DecodeOptions::new().positions(true);
    let written = crdkit_codec::json::decode(text.as_bytes(), &kept).expect("JSON").document;
    for validation in [FieldValidation::Warn, FieldValidation::Strict] {
        for issue in &version.create(text.as_bytes(), &options(validation)).issues {
            let span = issue.span.expect("a place");
            let value = written.root().nearest(&issue.path);
            let is_whole = written.find(&issue.path).is_some();
            let place = written.place(value.id()).expect("a place");
            let is_field = issue.code == codes::crd::UNKNOWN_FIELD;
            let right = if is_field {
                is_whole && place.key == Some(span)
            } else {
                place.value == span || place.key == Some(span)
            };
            prop_assert!(
                right,
                "{} at {:?} in {}",
                issue.path,
                text.get(span.start..span.end),
                text
            );
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_was_stored_stays_as_it_is(spec in value(4)) {
        check_stored(&crd(), &body(&spec))?;
    }

    #[test]
    fn what_was_stored_stays_as_it_is_whatever_the_schema(shape in object(), choices in choices()) {
        let (crd, text) = made(&shape, &choices);
        check_stored(&crd, &text)?;
    }

    #[test]
    fn findings_do_not_depend_on_the_order_of_keys(spec in value(4)) {
        check_order(&crd(), &body(&spec))?;
    }

    #[test]
    fn findings_do_not_depend_on_the_order_of_keys_whatever_the_schema(
        shape in object(), choices in choices()
    ) {
        let (crd, text) = made(&shape, &choices);
        check_order(&crd, &text)?;
    }

    #[test]
    fn findings_do_not_depend_on_the_format(shape in object(), choices in choices()) {
        let (crd, text) = made(&shape, &choices);
        check_format(&crd, &text)?;
    }

    #[test]
    fn every_finding_points_at_its_key_or_value(spec in value(4)) {
        check_places(&crd(), &body(&spec))?;
    }

    #[test]
    fn every_finding_points_at_its_key_or_value_whatever_the_schema(
        shape in object(), choices in choices()
    ) {
        let (crd, text) = made(&shape, &choices);
        check_places(&crd, &text)?;
    }

    #[test]
    fn replacing_an_object_by_itself_changes_nothing(shape in object(), choices in choices()) {
        let (crd, text) = made(&shape, &choices);
        let version = crd.version("v1").expect("v1");
        let created = version.create(text.as_bytes(), &options(FieldValidation::Ignore));
        if created.is_accepted() {
            let text = support::text(created.document().root());
            let updated =
                version.update(created.document(), text.as_bytes(), &options(FieldValidation::Strict));
            prop_assert!(updated.is_accepted(), "{:?}", updated.issues);
            prop_assert_eq!(support::text(updated.document().root()), text);
        }
    }

    #[test]
    fn what_the_storage_version_is_said_to_keep_stays_as_it_is(
        shape in object(), changes in choices(), choices in choices()
    ) {
        let schemas = [shape.schema(), shape.altered(&mut Choices::new(&changes)).schema()];
        let version = |name: &str, schema: &str| format!(
            r#"{{"name":"{name}","served":true,"storage":{},"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{schema}}}}}}}}}"#,
            name == "v2",
        );
        let text = format!(
            r#"{{"spec":{{"group":"example.com","scope":"Namespaced","names":{{"kind":"Lamp","plural":"lamps"}},"versions":[{},{}]}}}}"#,
            version("v1", &schemas[0]), version("v2", &schemas[1]),
        );
        // What servers refuse is not asked.
        let Ok(crd) = Crd::from_json(text.as_bytes()) else { return Ok(()) };
        let (v1, v2) = (crd.version("v1").expect("v1"), crd.version("v2").expect("v2"));
        let object = body(&shape.value(&mut Choices::new(&choices)));
        let read = v1.create(object.as_bytes(), &options(FieldValidation::Ignore));
        if read.is_accepted() && crd.compiled().is_kept_in_storage(v1.compiled()) {
            let mut same = read.document().clone();
            same.insert(crdkit_value::NodeId::ROOT, "apiVersion", "example.com/v2");
            let stored = crdkit_codec::Decoded { document: same, issues: Vec::new() };
            let changes = v2.create(stored, &options(FieldValidation::Ignore)).changes;
            let all = [changes.pruned, changes.dropped, changes.defaulted];
            prop_assert!(all.iter().all(Vec::is_empty), "{:?}\n{}\n{}", all, text, object);
        }
    }
}

fn json(text: &str) -> crdkit_value::Document {
    let options = DecodeOptions::default();
    crdkit_codec::json::decode(text.as_bytes(), &options).expect("JSON").document
}

/// The same document with the members of all objects the other way round.
fn reverse(document: &crdkit_value::Document) -> String {
    fn write(value: crdkit_value::Value<'_>, out: &mut String) {
        if let Some(members) = value.as_object() {
            out.push('{');
            let members: Vec<_> = members.collect();
            for (at, (key, member)) in members.into_iter().rev().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{key:?}:");
                write(member, out);
            }
            out.push('}');
        } else if let Some(items) = value.as_array() {
            out.push('[');
            for (at, item) in items.enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        } else {
            out.push_str(&support::text(value));
        }
    }
    let mut out = String::new();
    write(document.root(), &mut out);
    out
}
