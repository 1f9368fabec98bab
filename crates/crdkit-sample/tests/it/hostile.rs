//! Schemas that ask for too much, or for what cannot be: the search ends, and says what it found.

use super::sample;
use crdkit_sample::Extent::{All, Minimal};

#[test]
fn what_cannot_be_satisfied_is_given_up() {
    for schema in [
        "{type: string, pattern: '^a$', minLength: 5}",
        "{type: integer, minimum: 5, maximum: 4}",
        "{type: integer, multipleOf: 0}",
        "{type: integer, multipleOf: -2}",
        "{type: array, minItems: 3, x-kubernetes-list-type: set, items: {type: boolean}}",
        "{type: object, not: {}}",
        "{type: object, oneOf: [{}, {}]}",
        "{type: object, minProperties: 4, properties: {a: {type: string}}}",
        "{type: object, required: [a]}",
        "{type: object, properties: {a: {type: string}}, allOf: [{required: [a]}, {not: {required: [a]}}]}",
    ] {
        for extent in [Minimal, All] {
            assert!(!sample(schema, extent).problems.is_empty(), "{schema}");
        }
    }
}

#[test]
fn what_asks_for_very_much_gets_a_little() {
    for schema in [
        "{type: array, minItems: 1000000000, items: {type: string}}",
        "{type: string, minLength: 1000000000}",
        "{type: object, minProperties: 1000000000, additionalProperties: {type: string}}",
        "{type: string, pattern: '^(a{1000}){1000}$'}",
    ] {
        let sample = sample(schema, Minimal);
        assert!(sample.document.n_nodes() < 10_000, "{schema}");
    }
}

#[test]
fn deep_schemas_are_gone_through() {
    let (mut schema, mut end) = (String::new(), String::new());
    for _ in 0..40 {
        schema.push_str("{type: object, required: [a], properties: {a: ");
        end.push_str("}}");
    }
    let schema = format!("{schema}{{type: string}}{end}");
    assert!(sample(&schema, All).problems.is_empty());
}

#[test]
fn thousands_of_fields_that_cannot_be_right_end_the_search() {
    let fields: Vec<_> = (0..6_000).map(|n| format!("p{n}: {{type: strin}}")).collect();
    let schema = format!("{{type: object, properties: {{{}}}}}", fields.join(", "));
    assert!(!sample(&schema, All).problems.is_empty());
}
