//! Unknown keys: every combination of what the schema says with every policy.

use crate::support::{check_with, found, loose, schema};
use crdkit_schema::compile::Member;
use crdkit_structure::import::{ImportOptions, Profile, Unknown};
use crdkit_structure::member::becomes;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Additional {
    Absent,
    True,
    False,
    Schema,
}

// Proves REQ-002, REQ-032, REQ-043, REQ-044, REQ-045, REQ-046, REQ-095, REQ-112, REQ-134.
// Proves REQ-202.
#[test]
fn the_order_of_precedence_is_fixed() {
    let policies = [
        Unknown::Prune,
        Unknown::Strict,
        Unknown::Preserve,
        Unknown::Passthrough { target: "/extra".into() },
    ];
    for preserve in [false, true] {
        for additional in
            [Additional::Absent, Additional::True, Additional::False, Additional::Schema]
        {
            for pattern in [None, Some("^k"), Some("^z")] {
                for policy in &policies {
                    one(preserve, additional, pattern, policy);
                }
            }
        }
    }
}

fn one(preserve: bool, additional: Additional, pattern: Option<&str>, policy: &Unknown) {
    let mut text = String::from("{type: object, properties: {known: true}");
    if preserve {
        text.push_str(", x-kubernetes-preserve-unknown-fields: true");
    }
    text.push_str(match additional {
        Additional::Absent => "",
        Additional::True => ", additionalProperties: true",
        Additional::False => ", additionalProperties: false",
        Additional::Schema => ", additionalProperties: {type: string}",
    });
    if let Some(pattern) = pattern {
        let _ = write!(text, ", patternProperties: {{'{pattern}': true}}");
    }
    text.push('}');
    let schema = schema(&text, &loose().unknown(policy.clone()));
    let by_pattern = pattern == Some("^k");
    let expected = if by_pattern {
        "known"
    } else if preserve {
        "keep"
    } else {
        match additional {
            Additional::True => "keep",
            Additional::False => "forbidden",
            Additional::Schema => "known",
            Additional::Absent => "policy",
        }
    };
    let member = match becomes(&schema, schema.root(), "key", false, |_| {}) {
        Member::Known(()) => "known",
        Member::Allowed | Member::Kept => "keep",
        Member::Refused => "forbidden",
        Member::Unknown => "policy",
    };
    assert_eq!(member, expected, "{text}");
    let refused = expected == "forbidden" || expected == "policy" && *policy == Unknown::Strict;
    let mistyped = expected == "known" && !by_pattern;
    let lines = found(&schema, "{known: 1, key: 1}");
    let wanted: &[&str] = match (refused, mistyped) {
        (true, _) => &["unknown-key @ /key"],
        (_, true) => &["type-mismatch @ /key"],
        _ => &[],
    };
    assert_eq!(lines, wanted, "{text} {policy:?}");
}

// Proves REQ-192.
#[test]
fn a_resource_always_knows_its_type_and_metadata() {
    let strict = ImportOptions::new().unknown(Unknown::Strict);
    let root = "{openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}";
    check_with(&strict, root, "{apiVersion: a/b, kind: C, metadata: {any: 1}, spec: {}}", &[]);
    check_with(&strict, root, "{apiVersion: a/b, status: {}}", &["unknown-key @ /status"]);
    let embedded =
        "{type: object, properties: {t: {type: object, x-kubernetes-embedded-resource: true}}}";
    check_with(&strict, embedded, "{t: {kind: C, spec: 1}}", &["unknown-key @ /t/spec"]);
}

// Proves REQ-096.
#[test]
fn combined_schemas_make_keys_known_under_the_loose_profile_only() {
    let text =
        "{type: object, allOf: [{properties: {a: true}}], anyOf: [{properties: {b: true}}, true]}";
    let strict = loose().unknown(Unknown::Strict);
    check_with(&strict, text, "{a: 1, b: 1, c: 1}", &["unknown-key @ /c"]);
    let structural = strict.profile(Profile::StructuralV1);
    check_with(
        &structural,
        text,
        "{a: 1, b: 1, c: 1}",
        &["unknown-key @ /a", "unknown-key @ /b", "unknown-key @ /c"],
    );
    // What a reference leads to is declared in every profile.
    let text = "{type: object, $ref: '#/$defs/d', properties: {b: true}, $defs: {d: {properties: {a: true}}}}";
    check_with(&structural, text, "{a: 1, b: 1}", &[]);
}

#[test]
fn a_schema_that_says_nothing_knows_everything() {
    check_with(
        &loose().unknown(Unknown::Strict),
        "{properties: {any: {}}}",
        "{any: {x: {y: 1}}}",
        &[],
    );
}
