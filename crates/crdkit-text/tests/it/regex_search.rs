//! Texts that some patterns match and others do not.

use crdkit_text::regex::{Regex, Search, SearchOutcome};
use proptest::prelude::*;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// The shortest text that `yes` matches and `no` does not.
fn difference(yes: &str, no: &str) -> Option<String> {
    let (yes, no) = (regex(yes), regex(no));
    let search = Search { matching: vec![&yes], failing: vec![&no], ..Search::default() };
    match search.run(1) {
        SearchOutcome::Texts(texts) => texts.into_iter().next(),
        SearchOutcome::Unknown => panic!("gave up"),
    }
}

#[test]
fn a_pattern_that_accepts_more_has_texts_of_its_own() {
    for (yes, no, shortest) in [
        ("^a{1,3}$", "^a{1,2}$", Some("aaa")),
        ("^a{1,2}$", "^a{1,3}$", None),
        ("^[a-z]+$", r"^\w+$", None),
        (r"^\w+$", "^[a-z]+$", Some("0")),
        ("a", "^a", Some("0a")),
        ("^a", "a", None),
        ("", "^x?$", Some("a")),
        ("^(foo|bar)$", "^[a-z]{3}$", None),
        ("^.$", "^[ -~]$", Some("\u{1}")),
        ("^é$", "^e$", Some("é")),
        (r"^\pL$", "^[a-zA-Z]$", Some("\u{aa}")),
        (r"\bfoo\b", "foo", None),
        ("foo", r"\bfoo\b", Some("afoo")),
        ("(?i)^k$", "^[kK]$", Some("\u{212a}")),
        ("(?m)^a$", "^a$", Some("\na")),
    ] {
        let found = difference(yes, no);
        assert_eq!(found.is_some(), shortest.is_some(), "{yes} without {no}: {found:?}");
        let same_length =
            found.as_deref().map(|it| it.chars().count()) == shortest.map(|it| it.chars().count());
        assert!(same_length, "{yes} without {no}: {found:?}, expected as short as {shortest:?}");
    }
}

#[test]
fn lengths_are_counted_in_characters() {
    let name = regex("^[a-z]*$");
    let search = |min_length, max_length| {
        Search { matching: vec![&name], min_length, max_length, ..Search::default() }.run(3)
    };
    assert_eq!(search(3, Some(3)), SearchOutcome::Texts(vec!["aaa".into()]));
    assert_eq!(search(4, Some(3)), SearchOutcome::Texts(vec![]));
    let wide = regex("^日+$");
    let found =
        Search { matching: vec![&wide], min_length: 2, max_length: Some(2), ..Search::default() };
    assert_eq!(found.run(9), SearchOutcome::Texts(vec!["日日".into()]));
}

#[test]
fn what_takes_too_long_is_unknown() {
    let heavy = regex(r"(\pL{1,50} ){20}x");
    let search = Search { matching: vec![&heavy], ..Search::default() };
    assert_eq!(search.run(1), SearchOutcome::Unknown);
}

proptest! {
    /// What is found holds, and what is said to be empty has no counterexample among random texts.
    #[test]
    fn the_search_agrees_with_matching(
        yes in "\\^?[ab]([ab.]|[ab][*+?]|\\(a\\|b\\)|\\[ab\\]){0,4}\\$?",
        no in "\\^?[ab]([ab.]|[ab][*+?]|\\(a\\|b\\)|\\[ab\\]){0,4}\\$?",
        texts in prop::collection::vec("[abc\n]{0,6}", 20),
    ) {
        let (yes, no) = (regex(&yes), regex(&no));
        let search = Search { matching: vec![&yes], failing: vec![&no], ..Search::default() };
        if let SearchOutcome::Texts(found) = search.run(4) {
            for text in &found {
                prop_assert!(yes.is_match(text) && !no.is_match(text), "{:?}", text);
            }
            if found.is_empty() {
                prop_assert!(texts.iter().all(|text| !yes.is_match(text) || no.is_match(text)));
            }
        }
    }
}
