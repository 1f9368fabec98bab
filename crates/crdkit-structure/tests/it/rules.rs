//! Schemas as a library, beside what the Markdown cases show: rules, codecs, edits, errors, limits.

use crdkit_issue::{FieldPath, Issues, PathStyle, codes};
use crdkit_structure::build::{array, integer, map, number, object, string, tagged};
use crdkit_structure::{
    Base64, Codec, Codecs, Decoded, DefaultMode, EncodeError, EncodeMode, EpochSeconds, Equality,
    ExportOptions, ImportOptions, JsonText, Nulls, Numbers, ParseOptions, Parsed, Profile,
    QuantityText, Report, Rfc3339, Rule, RuleContext, Schema, Unknown, WhenSeen, Wire, document_of,
    import, import_json, import_with, import_yaml, rule_fn,
};
use crdkit_value::{Document, Limits, NodeId, PresenceFilter, Value};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

fn schema(yaml: &str, options: &ImportOptions) -> Schema {
    import_yaml(yaml.as_bytes(), options).unwrap_or_else(|error| panic!("{error}")).schema
}

fn short(issues: &Issues) -> Vec<String> {
    issues.iter().map(|issue| format!("{} {}", issue.path.pointer(), issue.short())).collect()
}

fn parse(schema: &Schema, text: &str) -> Parsed {
    schema.parse(text, &ParseOptions::new())
}

fn decoded(schema: &Schema, text: &str) -> Decoded<Document> {
    parse(schema, text).into_result().unwrap_or_else(|issues| panic!("{text}: {issues}"))
}

fn text(output: Result<Vec<u8>, EncodeError>) -> String {
    output.map_or_else(|error| error.to_string(), |bytes| String::from_utf8(bytes).unwrap())
}

const PERSON: &str = "
type: object
properties:
  name: {type: string}
  age: {type: integer, default: 20}
  tags: {type: array, items: {type: string}}
  address: {type: object, default: {city: Bern}, properties: {city: {type: string}, zip: {type: integer, default: 3000}}}
";

fn person(defaults: DefaultMode) -> Schema {
    schema(PERSON, &ImportOptions::new().defaults(defaults))
}

// Proves REQ-145, REQ-152.
#[test]
fn preserving_output_needs_presence() {
    let schema = person(DefaultMode::Apply);
    let value = document_of("{}");
    let mode = EncodeMode::Preserve { strict: false };
    assert_eq!(schema.encode_with(&value, None, mode), Err(EncodeError::PresenceRequired));
    assert!(schema.encode_with(&value, None, EncodeMode::Canonical).is_ok());
}

// Proves REQ-155, REQ-175.
#[test]
fn what_the_program_has_set_is_written() {
    let schema = person(DefaultMode::Apply);
    let strict = EncodeMode::Preserve { strict: true };
    let mut edited = decoded(&schema, r#"{"tags": ["a"]}"#);
    assert_eq!(text(schema.encode_preserving(&edited)), r#"{"tags":["a"]}"#);

    // A default that was changed, one that was not, a new member, a new item.
    let age = edited.value.root().get("age").unwrap().id();
    edited.value.set(age, 21);
    edited.value.insert(NodeId::ROOT, "name", "Alice");
    let tags = edited.value.root().get("tags").unwrap().id();
    edited.value.push(tags, document_of("\"b\"").root());
    assert_eq!(
        text(schema.encode_preserving(&edited)),
        r#"{"age":21,"name":"Alice","tags":["a","b"]}"#
    );
    let literal = schema.encode_with(&edited.value, Some(&edited.presence), strict);
    assert_eq!(text(literal), r#"{"tags":["a","b"]}"#);

    // Inside a default that was applied as a whole.
    let city = edited.value.root().pointer("/address/city").unwrap().id();
    edited.value.set(city, "Basel");
    assert_eq!(
        text(schema.encode_preserving(&edited)),
        r#"{"address":{"city":"Basel","zip":3000},"age":21,"name":"Alice","tags":["a","b"]}"#
    );
    // What the program has taken away is gone.
    let tags = edited.value.root().get("tags").unwrap().id();
    edited.value.remove(tags);
    assert!(!text(schema.encode_preserving(&edited)).contains("tags"));
}

// Proves REQ-155.
#[test]
fn a_null_that_the_program_has_replaced_is_written_as_the_new_value() {
    let yaml = "type: object\nproperties: {a: {type: integer, nullable: true}}";
    let schema = schema(yaml, &ImportOptions::new());
    let mut edited = decoded(&schema, r#"{"a": null}"#);
    assert_eq!(text(schema.encode_preserving(&edited)), r#"{"a":null}"#);
    let id = edited.value.root().get("a").unwrap().id();
    edited.value.set(id, 1);
    assert_eq!(text(schema.encode_preserving(&edited)), r#"{"a":1}"#);
    let strict = EncodeMode::Preserve { strict: true };
    let literal = schema.encode_with(&edited.value, Some(&edited.presence), strict);
    assert_eq!(text(literal), r#"{"a":null}"#);
}

// Proves REQ-142, REQ-151, REQ-180.
#[test]
fn output_is_checked_on_both_sides() {
    let schema = person(DefaultMode::Apply);
    let error = schema.encode_canonical(&document_of(r#"{"age": "old"}"#)).unwrap_err();
    assert_eq!(short(error.issues().unwrap()), ["/age invalid_type"]);
    let not_finite = Document::of_events([
        crdkit_value::Event::BeginObject,
        crdkit_value::Event::Key("x"),
        crdkit_value::Event::Float(f64::NAN),
        crdkit_value::Event::EndObject,
    ]);
    let open = object().optional("x", number()).build(&ImportOptions::new()).unwrap().schema;
    match open.encode_canonical(&not_finite) {
        Err(EncodeError::NonFiniteNumber(path)) => assert_eq!(path.pointer(), "/x"),
        Err(EncodeError::Invalid(issues)) => assert_eq!(short(&issues), ["/x overflow"]),
        other => panic!("{other:?}"),
    }
    let ruled = schema.with_rule(rule_fn("adult", |context, value| {
        if value.get("age").and_then(Value::as_i64) < Some(18) {
            context.report_as(codes::domain::DOMAIN_RANGE, "/age", "too young");
        }
    }));
    let error = ruled.encode_canonical(&document_of(r#"{"age": 3}"#)).unwrap_err();
    assert_eq!(short(error.issues().unwrap()), ["/age domain_range"]);
    assert_eq!(error.issues().unwrap().first().unwrap().message(), "too young");
}

#[test]
fn a_rule_says_what_kind_of_mistake_it_found() {
    for (code, expected) in [
        (codes::domain::DOMAIN_RANGE, "domain_range"),
        (codes::domain::AGGREGATE_VIOLATION, "aggregate_violation"),
        (codes::domain::UNIQUENESS, "uniqueness"),
        (codes::domain::BUSINESS_RULE, "business_rule"),
        (codes::domain::STATE_CONFLICT, "conflict"),
        (codes::domain::DEPENDENCY_UNAVAILABLE, "dependency_unavailable"),
        (codes::domain::CUSTOM, "custom"),
    ] {
        let schema = object().build(&ImportOptions::new()).unwrap().schema;
        let ruled = schema.with_rule(rule_fn("rule", move |context, _| {
            context.report_as(code, "", "the program's words");
        }));
        let error = ruled.encode_canonical(&document_of("{}")).unwrap_err();
        assert_eq!(short(error.issues().unwrap()), [format!(" {expected}")]);
        assert_eq!(error.issues().unwrap().first().unwrap().message(), "the program's words");
    }
}

#[test]
fn a_scalar_that_was_null_cannot_be_preserved() {
    let schema = string().build(&ImportOptions::new()).unwrap().schema;
    let parsed = parse(&schema, "null");
    assert_eq!(short(&parsed.issues), [" invalid_type"]);
    let error = schema.encode_preserving(&Decoded::new(parsed.value, parsed.presence)).unwrap_err();
    assert_eq!(short(error.issues().unwrap()), [" invalid_type"]);
}

// Proves REQ-073.
#[test]
fn rules_run_innermost_first_and_only_when_their_places_were_seen() {
    struct Range;
    impl Rule for Range {
        fn name(&self) -> &'static str {
            "range"
        }
        fn check(&self, context: &mut RuleContext<'_>, value: Value<'_>) {
            let at = |key| value.get(key).and_then(Value::as_i64);
            if at("from") > at("to") {
                context.report("/to", "ends before it begins");
            }
        }
    }
    let yaml = "
type: object
properties:
  note: {type: string}
  spans: {type: array, items: {type: object, properties: {from: {type: integer}, to: {type: integer, default: 5}}}}
";
    let order = Arc::new(Mutex::new(Vec::new()));
    let (outer, inner) = (Arc::clone(&order), Arc::clone(&order));
    let schema = schema(yaml, &ImportOptions::new().defaults(DefaultMode::Apply))
        .with_rule(rule_fn("outer", move |context, _| {
            outer.lock().unwrap().push(format!("outer {}", context.path().pointer()));
        }))
        .with_rule_at(
            "/spans/*",
            rule_fn("inner", move |context, _| {
                let seen = context.presence("/to").is_seen();
                inner.lock().unwrap().push(format!("inner {} {seen}", context.path().pointer()));
            }),
        )
        .unwrap()
        .with_rule_at("/spans/*", Range)
        .unwrap()
        .with_rule_when(
            WhenSeen::All(vec!["/note".parse().unwrap(), "/spans".parse().unwrap()]),
            rule_fn("note", |context, _| context.report("", "not both")),
        );
    // Defaults count for rules; a wrong sibling does not keep them from running.
    let parsed = parse(&schema, r#"{"note": 1, "spans": [{"from": 9}, {"from": 1, "to": 2}, 7]}"#);
    assert_eq!(
        short(&parsed.issues),
        [
            " business_rule",
            "/note invalid_type",
            "/spans/0/to business_rule",
            "/spans/2 invalid_type"
        ]
    );
    assert_eq!(*order.lock().unwrap(), ["inner /spans/0 false", "inner /spans/1 true", "outer "]);
    assert!(parse(&schema, r#"{"note": "a"}"#).is_valid());
}

#[test]
fn rules_see_what_was_there_before() {
    let schema = schema("type: object\nproperties: {size: {type: integer}}", &ImportOptions::new())
        .with_rule(rule_fn("grows", |context, value| {
            let size = |value: Value<'_>| value.get("size").and_then(Value::as_i64);
            let before = context.old().and_then(size);
            if before > size(value) {
                context.report_as(codes::domain::STATE_CONFLICT, "/size", "must not shrink");
            }
        }));
    let options = ParseOptions::new().old(document_of(r#"{"size": 5}"#));
    assert_eq!(short(&schema.parse(r#"{"size": 4}"#, &options).issues), ["/size conflict"]);
    assert!(schema.parse(r#"{"size": 6}"#, &options).is_valid());
    assert!(parse(&schema, r#"{"size": 4}"#).is_valid());
}

// Proves REQ-107, REQ-141.
#[test]
fn codecs_give_the_program_one_form_and_the_wire_one_spelling() {
    for (codec, wire, domain, back) in [
        (
            Box::new(Rfc3339) as Box<dyn Codec>,
            r#""2024-02-29t23:59:59.120-01:00""#,
            r#""2024-03-01T00:59:59.12Z""#,
            r#""2024-03-01T00:59:59.12Z""#,
        ),
        (Box::new(EpochSeconds), "0", r#""1970-01-01T00:00:00Z""#, "0"),
        (Box::new(EpochSeconds), "-1", r#""1969-12-31T23:59:59Z""#, "-1"),
        (
            Box::new(JsonText),
            r#""{\"b\":1.0,\"a\":[]}""#,
            r#"{"a":[],"b":1}"#,
            r#""{\"a\":[],\"b\":1}""#,
        ),
        (Box::new(QuantityText), r#""1000m""#, r#""1""#, r#""1""#),
        (Box::new(Base64), "\"aGk\\n=\"", r#""aGk=""#, r#""aGk=""#),
        (Box::new(crdkit_structure::DurationText), r#""90m""#, r#""1h30m0s""#, r#""1h30m0s""#),
        (Box::new(crdkit_structure::IntOrString), "5", "5", "5"),
        (Box::new(crdkit_structure::IntOrString), r#""50%""#, r#""50%""#, r#""50%""#),
    ] {
        let decoded = codec
            .decode(document_of(wire).root())
            .unwrap_or_else(|error| panic!("{wire}: {error}"));
        assert_eq!(decoded, document_of(domain), "{wire}");
        let encoded = codec.encode(decoded.root()).unwrap();
        assert_eq!(encoded, document_of(back), "{wire}");
        assert_eq!(codec.decode(encoded.root()).unwrap(), decoded, "{wire}");
    }
    for (codec, wrong) in [
        (Box::new(Rfc3339) as Box<dyn Codec>, r#""2024-02-30T00:00:00Z""#),
        (Box::new(Rfc3339), r#""2024-01-01T00:00:00,5Z""#),
        (Box::new(Rfc3339), r#""2024-01-01T00:00:00.1234567890Z""#),
        (Box::new(Rfc3339), r#""2016-12-31T23:59:60Z""#),
        (Box::new(Rfc3339), r#""0000-01-01T00:00:00+01:00""#),
        (Box::new(Rfc3339), r#""9999-12-31T23:59:59-01:00""#),
        (Box::new(Rfc3339), r#""2024-01-01T0:00:00Z""#),
        (Box::new(Rfc3339), "1"),
        (Box::new(EpochSeconds), "1e30"),
        (Box::new(EpochSeconds), "9223372036854775807"),
        (Box::new(Base64), r#""a""#),
        (Box::new(Base64), r#""a===""#),
        (Box::new(QuantityText), r#""much""#),
        (Box::new(JsonText), r#""{\"a\":1,\"a\":2}""#),
        (Box::new(crdkit_structure::IntOrString), "1.5"),
    ] {
        assert!(codec.decode(document_of(wrong).root()).is_err(), "{wrong}");
    }
}

// Proves REQ-167.
#[test]
fn times_have_nine_digits_at_most_and_none_too_many() {
    for (wire, expected) in [
        ("2024-01-01T00:00:00.0Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00.100Z", "2024-01-01T00:00:00.1Z"),
        ("2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456789Z"),
        ("2023-12-31T23:30:00-00:30", "2024-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999z", "9999-12-31T23:59:59.999999999Z"),
    ] {
        assert_eq!(Rfc3339::canonical(wire).as_deref(), Ok(expected));
    }
}

// Proves REQ-157, REQ-181.
#[test]
fn a_codec_stands_at_a_path_and_presence_speaks_of_the_program_s_shape() {
    let yaml = "
type: object
properties:
  at: {type: integer}
  jobs: {type: array, items: {type: object, properties: {config: {type: string}}}}
";
    let codecs = Codecs::new()
        .for_path("/at", EpochSeconds)
        .and_then(|codecs| codecs.for_path("/jobs/*/config", JsonText))
        .unwrap();
    let schema = schema(yaml, &ImportOptions::new()).with_codecs(codecs);
    let wire = r#"{"at": 60, "jobs": [{"config": "{\"k\": null}"}]}"#;
    let value = decoded(&schema, wire);
    assert_eq!(
        value.value,
        document_of(r#"{"at": "1970-01-01T00:01:00Z", "jobs": [{"config": {"k": null}}]}"#)
    );
    assert!(value.presence.at("/jobs/0/config/k").was_null());
    assert_eq!(
        text(schema.encode_preserving(&value)),
        r#"{"at":60,"jobs":[{"config":"{\"k\":null}"}]}"#
    );
    let parsed = parse(&schema, r#"{"at": 60, "jobs": [{"config": "{"}]}"#);
    assert_eq!(short(&parsed.issues), ["/jobs/0/config invalid_format"]);
}

#[test]
fn a_codec_of_the_program_s_own_checks_its_side_too() {
    struct Percent;
    impl Codec for Percent {
        fn name(&self) -> &'static str {
            "percentage"
        }
        fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
            let text =
                wire.as_str().and_then(|text| text.strip_suffix('%')).ok_or("no percent sign")?;
            Ok(document_of(text))
        }
        fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
            let number = domain.as_i64().ok_or("no number")?;
            Ok(document_of(&format!("\"{number}%\"")))
        }
        fn check(&self, domain: Value<'_>) -> Result<(), String> {
            let fits = domain.as_i64().is_some_and(|number| (0..=100).contains(&number));
            if fits { Ok(()) } else { Err("not between 0 and 100".into()) }
        }
    }
    let yaml = "type: object\nproperties: {share: {type: string, format: percent, default: 50%}}";
    let schema = schema(yaml, &ImportOptions::new().defaults(DefaultMode::Apply))
        .with_codecs(Codecs::new().for_format("percent", Percent));
    let value = decoded(&schema, "{}");
    assert_eq!(value.value, document_of(r#"{"share": 50}"#));
    assert_eq!(text(schema.encode_preserving(&value)), "{}");
    assert_eq!(text(schema.encode_canonical(&document_of("{}"))), r#"{"share":"50%"}"#);
    assert_eq!(short(&parse(&schema, r#"{"share": "101%"}"#).issues), ["/share invalid_format"]);
    let error = schema.encode_canonical(&document_of(r#"{"share": 101}"#)).unwrap_err();
    assert_eq!(short(error.issues().unwrap()), ["/share invalid_format"]);
}

#[test]
fn equal_instants_are_one_item_where_canonical_text_counts() {
    let yaml = "
type: object
properties:
  times: {type: array, x-kubernetes-list-type: set, items: {type: string, format: date-time}}
";
    let document = crate::support::decode(yaml).document;
    let input = r#"{"times": ["2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"]}"#;
    for (equality, expected) in
        [(Equality::Structural, &[][..]), (Equality::CanonicalJson, &["/times/1 duplicate_item"])]
    {
        let options = ImportOptions::new().equality(equality);
        let schema = import_with(document.root(), &options, Codecs::standard()).unwrap().schema;
        assert_eq!(short(&parse(&schema, input).issues), expected, "{equality:?}");
    }
}

// Proves REQ-106.
#[test]
fn presence_is_kept_where_it_is_asked_for() {
    let schema = person(DefaultMode::Apply);
    let input = r#"{"name": "a", "tags": ["x"]}"#;
    let with = |filter| schema.parse(input, &ParseOptions::new().presence(filter)).presence;
    let all = with(Some(PresenceFilter::all()));
    assert!(
        all.at("/name").is_seen()
            && all.at("/age").default_applied()
            && all.at("/tags/0").is_seen()
    );
    let some = with(Some(PresenceFilter::all().include("/tags".parse().unwrap())));
    assert!(some.at("/tags/0").is_seen() && some.at("/name").is_missing());
    assert!(!some.at("/age").default_applied());
    let none = with(None);
    assert_eq!(none.iter().count(), 1);
    // It is there even when the value is wrong.
    let wrong = parse(&schema, r#"{"name": null}"#);
    assert!(!wrong.is_valid() && wrong.presence.at("/name").was_null());
}

#[test]
fn strange_names_are_names_like_any_other() {
    let yaml = "type: object\nproperties: {a: {type: integer, default: 1}}";
    let options = ImportOptions::new().unknown(Unknown::Preserve).defaults(DefaultMode::Apply);
    let schema = schema(yaml, &options);
    let input = r#"{"":{"/":null},"a/b":1,"_unknown":[],"~":{}}"#;
    let value = decoded(&schema, input);
    for pointer in ["/", "//~1", "/a~1b", "/_unknown", "/~0"] {
        assert!(value.presence.at(pointer).is_seen(), "{pointer}");
    }
    assert_eq!(
        text(schema.encode_preserving(&value)),
        r#"{"":{"/":null},"_unknown":[],"a/b":1,"~":{}}"#
    );
}

// Proves REQ-072.
#[test]
fn defaults_are_readable_in_every_mode() {
    for mode in [DefaultMode::Ignore, DefaultMode::Annotate, DefaultMode::Apply] {
        let schema = person(mode);
        let at = |pointer: &str| schema.default_at(&pointer.parse().unwrap());
        assert_eq!(at("/age"), Some(document_of("20")));
        assert_eq!(at("/address"), Some(document_of(r#"{"city": "Bern", "zip": 3000}"#)));
        assert_eq!(at("/address/zip"), Some(document_of("3000")));
        assert_eq!((at("/name"), at("/nowhere/at/all")), (None, None));
    }
}

// Proves REQ-069.
#[test]
fn required_and_default_by_mode() {
    let yaml = "type: object\nrequired: [a]\nproperties: {a: {type: integer, default: 1}}";
    for (mode, issues) in [
        (DefaultMode::Apply, &[][..]),
        (DefaultMode::Annotate, &[]),
        (DefaultMode::Ignore, &["/a required"]),
    ] {
        let schema = schema(yaml, &ImportOptions::new().defaults(mode));
        assert_eq!(short(&parse(&schema, "{}").issues), issues, "{mode:?}");
    }
}

#[test]
fn built_schemas_are_imported_ones() {
    let built = object()
        .required("name", string().length(1..=3).pattern("^[a-z]+$"))
        .optional("sizes", array(integer().range(1..10)).length(..=2).unique())
        .optional("labels", map(string().nullable()))
        .with_default(
            "shape",
            tagged(
                "kind",
                [
                    ("round", object().required("radius", number())),
                    ("flat", object().optional("width", number())),
                ],
            ),
            &document_of(r#"{"kind": "flat"}"#),
        )
        .closed()
        .build(&ImportOptions::new().profile(Profile::Loose).defaults(DefaultMode::Apply))
        .unwrap()
        .schema;
    let parsed = parse(
        &built,
        r#"{"name": "A", "sizes": [1, 1, 10], "labels": {"a": 1, "b": null}, "x": 1}"#,
    );
    assert_eq!(
        short(&parsed.issues),
        [
            "/labels/a invalid_type",
            "/name pattern",
            "/sizes too_long",
            "/sizes/1 duplicate_item",
            "/sizes/2 too_big",
            "/x unknown_key",
        ]
    );
    assert!(
        parse(&built, r#"{"name": "abc", "shape": {"kind": "round", "radius": 1.5}}"#).is_valid()
    );
    assert!(!parse(&built, r#"{"name": "abc", "shape": {"kind": "round"}}"#).is_valid());
    assert!(built.is_valid(document_of(r#"{"name": "abc"}"#).root()));

    // Written out and read again, it judges the same.
    let exported = built.to_json_schema(&ExportOptions::new());
    let again =
        import(exported.root(), &ImportOptions::new().profile(Profile::Loose)).unwrap().schema;
    assert_eq!(again.to_json_schema(&ExportOptions::new()), exported);
    let wrong = r#"{"name": "A", "sizes": [0], "x": 1}"#;
    assert_eq!(short(&parse(&again, wrong).issues), short(&parse(&built, wrong).issues));
    let wrong = string().pattern("(");
    assert!(wrong.clone().build(&ImportOptions::new()).is_err());
    let lenient = ImportOptions::new().malformed(crdkit_structure::DiagnosticLevel::Warning);
    assert!(wrong.build(&lenient).unwrap().diagnostics.has_warnings());
}

// Proves REQ-075.
#[test]
fn export_keeps_extensions_and_can_mark_presence() {
    let text = br#"{"openAPIV3Schema": {"type": "object", "x-mine": {"a": 1}}}"#;
    let schema = import_json(text, &ImportOptions::new()).unwrap().schema;
    let plain = schema.to_json_schema(&ExportOptions::new());
    assert_eq!(plain, document_of(r#"{"type": "object", "x-mine": {"a": 1}}"#));
    let crd = br#"{"kind": "CustomResourceDefinition", "spec": {"versions": [
        {"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-mine": {"a": 1}}}}
    ]}}"#;
    let of_crd = import_json(crd, &ImportOptions::new()).unwrap().schema;
    assert_eq!(of_crd.to_json_schema(&ExportOptions::new()), plain);
    let marked = schema.to_json_schema(&ExportOptions::new().presence_annotation());
    assert_eq!(marked.root().get("x-goskema-presence").and_then(Value::as_bool), Some(true));
}

#[test]
fn a_report_for_machines_has_every_part() {
    let schema = schema(
        "type: object\nproperties: {a: {type: array, x-kubernetes-list-type: set, items: {type: integer}}}",
        &ImportOptions::new(),
    );
    let source = b"{\n \"a\": [1,\n 1]}";
    let parsed = schema.parse(source, &ParseOptions::new());
    let json = Report::new().source(source).paths(PathStyle::Kubernetes).json(&parsed.issues);
    let report = document_of(&json);
    let issue = report.root().pointer("/issues/0").unwrap();
    let text = |key| issue.get(key).and_then(Value::as_str).unwrap_or_default();
    assert_eq!(
        (text("path"), text("code"), text("hint")),
        (".a[1]", "duplicate_item", "first at .a[0]")
    );
    assert_eq!((text("kind"), text("severity")), ("FieldValueDuplicate", "error"));
    assert_eq!(issue.get("line").and_then(Value::as_i64), Some(3));
    assert_eq!(issue.get("column").and_then(Value::as_i64), Some(2));
    assert_eq!(issue.get("offset").and_then(Value::as_i64), Some(13));
    assert_eq!(Report::new().json(&Issues::default()), r#"{"issues":[]}"#);
}

#[test]
fn limits_end_a_report_and_a_document() {
    let schema = array(integer()).build(&ImportOptions::new()).unwrap().schema;
    let many = format!("[{}]", vec!["\"x\""; 50].join(","));
    let parsed = schema.parse(&many, &ParseOptions::new().max_issues(10));
    assert_eq!(parsed.issues.len(), 11);
    assert!(parsed.issues.has("truncated"));
    // The one finding of a fail-fast run is one of all, and the first in the document.
    let first = schema.parse("[1, \"b\", \"a\"]", &ParseOptions::new().fail_fast(true)).issues;
    assert_eq!(short(&first), ["/1 invalid_type"]);

    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(schema.parse(&deep, &ParseOptions::new()).issues.has("depth_exceeded"));
    let small = ParseOptions::new().limits(Limits::new().bytes(4));
    assert!(schema.parse("[1, 2]", &small).issues.has("truncated"));
    let digits = "[1e1000000000]";
    let parsed = parse(&array(number()).build(&ImportOptions::new()).unwrap().schema, digits);
    assert!(parsed.is_valid(), "{}", parsed.issues);
}

#[test]
fn every_cut_of_an_input_is_a_finding_and_not_a_panic() {
    let schema = person(DefaultMode::Apply);
    let input = r#"{"name": "\u00fcb", "age": -1.5e2, "tags": ["a", null], "address": {}}"#;
    for end in 0..input.len() {
        if let Some(cut) = input.get(..end) {
            let parsed = parse(&schema, cut);
            assert!(parsed.issues.has("parse_error"), "{cut}");
        }
    }
    for wrong in ["", " ", "\u{feff}{}", "nul", "[1,]", "{\"a\":\"\\udc00\"}"] {
        assert!(parse(&schema, wrong).issues.has("parse_error"), "{wrong:?}");
    }
    assert!(schema.parse(&b"{\"a\":\"\xff\"}"[..], &ParseOptions::new()).issues.has("parse_error"));
}

// Proves REQ-121.
#[test]
fn every_format_is_read() {
    let schema = person(DefaultMode::Ignore);
    let yaml = schema.parse(Wire::Yaml(b"name: Alice\nage: 3\n"), &ParseOptions::new());
    let mut cbor = Vec::new();
    crdkit_codec::cbor::write(yaml.value.root(), crdkit_codec::cbor::Order::default(), &mut cbor)
        .unwrap();
    let cbor = schema.parse(Wire::Cbor(&cbor), &ParseOptions::new());
    let json = parse(&schema, r#"{"age": 3, "name": "Alice"}"#);
    assert!(yaml.is_valid() && cbor.is_valid() && json.is_valid());
    assert_eq!((&yaml.value, &cbor.value), (&json.value, &json.value));
    let converted = ParseOptions::new().converted_from_yaml(true);
    let warned = schema.parse(&json.value, &converted);
    assert!(warned.is_valid() && warned.warnings.has("duplicate_key"));
}

// Proves REQ-126.
#[test]
fn an_import_refuses_keys_that_are_given_twice() {
    let text = b"type: object\ntype: string\n";
    let error = import_yaml(text, &ImportOptions::new()).unwrap_err();
    assert!(error.to_string().contains("duplicate_key"), "{error}");
}

/// Unknown members: the schema's own words in their order, then the option.
#[test]
fn the_table_of_unknown_members_holds() {
    for preserve in [false, true] {
        for additional in ["", "true", "false", "{type: integer}"] {
            for pattern in ["", "^k", "^other"] {
                for policy in 0..4 {
                    let mut yaml = String::from("type: object\nproperties: {a: {type: integer}}\n");
                    if preserve {
                        yaml.push_str("x-kubernetes-preserve-unknown-fields: true\n");
                    }
                    if !additional.is_empty() {
                        let _ = writeln!(yaml, "additionalProperties: {additional}");
                    }
                    if !pattern.is_empty() {
                        let _ =
                            writeln!(yaml, "patternProperties: {{'{pattern}': {{type: integer}}}}");
                    }
                    let unknown = match policy {
                        0 => Unknown::Prune,
                        1 => Unknown::Strict,
                        2 => Unknown::Preserve,
                        _ => Unknown::Passthrough { target: "/rest".into() },
                    };
                    let options = ImportOptions::new().profile(Profile::Loose).unknown(unknown);
                    let schema = schema(&yaml, &options);
                    let parsed = parse(&schema, r#"{"a": 1, "k": 2}"#);
                    let known = preserve
                        || pattern == "^k"
                        || matches!(additional, "true" | "{type: integer}");
                    let (kept, wrong) = match policy {
                        _ if known => (true, false),
                        _ if additional == "false" => (true, true),
                        1 => (true, true),
                        2 => (true, false),
                        _ => (false, false),
                    };
                    let at = format!("{preserve} {additional:?} {pattern:?} {policy}: {parsed:?}");
                    assert_eq!(parsed.value.root().get("k").is_some(), kept, "{at}");
                    assert_eq!(parsed.issues.has("unknown_key"), wrong, "{at}");
                    let moved = policy == 3 && !known && additional != "false";
                    assert_eq!(parsed.presence.at("/rest/k").is_seen(), moved, "{at}");
                }
            }
        }
    }
}

// Proves REQ-074, REQ-159.
#[test]
fn nulls_by_mode_at_every_depth() {
    let yaml = "
type: object
properties:
  a: &node
    type: object
    properties:
      plain: {type: integer}
      filled: {type: integer, default: 7}
      nullable: {type: integer, nullable: true, default: 7}
  list: {type: array, items: *node}
  map: {type: object, additionalProperties: *node}
";
    let options = ImportOptions::new().nulls(Nulls::DropLikeApiServer);
    let object = r#"{"plain": null, "filled": null, "nullable": null}"#;
    let input = format!(r#"{{"a": {object}, "list": [{object}], "map": {{"k": {object}}}}}"#);
    for mode in [DefaultMode::Apply, DefaultMode::Annotate, DefaultMode::Ignore] {
        let schema = schema(yaml, &options.clone().defaults(mode));
        let parsed = parse(&schema, &input);
        assert!(parsed.is_valid(), "{mode:?} {}", parsed.issues);
        for place in ["/a", "/list/0", "/map/k"] {
            let at = |name: &str| parsed.presence.at(&format!("{place}/{name}"));
            let value = parsed.value.root().pointer(place).unwrap();
            assert!(at("plain").was_null() && value.get("plain").is_none());
            assert!(at("nullable").was_null() && value.get("nullable").is_some_and(Value::is_null));
            assert!(!at("nullable").default_applied());
            assert_eq!(at("filled").default_applied(), mode == DefaultMode::Apply);
            assert_eq!(at("filled").default_available(), mode == DefaultMode::Annotate);
            assert_eq!(value.get("filled").is_some(), mode == DefaultMode::Apply);
        }
        let value = Decoded::new(parsed.value, parsed.presence);
        let written = schema.encode_preserving(&value).unwrap();
        assert_eq!(document_of(&text(Ok(written))), document_of(&input), "{mode:?}");
    }
}

// Proves REQ-094.
#[test]
fn paths_of_findings_can_be_shown_as_kubernetes_shows_them() {
    let yaml =
        "type: object\nproperties: {labels: {type: object, additionalProperties: {type: string}}}";
    let parsed = parse(&schema(yaml, &ImportOptions::new()), r#"{"labels": {"app.io/name": 1}}"#);
    let path: &FieldPath = &parsed.issues.first().unwrap().path;
    assert_eq!(path.display(PathStyle::Kubernetes).to_string(), ".labels[app.io/name]");
    assert_eq!(
        parsed.issues.summary(PathStyle::Both),
        "invalid_type at .labels[app.io/name] (/labels/app.io~1name)"
    );
}

#[test]
fn numbers_are_kept_and_written_as_the_option_says() {
    use Numbers::{BigInt, Decimal, Exact, Float64, Kubernetes};
    let scaled = Decimal { keep_scale: true };
    for (numbers, input, expected) in [
        (Exact, "1.2300", Ok("1.23")),
        (Exact, "0.10000000000000000001", Ok("0.10000000000000000001")),
        (Exact, "9007199254740993", Ok("9007199254740993")),
        (scaled, "1.2300", Ok("1.2300")),
        (scaled, "1e3", Ok("1000")),
        (Decimal { keep_scale: false }, "1.2300e-8", Ok("0.0000000123")),
        (BigInt, "1e3", Ok("1000")),
        (Float64 { lossy: true }, "9007199254740993", Ok("9007199254740992")),
        (Float64 { lossy: false }, "9007199254740993", Err("overflow")),
        (Float64 { lossy: false }, "1.5", Ok("1.5")),
        (Kubernetes, "9007199254740993", Ok("9007199254740993")),
        (Kubernetes, "1.50", Ok("1.5")),
    ] {
        let schema = number().build(&ImportOptions::new().numbers(numbers)).unwrap().schema;
        let parsed = parse(&schema, input);
        let found = if parsed.is_valid() {
            Ok(text(schema.encode_canonical(&parsed.value)))
        } else {
            Err(parsed.issues.first().unwrap().short())
        };
        assert_eq!(found.as_deref().map_err(|code| &**code), expected, "{numbers:?} {input}");
    }
}

#[test]
fn codecs_follow_one_another() {
    use crdkit_structure::NumberText;
    let codecs = Codecs::new().for_path("/at", NumberText.then(EpochSeconds)).unwrap();
    let options = ImportOptions::new();
    let schema =
        schema("{type: object, properties: {at: {type: string}}}", &options).with_codecs(codecs);
    let parsed = parse(&schema, r#"{"at": "86400"}"#);
    assert_eq!(parsed.value, document_of(r#"{"at": "1970-01-02T00:00:00Z"}"#), "{}", parsed.issues);
    assert_eq!(schema.encode_canonical(&parsed.value).unwrap(), br#"{"at":"86400"}"#);
    assert_eq!(short(&parse(&schema, r#"{"at": "soon"}"#).issues), ["/at invalid_format"]);
}

#[test]
fn an_input_is_read_from_a_reader() {
    let schema = schema("{type: object, properties: {a: {type: integer}}}", &ImportOptions::new());
    let read = |bytes: &[u8], wire: for<'b> fn(&'b [u8]) -> Wire<'b>| {
        schema.parse_reader(bytes, wire, &ParseOptions::new()).unwrap()
    };
    assert!(read(br#"{"a": 1}"#, |bytes| Wire::Json(bytes)).is_valid());
    assert!(!read(b"a: x", |bytes| Wire::Yaml(bytes)).is_valid());
    let few = Limits::new().bytes(4);
    let options = ParseOptions::new().limits(few);
    let parsed =
        schema.parse_reader(&br#"{"a": 1}"#[..], |bytes| Wire::Json(bytes), &options).unwrap();
    assert!(!parsed.is_valid());
}

#[test]
fn extensions_have_types() {
    use crdkit_structure::PatchStrategy;
    let yaml = "
type: object
x-kubernetes-group-version-kind: {group: g, version: v1, kind: K}
x-kubernetes-unions: [{discriminator: type, fields-to-discriminateBy: {git: Git}}]
properties:
  list:
    type: array
    x-kubernetes-patch-strategy: merge,retainKeys
    x-kubernetes-patch-merge-key: name
    x-mine: {a: [1]}
    items: {type: object, x-kubernetes-action: list}
";
    let schema = schema(yaml, &ImportOptions::new());
    let at = |pointer: &str| schema.extensions(&pointer.parse().unwrap());
    let root = at("");
    assert_eq!(root.kinds().len(), 1);
    assert_eq!(&*root.kinds()[0].kind, "K");
    assert_eq!(root.unions()[0].discriminator, Some("type"));
    assert_eq!(root.unions()[0].fields, [("git", "Git")]);
    let list = at("/list");
    assert_eq!(list.patch_strategy(), [PatchStrategy::Merge, PatchStrategy::RetainKeys]);
    assert_eq!(list.patch_merge_key().as_deref(), Some("name"));
    assert_eq!(list.get("x-mine"), Some(document_of(r#"{"a": [1]}"#)));
    assert_eq!(at("/list/0").action().as_deref(), Some("list"));
}

#[test]
fn a_union_without_a_discriminator_has_one_field_and_a_set_names_its_keyword() {
    let yaml = "
type: object
x-kubernetes-unions: [{fields-to-discriminateBy: {git: Git, image: Image}}]
properties:
  git: {type: string}
  image: {type: string}
  set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  plain: {type: array, uniqueItems: true, items: {type: string}}
";
    let schema = schema(yaml, &ImportOptions::new());
    assert!(parse(&schema, r#"{"git": "a"}"#).is_valid());
    assert_eq!(
        short(&parse(&schema, r#"{"git": "a", "image": "b"}"#).issues),
        ["/image not_allowed"]
    );
    let parsed = parse(&schema, r#"{"set": ["a", "a"], "plain": ["a", "a"]}"#);
    let keywords: Vec<_> = parsed.issues.iter().map(|issue| issue.keyword().to_owned()).collect();
    assert_eq!(keywords, ["uniqueItems", "x-kubernetes-list-type"]);
}
