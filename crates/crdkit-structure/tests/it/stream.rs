//! Streams: what is found does not depend on how much is held at a time.

use crate::arbitrary::{Choices, arbitrary_node, import_options, instance, spoiled};
use crate::support;
use crdkit_codec::{DecodeError, Format, cbor, yaml};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_structure::import::{Profile, Unknown};
use crdkit_structure::stream::{
    Elements, Feeder, Label, Resolution, Strategy as Buffers, Stream, StreamOptions, StreamStep,
    labels,
};
use crdkit_structure::{
    Codecs, ImportOptions, Nulls, ParseOptions, Schema, Wire, document_of, import_with, rule_fn,
};
use crdkit_value::{Document, Duplicates, NewValue, NodeId, Presence, PresenceFilter, Value};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
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

fn schema(text: &str, unknown: Unknown) -> Schema {
    let options = ImportOptions::new().profile(Profile::Loose).unknown(unknown);
    with_options(text, &options, Codecs::new())
}

fn with_options(text: &str, options: &ImportOptions, codecs: Codecs) -> Schema {
    let document = support::decode(text).document;
    import_with(document.root(), options, codecs).expect("a schema").schema
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
    let strategy = Buffers::new().threshold(threshold);
    StreamOptions::new().strategy(strategy)
}

fn run(
    schema: &Schema,
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
            _ => {}
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
    // Proves REQ-085, REQ-091, REQ-135.
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
            _ => {}
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

// Proves REQ-084.
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
            Ok(item) => format!("{} {}", element.index, support::text(item.value.root())),
            Err(issues) => {
                let issues: Vec<_> = issues.iter().cloned().collect();
                format!("{} {}", element.index, facts(&issues).join(", "))
            }
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

// Proves REQ-014, REQ-017, REQ-086, REQ-087, REQ-088, REQ-124.
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
        let strategy = Buffers::new().threshold(12).on_exceed(on_exceed).max_buffered(max_buffered);
        let options = StreamOptions::new().strategy(strategy);
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
    let held: Vec<_> = held.iter().map(|(path, label)| (path.pointer(), *label)).collect();
    assert_eq!(held, [("/properties/list".to_owned(), Label::Buffered("a composition"))]);
}

#[test]
fn reading_ends_where_it_is_told_to() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let mut text = String::from(r#"{"a": 1, "items": ["#);
    for n in 0..50 {
        let _ = write!(text, r#"{{"name": "{n}", "num": -1}},"#);
    }
    // What is after the last comma is never looked at.
    let mut fast = options(10);
    fast.parse = fast.parse.fail_fast(true);
    let issues = run(&schema, &text, &fast, 16).expect("ended early");
    assert_eq!(facts(&issues), ["minimum /items/0/num"]);
    let mut few = options(10);
    few.parse = few.parse.max_issues(3);
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
            let mut options = options(threshold);
            options.parse = options.parse.duplicates(duplicates);
            let issues = run(&schema, text, &options, 4).expect("JSON");
            assert_eq!(facts(&issues), expected, "{threshold}");
        }
    }
}

/// All that is known about a document.
#[derive(Debug, PartialEq)]
struct Known {
    value: String,
    findings: Vec<String>,
    presence: BTreeMap<String, Presence>,
}

fn fact(issue: &Issue) -> String {
    let mut args = issue.args.clone();
    args.sort_by_key(|(name, _)| *name);
    let Issue { severity, code, path, value, .. } = issue;
    format!("{severity} {code} {} {path} {value:?} {args:?}", path.pointer())
}

fn sorted(issues: impl Iterator<Item = String>) -> Vec<String> {
    let mut findings: Vec<_> = issues.collect();
    findings.sort();
    findings.dedup();
    findings
}

fn parsed<'a>(schema: &Schema, wire: impl Into<Wire<'a>>, options: &ParseOptions) -> Known {
    let parsed = schema.parse(wire, options);
    let presence = parsed.presence.iter().map(|(path, known)| (path.pointer(), known)).collect();
    Known {
        value: canonical(parsed.value.root()),
        findings: sorted(parsed.issues.iter().chain(parsed.warnings.iter()).map(fact)),
        presence: outside_of_pruned(presence),
    }
}

/// What was in a removed member is not looked at by a stream that does not hold it.
fn outside_of_pruned(mut presence: BTreeMap<String, Presence>) -> BTreeMap<String, Presence> {
    let pruned = presence.iter().filter(|(_, it)| it.is_pruned());
    let pruned: Vec<String> = pruned.map(|(path, _)| format!("{path}/")).collect();
    presence.retain(|path, _| !pruned.iter().any(|above| path.starts_with(above)));
    presence
}

fn canonical(value: Value<'_>) -> String {
    let mut out = Vec::new();
    let notation = crdkit_codec::json::NumberNotation::Exact;
    crdkit_codec::json::write_canonical(value, notation, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The document in a format: JSON, YAML in blocks, JSON as YAML, CBOR.
fn written_as(choice: u8, text: &str) -> (Format, Vec<u8>) {
    let document = document_of(text);
    let mut bytes = Vec::new();
    match choice {
        0 => return (Format::Json, text.into()),
        1 => yaml::write(document.root(), &mut bytes),
        2 => return (Format::Yaml, text.replace(',', ", ").replace(':', ": ").into()),
        _ => {
            cbor::encode(document.root(), cbor::Order::Sorted, &mut bytes).unwrap();
            return (Format::Cbor, bytes);
        }
    }
    (Format::Yaml, bytes)
}

fn wire(format: Format, bytes: &[u8]) -> Wire<'_> {
    match format {
        Format::Yaml => Wire::Yaml(bytes),
        Format::Cbor => Wire::Cbor(bytes),
        _ => Wire::Json(bytes),
    }
}

/// Puts `value` at `path`, with objects on the way.
fn put(document: &mut Document, path: &FieldPath, value: NewValue<'_>) {
    let Some((last, above)) = path.segments().split_last() else {
        document.set(NodeId::ROOT, value);
        return;
    };
    let object = above.iter().fold(NodeId::ROOT, |id, step| {
        let known = document.value(id).child(step).map(Value::id);
        known.unwrap_or_else(|| document.insert(id, &step.text(), NewValue::EmptyObject).unwrap())
    });
    if document.value(object).as_array().is_some() {
        document.push(object, value);
    } else {
        document.insert(object, &last.text(), value);
    }
}

fn streamed<R: Read>(mut stream: Stream<'_, R>) -> Known {
    let mut document = Document::null();
    let mut findings = Vec::new();
    let mut presence = BTreeMap::new();
    let mut note = |base: &FieldPath, known: &crdkit_value::PresenceMap, with_root: bool| {
        for (path, known) in known {
            if with_root || !path.is_root() {
                *presence.entry(path.rebase(base).pointer()).or_insert(Presence::MISSING) |= known;
            }
        }
    };
    while let Some(step) = stream.step().expect("a document") {
        match step {
            StreamStep::Part(part) => {
                findings.extend(part.issues.iter().map(fact));
                note(&part.path(), &part.presence, true);
                put(&mut document, &part.path(), part.document.root().into());
            }
            StreamStep::Finding(issue) => findings.push(fact(&issue)),
            StreamStep::Opened { path, is_object } => {
                let empty = if is_object { NewValue::EmptyObject } else { NewValue::EmptyArray };
                put(&mut document, &path, empty);
                note(&path, &crdkit_value::PresenceMap::new(), true);
            }
            StreamStep::Closed { path, presence } => note(&path, &presence, false),
            _ => {}
        }
    }
    let findings = sorted(findings.into_iter());
    let presence = outside_of_pruned(presence);
    Known { value: canonical(document.root()), findings, presence }
}

/// Schemas in which everything that a stream has to do by itself occurs.
const SCHEMAS: &[&str] = &[
    SCHEMA,
    r"
type: object
required: [a, b, num]
minProperties: 3
properties:
  a: {type: integer, default: 1}
  b: {type: string, nullable: true}
  num: {type: number, default: 1.50}
  name: {type: string, format: date-time}
  labels:
    type: object
    required: [a]
    properties: {a: {type: object, default: {}, properties: {num: {type: integer, default: 7}}}}
  items:
    type: array
    maxItems: 4
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name, num]
      properties: {name: {type: string, default: a}, num: {type: integer, default: 2}, sub: {type: array}}
  zones: {type: array, x-kubernetes-list-type: set, items: {type: string, default: b}}
  open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: integer}}}}}
  closed: {anyOf: [{type: object, required: [a], properties: {a: {type: integer, default: 3}}}, {type: integer}]}
",
    r"
type: object
x-kubernetes-unions: [{discriminator: b, fields-to-discriminateBy: {a: A, num: Num}}]
$defs:
  tree: {type: object, properties: {name: {type: string}, sub: {type: array, items: {$ref: '#/$defs/tree'}}}}
properties:
  a: {x-kubernetes-int-or-string: true}
  b: {type: string, enum: [a, ab, A, Num]}
  num: {type: number, multipleOf: 2, exclusiveMaximum: 9}
  name: {type: string, pattern: '^a', minLength: 1}
  lengthy: {const: [1, {a: null}]}
  labels:
    type: object
    minProperties: 1
    dependentSchemas: {a: {required: [b], properties: {b: {default: 1}}}}
    if: {required: [name]}
    then: {properties: {num: {type: integer, default: 4}}}
    else: {properties: {num: {type: string}}}
    not: {required: [zones]}
  open:
    type: object
    properties: {a: {type: integer}, sub: {$ref: '#/$defs/tree'}}
    unevaluatedProperties: {type: [integer, object, array]}
  closed:
    type: object
    x-kubernetes-embedded-resource: true
    x-kubernetes-preserve-unknown-fields: true
    properties: {name: {type: string}}
  pair: {oneOf: [{type: array, maxItems: 2}, {type: array, items: {type: integer}}, {type: object, properties: {a: {default: 2}}}]}
  some: {allOf: [{type: array, items: {type: [integer, 'null']}}, {contains: {const: 1}}, {uniqueItems: true}]}
  zones: {type: array, x-kubernetes-list-type: set, items: {type: string, format: date-time}}
  items:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name, num]
    items:
      type: object
      required: [name, num]
      properties: {name: {type: string}, num: {type: integer, default: 2}, sub: {type: array, items: {$ref: '#/$defs/tree'}}}
      x-kubernetes-validations: [{rule: 'self.num > 0', message: positive}]
x-kubernetes-validations: [{rule: '!has(self.num) || self.num > 3.0'}]
",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    // Proves REQ-002, REQ-013, REQ-084, REQ-085.
    #[test]
    fn a_stream_says_what_parsing_says(
        text in prop_oneof![document(), value(4)],
        choice in prop::collection::vec(any::<u8>(), 28),
        threshold in 0..60_usize,
        chunk in 1..20_usize,
        format in 0..4_u8,
        old in prop::option::of(document()),
    ) {
        let text_of = SCHEMAS[usize::from(choice[6]) % SCHEMAS.len()];
        let codecs = if choice[7] % 2 == 0 { Codecs::standard() } else { Codecs::new() };
        let options = import_options(&mut Choices(choice.iter().skip(8).copied()));
        let schema = with_options(text_of, &options, codecs);
        let mut parse = ParseOptions::new()
            .report_pruned(choice[7] % 3 == 0)
            .report_duplicates(choice[7] % 5 == 0)
            .converted_from_yaml(choice[7] % 7 == 0);
        if let Some(old) = old {
            parse = parse.old(document_of(&old));
        }
        let mut options = self::options(threshold);
        options.parse = parse.clone();
        options.chunk = chunk;
        let (format, bytes) = written_as(format, &text);
        let input = Trickle { bytes: &bytes, size: chunk };
        let stream = streamed(Stream::in_format(format, input, &schema, &options));
        let wire = wire(format, &bytes);
        prop_assert_eq!(stream, parsed(&schema, wire, &parse), "{}\n{:?}", text, schema.compiled().settings());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_stream_says_what_parsing_says_for_any_schema(
        node in arbitrary_node(),
        choices in prop::collection::vec(any::<u8>(), 64),
        options in prop::collection::vec(any::<u8>(), 20),
        threshold in 0..40_usize,
        chunk in 1..9_usize,
        format in 0..4_u8,
    ) {
        let options = import_options(&mut Choices(options.into_iter()));
        let schema = node.build(&options).unwrap().schema.with_codecs(Codecs::standard());
        let written = schema.to_json_schema(&crdkit_structure::ExportOptions::new());
        let mut choices = Choices(choices.into_iter());
        let input = instance(written.root(), &mut choices);
        let input = spoiled(input, &mut choices);
        let text = support::text(input.root());
        let parse = ParseOptions::new().report_pruned(true);
        let mut options = self::options(threshold);
        options.parse = parse.clone();
        options.chunk = chunk;
        let (format, bytes) = written_as(format, &text);
        let input = Trickle { bytes: &bytes, size: chunk };
        let stream = streamed(Stream::in_format(format, input, &schema, &options));
        let wire = wire(format, &bytes);
        let settings = schema.compiled().settings();
        prop_assert_eq!(stream, parsed(&schema, wire, &parse), "{}\n{}\n{:?}", text, written, settings);
    }
}

#[test]
fn a_filter_of_presence_counts_in_streams() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let text = r#"{"a": 1, "items": [{"name": "x"}], "zones": ["a"]}"#;
    let filter = PresenceFilter::all().include(FieldPath::root().field("items"));
    let parse = ParseOptions::new().presence(Some(filter));
    let mut options = options(8);
    options.parse = parse.clone();
    let stream = streamed(Stream::new(text.as_bytes(), &schema, &options));
    let seen = |known: Known| -> Vec<String> {
        known.presence.into_keys().filter(|path| path.starts_with("/items/")).collect()
    };
    assert_eq!(seen(stream), seen(parsed(&schema, text, &parse)));
}

#[test]
fn presence_that_is_not_asked_for_is_not_kept() {
    let schema =
        with_options(SCHEMA, &ImportOptions::new().nulls(Nulls::DropLikeApiServer), Codecs::new());
    let options = options(0).parse(ParseOptions::new().presence(None));
    let text = r#"{"a": null, "other": 1, "items": [{"name": "x"}]}"#;
    let mut stream = Stream::new(text.as_bytes(), &schema, &options);
    while let Some(step) = stream.step().unwrap() {
        let presence = match step {
            StreamStep::Part(part) => part.presence,
            StreamStep::Closed { presence, .. } => presence,
            _ => continue,
        };
        assert_eq!(presence, crdkit_value::PresenceMap::new());
    }
}

#[test]
fn every_format_gives_the_same_parts() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let json = r#"{"a": 9, "items": [{"name": "x", "num": -1}, {"name": "x"}], "other": null}"#;
    let yaml = "a: 9\nitems:\n- {name: x, num: -1}\n- name: x\nother: null\n";
    let mut bytes = Vec::new();
    cbor::encode(document_of(json).root(), cbor::Order::Sorted, &mut bytes).unwrap();
    let items = FieldPath::root().field("items");
    let mut options = options(1 << 20);
    options.parse = ParseOptions::new();
    let expected = parsed(&schema, json, &ParseOptions::new());
    for (format, bytes) in
        [(Format::Json, json.as_bytes()), (Format::Yaml, yaml.as_bytes()), (Format::Cbor, &bytes)]
    {
        let stream = || Stream::in_format(format, bytes, &schema, &options);
        assert_eq!(streamed(stream()), expected, "{format:?}");
        assert_eq!(streamed(stream().opening(items.clone())), expected, "{format:?}");
        assert_eq!(Elements::new(stream(), items.clone()).count(), 2, "{format:?}");
    }
}

/// Counts the bytes that were asked for.
struct Counted<'b> {
    inner: Trickle<'b>,
    n_given: &'b Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.inner.read(room)?;
        self.n_given.set(self.n_given.get() + n_bytes);
        Ok(n_bytes)
    }
}

#[test]
fn items_come_before_what_follows_them_is_read() {
    let schema = schema(SCHEMA, Unknown::Prune);
    let items: Vec<_> = (0..5_000).map(|n| format!(r#"{{"name":"n{n:05}","num":{n}}}"#)).collect();
    let text = format!(r#"{{"a":1,"items":[{}]}}"#, items.join(","));
    let path = FieldPath::root().field("items");
    for choice in 0..4 {
        let (format, bytes) = written_as(choice, &text);
        let n_given = Cell::new(0);
        let inner = Trickle { bytes: &bytes, size: 1 << 20 };
        let input = Counted { inner, n_given: &n_given };
        let options = StreamOptions::new().chunk(512).strategy(options(512).strategy);
        let stream = Stream::in_format(format, input, &schema, &options);
        let mut n_items = 0;
        for element in Elements::new(stream, path.clone()) {
            element.unwrap().outcome.unwrap();
            n_items += 1;
            // Items are of one size, but for that of their number.
            let passed = bytes.len() * n_items / items.len();
            assert!(n_given.get() < passed + 8 * 1024, "{format:?}: {} of {passed}", n_given.get());
        }
        assert_eq!(n_items, items.len(), "{format:?}");
        assert_eq!(n_given.get(), bytes.len(), "{format:?}");
    }
}

#[test]
fn keys_that_cbor_gives_twice_end_reading() {
    let schema = schema(SCHEMA, Unknown::Preserve);
    // {"a": 1, "open": {"x": 1, "x": 2}} and {"a": 1, "a": 2}
    let inside = b"\xA2\x41a\x01\x44open\xA2\x41x\x01\x41x\x02";
    let outside = b"\xA2\x41a\x01\x41a\x02";
    for bytes in [&inside[..], outside] {
        assert!(!schema.parse(Wire::Cbor(bytes), &ParseOptions::new()).is_valid());
        for threshold in [0, 100] {
            let mut options = options(threshold);
            options.parse = options.parse.duplicates(Duplicates::FirstWins);
            let mut stream = Stream::in_format(Format::Cbor, bytes, &schema, &options);
            let outcome = loop {
                match stream.step() {
                    Ok(Some(_)) => {}
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            let Err(DecodeError::Refused(issue)) = outcome else { panic!("{bytes:?}") };
            assert_eq!(issue.code, codes::decode::DUPLICATE_KEY);
        }
    }
}

#[test]
fn text_that_a_decoder_would_replace_is_refused_wherever_it_is_cut() {
    let schema = schema("{}", Unknown::Preserve);
    let good = br#"{"a": "\ud83d\ude00 \\ud800 \u00e4"}"#.to_vec();
    let lone = br#"{"a": "x\ud800y"}"#.to_vec();
    let low = br#"{"a": "x\ude00"}"#.to_vec();
    let half = br#"{"a": "x\ud800"#.to_vec();
    let bytes = b"{\"a\": \"x\xFFy\"}".to_vec();
    let cut = b"{\"a\": \"x\xC3".to_vec();
    for (text, fine) in
        [(good, true), (lone, false), (low, false), (half, false), (bytes, false), (cut, false)]
    {
        let whole = schema.parse(&text, &ParseOptions::new());
        assert_eq!(whole.is_valid(), fine);
        for size in 1..text.len() {
            let options = options(3);
            let mut stream = Stream::new(Trickle { bytes: &text, size }, &schema, &options);
            let outcome = loop {
                match stream.step() {
                    Ok(Some(_)) => {}
                    Ok(None) => break None,
                    Err(DecodeError::Refused(issue)) => break Some(*issue),
                    Err(error) => panic!("{error}"),
                }
            };
            let expected = whole.issues.first();
            assert_eq!(outcome.as_ref().map(|it| it.span), expected.map(|it| it.span), "{size}");
        }
    }
}

#[test]
fn rules_codecs_and_the_old_value_count_in_streams() {
    let text = "
type: object
properties:
  items:
    type: array
    items:
      type: object
      properties: {at: {type: string, format: date-time}, size: {type: integer}}
      x-kubernetes-validations: [{rule: self.size >= oldSelf.size}]
  by-name:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties: {name: {type: string}, size: {type: integer}}
      x-kubernetes-validations: [{rule: self.size >= oldSelf.size}]
";
    let options = ImportOptions::new().cel(crdkit_structure::CelOptions::default());
    let schema = with_options(text, &options, Codecs::standard())
        .with_rule_at(
            "/items/*",
            rule_fn("odd", |context, value| {
                if value.get("size").and_then(Value::as_i64).is_some_and(|size| size % 2 == 0) {
                    context.report("/size", context.path().pointer());
                }
            }),
        )
        .unwrap();
    let input = r#"{"items":[{"at":"2024-01-01T01:00:00+01:00","size":1},{"size":2},{"size":3}],
        "by-name":[{"name":"b","size":1},{"name":"a","size":9}]}"#;
    let old = r#"{"items":[{"size":2},{"size":2},{"size":1}],"by-name":[{"name":"a","size":8},{"name":"b","size":4}]}"#;
    let old = document_of(old);
    let parse = ParseOptions::new().old(old);
    let expected = parsed(&schema, input, &parse);
    assert!(
        expected.findings.iter().any(|it| it.contains("business-rule /items/1/size")),
        "{expected:?}"
    );
    assert!(
        expected.findings.iter().any(|it| it.contains("rule-failed /by-name/0")),
        "{expected:?}"
    );
    for threshold in [0, 10, 60, 1_000] {
        let mut options = self::options(threshold);
        options.parse = parse.clone();
        assert_eq!(streamed(Stream::new(input.as_bytes(), &schema, &options)), expected);
    }
}

// Proves REQ-087, REQ-090.
#[test]
fn a_surplus_item_ends_a_stream_that_stops_at_the_first_error() {
    for text in
        ["{type: array, maxItems: 2}", "{type: array, contains: {type: integer}, maxContains: 2}"]
    {
        let schema = schema(text, Unknown::Prune);
        let mut options = options(2);
        options.parse = options.parse.fail_fast(true);
        // What comes after the third item is not even JSON.
        let issues = run(&schema, "[1, 2, 3, oh", &options, 1).expect("ended early");
        assert_eq!(issues.len(), 1, "{text}: {issues:?}");
    }
}

// Proves REQ-086, REQ-088, REQ-135.
#[test]
fn best_effort_decides_what_holds_in_any_case() {
    let text = "
type: object
allOf: [{required: [x]}, {properties: {list: {maxItems: 2}}}]
oneOf: [{required: [z]}]
properties: {list: {type: array}}
";
    let schema = schema(text, Unknown::Prune);
    let mut options = options(10);
    options.strategy.on_exceed = Resolution::BestEffort;
    let issues = run(&schema, r#"{"list": [1, 2, 3, 4, 5]}"#, &options, 3).expect("JSON");
    let place = |it: &Issue| format!("{} {} {}", it.severity, it.code, it.path.pointer());
    let issues: Vec<_> = issues.iter().map(place).collect();
    assert_eq!(issues, ["warning buffer-exceeded ", "error max-items /list", "error required /x"]);
}

#[test]
fn a_key_of_an_item_that_is_a_list_is_there_and_not_compared() {
    let text = "{properties: {ports: {type: array, x-kubernetes-list-type: map, \
                x-kubernetes-list-map-keys: [a, b]}}}";
    let schema = schema(text, Unknown::Preserve);
    let value = r#"{"ports": [{"a": [null], "b": 1}, {"a": [1]}, {"b": 2}, {"a": [], "b": 1}, {"b": 1, "a": [{}]}]}"#;
    for threshold in [0, 10, 1000] {
        let issues = run(&schema, value, &options(threshold), 9).expect("JSON");
        let place = |it: &Issue| format!("{} {}", it.code, it.path.pointer());
        let issues: Vec<_> = issues.iter().map(place).collect();
        assert_eq!(issues, ["required /ports/1/b", "required /ports/2/a"], "{threshold}");
    }
}

#[test]
fn a_schema_of_another_type_says_nothing_about_what_is_in_a_value() {
    let text = "{properties: {labels: {type: array, additionalProperties: {maxLength: 2}}}, \
                patternProperties: {'^l': {minProperties: 2}}}";
    let schema = schema(text, Unknown::Preserve);
    let value = r#"{"labels": {"k": "long", "deep": {"k": {"k": "long"}}}, "lamps": {}}"#;
    let whole = schema.parse(Wire::Json(value.as_bytes()), &ParseOptions::new());
    let whole: Vec<_> = whole.issues.iter().cloned().collect();
    for threshold in [0, 10, 1 << 20] {
        let parts = run(&schema, value, &options(threshold), 7).expect("JSON");
        assert_eq!(facts(&parts), facts(&whole), "{threshold}");
    }
}
