//! Input that nobody means: nothing panics, nothing takes forever, same input gives same output.

use crate::support::{crd, document};
use crdkit_compat::crdify::{self, Config};
use crdkit_compat::semantic;
use crdkit_schema::read;
use crdkit_value::Document;
use proptest::prelude::*;

fn report(old: &str, new: &str) -> String {
    let (old, new) = (document(old), document(new));
    let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
    crdify::compare(&old, &new, &Config::default()).plain_text()
}

#[test]
fn what_is_not_a_crd_has_nothing_to_compare() {
    let shapes = [
        "null",
        "[]",
        "{spec: 1}",
        "{spec: {versions: {}}}",
        "{spec: {versions: [1, null, {name: v1}]}}",
        "{spec: {versions: [{name: v1, served: true}, {name: v2, served: true, schema: {}}]}}",
        "{spec: {versions: [{name: v1, served: true, schema: {openAPIV3Schema: 7}}]}}",
    ];
    for old in shapes {
        for new in shapes {
            let text = report(old, new);
            // The schema that is a number says nothing, but it is there.
            let expected = if old.contains('7') && new.contains("v1") && !new.contains('7') {
                "- existingFieldRemoval - ERROR - removed field : v1.^\n"
            } else {
                ""
            };
            assert_eq!(text, expected, "{old}\n{new}");
        }
    }
}

#[test]
fn deep_and_wide_schemas_take_linear_time() {
    let deep = |leaf: &str, step: &str| {
        format!("{}{{title: {leaf}}}{}", step.repeat(180), "}".repeat(180))
    };
    for step in ["{additionalProperties: ", "{not: ", "{items: "] {
        let text = report(&crd(&deep("a", step)), &crd(&deep("b", step)));
        assert!(text.lines().count() > 1, "{step}");
    }
    let wide = |word: &str| {
        let properties: Vec<_> = (0..20_000).map(|n| format!("p{n}: {{title: {word}}}")).collect();
        crd(&format!("{{properties: {{{}}}}}", properties.join(", ")))
    };
    let text = report(&wide("a"), &wide("b"));
    assert_eq!(text.matches("unhandled -").count(), 20_000);
}

/// Small schemas, biased to having something in common.
fn schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("{}".to_owned()),
        Just("{type: string}".to_owned()),
        (0..4_u8).prop_map(|n| format!("{{maxLength: {n}}}")),
        (0..3_u8).prop_map(|n| format!("{{enum: [{n}, a]}}")),
        Just("{default: {a: 1}, nullable: true, required: [a]}".to_owned()),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| format!("{{items: {it}}}")),
            inner.clone().prop_map(|it| format!("{{additionalProperties: {it}}}")),
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|them| format!("{{anyOf: [{}]}}", them.join(", "))),
            (inner.clone(), inner)
                .prop_map(|(a, b)| format!("{{properties: {{a: {a}, items: {b}}}}}")),
        ]
    })
}

proptest! {
    #[test]
    fn a_schema_is_compatible_with_itself(schema in schema()) {
        prop_assert_eq!(report(&crd(&schema), &crd(&schema)), "");
    }

    #[test]
    fn reports_are_the_same_every_time(old in schema(), new in schema()) {
        let (old, new) = (crd(&old), crd(&new));
        prop_assert_eq!(report(&old, &new), report(&old, &new));
    }
}

#[test]
fn semantic_comparison_survives_what_no_server_would_take() {
    let deep = |leaf: &str| {
        format!(
            "{}{leaf}{}",
            "{type: object, required: [a], properties: {a: ".repeat(60),
            "}}".repeat(60)
        )
    };
    let schemas = [
        "{}".to_owned(),
        "{type: nothing, minLength: -1, maxItems: -5, minProperties: 9223372036854775807}".to_owned(),
        "{type: string, pattern: '(', maxLength: 9223372036854775807, minLength: 9223372036854775807}".to_owned(),
        "{type: string, pattern: '(a|b)*a(a|b){30}', minLength: 3}".to_owned(),
        "{type: array, minItems: 9223372036854775807, items: {type: string}}".to_owned(),
        "{type: integer, minimum: 1e300, maximum: -1e300, multipleOf: 0}".to_owned(),
        "{type: object, enum: [{a: 1}, null], minProperties: 100000, additionalProperties: {}}".to_owned(),
        "{anyOf: [], oneOf: [{}], not: {not: {}}, x-kubernetes-validations: [{rule: '('}]}".to_owned(),
        deep("{type: string, pattern: '^x'}"),
        deep("{type: string, pattern: '^y'}"),
    ];
    for old in &schemas {
        for new in &schemas {
            let (old, new) = (document(&crd(old)), document(&crd(new)));
            let report = semantic::compare(&old, &new).unwrap();
            assert!(report.answers.len() > 3);
        }
    }
}

#[test]
fn many_fields_are_compared_within_bounds() {
    let names: Vec<_> = (0..600).map(|n| format!("p{n}")).collect();
    let fields = |more: &str| {
        let fields = names.iter().map(|name| format!("{name}: {{type: string{more}}}"));
        fields.collect::<Vec<_>>().join(", ")
    };
    let few = "{type: object, properties: {p0: {type: string}}}";
    let required = format!(
        "{{type: object, properties: {{{}}}, required: [{}]}}",
        fields(""),
        names.join(", ")
    );
    let filled = format!("{{type: object, properties: {{{}}}}}", fields(", default: a"));
    for many in [required, filled] {
        for (old, new) in [(few, &*many), (&*many, few)] {
            let report = semantic::compare(&document(&crd(old)), &document(&crd(new))).unwrap();
            let witnesses = report.answers.iter().flat_map(|answer| &answer.reasons);
            let witnesses =
                witnesses.filter_map(|it| it.evidence.as_ref().ok()?.witness.as_deref());
            let n_nodes: usize = witnesses.map(Document::n_nodes).sum();
            assert!(n_nodes < 8_000_000, "{n_nodes} values are kept");
        }
    }
}
