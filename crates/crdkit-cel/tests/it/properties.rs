//! What must hold of every expression.

use crdkit_cel::{Arena, Limits, locate};
use proptest::prelude::*;

use crate::fixture::Fixture;

/// Text made of what expressions are made of, mostly not an expression.
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "self", ".", "name", "ports", "(", ")", "[", "]", "{", "}", ",", ":", "?", "!", "-", "+",
        "==", "in", "&&", "||", "has(", ".all(x,", ".map(y,", "'a'", "\"", "1", "2.5", "3u",
        "true", "null", " ", "\n", "é", "#", "`x`", "for",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

/// Boolean expressions, some of which are errors when they run.
fn boolean() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "true",
        "false",
        "self.enabled",
        "has(self.zone)",
        "self.replicas > 2",
        "self.zone == 'a'",
        "self.name.startsWith('w')",
        "1 / (self.replicas - 3) > 0",
        "self.numbers.exists(n, n == 2)",
        "self.numbers[7] == 1",
        "'a' in self.tags",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} && {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} || {b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.prop_map(|a| format!("self.tags.all(t, {a})")),
        ]
    })
}

/// The result without cost; all errors are alike.
fn outcome(fixture: &Fixture, text: &str) -> Option<bool> {
    let env = fixture.env().build();
    let program = env.plan(&env.compile(text).unwrap()).unwrap();
    let arena = Arena::new();
    let result = program.evaluate(&arena, |name| fixture.bind(name), Limits::default()).result;
    match result {
        Ok(crdkit_cel::Val::Bool(value)) => Some(value),
        Ok(other) => panic!("{text} gave {other:?}"),
        Err(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compiling_any_text_ends_with_positions_inside_it(text in soup()) {
        if let Err(errors) = Fixture::new().env().build().compile(&text) {
            for error in errors.iter() {
                let location = locate(&text, error.position);
                prop_assert!(location.line <= i64::try_from(text.lines().count().max(1) + 1).unwrap());
                prop_assert!(error.position.offset().is_none_or(|offset| offset <= text.len()));
            }
        }
    }

    #[test]
    fn logical_operators_commute(a in boolean(), b in boolean()) {
        let fixture = Fixture::new();
        for operator in ["&&", "||"] {
            let left = outcome(&fixture, &format!("{a} {operator} {b}"));
            let right = outcome(&fixture, &format!("{b} {operator} {a}"));
            prop_assert_eq!(left, right);
        }
    }

    #[test]
    fn negation_turns_all_into_exists(a in boolean()) {
        let fixture = Fixture::new();
        let all = outcome(&fixture, &format!("self.tags.all(t, {a})"));
        let exists = outcome(&fixture, &format!("!self.tags.exists(t, !({a}))"));
        prop_assert_eq!(all, exists);
    }

    #[test]
    fn a_run_costs_the_same_every_time(a in boolean()) {
        let fixture = Fixture::new();
        prop_assert_eq!(fixture.result(&a), fixture.result(&a));
    }
}
