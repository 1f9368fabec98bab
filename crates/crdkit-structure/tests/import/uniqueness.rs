//! Uniqueness of items against the definition itself, pair by pair.

use crate::support::{argument, check, check_with, decode, found, issues, loose, schema};
use crdkit_structure::import::{DefaultMode, Equality};
use proptest::prelude::*;
use std::fmt::Write as _;

/// Values of which some are equal although they are spelled differently, by what they are.
const ELEMENTS: &[(&str, u8)] = &[
    ("1", 1),
    ("1.0", 1),
    ("1e0", 1),
    ("10e-1", 1),
    ("0", 2),
    ("-0.0", 2),
    ("'1'", 3),
    ("true", 4),
    ("null", 5),
    ("{a: 1, b: [1, 2]}", 6),
    ("{b: [1.0, 2], a: 1e0}", 6),
    ("{a: 1, b: [2, 1]}", 7),
    ("[]", 8),
    ("{}", 9),
    ("''", 10),
    ("'a|b=c'", 11),
    ("[a, b]", 12),
    ("['a, b']", 13),
    ("\"\\0\"", 14),
];

proptest! {
    // Proves REQ-034, REQ-049, REQ-051, REQ-053, REQ-118.
    #[test]
    fn the_same_item_again_is_one_finding_that_names_the_first(
        picks in prop::collection::vec(prop::sample::select(ELEMENTS), 0..24),
        keyword in prop::sample::select(&["uniqueItems: true", "x-kubernetes-list-type: set"][..]),
        equality in prop::sample::select(&[Equality::Structural, Equality::CanonicalJson][..]),
    ) {
        let text = format!("{{properties: {{'l/s': {{{keyword}}}}}}}");
        let list: Vec<&str> = picks.iter().map(|(text, _)| *text).collect();
        let value = decode(&format!("{{l/s: [{}]}}", list.join(", ")));
        let schema = schema(&text, &loose().equality(equality));
        let lines: Vec<String> = issues(&schema, &value).iter().map(crate::support::line).collect();
        let mut expected = Vec::new();
        for (at, (_, class)) in picks.iter().enumerate() {
            if let Some(first) = picks.iter().take(at).position(|(_, other)| other == class) {
                expected.push(format!("repeated-item @ /l~1s/{at} (first at /l~1s/{first})"));
            }
        }
        prop_assert_eq!(lines, expected);
    }

    // Proves REQ-035, REQ-050, REQ-055, REQ-056, REQ-113, REQ-133, REQ-196, REQ-200.
    #[test]
    fn items_of_a_map_are_told_apart_by_all_their_keys(
        picks in prop::collection::vec((0_u8..5, 0_u8..5), 0..16),
    ) {
        const LIST: &str = "
x-kubernetes-list-type: map
x-kubernetes-list-map-keys: [name, port]
items: {type: object, required: [name, port], properties: {name: {type: string}, port: {type: integer}}}";
        // 0 and 1 are values, 2 is absent, 3 is null, 4 has a wrong type.
        let field = |name: &str, pick: u8, wrong: &str, values: [&str; 2]| match pick {
            2 => String::new(),
            3 => format!("{name}: null, "),
            4 => format!("{name}: {wrong}, "),
            other => format!("{name}: {}, ", values[usize::from(other)]),
        };
        let item = |(name, port): &(u8, u8)| {
            let name = field("name", *name, "[]", ["a", "'a|b'"]);
            format!("{{{name}{}x: 1}}", field("port", *port, "a", ["1", "2"]))
        };
        let list: Vec<String> = picks.iter().map(item).collect();
        let lines = found(&schema(LIST, &loose()), &format!("[{}]", list.join(", ")));
        let whole = |pick: &(u8, u8)| pick.0 < 2 && pick.1 < 2;
        let mut expected = Vec::new();
        for (at, pick) in picks.iter().enumerate() {
            let mut own = Vec::new();
            let first = picks.iter().take(at).position(|other| other == pick);
            if let Some(first) = first.filter(|_| whole(pick)) {
                own.push(format!("repeated-keys @ /{at} (first at /{first})"));
            }
            for (name, value) in [("name", pick.0), ("port", pick.1)] {
                match value {
                    2 => own.push(format!("required @ /{at}/{name}")),
                    3 | 4 => own.push(format!("type-mismatch @ /{at}/{name}")),
                    _ => {}
                }
            }
            expected.extend(own);
        }
        prop_assert_eq!(lines, expected);
    }
}

// Proves REQ-057.
#[test]
fn hints_are_absolute_and_items_of_a_wrong_type_are_not_compared() {
    check(
        "{properties: {spec: {properties: {a: {items: {properties: {l: {uniqueItems: true}}}}}}}}",
        "{spec: {a: [{l: [x, y, x]}]}}",
        &["repeated-item @ /spec/a/0/l/2 (first at /spec/a/0/l/0)"],
    );
    check(
        "{x-kubernetes-list-type: set, items: {type: string}}",
        "[1, 1, a, a]",
        &["type-mismatch @ /0", "type-mismatch @ /1", "repeated-item @ /3 (first at /2)"],
    );
}

// Proves REQ-195.
#[test]
fn a_default_is_the_key_of_an_item_that_lacks_it_in_every_mode() {
    let list = "
x-kubernetes-list-type: map
x-kubernetes-list-map-keys: [port, protocol]
items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}";
    for mode in [DefaultMode::Ignore, DefaultMode::Annotate, DefaultMode::Apply] {
        check_with(
            &loose().defaults(mode),
            list,
            "[{port: 1}, {port: 1, protocol: UDP}, {port: 1, protocol: TCP}]",
            &["repeated-keys @ /2 (first at /0)"],
        );
    }
    check(list, "[{protocol: TCP}]", &["required @ /0/port"]);
}

// Proves REQ-052, REQ-054.
#[test]
fn canonical_text_makes_two_spellings_of_one_instant_the_same() {
    let list = "{uniqueItems: true, items: {format: date-time}}";
    let value = "['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00']";
    let spell = |text: &str| {
        (text == "2026-01-01T01:00:00+01:00").then(|| "2026-01-01T00:00:00Z".to_owned())
    };
    check(list, value, &[]);
    let options = loose().equality(Equality::CanonicalJson).canonical("date-time", spell);
    check_with(&options, list, value, &["repeated-item @ /1 (first at /0)"]);
    check_with(&loose().canonical("date-time", spell), list, value, &[]);
}

#[test]
fn many_items_are_compared_by_hash() {
    let mut text = String::from("[");
    for at in 0..300_000 {
        let _ = write!(text, "{{\"name\":\"n{at}\"}},");
    }
    text.push_str("{\"name\":\"n7\"}]");
    let value = decode(&text);
    let schema = schema("{uniqueItems: true}", &loose());
    let lines: Vec<String> = issues(&schema, &value).iter().map(crate::support::line).collect();
    assert_eq!(lines, ["repeated-item @ /300000 (first at /7)"]);
}

#[test]
fn a_duplicate_names_its_keys() {
    let list = "{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]}";
    let found = issues(&schema(list, &loose()), &decode("[{a: 1, b: x}, {b: x, a: 1}]"));
    let keys: Vec<_> = found.iter().map(|issue| argument(issue, "keys")).collect();
    assert_eq!(keys, [Some("{\"a\":1,\"b\":\"x\"}".to_owned())]);
}
