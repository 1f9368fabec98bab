//! Alternatives: the strategies, discriminators, and that nothing depends on chance.

use crate::support::{argument, check, check_with, decode, found, issues, loose, schema};
use crdkit_structure::import::{Ambiguity, IntOrString, Unknown};
use crdkit_structure::validate;
use proptest::prelude::*;

const STRATEGIES: [Ambiguity; 3] = [Ambiguity::Error, Ambiguity::FirstMatch, Ambiguity::ScoreBest];

proptest! {
    // Proves REQ-080, REQ-081, REQ-083.
    #[test]
    fn the_table_of_strategies_holds(matches in prop::collection::vec(any::<bool>(), 1..6)) {
        let branch = |matches: &bool| if *matches { "{minimum: 0}" } else { "{minimum: 9}" };
        let branches: Vec<&str> = matches.iter().map(branch).collect();
        let text = format!("{{oneOf: [{}]}}", branches.join(", "));
        let matching: Vec<usize> =
            matches.iter().enumerate().filter(|(_, it)| **it).map(|(at, _)| at).collect();
        for strategy in STRATEGIES {
            let schema = schema(&text, &loose().ambiguity(strategy));
            let found = issues(&schema, &decode("1"));
            let names: Vec<&str> = found.iter().map(|issue| issue.code.info().name).collect();
            let expected: &[&str] = match (matching.len(), strategy) {
                (0, Ambiguity::ScoreBest) => &["minimum"],
                (0, _) => &["union-no-match"],
                (1, _) => &[],
                (_, Ambiguity::Error) => &["union-ambiguous"],
                _ => &[],
            };
            prop_assert_eq!(names, expected, "{:?}", strategy);
            if let Some(issue) = found.first().filter(|_| matching.len() > 1) {
                let shown: Vec<String> = matching.iter().map(usize::to_string).collect();
                prop_assert_eq!(argument(issue, "branches"), Some(shown.join(", ")));
            }
        }
    }

    #[test]
    fn the_verdict_does_not_depend_on_the_order_of_branches(order in Just(vec![0, 1, 2]).prop_shuffle()) {
        let branches = ["{required: [a]}", "{required: [b]}", "{type: string, minLength: 1}"];
        let text = |keyword: &str| {
            let shuffled: Vec<&str> = order.iter().map(|at: &usize| branches[*at]).collect();
            format!("{{{keyword}: [{}]}}", shuffled.join(", "))
        };
        for value in ["{a: 1}", "{a: 1, b: 1}", "{}", "x", "3"] {
            for keyword in ["oneOf", "anyOf"] {
                let names = |text: &str| -> Vec<&str> {
                    let found = issues(&schema(text, &loose()), &decode(value));
                    found.iter().map(|issue| issue.code.info().name).collect()
                };
                let plain = format!("{{{keyword}: [{}]}}", branches.join(", "));
                prop_assert_eq!(names(&text(keyword)), names(&plain));
            }
        }
    }
}

// Proves REQ-082.
#[test]
fn the_closest_branch_is_the_one_with_the_fewest_findings_and_the_right_type() {
    let text = "
oneOf:
- {type: string}
- {type: object, required: [a, b, c]}
- {type: object, required: [a, b]}";
    check(text, "{a: 1}", &["union-no-match @  (closest is 2)"]);
    let best = loose().ambiguity(Ambiguity::ScoreBest);
    let found = issues(&schema(text, &best), &decode("{a: 1}"));
    assert_eq!(found.iter().map(crate::support::line).collect::<Vec<_>>(), ["required @ /b"]);
    assert_eq!(argument(&found[0], "branch").as_deref(), Some("2"));
    // One more thing wrong with the winner makes it lose, and changes nothing about the others.
    let text = text.replace("required: [a, b]}", "required: [a, b, d, e]}");
    check(&text, "{a: 1}", &["union-no-match @  (closest is 1)"]);
    let found = issues(&schema(&text, &loose()), &decode("{a: 1}"));
    assert_eq!(argument(&found[0], "causes").as_deref(), Some("required at /b; required at /c"));
}

#[test]
fn a_wrong_type_never_wins() {
    let text = "{anyOf: [{type: string}, {type: object, required: [a, b, c, d], properties: {x: {type: integer}}}]}";
    check(text, "{x: 1}", &["union-no-match @  (closest is 1)"]);
}

// Proves REQ-115.
#[test]
fn several_matches_of_any_of_are_fine_unless_they_exclude_each_other() {
    let text = "{anyOf: [{required: [a]}, {required: [b]}]}";
    check(text, "{a: 1, b: 1}", &[]);
    check_with(&loose().exclusive_any_of(true), text, "{a: 1, b: 1}", &["union-ambiguous @ "]);
    check_with(&loose().exclusive_any_of(true), text, "{a: 1}", &[]);
    check_with(
        &loose().exclusive_any_of(true).ambiguity(Ambiguity::FirstMatch),
        text,
        "{a: 1, b: 1}",
        &[],
    );
    // Where unknown keys are removed, branches that know different keys give different results.
    let text = "{anyOf: [{properties: {a: true}}, {properties: {b: true}}]}";
    let prune = loose().unknown(Unknown::Prune);
    check_with(&prune, text, "{a: 1, b: 1}", &["union-ambiguous @ "]);
    check_with(&prune, text, "{}", &[]);
    check(text, "{a: 1, b: 1}", &[]);
}

#[test]
fn several_matches_leave_a_choice_for_the_result() {
    let text =
        "{oneOf: [{properties: {a: true}}, {properties: {a: true, b: true}}, {type: object}]}";
    let value = decode("{a: 1, b: 2}");
    for (strategy, expected) in [(Ambiguity::FirstMatch, 0), (Ambiguity::ScoreBest, 1)] {
        let schema = schema(text, &loose().ambiguity(strategy));
        let chosen = validate::branch(&schema, schema.root(), value.root());
        let branches = &schema.node(schema.root()).junctors().expect("a union").one_of;
        assert_eq!(chosen, branches.get(expected).copied(), "{strategy:?}");
    }
}

#[test]
fn a_discriminator_decides_alone() {
    let text = "
discriminator: {propertyName: kind, mapping: {cat: '#/$defs/Cat'}}
oneOf: [{$ref: '#/$defs/Cat'}, {$ref: '#/$defs/Dog'}, {properties: {kind: {const: fish}}, required: [fins]}]
$defs:
  Cat: {required: [claws]}
  Dog: {required: [bark]}";
    check(text, "{kind: cat}", &["required @ /claws"]);
    check(text, "{kind: Cat, claws: 1}", &[]);
    check(text, "{kind: Dog}", &["required @ /bark"]);
    check(text, "{kind: fish}", &["required @ /fins"]);
    check(text, "{kind: cow}", &["discriminator-unknown @ /kind (cow)"]);
    check(text, "{}", &["discriminator-missing @ /kind"]);
    check(text, "{kind: 1}", &["discriminator-missing @ /kind"]);
}

// Proves REQ-114.
#[test]
fn the_replicas_of_the_example_under_all_strategies() {
    let text = "{oneOf: [{type: integer}, {type: string, x-kubernetes-int-or-string: true}]}";
    for strategy in STRATEGIES {
        for (strings, word) in [(IntOrString::NumericString, false), (IntOrString::AnyString, true)]
        {
            let options = loose().ambiguity(strategy).int_or_string(strings);
            let schema = schema(text, &options);
            let fits = |value: &str| found(&schema, value).is_empty();
            assert!(fits("3") && fits("'3'") && !fits("3.5") && !fits("null"), "{strategy:?}");
            assert_eq!(fits("x"), word, "{strategy:?}");
        }
    }
}

// Proves REQ-120.
#[test]
fn the_same_input_gives_the_same_report_on_every_thread() {
    let text = "{oneOf: [{required: [a]}, {required: [b]}, {minProperties: 9}], patternProperties: {'.': {type: string}}}";
    let schema = schema(text, &loose());
    let value = decode("{z: 1, y: [], x: {}, w: null, v: true}");
    let report = || issues(&schema, &value).iter().map(crate::support::line).collect::<Vec<_>>();
    let first = report();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25).for_each(|_| assert_eq!(report(), first)));
        }
    });
}
