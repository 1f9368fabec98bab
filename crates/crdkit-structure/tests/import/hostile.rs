//! Schemas and values made to exhaust something.

use crate::support::{decode, issues, loose, schema, try_import};
use crdkit_structure::import::ImportOptions;
use proptest::prelude::*;
use std::fmt::Write as _;

/// `text` inside itself, `depth` times.
fn nested(open: &str, core: &str, close: &str, depth: usize) -> String {
    format!("{}{core}{}", open.repeat(depth), close.repeat(depth))
}

fn json(text: &str) -> crdkit_value::Document {
    let options = crdkit_codec::DecodeOptions::default();
    crdkit_codec::json::decode(text.as_bytes(), &options).expect("JSON").document
}

#[test]
fn a_value_as_deep_as_decoders_allow_does_not_exhaust_the_stack() {
    let recursive = schema("{properties: {a: {$ref: '#'}}, items: {$ref: '#'}}", &loose());
    for value in [nested("{\"a\":", "1", "}", 9_000), nested("[", "1", "]", 9_000)] {
        let found = issues(&recursive, &json(&value));
        let names: Vec<&str> = found.iter().map(|issue| issue.code.info().name).collect();
        assert_eq!(names, ["evaluation-too-deep"]);
    }
    let unique = schema("{uniqueItems: true, const: 1}", &loose());
    let deep = nested("{\"a\":[", "1", "]}", 4_000);
    let found = issues(&unique, &json(&format!("[{deep},{deep}]")));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_schema_as_deep_as_decoders_allow_is_imported() {
    for (open, core, close) in [
        ("{\"properties\":{\"a\":", "{\"type\":\"string\"}", "}}"),
        ("{\"not\":", "{}", "}"),
        ("{\"allOf\":[", "{}", "]}"),
        ("{\"items\":", "true", "}"),
        ("{\"$defs\":{\"a\":", "{}", "}}"),
    ] {
        let text = nested(open, core, close, 4_000);
        let imported = crdkit_structure::import::import(json(&text).root(), &loose());
        let schema = imported.expect("a schema").schema;
        issues(&schema, &json("{\"a\":{\"a\":[[1]]}}"));
    }
}

#[test]
fn a_long_chain_of_references_is_followed() {
    let mut text = String::from("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for at in 0..20_000 {
        let _ = write!(text, "\"d{at}\":{{\"$ref\":\"#/$defs/d{}\"}},", at + 1);
    }
    text.push_str("\"d20000\":{\"type\":\"string\"}}}");
    let imported =
        crdkit_structure::import::import(json(&text).root(), &loose()).expect("a schema");
    assert_eq!(issues(&imported.schema, &json("1")).len(), 1);
}

#[test]
fn alternatives_that_multiply_end() {
    // Each level tries the next one twice: two to the power of sixty evaluations.
    let mut text = String::from("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for at in 0..60 {
        let next = at + 1;
        let _ = write!(
            text,
            "\"d{at}\":{{\"title\":\"{at}\",\"oneOf\":[{{\"$ref\":\"#/$defs/d{next}\"}},{{\"minimum\":1,\"allOf\":[{{\"$ref\":\"#/$defs/d{next}\"}}]}}]}},"
        );
    }
    text.push_str("\"d60\":{\"type\":\"string\"}}}");
    let imported =
        crdkit_structure::import::import(json(&text).root(), &loose()).expect("a schema");
    assert!(!issues(&imported.schema, &json("1")).is_empty());
}

#[test]
fn references_at_run_time_end() {
    let text = "{$id: 'https://example.com/a', $dynamicAnchor: node, if: true, then: {$dynamicRef: '#node'}}";
    let schema = schema(text, &loose());
    let found = issues(&schema, &decode("1"));
    assert_eq!(
        found.iter().map(|it| it.code.info().name).collect::<Vec<_>>(),
        ["evaluation-too-deep"]
    );
}

proptest! {
    #[test]
    fn no_schema_makes_the_importer_panic(text in r#"[\[\]{},:"a-z$#/0-9 ]{0,80}"#) {
        if let Ok(decoded) = crdkit_codec::yaml::decode(text.as_bytes(), &crdkit_codec::DecodeOptions::default()) {
            let _ = crdkit_structure::import::import(decoded.document.root(), &loose());
            let _ = crdkit_structure::import::import(decoded.document.root(), &ImportOptions::kubernetes());
        }
    }

    #[test]
    fn keywords_of_any_type_are_survived(
        keyword in prop::sample::select(&["type", "enum", "const", "required", "properties", "items", "prefixItems",
            "allOf", "not", "if", "$ref", "$id", "$anchor", "$dynamicRef", "pattern", "minimum", "multipleOf",
            "contains", "dependencies", "discriminator", "x-kubernetes-unions", "x-kubernetes-validations",
            "x-kubernetes-list-map-keys", "format", "default", "additionalProperties", "unevaluatedItems"][..]),
        value in prop::sample::select(&["null", "1", "-1.5", "'x'", "[]", "{}", "[1]", "[{}]", "{a: 1}", "{a: []}", "true", "'#'"][..]),
    ) {
        let text = format!("{{'{keyword}': {value}, properties: {{x: {{'{keyword}': {value}}}}}}}");
        let text = if keyword == "properties" { format!("{{'{keyword}': {value}}}") } else { text };
        if let Ok(imported) = try_import(&text, &loose()) {
            for value in ["1", "{x: {a: 1}}", "[a]", "x"] {
                issues(&imported.schema, &decode(value));
            }
        }
    }
}
