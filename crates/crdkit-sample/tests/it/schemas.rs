//! One keyword or rule at a time: what the sample looks like.

use super::{sample, spec};
use crdkit_sample::Extent::{All, Minimal, Usual};

#[test]
fn keywords_are_minded() {
    for (schema, minimal, all) in [
        ("{type: object}", "{}", "{}"),
        ("{type: string}", r#""example""#, r#""example""#),
        ("{type: string, maxLength: 3}", r#""a""#, r#""a""#),
        ("{type: string, minLength: 9}", r#""aaaaaaaaa""#, r#""aaaaaaaaa""#),
        ("{type: string, pattern: '^x{3}$'}", r#""xxx""#, r#""xxx""#),
        ("{type: string, format: ipv6}", r#""2001:db8::1""#, r#""2001:db8::1""#),
        ("{type: string, enum: ['', b]}", r#""b""#, r#""b""#),
        ("{type: integer, minimum: 7, exclusiveMinimum: true}", "8", "8"),
        ("{type: integer, multipleOf: 5, minimum: 11}", "15", "15"),
        ("{type: number, minimum: 0.1, maximum: 0.3}", "0.2", "0.2"),
        ("{x-kubernetes-int-or-string: true}", "1", "1"),
        ("{type: array, items: {type: string}}", "[]", r#"["example"]"#),
        (
            "{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string}}",
            r#"["example-1","example-2"]"#,
            r#"["example-1","example-2"]"#,
        ),
        (
            "{type: array, minItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port],
              items: {type: object, required: [port], properties: {port: {type: integer}}}}",
            r#"[{"port":1},{"port":2}]"#,
            r#"[{"port":1},{"port":2}]"#,
        ),
        (
            "{type: object, minProperties: 2, additionalProperties: {type: boolean}}",
            r#"{"key":false,"key2":false}"#,
            r#"{"key":false,"key2":false}"#,
        ),
        (
            "{type: object, required: [a, b], properties: {a: {type: string, default: x}, b: {type: integer}, c: {type: string}}}",
            r#"{"b":1}"#,
            r#"{"a":"x","b":1,"c":"example"}"#,
        ),
        (
            "{type: object, oneOf: [{required: [a]}, {required: [b]}],
              properties: {a: {type: string}, b: {type: string}, c: {type: string}}}",
            r#"{"a":"example"}"#,
            r#"{"a":"example","c":"example"}"#,
        ),
        (
            "{type: object, properties: {t: {type: string}, a: {type: string}},
              oneOf: [{properties: {t: {enum: [A]}}, required: [t, a]}, {properties: {t: {enum: [B]}}, required: [t]}]}",
            r#"{"t":"A","a":"example"}"#,
            r#"{"t":"A","a":"example"}"#,
        ),
        (
            "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"example"}}"#,
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"example"}}"#,
        ),
    ] {
        assert_eq!(spec(schema, Minimal), minimal, "{schema}");
        assert_eq!(spec(schema, All), all, "{schema}");
    }
}

#[test]
fn rules_are_satisfied() {
    for (properties, rule) in [
        ("a: {type: integer}, b: {type: integer, minimum: 5}", "has(self.b) && self.a > self.b"),
        ("a: {type: string}", "has(self.a) && self.a.startsWith('arn:') && self.a.endsWith(':x')"),
        ("a: {type: string}", "has(self.a) && self.a.matches('^[0-9]{4}-z$')"),
        ("a: {type: string, format: byte}", "has(self.a) && string(self.a).startsWith('BEGIN')"),
        (
            "a: {type: array, maxItems: 9, items: {type: string}}",
            "has(self.a) && size(self.a) == 3",
        ),
        (
            "t: {type: string, enum: [A, B]}, b: {type: string}",
            "has(self.b) == (has(self.t) && self.t == 'B')",
        ),
        ("a: {type: string}, b: {type: string}", "[has(self.a), has(self.b)].exists_one(x, x)"),
        ("a: {type: boolean, default: false}", "self.a"),
        (
            "a: {type: object, properties: {b: {type: object, properties: {c: {type: integer}}}}}",
            "self.a.b.c == 42",
        ),
        (
            "a-b: {type: string}",
            "has(self.a__dash__b) && duration(self.a__dash__b) > duration('5s')",
        ),
        (
            "q: {x-kubernetes-int-or-string: true}",
            "has(self.q) && quantity(string(self.q)).isGreaterThan(quantity('1Gi'))",
        ),
        ("u: {type: string}", "has(self.u) && isURL(self.u) && url(self.u).getScheme() == 'https'"),
    ] {
        let rule = rule.replace('\'', "''");
        let schema = format!(
            "{{type: object, properties: {{{properties}}}, x-kubernetes-validations: [{{rule: '{rule}'}}]}}"
        );
        for extent in [Minimal, Usual, All] {
            spec(&schema, extent);
        }
    }
}

#[test]
fn an_object_that_cannot_be_found_says_why() {
    let schema = "{type: object, properties: {a: {type: integer}}, \
                  x-kubernetes-validations: [{rule: 'self.a == self.a + 1', message: never}]}";
    let sample = sample(schema, Usual);
    assert!(sample.problems.iter().any(|problem| problem.to_string().contains("never")
        || problem.to_string().contains("no such key")));
}

#[test]
fn a_version_that_is_not_served_has_no_sample() {
    let document = super::crd("{type: object}");
    let sampler = crdkit_sample::Sampler::new(&document).expect("a CRD");
    assert!(sampler.sample("v2", Usual).is_none());
}
