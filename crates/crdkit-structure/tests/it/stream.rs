//! Streams: what is found does not depend on how much is held at a time.

use crate::support;
use crdkit_codec::DecodeError;
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_structure::CompiledSchema;
use crdkit_structure::import::{self, Profile, Unknown};
use crdkit_structure::stream::{
    Elements, Feeder, Label, Resolution, Strategy as Buffers, Stream, StreamOptions, StreamStep,
    labels,
};
use crdkit_value::Duplicates;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Read};

const SCHEMA: &str = r#"
type: object
required: [a, items]
maxProperties: 4
dependentRequired: {b: [zones]}
propertyNames: {maxLength: 6}
patternProperties: {"^l": {minProperties: 1}}
properties:
  a: {type: integer, maximum: 5}
  b: {type: string, maxLength: 2}
  zones: {type: array, maxItems: 3, uniqueItems: true, items: {type: string}}
  open: {type: object, x-kubernetes-preserve-unknown-fields: true}
  labels: {type: object, additionalProperties: {type: string, maxLength: 2}}
  closed: {type: object, properties: {name: {type: string}}, additionalProperties: false}
  pair: {type: array, prefixItems: [{type: integer}, {type: string}], items: {type: boolean}}
  some: {type: array, contains: {type: integer, minimum: 3}, minContains: 2, maxContains: 3}
  items:
    type: array
    minItems: 1
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}
        num: {type: integer, minimum: 0}
        sub: {type: array, items: {type: array, items: {type: integer}}}
"#;

fn schema(text: &str, unknown: Unknown) -> CompiledSchema {
    let document = support::decode(text).document;
    let options = import::ImportOptions::new().profile(Profile::Loose).unknown(unknown);
    import::import(document.root(), &options).expect("a schema").schema
}

/// Gives its bytes in pieces of one size.
struct Trickle<'b> {
    bytes: &'b [u8],
    size: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.size.min(room.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(n_bytes);
        room[..n_bytes].copy_from_slice(now);
        self.bytes = later;
        Ok(n_bytes)
    }
}

fn options(threshold: usize) -> StreamOptions {
    let strategy = Buffers { threshold, ..Buffers::default() };
    StreamOptions { strategy, ..StreamOptions::default() }
}

fn run(
    schema: &CompiledSchema,
    text: &str,
    options: &StreamOptions,
    chunk: usize,
) -> Result<Vec<Issue>, DecodeError> {
    let input = Trickle { bytes: text.as_bytes(), size: chunk };
    let mut stream = Stream::new(input, schema, options);
    let mut issues = Vec::new();
    while let Some(step) = stream.step()? {
        match step {
            StreamStep::Part(part) => issues.extend(part.issues),
            StreamStep::Finding(issue) => issues.push(issue),
        }
    }
    Ok(issues)
}

/// What findings say, in an order that does not depend on when they were found.
fn facts(issues: &[Issue]) -> Vec<String> {
    let mut facts: Vec<_> =
        issues.iter().map(|issue| format!("{} {}", issue.code, issue.path.pointer())).collect();
    facts.sort();
    facts
}

fn value(depth: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-2_i64..12).prop_map(|int| int.to_string()),
        "[ab]{0,3}".prop_map(|text| format!("{text:?}")),
    ];
    leaf.prop_recursive(depth, 60, 6, |inner| {
        let keys = prop::sample::select(vec![
            "a", "b", "zones", "open", "labels", "items", "name", "num", "sub", "closed", "pair",
            "some", "lengthy",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(keys, inner, 0..6).prop_map(|members| {
                let members = members.iter().map(|(key, value)| format!("{key:?}:{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

/// Objects that often are what the schema asks for.
fn document() -> impl Strategy<Value = String> {
    let item = (value(1), "[ab]{1,2}", -1..4_i32)
        .prop_map(|(sub, name, n)| format!(r#"{{"name":{name:?},"num":{n},"sub":[[1,2],{sub}]}}"#));
    let items = prop::collection::vec(item, 0..8).prop_map(|items| items.join(","));
    (value(2), value(3), items)
        .prop_map(|(a, open, items)| format!(r#"{{"a":{a},"open":{open},"items":[{items}]}}"#))
}

proptest! {
    #[test]
    fn findings_do_not_depend_on_how_much_is_held(
        text in prop_oneof![document(), value(4)],
        threshold in 0..60_usize,
        chunk in 1..20_usize,
        strict in any::<bool>(),
    ) {
        let schema = schema(SCHEMA, if strict { Unknown::Strict } else { Unknown::Prune });
        let whole = run(&schema, &text, &options(1 << 20), 1 << 20).expect("JSON");
        let parts = run(&schema, &text, &options(threshold), chunk).expect("JSON");
        prop_assert_eq!(facts(&whole), facts(&parts), "{}", text);
        for issue in &parts {
            let span = issue.span.expect("a place");
            prop_assert!(span.start <= span.end && span.end <= text.len());
        }
    }

    #[test]
    fn pushed_bytes_give_what_pulled_bytes_do(
        text in document(),
        threshold in 0..60_usize,
        chunk in 1..20_usize,
    ) {
        let schema = schema(SCHEMA, Unknown::Prune);
        let options = options(threshold);
        let pulled = run(&schema, &text, &options, 7).expect("JSON");
        let mut feeder = Feeder::new(&schema, &options);
        let mut pushed = Vec::new();
        let mut take = |step: StreamStep<'_>| match step {
            StreamStep::Part(part) => pushed.extend(part.issues),
            StreamStep::Finding(issue) => pushed.push(issue),
        };
        for chunk in text.as_bytes().chunks(chunk) {
            feeder.feed(chunk, &mut take).expect("JSON");
        }
        feeder.finish(&mut take).expect("JSON");
        prop_assert_eq!(pulled, pushed);
    }

    #[test]
    fn cut_input_is_refused_whatever_is_held(text in document(), threshold in 0..60_usize) {
        let schema = schema(SCHEMA, Unknown::Prune);
        for end in 0..text.len() {
            if text.is_char_boundary(end) {
                let outcome = run(&schema, &text[..end], &options(threshold), 5);
                prop_assert!(matches!(outcome, Err(DecodeError::Refused(_))), "{}", &text[..end]);
            }
        }
    }
}

#[test]
fn good_items_flow_on_beside_bad_ones() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let text = r#"{"a": 9, "items": [{"name": "x"}, {"num": 1}, {"name": "z", "num": -1}, {"name": "x"}]}"#;
    let options = options(1 << 20);
    let stream = Stream::new(text.as_bytes(), &schema, &options);
    let mut elements = Elements::new(stream, FieldPath::root().field("items"));
    let seen: Vec<_> = elements
        .by_ref()
        .map(|element| element.expect("JSON"))
        .map(|element| match element.outcome {
            Ok(document) => format!("{} {}", element.index, support::text(document.root())),
            Err(issues) => format!("{} {}", element.index, facts(&issues).join(", ")),
        })
        .collect();
    assert_eq!(
        seen,
        [
            r#"0 {"name":"x"}"#,
            "1 required /items/1/name",
            "2 minimum /items/2/num",
            r#"3 {"name":"x"}"#,
        ]
    );
    assert_eq!(facts(elements.issues()), ["maximum /a", "repeated-keys /items/3"]);
}

#[test]
fn what_needs_the_whole_value_is_held_refused_or_left_undecided() {
    let text = "
type: object
properties:
  list:
    type: array
    items: {type: integer, maximum: 3}
    not: {minItems: 9}
";
    let schema = schema(text, Unknown::Prune);
    let text = r#"{"list": [1, 2, 3, 4, 5, 6]}"#;
    let run = |on_exceed, max_buffered| {
        let strategy = Buffers { threshold: 12, on_exceed, max_buffered };
        let options = StreamOptions { strategy, ..StreamOptions::default() };
        let issues = run(&schema, text, &options, 3).expect("JSON");
        issues
            .iter()
            .map(|it| format!("{} {} {}", it.severity, it.code, it.path))
            .collect::<Vec<_>>()
    };
    let list = ["error maximum list[3]", "error maximum list[4]", "error maximum list[5]"];
    assert_eq!(run(Resolution::FailFast, 0), ["error buffer-exceeded list"]);
    assert_eq!(run(Resolution::FullBuffer, 15), ["error buffer-exceeded list"]);
    assert_eq!(run(Resolution::FullBuffer, 100)[..3], list);
    assert_eq!(
        run(Resolution::BestEffort, 0),
        [&["warning buffer-exceeded list"], &list[..]].concat()
    );
    let held: Vec<_> = labels(&schema).filter(|(_, label)| *label != Label::Incremental).collect();
    assert!(matches!(held[..], [(_, Label::Buffered("a composition"))]), "{held:?}");
}

#[test]
fn reading_ends_where_it_is_told_to() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let mut text = String::from(r#"{"a": 1, "items": ["#);
    for n in 0..50 {
        let _ = write!(text, r#"{{"name": "{n}", "num": -1}},"#);
    }
    // What is after the last comma is never looked at.
    let fast = StreamOptions { fail_fast: true, ..options(10) };
    let issues = run(&schema, &text, &fast, 16).expect("ended early");
    assert_eq!(facts(&issues), ["minimum /items/0/num"]);
    let mut few = options(10);
    few.limits.issues = 3;
    let issues = run(&schema, &text, &few, 16).expect("ended early");
    assert_eq!(issues.len(), 5);
    assert_eq!(issues.last().map(|issue| issue.code), Some(codes::schema::TRUNCATED));
}

#[test]
fn repeated_keys_of_an_open_object_are_found() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let text =
        r#"{"a": 1, "items": [{"name": "x"}], "a": 9, "labels": {"k": "v", "l": "w", "k": "x"}}"#;
    for (duplicates, expected) in [
        (Duplicates::Error, vec!["duplicate-key /a", "duplicate-key /labels/k", "maximum /a"]),
        (Duplicates::FirstWins, vec![]),
    ] {
        for threshold in [0, 5, 20, 40] {
            let options = StreamOptions { duplicates, ..options(threshold) };
            let issues = run(&schema, text, &options, 4).expect("JSON");
            assert_eq!(facts(&issues), expected, "{threshold}");
        }
    }
}
