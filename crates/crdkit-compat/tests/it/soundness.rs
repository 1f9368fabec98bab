//! Random schemas and random objects: what is called safe is never contradicted by an object, and every
//! witness shows what it is said to show.
//!
//! `CRDKIT_SOUNDNESS` sets how many pairs of schemas are tried; each is tried with a hundred objects.

use crate::support::{crd, document};
use crdkit_codec::Decoded;
use crdkit_compat::semantic::{self, Question, Verdict};
use crdkit_engine::{Crd, FieldValidation, Options, Outcome};
use crdkit_value::{Document, Value};
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
                Just(", x-kubernetes-validations: [{rule: 'has(self.a) || size(self) > 1'}]"),
                Just(", maxProperties: 1"),
                Just(", x-kubernetes-map-type: atomic"),
                Just(", allOf: [{required: [a]}]"),
                Just(", not: {required: [a, b]}"),
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

/// Whether a label can be put on a stored object.
fn can_be_labelled(crd: &Crd, stored: &Document) -> bool {
    let mut before = Document::copy_of(stored.root());
    let metadata = before.root().get("metadata").map(Value::id);
    before.insert_string(metadata.unwrap(), "resourceVersion", "1");
    let mut after = Document::copy_of(before.root());
    let metadata = after.root().get("metadata").map(Value::id);
    after.insert(metadata.unwrap(), "labels", document("{touched: 'true'}").root());
    let options = Options { field_validation: FieldValidation::Ignore, ..Options::default() };
    let changed = Decoded { document: after, issues: Vec::new() };
    crd.version("v1").unwrap().update(&before, changed, &options).is_accepted()
}

/// How many pairs of schemas are tried: more when somebody has the time.
#[expect(clippy::disallowed_methods, reason = "a test may be told how long to take")]
fn cases() -> u32 {
    let wanted = std::env::var("CRDKIT_SOUNDNESS").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_called_safe_breaks_an_object(
        old in schema(), new in schema(), change in 0..3_u8,
        values in prop::collection::vec(value(), 100),
    ) {
        let around = |inner: &str| {
            format!("{{type: object, properties: {{a: {inner}, b: {{type: string}}}}}}")
        };
        // Mostly the change is a small one: another schema for one field, or a keyword less.
        let (old, new) = match change {
            0 => (old, new),
            1 => (around(&old), around(&new)),
            _ => {
                let less = old.split_once(", ").filter(|(_, rest)| !rest.contains('{'));
                let less = less.map(|(kind, _)| format!("{kind}}}"));
                (old.clone(), less.unwrap_or(old))
            }
        };
        let (old_document, new_document) = (document(&crd(&old)), document(&crd(&new)));
        let report = semantic::compare(&old_document, &new_document).unwrap();
        let safe = |question| {
            let mut answers = report.answers.iter();
            answers.any(|it| it.question == question && it.verdict() == Verdict::Safe)
        };
        let (before, after) = (Crd::compile(&old_document).unwrap(), Crd::compile(&new_document).unwrap());
        for answer in &report.answers {
            for reason in &answer.reasons {
                let evidence = reason.evidence.as_ref().ok();
                let Some(witness) = evidence.and_then(|it| it.witness.as_ref()) else { continue };
                let (from, to) = match answer.question {
                    Question::Observe => (&after, &before),
                    _ => (&before, &after),
                };
                let first = create(from, witness, FieldValidation::Strict);
                prop_assert!(first.is_accepted(), "{}\n{}\n{:?}", old, new, reason);
                let then = create(to, witness, FieldValidation::Ignore);
                // What is lost is lost of what was stored, defaults included.
                let read = create(to, &first.document, FieldValidation::Ignore).changes;
                let kept = read.pruned.is_empty() && read.dropped.is_empty();
                let holds = match answer.question {
                    Question::Accept => !then.is_accepted(),
                    Question::Retain => !kept,
                    Question::Observe => !then.is_accepted() || !kept,
                    Question::Update => !can_be_labelled(to, &first.document) || evidence.is_some_and(|it| it.changed.is_some()),
                    Question::Mean => first.document.root() != then.document.root(),
                    _ => true,
                };
                prop_assert!(holds, "{}\n{}\n{:?} {:?}", old, new, answer.question, reason);
            }
        }
        // The server takes a list where a text of a known format belongs; that does not count.
        let quirk = |value: &&String| old.contains("format") && value.contains('[');
        for value in values.iter().filter(|value| !quirk(value)) {
            let object = lamp(value);
            let stored = create(&before, &object, FieldValidation::Strict);
            if !stored.is_accepted() || !stored.changes.dropped.is_empty() {
                continue;
            }
            let again = create(&after, &object, FieldValidation::Ignore);
            if safe(Question::Accept) {
                prop_assert!(again.is_accepted(), "{}\n{}\n{}: {:?}", old, new, value, again.issues);
            }
            if safe(Question::Update) {
                let fine = can_be_labelled(&after, &stored.document);
                prop_assert!(fine, "update\n{}\n{}\n{}", old, new, value);
            }
            let read = create(&after, &stored.document, FieldValidation::Ignore);
            let kept = read.changes.pruned.is_empty() && read.changes.dropped.is_empty();
            if safe(Question::Retain) {
                prop_assert!(kept, "{}\n{}\n{}", old, new, value);
            }
            // What is refused is not stored, so it means nothing.
            let is_stored = again.is_accepted() && again.changes.dropped.is_empty();
            if safe(Question::Mean) && kept && is_stored {
                let same = again.document.root() == stored.document.root();
                prop_assert!(same, "mean\n{}\n{}\n{}", old, new, value);
            }
        }
    }
}
