//! Random schemas and random objects: what is called safe is never contradicted by an object, and every
//! witness shows what it is said to show.
//!
//! `CRDKIT_SOUNDNESS` sets how many pairs of schemas are tried; each is tried with hundreds of objects.

mod keywords;
mod nested;
mod tree;
mod values;

use crate::support::{crd, document, with_versions};
use crdkit_codec::Decoded;
use crdkit_compat::semantic::{self, Answer, CompatReport, Question, Verdict};
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions, Version};
use crdkit_value::{Document, NodeId, Value};
use nested::{branched, ruled};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use tree::{Pair, Tree, focused, focuses, pair, single};
use values::Dice;

/// Objects of each schema.
const OBJECTS: usize = 100;

fn lamp(spec: &str) -> Document {
    document(&format!(
        "{{apiVersion: example.com/v1, kind: Lamp, metadata: {{name: desk}}, spec: {spec}}}"
    ))
}

fn options(field_validation: FieldValidation) -> RequestOptions {
    RequestOptions::new().field_validation(field_validation)
}

fn create(version: Version<'_>, object: &Document, field_validation: FieldValidation) -> Outcome {
    let mut document = Document::copy_of(object.root());
    document.insert(NodeId::ROOT, "apiVersion", &*version.compiled().api_version);
    version.create(Decoded { document, issues: Vec::new() }, &options(field_validation))
}

fn is_whole(read: &Outcome) -> bool {
    read.changes.pruned.is_empty() && read.changes.dropped.is_empty()
}

/// The object as it is read from where it is stored.
fn stored(object: &Document) -> Document {
    let mut stored = Document::copy_of(object.root());
    let metadata = stored.root().get("metadata").map(Value::id);
    stored.insert(metadata.unwrap(), "resourceVersion", "1");
    stored
}

fn change(version: Version<'_>, before: &Document, after: &Document) -> Outcome {
    let changed = Decoded { document: stored(after), issues: Vec::new() };
    version.update(&stored(before), changed, &options(FieldValidation::Ignore))
}

/// Puts a label on a stored object.
fn label(version: Version<'_>, object: &Document) -> Outcome {
    let mut after = Document::copy_of(object.root());
    let metadata = after.root().get("metadata").map(Value::id);
    after.insert(metadata.unwrap(), "labels", document("{touched: 'true'}").root());
    change(version, object, &after)
}

/// How many pairs of schemas are tried: more when somebody has the time.
#[expect(clippy::disallowed_methods, reason = "a test may be told how long to take")]
fn cases() -> u32 {
    let wanted = std::env::var("CRDKIT_SOUNDNESS").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(1000)
}

/// Two versions, the answers about going from one to the other, and objects of the first.
struct Trial<'c> {
    pair: &'c Pair,
    report: &'c CompatReport,
    from: Version<'c>,
    to: Version<'c>,
    label: &'c str,
}

impl Trial<'_> {
    fn is_safe(&self, question: Question) -> bool {
        let mut answers = self.report.answers.iter();
        answers.any(|it| {
            it.question == question && it.version == self.label && it.verdict() == Verdict::Safe
        })
    }

    /// Tries every safe answer to `questions` with objects.
    fn refute(&self, questions: &[Question], tree: &Tree, dice: &mut Dice) -> TestCaseResult {
        let is_safe = |question| questions.contains(&question) && self.is_safe(question);
        let pair = self.pair;
        let mut last: Option<Document> = None;
        for _ in 0..OBJECTS {
            let value = dice.value(tree);
            let object = lamp(&value);
            let first = create(self.from, &object, FieldValidation::Strict);
            if !first.is_accepted() {
                continue;
            }
            // What a null meant that was dropped is what a missing field means.
            let has_dropped = !first.changes.dropped.is_empty();
            let then = create(self.to, &object, FieldValidation::Ignore);
            let read = create(self.to, first.document(), FieldValidation::Ignore);
            let is_whole = is_whole(&read);
            for question in [Question::Accept, Question::Observe, Question::Round] {
                if is_safe(question) {
                    let name = question.name();
                    prop_assert!(
                        then.is_accepted(),
                        "{} {} {:#?}\n{:?}",
                        name,
                        value,
                        pair,
                        then.issues
                    );
                    prop_assert!(
                        read.is_accepted(),
                        "{} stored {} {:#?}\n{:?}",
                        name,
                        value,
                        pair,
                        read.issues
                    );
                }
            }
            for question in [Question::Retain, Question::Observe, Question::Round] {
                if is_safe(question) {
                    prop_assert!(is_whole, "{} loses {} {:#?}", question.name(), value, pair);
                }
            }
            if is_safe(Question::Update) {
                let labelled = label(self.to, first.document());
                prop_assert!(
                    labelled.is_accepted() || !label(self.from, first.document()).is_accepted(),
                    "update {} {:#?}\n{:?}",
                    value,
                    pair,
                    labelled.issues
                );
                if let Some(last) = last.as_ref().filter(|_| is_safe(Question::Accept)) {
                    let changed = change(self.to, last, &object);
                    let fine =
                        changed.is_accepted() || !change(self.from, last, &object).is_accepted();
                    prop_assert!(
                        fine,
                        "change to {} from {:?} {:#?}\n{:?}",
                        value,
                        last.root(),
                        pair,
                        changed.issues
                    );
                }
            }
            // What is refused is not stored, so it means nothing.
            let is_stored = then.is_accepted() && then.changes.dropped.is_empty();
            if is_safe(Question::Mean) && is_whole && is_stored && !has_dropped {
                let same = then.document().root() == first.document().root();
                prop_assert!(same, "mean {} {:#?}", value, pair);
            }
            last = Some(first.into_document());
        }
        Ok(())
    }

    /// Tries the witnesses of an answer.
    fn confirm(&self, answer: &Answer) -> TestCaseResult {
        for reason in &answer.reasons {
            let evidence = reason.evidence.as_ref().ok();
            let Some(witness) = evidence.and_then(|it| it.witness.as_ref()) else { continue };
            let first = create(self.from, witness, FieldValidation::Strict);
            let then = create(self.to, witness, FieldValidation::Ignore);
            // What is lost is lost of what was stored, defaults included.
            let read = create(self.to, first.document(), FieldValidation::Ignore);
            let holds = match answer.question {
                Question::Accept => !then.is_accepted(),
                Question::Retain => !is_whole(&read),
                Question::Observe | Question::Round => !then.is_accepted() || !is_whole(&read),
                Question::Update => match evidence.and_then(|it| it.changed.as_ref()) {
                    Some(changed) => {
                        change(self.from, first.document(), changed).is_accepted()
                            && !change(self.to, first.document(), changed).is_accepted()
                    }
                    None => !label(self.to, first.document()).is_accepted(),
                },
                Question::Mean => first.document().root() != then.document().root(),
                _ => true,
            };
            let holds = holds && first.is_accepted();
            prop_assert!(holds, "{:?} {:#?} {:#?}", answer.question, reason, self.pair);
        }
        Ok(())
    }
}

#[test]
fn what_an_object_showed_once_is_not_called_safe() {
    use Question::{Accept, Mean, Retain, Update};
    let preserve = "x-kubernetes-preserve-unknown-fields: true";
    let embedded = "x-kubernetes-embedded-resource: true";
    let text = "{type: string, default: ab}";
    for (question, old, new) in [
        // A field that is not named any more is not filled in.
        (Mean, format!("{{properties: {{a: {text}}}}}"), format!("{{additionalProperties: {text}}}")),
        (Mean, format!("{{additionalProperties: {text}}}"), format!("{{properties: {{a: {text}}}}}")),
        (Mean, format!("{{properties: {{a: {text}}}}}"), format!("{{{preserve}}}")),
        (Mean, format!("{{{preserve}}}"), format!("{{properties: {{a: {text}}}}}")),
        (Mean, "{}".into(), format!("{{properties: {{a: {text}}}}}")),
        (Accept, format!("{{minProperties: 1, properties: {{a: {text}}}}}"), format!("{{minProperties: 1, {preserve}}}")),
        // A null is filled in, or is not.
        (Mean, format!("{{properties: {{a: {text}}}}}"), "{properties: {a: {type: string, default: ab, nullable: true}}}".into()),
        (Accept, "{properties: {a: {type: array, items: {type: integer, default: 1}}}}".into(), "{properties: {a: {type: array, items: {type: integer}}}}".into()),
        (Mean, "{properties: {a: {type: array, items: {type: integer, default: 1}}}}".into(), "{properties: {a: {type: array, items: {type: integer, default: 2}}}}".into()),
        // Servers do not look at defaults of other keys.
        (Accept, "{additionalProperties: {type: boolean, default: true, enum: [true]}}".into(), "{additionalProperties: {type: boolean, default: false, enum: [true]}}".into()),
        // Items become alike by a default.
        (
            Accept,
            "{properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string, default: a}}}}}}".into(),
            "{properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string, default: b}}}}}}".into(),
        ),
        // A list that keeps unknown fields of its items, which are the same in both.
        (
            Retain,
            format!("{{properties: {{l: {{type: array, {preserve}, items: {{type: object}}}}}}}}"),
            "{properties: {l: {type: array, items: {type: object}}}}".into(),
        ),
        // A branch says nothing about a field that it does not name.
        (
            Accept,
            "{properties: {a: {type: string}}, anyOf: [{required: [a]}]}".into(),
            "{properties: {a: {type: string}}, anyOf: [{required: [a], properties: {a: {maxLength: 1}}}]}".into(),
        ),
        (
            Accept,
            "{properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [a]}, {required: [b]}]}".into(),
            "{properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}, {required: [b]}]}".into(),
        ),
        (Accept, "{required: [a], additionalProperties: {type: string}}".into(), "{required: [a]}".into()),
        // A number is compared to what is listed without its fraction; a null is not.
        (Accept, "{properties: {a: {type: number, enum: [2]}}}".into(), "{properties: {a: {type: number, enum: [2], multipleOf: 2}}}".into()),
        (Accept, "{properties: {a: {type: string, maxLength: 0, nullable: true}}}".into(), "{properties: {a: {type: string, enum: [''], nullable: true}}}".into()),
        (Accept, "{properties: {a: {type: string, pattern: a$}}}".into(), "{properties: {a: {type: string, enum: [a]}}}".into()),
        (Accept, format!("{{{embedded}, properties: {{a: {{type: string}}}}}}"), "{additionalProperties: {type: string}}".into()),
        // An object with a member that has no schema does not equal itself.
        (Update, format!("{{{preserve}}}"), format!("{{{preserve}, maxProperties: 0}}")),
        // Limits that are odd: those that no type holds, that are negative, or that lose a fraction.
        (Accept, "{properties: {a: {type: string, enum: [a, b]}}}".into(), "{properties: {a: {type: string, enum: [a, b], nullable: true}}}".into()),
        (Accept, "{properties: {a: {type: integer, minimum: 10}}}".into(), "{properties: {a: {type: integer, minimum: 1.5}}}".into()),
        (Accept, "{properties: {a: {type: string}}}".into(), "{properties: {a: {type: string, maxLength: -1}}}".into()),
        (Accept, "{properties: {a: {type: integer, maximum: 5}}}".into(), "{properties: {a: {type: integer, maximum: 1e20}}}".into()),
        (Accept, "{properties: {a: {type: number, maximum: 5}}}".into(), "{properties: {a: {type: number, maximum: 1e20}}}".into()),
        (Accept, "{properties: {a: {type: object}}}".into(), "{properties: {a: {type: object, maxProperties: -1}}}".into()),
        (Accept, "{properties: {a: {type: array, items: {type: string}}}}".into(), "{properties: {a: {type: array, maxItems: -1, items: {type: string}}}}".into()),
        (Accept, "{properties: {a: {type: number, multipleOf: 1.0}}}".into(), "{properties: {a: {type: number, multipleOf: 0.1}}}".into()),
        (Accept, "{properties: {a: {type: integer, multipleOf: 1.0}}}".into(), "{properties: {a: {type: integer, multipleOf: 0.1}}}".into()),
        // What is large is never a multiple, and the smaller the factor, the sooner.
        (Accept, "{properties: {a: {type: number, multipleOf: 4}}}".into(), "{properties: {a: {type: number, multipleOf: 2}}}".into()),
        (Accept, "{required: [b, b], properties: {b: {type: string}}}".into(), "{required: [b], minProperties: 2, properties: {b: {type: string}}}".into()),
        // A list passes for a text that has a format.
        (Accept, "{properties: {a: {type: string, format: date}}}".into(), "{properties: {a: {type: string}}}".into()),
        // Without a type it does so too, and what it holds is lost; no rule can look at it.
        (Retain, format!("{{properties: {{a: {{{preserve}, format: ipv4}}}}}}"), "{properties: {a: {type: string}}}".into()),
        (
            Update,
            "{properties: {a: {type: string}, b: {type: string, format: duration}}}".into(),
            "{properties: {a: {type: string}, b: {type: string, format: duration}}, x-kubernetes-validations: [{rule: has(self.a) || has(self.b)}]}".into(),
        ),
        // A number beside a whole one passes for an integer, but not where there may be a text, and no rule can look at it.
        (
            Update,
            "{properties: {a: {x-kubernetes-int-or-string: true}, b: {type: string}}}".into(),
            "{properties: {a: {x-kubernetes-int-or-string: true}, b: {type: string}}, x-kubernetes-validations: [{rule: has(self.a) || has(self.b)}]}".into(),
        ),
        // No rule about the items of a list says that there is one.
        (
            Accept,
            "{properties: {a: {type: array, items: {type: string, enum: [a]}, x-kubernetes-validations: [{rule: 'self.all(x, self[0] == \"a\")'}]}}}".into(),
            "{properties: {a: {type: array, items: {type: string, enum: [a]}, x-kubernetes-validations: [{rule: 'self[0] == \"a\"'}]}}}".into(),
        ),
        // What is filled in is compared with what was there.
        (
            Update,
            "{properties: {a: {type: object, properties: {b: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}".into(),
            "{properties: {a: {type: object, default: {b: 1}, properties: {b: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}".into(),
        ),
        // A rule that fails does so in every update.
        (Update, "{properties: {a: {type: integer}}}".into(), "{properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a > 1}]}".into()),
    ] {
        let object = |schema: &str| crd(&schema.replacen('{', "{type: object, ", 1).replace(", }", "}"));
        let report = semantic::compare(&document(&object(&old)), &document(&object(&new))).unwrap();
        let answer = report.answers.iter().find(|it| it.question == question).unwrap();
        assert_ne!(answer.verdict(), Verdict::Safe, "{question:?}\n{old}\n{new}");
    }
}

/// Holds every safe answer about a pair against objects, and every witness against both CRDs.
fn hold(pair: &Pair, seed: u64) -> TestCaseResult {
    let old = document(&crd(&format!("{:?}", pair.old)));
    let new = format!("{:?}", pair.new);
    let new = document(&match &pair.other {
        None => crd(&new),
        Some(other) => with_versions(&[&new, &format!("{other:?}")]),
    });
    let report = semantic::compare(&old, &new).unwrap();
    // Each version stores what it is written in.
    let alone = |tree: &Tree| Crd::compile(&document(&crd(&format!("{tree:?}")))).unwrap();
    let (before, after) = (alone(&pair.old), alone(&pair.new));
    let beside = pair.other.as_ref().map(alone);
    let dice = &mut Dice::new(seed, pair);
    let there =
        [Question::Accept, Question::Update, Question::Retain, Question::Mean, Question::Own];
    let mut trials = vec![
        (before.version("v1"), after.version("v1"), "v1", &there[..], &pair.old),
        (after.version("v1"), before.version("v1"), "v1", &[Question::Observe], &pair.new),
    ];
    if let Some(other) = &pair.other {
        let beside = beside.as_ref().and_then(|it| it.version("v1"));
        let new = after.version("v1");
        trials.push((new, beside, "v1 -> v2", &[Question::Round], &pair.new));
        trials.push((beside, new, "v2 -> v1", &[Question::Round], other));
    }
    for (from, to, label, questions, tree) in trials {
        let (from, to) = (from.unwrap(), to.unwrap());
        let trial = Trial { pair, report: &report, from, to, label };
        let answers = report.answers.iter();
        for answer in answers.filter(|it| it.version == label && questions.contains(&it.question)) {
            trial.confirm(answer)?;
        }
        trial.refute(questions, tree, dice)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn no_object_contradicts_what_is_called_safe(pair in pair(), seed in any::<u64>()) {
        hold(&pair, seed)?;
    }

    #[test]
    fn no_object_contradicts_what_is_called_safe_about_a_rule(pair in ruled(), seed in any::<u64>()) {
        hold(&pair, seed)?;
    }

    #[test]
    fn no_object_contradicts_what_is_called_safe_about_branches(pair in branched(), seed in any::<u64>()) {
        hold(&pair, seed)?;
    }

    #[test]
    fn no_value_contradicts_what_is_called_safe(pair in single(), seed in any::<u64>()) {
        hold(&pair, seed)?;
    }
}

/// Every keyword of every kind of schema has its share of pairs that differ in it.
#[test]
fn no_value_contradicts_what_is_called_safe_about_a_keyword() {
    let focuses = focuses();
    let each = cases() / u32::try_from(focuses.len()).unwrap() + 1;
    for focus in &focuses {
        let config = ProptestConfig {
            cases: each,
            max_global_rejects: u32::MAX,
            max_local_rejects: u32::MAX,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let outcome = TestRunner::new(config)
            .run(&(focused(focus), any::<u64>()), |(pair, seed)| hold(&pair, seed));
        assert!(outcome.is_ok(), "{} of {:?}: {}", focus.1, focus.0, outcome.unwrap_err());
    }
}
