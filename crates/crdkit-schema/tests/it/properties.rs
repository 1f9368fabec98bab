//! What holds for any document.

use crate::support::{create, update};
use crdkit_codec::{DecodeOptions, Decoded, json};
use crdkit_schema::status::{self, Subject};
use proptest::prelude::*;

const KEYWORDS: &[&str] = &[
    "type",
    "format",
    "default",
    "enum",
    "pattern",
    "maxLength",
    "minimum",
    "required",
    "properties",
    "items",
    "additionalProperties",
    "allOf",
    "anyOf",
    "not",
    "nullable",
    "uniqueItems",
    "$ref",
    "id",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
    "metadata",
    "kind",
    "a",
    "rule",
    "fieldPath",
];

const TEXTS: &[&str] = &[
    "object",
    "array",
    "string",
    "integer",
    "map",
    "set",
    "atomic",
    "a",
    "",
    "self.a == 1",
    ".a",
    "[",
    "date-time",
    "self == oldSelf",
];

/// JSON that looks like schemas now and then.
fn schema_like() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|bool| bool.to_string()),
        (-3_i64..4).prop_map(|int| int.to_string()),
        Just("1.5".to_owned()),
        prop::sample::select(TEXTS).prop_map(|text| format!("{text:?}")),
    ];
    scalar.prop_recursive(5, 60, 6, |inner| {
        let member = (prop::sample::select(KEYWORDS), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn crd(schema: &str) -> Decoded {
    let text = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{{"name":"widgets.example.com","resourceVersion":"1"}},
        "spec":{{"group":"example.com","scope":"Cluster","names":{{"plural":"widgets","kind":"Widget"}},
        "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":
        {{"type":"object","properties":{{"spec":{schema}}}}}}}}}]}},"status":{{"storedVersions":["v1"]}}}}"#
    );
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("the text is JSON")
}

proptest! {
    #[test]
    fn any_schema_gets_an_answer_that_can_be_written(schema in schema_like()) {
        let decoded = crd(&schema);
        let issues = create(&decoded);
        let subject = Subject {
            group: "apiextensions.k8s.io",
            version: "v1",
            kind: "CustomResourceDefinition",
            name: "widgets.example.com",
        };
        let answer = subject.invalid(&issues);
        prop_assert_eq!(answer.causes().len(), issues.len());
        let unfilled = issues.iter().find(|issue| status::line(issue).contains("{problem"));
        prop_assert_eq!(unfilled, None);
    }

    #[test]
    fn the_same_document_gives_the_same_findings(schema in schema_like()) {
        prop_assert_eq!(create(&crd(&schema)), create(&crd(&schema)));
    }

    #[test]
    fn what_may_be_created_may_be_updated_to_itself(schema in schema_like()) {
        let decoded = crd(&schema);
        if create(&decoded).is_empty() {
            prop_assert_eq!(update(&decoded, &decoded), vec![]);
        }
    }
}
