//! Rules, objects and reviews that nobody means: answers, never a panic, and never an object of another type.

use crdkit_codec::{DecodeOptions, Format};
use crdkit_convert::{Conversion, Conversions};
use crdkit_value::{Document, Value};
use proptest::prelude::*;

const RULES: &str = "
for: Lamp.lighting.example.com
conversions:
- from: v1
  to: v2
  rules:
  - rename: {path: spec.a, to: b}
  - move: {from: spec.c, to: other.c.d}
  - move: {from: 'spec.list[*].x', to: 'spec.list[*].y.z'}
  - default: {path: spec.e, value: 1}
  - cel: {path: spec.f, forward: 'string(self)', backward: 'int(self)'}
  - keep: {path: spec.g}
  - keep: {path: spec.h, in: v1}
";

fn document(text: &str) -> Document {
    let decoded = Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default());
    decoded.expect("YAML").document
}

fn conversion() -> Conversion {
    Conversion::read(document(RULES).root()).expect("rules")
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|it| it.to_string()),
        "[a-z]{0,4}".prop_map(|it| format!("\"{it}\"")),
        Just("\"{\\\"v2\\\":{\\\"spec.g\\\":1}}\"".to_owned()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let key = "[a-h]|c|d|x|y|z|list|crdkit\\.dev/kept|annotations";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::btree_map(key, inner, 0..4).prop_map(|it| {
                let members = it.iter().map(|(key, value)| format!("\"{key}\":{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn objects_of_any_form_are_converted_or_refused(spec in value(), other in value(), metadata in value()) {
        let conversion = conversion();
        for (from, to) in [("v1", "v2"), ("v2", "v1")] {
            let text = format!(
                "{{\"apiVersion\":\"lighting.example.com/{from}\",\"kind\":\"Lamp\",\"metadata\":{metadata},\"spec\":{spec},\"other\":{other}}}"
            );
            let object = document(&text);
            if let Ok(converted) = conversion.convert(&object, to) {
                let api_version = format!("lighting.example.com/{to}");
                let found = converted.root().get("apiVersion").and_then(Value::as_str);
                prop_assert_eq!(found, Some(&*api_version));
                let _ = conversion.convert(&converted, from);
            }
        }
    }

    #[test]
    fn files_of_any_form_are_read_or_refused(rules in value(), body in value()) {
        for key in ["rename", "move", "default", "cel", "keep"] {
            let text = format!(
                "{{\"for\":\"Lamp.example.com\",\"conversions\":[{{\"from\":\"v1\",\"to\":\"v2\",\"rules\":[{{\"{key}\":{body}}},{rules}]}}]}}"
            );
            let _ = Conversion::read(document(&text).root());
        }
        let _ = Conversion::read(document(&rules).root());
    }
}

#[test]
fn reviews_are_answered_or_refused() {
    let conversions: Conversions = [conversion()].into_iter().collect();
    let review = |body: &str| {
        conversions
            .review(body.as_bytes())
            .map(|it| String::from_utf8(it).unwrap())
            .map_err(|it| it.to_string())
    };
    assert!(review("{").unwrap_err().starts_with("the body is not JSON: "));
    assert_eq!(review("[]").unwrap_err(), "the document is not a ConversionReview");
    let head = r#""apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview""#;
    assert_eq!(review(&format!("{{{head}}}")).unwrap_err(), "the review has no request");
    let asked = |request: &str| review(&format!("{{{head},\"request\":{request}}}")).unwrap();
    let wanted = r#""uid":"u","desiredAPIVersion":"lighting.example.com/v2""#;
    assert_eq!(
        asked(&format!(
            r#"{{{wanted},"objects":[{{"apiVersion":"lighting.example.com/v1","kind":"Lamp","spec":{{"a":1,"e":2}}}}]}}"#
        )),
        r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"u","convertedObjects":[{"apiVersion":"lighting.example.com/v2","kind":"Lamp","spec":{"e":2,"b":1}}],"result":{"status":"Success"}}}"#
    );
    assert!(
        asked(&format!(r#"{{{wanted},"objects":[{{"apiVersion":"other/v1","kind":"Lamp"}}]}}"#))
            .contains(r#""result":{"status":"Failure","message":"Lamp is not of the group of lighting.example.com/v2"}"#)
    );
    assert!(
        asked(&format!(
            r#"{{{wanted},"objects":[{{"apiVersion":"lighting.example.com/v3","kind":"Lamp"}}]}}"#
        ))
        .contains("no rules lead from v3 to v2")
    );
}
