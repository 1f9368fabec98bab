//! Random schemas and random objects: what is called safe is never contradicted by an object.

use crate::support::{crd, document};
use crdkit_codec::Decoded;
use crdkit_compat::semantic::{self, Question, Verdict};
use crdkit_engine::{Crd, FieldValidation, Options, Outcome};
use crdkit_value::Document;
use proptest::prelude::*;

fn string() -> impl Strategy<Value = String> {
    let keyword = prop_oneof![
        Just(String::new()),
        (0..4_u8).prop_map(|n| format!(", maxLength: {n}")),
        (0..3_u8).prop_map(|n| format!(", minLength: {n}")),
        prop_oneof![
            Just("^a"),
            Just("a$"),
            Just("^[ab]*$"),
            Just("^a*b?$"),
            Just("b"),
            Just("^(ab|ba)?$")
        ]
        .prop_map(|pattern| format!(", pattern: '{pattern}'")),
        prop_oneof![Just("[a]"), Just("[a, ab]"), Just("['', b]")]
            .prop_map(|values| format!(", enum: {values}")),
        Just(", nullable: true".to_owned()),
        Just(", format: ipv4".to_owned()),
    ];
    prop::collection::btree_set(keyword, 0..3).prop_filter_map("one of each", |keywords| {
        let text: String = keywords.into_iter().collect();
        let twice = ["maxLength", "minLength", "pattern", "enum"]
            .iter()
            .any(|keyword| text.matches(keyword).count() > 1);
        (!twice).then(|| format!("{{type: string{text}}}"))
    })
}

fn number() -> impl Strategy<Value = String> {
    let bound = |name: &'static str| {
        prop::option::of(-2..6_i8).prop_map(move |bound| {
            bound.map(|bound| format!(", {name}: {bound}")).unwrap_or_default()
        })
    };
    let flag = |name: &'static str| {
        any::<bool>().prop_map(move |on| if on { format!(", {name}: true") } else { String::new() })
    };
    let kind = prop_oneof![
        Just("{type: integer"),
        Just("{type: number"),
        Just("{x-kubernetes-int-or-string: true")
    ];
    let step = prop_oneof![Just(""), Just(", multipleOf: 2"), Just(", multipleOf: 4")];
    (
        kind,
        bound("minimum"),
        bound("maximum"),
        flag("exclusiveMaximum"),
        flag("exclusiveMinimum"),
        step,
    )
        .prop_map(|(kind, min, max, over, under, step)| {
            format!("{kind}{min}{max}{over}{under}{step}}}")
        })
}

fn schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        string(),
        number(),
        Just("{type: boolean}".to_owned()),
        Just("{type: string, default: ab}".to_owned())
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        let list =
            (inner.clone(), 0..3_u8, 0..4_u8, 0..3_u8).prop_map(|(items, least, most, kind)| {
                let kind = match kind {
                    0 => ", x-kubernetes-list-type: set",
                    _ => "",
                };
                // A set holds scalars.
                let kind =
                    if items.contains("object") || items.contains("array") { "" } else { kind };
                format!(
                    "{{type: array, items: {items}, minItems: {least}, maxItems: {most}{kind}}}"
                )
            });
        let map = (inner.clone(), 0..3_u8).prop_map(|(values, most)| {
            format!("{{type: object, additionalProperties: {values}, maxProperties: {most}}}")
        });
        let object = (
            inner.clone(),
            inner,
            prop_oneof![
                Just(""),
                Just(", required: [a]"),
                Just(", required: [b]"),
                Just(", x-kubernetes-preserve-unknown-fields: true"),
                Just(", minProperties: 1"),
                Just(", anyOf: [{required: [a]}, {required: [b]}]"),
                Just(", oneOf: [{required: [a]}, {required: [b]}]"),
                Just(", not: {required: [a]}"),
                Just(", x-kubernetes-validations: [{rule: '!has(self.a)'}]"),
            ],
            any::<bool>(),
        )
            .prop_map(|(a, b, more, both)| {
                let b = if both { format!(", b: {b}") } else { String::new() };
                format!("{{type: object, properties: {{a: {a}{b}}}{more}}}")
            });
        prop_oneof![list, map, object]
    })
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[ab]{0,3}".prop_map(|text| format!("'{text}'")),
        (-3..8_i8).prop_map(|n| n.to_string()),
        Just("0.5".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("192.0.2.1".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|it| format!("[{}]", it.join(", "))),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|members| {
                let members: Vec<_> =
                    members.into_iter().map(|(k, v)| format!("{k}: {v}")).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

fn lamp(spec: &str) -> Document {
    document(&format!(
        "{{apiVersion: example.com/v1, kind: Lamp, metadata: {{name: desk}}, spec: {spec}}}"
    ))
}

fn create<'c>(crd: &'c Crd, object: &Document, field_validation: FieldValidation) -> Outcome<'c> {
    let document = Document::copy_of(object.root());
    let options = Options { field_validation, ..Options::default() };
    crd.version("v1").unwrap().create(Decoded { document, issues: Vec::new() }, &options)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_called_safe_breaks_an_object(
        old in schema(), new in schema(), same in any::<bool>(),
        values in prop::collection::vec(value(), 60),
    ) {
        // Half of the time the change is a small one: another schema for one field.
        let (old, new) = if same {
            let around = |inner: &str| {
                format!("{{type: object, properties: {{a: {inner}, b: {{type: string}}}}}}")
            };
            (around(&old), around(&new))
        } else {
            (old, new)
        };
        let (old_document, new_document) = (document(&crd(&old)), document(&crd(&new)));
        let report = semantic::compare(&old_document, &new_document).unwrap();
        let safe = |question| {
            let mut answers = report.answers.iter();
            answers.any(|it| it.question == question && it.verdict() == Verdict::Safe)
        };
        let (before, after) = (Crd::compile(&old_document).unwrap(), Crd::compile(&new_document).unwrap());
        // The server takes a list where a text of a known format belongs; that does not count.
        let quirk = |value: &&String| old.contains("format") && value.contains('[');
        for value in values.iter().filter(|value| !quirk(value)) {
            let object = lamp(value);
            let stored = create(&before, &object, FieldValidation::Strict);
            if !stored.is_accepted() || !stored.changes.dropped.is_empty() {
                continue;
            }
            if safe(Question::Accept) {
                let again = create(&after, &object, FieldValidation::Ignore);
                prop_assert!(again.is_accepted(), "{}\n{}\n{}: {:?}", old, new, value, again.issues);
            }
            if safe(Question::Retain) {
                let read = create(&after, &stored.document, FieldValidation::Ignore).changes;
                let kept = read.pruned.is_empty() && read.dropped.is_empty();
                prop_assert!(kept, "{}\n{}\n{}", old, new, value);
            }
        }
    }
}
