//! Input that nobody should write: an answer within limits, never a panic or a long wait.

use crate::support::create;
use crdkit_codec::{DecodeOptions, Decoded, json};
use crdkit_schema::read;

/// The JSON of a CRD with this schema.
fn with_schema(schema: &str) -> String {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{{"name":"widgets.example.com"}},"spec":{{"group":"example.com","scope":"Cluster",
        "names":{{"plural":"widgets","kind":"Widget"}},"versions":[{{"name":"v1","served":true,
        "storage":true,"schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
    )
}

fn decode(text: &str) -> Decoded {
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("the text is JSON")
}

/// The codes of the findings about a CRD, each once.
fn codes(text: &str) -> Vec<&'static str> {
    let mut codes: Vec<_> = create(&decode(text)).iter().map(|issue| issue.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// `open` and `close` around `inner`, `depth` times.
fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn a_document_that_is_no_crd_is_refused() {
    for text in ["null", "[]", "3", "\"x\"", "true"] {
        assert!(!codes(text).is_empty(), "{text}");
    }
    assert!(codes("{}").contains(&"field-required"));
    assert_eq!(codes(r#"{"spec":[]}"#), ["wrong-json-type"]);
    assert_eq!(codes(r#"{"spec":{"versions":[[]]}}"#), ["wrong-json-type"]);
    assert!(codes(r#"{"spec":{"versions":[null]}}"#).contains(&"invalid-name"));
}

#[test]
fn a_schema_of_thousands_of_levels_is_too_deep() {
    for (open, close) in [
        (r#"{"type":"object","properties":{"a":"#, "}}"),
        (r#"{"type":"array","items":"#, "}"),
        (r#"{"type":"object","additionalProperties":"#, "}"),
        (r#"{"not":"#, "}"),
        (r#"{"allOf":["#, "]}"),
        (r#"{"definitions":{"a":"#, "}}"),
    ] {
        let schema = nested(4_000, open, "{}", close);
        assert_eq!(codes(&with_schema(&schema)), ["schema-too-deep"], "{open}");
    }
}

#[test]
fn a_schema_of_a_hundred_levels_is_not() {
    let schema =
        nested(100, r#"{"type":"object","properties":{"a":"#, r#"{"type":"string"}"#, "}}");
    assert_eq!(codes(&with_schema(&schema)), [""; 0]);
}

#[test]
fn a_default_of_thousands_of_levels_is_only_compared() {
    let deep = nested(4_000, "[", "", "]");
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"array","items":{{"type":"string"}},"default":{deep}}}}}}}"#
    );
    assert_eq!(codes(&with_schema(&schema)), ["type-mismatch"]);
}

#[test]
fn a_hundred_thousand_properties_take_no_longer_than_they_must() {
    let property = |index: usize| format!(r#""p{index}":{{"type":"string"}}"#);
    let properties: Vec<String> = (0..100_000).map(property).collect();
    let names: Vec<String> = (0..100_000).map(|index| format!(r#""p{index}""#)).collect();
    let (properties, names) = (properties.join(","), names.join(","));
    let schema = format!(
        r#"{{"type":"object","required":[{names}],"properties":{{{properties},"list":{{"type":"array",
        "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[{names}],
        "items":{{"type":"object","required":[{names}],"properties":{{{properties}}}}}}}}}}}"#
    );
    assert_eq!(codes(&with_schema(&schema)), [""; 0]);
}

#[test]
fn the_same_mistake_a_hundred_thousand_times_is_reported_a_bounded_number_of_times() {
    let keys = vec![r#""k""#; 100_000].join(",");
    let schema = format!(
        r#"{{"type":"object","properties":{{"list":{{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":[{keys}],"items":{{"type":"object"}}}}}}}}"#
    );
    let decoded = decode(&with_schema(&schema));
    let issues = create(&decoded);
    assert!(!issues.is_empty() && issues.len() < 1_000, "{}", issues.len());
}

#[test]
fn twenty_thousand_versions_take_no_longer_than_they_must() {
    let version = |index: usize| {
        let storage = index == 0;
        format!(
            r#"{{"name":"v{index}","served":true,"storage":{storage},"subresources":{{"status":{{}}}},
            "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"a":{{"type":"integer","default":{index},
            "x-kubernetes-validations":[{{"rule":"self >= 0"}}]}}}}}}}}}}"#
        )
    };
    let versions: Vec<String> = (0..20_000).map(version).collect();
    let text = format!(
        r#"{{"metadata":{{"name":"widgets.example.com"}},"spec":{{"group":"example.com","scope":"Cluster",
        "names":{{"plural":"widgets","kind":"Widget"}},"versions":[{}]}}}}"#,
        versions.join(",")
    );
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn a_pattern_of_a_megabyte_is_read_or_refused() {
    let pattern = "(a|b)".repeat(200_000);
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"string","pattern":"{pattern}"}}}}}}"#
    );
    let found = codes(&with_schema(&schema));
    assert!(found.is_empty() || found == ["pattern-syntax"], "{found:?}");
}

#[test]
fn references_that_lead_in_a_circle_are_a_finding() {
    let text = r##"{"components":{"schemas":{
        "a":{"$ref":"#/components/schemas/b"},"b":{"$ref":"#/components/schemas/a"},
        "tree":{"properties":{"left":{"$ref":"#/components/schemas/tree"}}},
        "gone":{"$ref":"#/components/schemas/missing"},"far":{"$ref":"http://example.com"}}}}"##;
    let decoded = decode(text);
    let (schemas, names, issues) = read::openapi(decoded.document.root());
    let mut found: Vec<_> = issues.iter().map(|issue| issue.code.name()).collect();
    found.sort_unstable();
    assert_eq!(found, ["reference-circle", "reference-unresolved", "reference-unresolved"]);
    let tree = names.iter().find(|(name, _)| *name == "tree").expect("it is there").1;
    let left = schemas.get(tree).properties.get("left").expect("it is there");
    assert_eq!(schemas.get(left).legacy().target, Some(tree));
}

#[test]
fn defaults_that_multiply_are_too_large() {
    let mut schema = r#"{"type":"string","default":"x"}"#.to_owned();
    for _ in 0..6 {
        let properties: Vec<_> = (0..10).map(|at| format!(r#""p{at}":{schema}"#)).collect();
        let properties = properties.join(",");
        schema = if properties.len() < 400_000 {
            format!(r#"{{"type":"object","default":{{}},"properties":{{{properties}}}}}"#)
        } else {
            schema
        };
    }
    assert!(!codes(&with_schema(&schema)).contains(&"default-too-large"));
    // The same default for each of many properties: what is small to write is large to fill in.
    let listed: Vec<_> =
        (0..2000).map(|at| format!(r#""q{at}":{{"type":"string","default":"x"}}"#)).collect();
    let inner = format!(r#"{{"type":"object","properties":{{{}}}}}"#, listed.join(","));
    let items = vec!["{}"; 200].join(",");
    let schema = format!(
        r#"{{"type":"object","properties":{{"l":{{"type":"array","items":{inner},"default":[{items}]}}}}}}"#
    );
    assert_eq!(codes(&with_schema(&schema)), ["default-too-large"]);
}

#[test]
fn many_names_take_linear_time() {
    let names: Vec<_> = (0..200_000).map(|n| format!("\"n{n}\"")).collect();
    let names = names.join(",");
    let more = format!(r#""kind":"Widget","shortNames":[{names}],"categories":[{names}]"#);
    let text = with_schema(r#"{"type":"object"}"#).replace(r#""kind":"Widget""#, &more);
    assert_eq!(codes(&text), [""; 0]);
}
