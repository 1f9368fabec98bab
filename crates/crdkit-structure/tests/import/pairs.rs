//! Every option does what it says in every preset, beside every other option.
//!
//! Each choice has a probe: a schema, an input, and what must come of it. All pairs of choices that are not of one
//! option are tried on all presets, and each of the two must still do what it does alone.

use crate::support::decode;
use crdkit_structure::import::{
    Ambiguity, CelOptions, DefaultMode, Embedded, Equality, Formats, ImportOptions, IntOrString,
    Nulls, Numbers, Profile, Unevaluated, Unknown,
};
use crdkit_structure::{Codecs, ParseOptions, Parsed, Semantics, import_with};
use crdkit_value::Value;

type Preset = fn() -> ImportOptions;

/// One choice of one option.
struct Choice {
    option: &'static str,
    name: &'static str,
    choose: fn(ImportOptions) -> ImportOptions,
    schema: &'static str,
    input: &'static str,
    holds: fn(&Parsed) -> bool,
}

fn has(parsed: &Parsed, pointer: &str) -> bool {
    parsed.value.root().pointer(pointer).is_some()
}

fn finds(parsed: &Parsed, short: &str) -> bool {
    parsed.issues.has(short)
}

const OPEN: &str = "{type: object, properties: {a: {type: integer}}}";
const FILLED: &str = "{type: object, properties: {a: {type: integer, default: 1}}}";
const MIXED: &str = "{type: object, properties: {a: {x-kubernetes-int-or-string: true}}}";
const RESOURCE: &str =
    "{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true}}}";
const DATE: &str = "{type: object, properties: {a: {type: string, format: date}}}";
const OWN: &str = "{type: object, properties: {a: {type: string, format: even}}}";
const NUMBER: &str = "{type: object, properties: {a: {type: number}}}";
const ONE_OF: &str =
    "{type: object, properties: {a: {type: integer, oneOf: [{minimum: 1}, {minimum: 2}]}}}";
const ANY_OF: &str =
    "{type: object, properties: {a: {type: integer, anyOf: [{minimum: 1}, {minimum: 2}]}}}";
const SET: &str = "{type: object, properties: {a: {type: array, x-kubernetes-list-type: set,
    items: {type: string, format: date-time}}}}";
const UNEVALUATED: &str = "{type: object, properties: {a: {type: array, prefixItems: [{type: integer}], unevaluatedItems: false}}}";
const ENUM: &str = "{type: object, properties: {a: {type: number, enum: [1]}}}";
const CLOSED: &str = "{type: object, properties: {a: {type: object, additionalProperties: false}}}";
const WRONG: &str = "{type: object, properties: {a: {type: string, maxLength: -1}}}";
const RULE: &str = "{type: object, properties: {a: {type: integer,
    x-kubernetes-validations: [{rule: self > 5}]}}}";

#[rustfmt::skip]
const CHOICES: &[Choice] = &[
    Choice { option: "unknown", name: "prune", choose: |it| it.unknown(Unknown::Prune),
        schema: OPEN, input: r#"{"b":1}"#, holds: |it| it.is_valid() && !has(it, "/b") },
    Choice { option: "unknown", name: "strict", choose: |it| it.unknown(Unknown::Strict),
        schema: OPEN, input: r#"{"b":1}"#, holds: |it| finds(it, "unknown_key") },
    Choice { option: "unknown", name: "preserve", choose: |it| it.unknown(Unknown::Preserve),
        schema: OPEN, input: r#"{"b":1}"#, holds: |it| it.is_valid() && has(it, "/b") },
    Choice { option: "unknown", name: "passthrough",
        choose: |it| it.unknown(Unknown::Passthrough { target: "/rest".into() }),
        schema: OPEN, input: r#"{"b":1}"#, holds: |it| it.is_valid() && has(it, "/rest/b") && !has(it, "/b") },
    Choice { option: "defaults", name: "ignore", choose: |it| it.defaults(DefaultMode::Ignore),
        schema: FILLED, input: "{}", holds: |it| !has(it, "/a") && !it.presence.at("/a").default_available() },
    Choice { option: "defaults", name: "annotate", choose: |it| it.defaults(DefaultMode::Annotate),
        schema: FILLED, input: "{}", holds: |it| !has(it, "/a") && it.presence.at("/a").default_available() },
    Choice { option: "defaults", name: "apply", choose: |it| it.defaults(DefaultMode::Apply),
        schema: FILLED, input: "{}", holds: |it| has(it, "/a") && it.presence.at("/a").default_applied() },
    Choice { option: "nulls", name: "reject", choose: |it| it.nulls(Nulls::Reject),
        schema: OPEN, input: r#"{"a":null}"#, holds: |it| finds(it, "invalid_type") },
    Choice { option: "nulls", name: "drop", choose: |it| it.nulls(Nulls::DropLikeApiServer),
        schema: OPEN, input: r#"{"a":null}"#, holds: |it| it.is_valid() && !has(it, "/a") },
    Choice { option: "int-or-string", name: "numeric", choose: |it| it.int_or_string(IntOrString::NumericString),
        schema: MIXED, input: r#"{"a":"50%"}"#, holds: |it| finds(it, "pattern") },
    Choice { option: "int-or-string", name: "any", choose: |it| it.int_or_string(IntOrString::AnyString),
        schema: MIXED, input: r#"{"a":"50%"}"#, holds: Parsed::is_valid },
    Choice { option: "embedded", name: "off", choose: |it| it.embedded(Embedded::Off),
        schema: RESOURCE, input: r#"{"a":{}}"#, holds: Parsed::is_valid },
    Choice { option: "embedded", name: "minimal", choose: |it| it.embedded(Embedded::Minimal),
        schema: RESOURCE, input: r#"{"a":{}}"#, holds: |it| it.issues.len() == 3 },
    Choice { option: "embedded", name: "kubernetes", choose: |it| it.embedded(Embedded::Kubernetes),
        schema: RESOURCE, input: r#"{"a":{}}"#, holds: |it| it.issues.len() == 2 },
    Choice { option: "formats", name: "annotation", choose: |it| it.formats(Formats::Annotation),
        schema: DATE, input: r#"{"a":"x"}"#, holds: Parsed::is_valid },
    Choice { option: "formats", name: "known", choose: |it| it.formats(Formats::KnownStrict),
        schema: DATE, input: r#"{"a":"x"}"#, holds: |it| finds(it, "invalid_format") && it.issues.len() == 1 },
    Choice { option: "own format", name: "even", choose: |it| it.format("even", |text| text.len() % 2 == 0),
        schema: OWN, input: r#"{"a":"x"}"#, holds: |it| finds(it, "invalid_format") },
    Choice { option: "numbers", name: "exact", choose: |it| it.numbers(Numbers::Exact),
        schema: NUMBER, input: r#"{"a":18446744073709551617}"#, holds: |it| {
            it.is_valid() && it.value.root().get("a").is_some_and(|it| it.to_string() == "18446744073709551617")
        } },
    Choice { option: "numbers", name: "float", choose: |it| it.numbers(Numbers::Float64 { lossy: false }),
        schema: NUMBER, input: r#"{"a":9007199254740993}"#, holds: |it| finds(it, "overflow") },
    Choice { option: "numbers", name: "whole", choose: |it| it.numbers(Numbers::BigInt),
        schema: NUMBER, input: r#"{"a":1.5}"#, holds: |it| finds(it, "overflow") },
    Choice { option: "numbers", name: "kubernetes", choose: |it| it.numbers(Numbers::Kubernetes),
        schema: NUMBER, input: r#"{"a":9007199254740993}"#, holds: |it| {
            it.is_valid() && it.value.root().get("a").and_then(Value::as_i64) == Some(9_007_199_254_740_993)
        } },
    Choice { option: "numbers", name: "lossy", choose: |it| it.numbers(Numbers::Float64 { lossy: true }),
        schema: NUMBER, input: r#"{"a":9007199254740993}"#, holds: Parsed::is_valid },
    Choice { option: "semantics", name: "json-schema", choose: |it| it.semantics(Semantics::JsonSchema),
        schema: ENUM, input: r#"{"a":1.0}"#, holds: Parsed::is_valid },
    Choice { option: "semantics", name: "server", choose: |it| it.semantics(Semantics::Server),
        schema: CLOSED, input: r#"{"a":{"b":1}}"#, holds: |it| finds(it, "unknown_key") && it.issues.iter().all(|it| it.path.pointer() == "/a") },
    Choice { option: "malformed", name: "warning", choose: |it| it.malformed(crdkit_structure::DiagnosticLevel::Warning),
        schema: WRONG, input: r#"{"a":"x"}"#, holds: Parsed::is_valid },
    Choice { option: "ambiguity", name: "error", choose: |it| it.ambiguity(Ambiguity::Error),
        schema: ONE_OF, input: r#"{"a":3}"#, holds: |it| finds(it, "union_ambiguous") },
    Choice { option: "ambiguity", name: "first", choose: |it| it.ambiguity(Ambiguity::FirstMatch),
        schema: ONE_OF, input: r#"{"a":3}"#, holds: Parsed::is_valid },
    Choice { option: "ambiguity", name: "best", choose: |it| it.ambiguity(Ambiguity::ScoreBest),
        schema: ONE_OF, input: r#"{"a":3}"#, holds: Parsed::is_valid },
    Choice { option: "exclusive", name: "yes", choose: |it| it.exclusive_any_of(true).ambiguity(Ambiguity::Error),
        schema: ANY_OF, input: r#"{"a":3}"#, holds: |it| finds(it, "union_ambiguous") },
    Choice { option: "exclusive", name: "no", choose: |it| it.exclusive_any_of(false),
        schema: ANY_OF, input: r#"{"a":3}"#, holds: Parsed::is_valid },
    Choice { option: "equality", name: "structural", choose: |it| it.equality(Equality::Structural),
        schema: SET, input: r#"{"a":["2024-01-01T00:00:00Z","2024-01-01T01:00:00+01:00"]}"#, holds: Parsed::is_valid },
    Choice { option: "equality", name: "canonical", choose: |it| it.equality(Equality::CanonicalJson),
        schema: SET, input: r#"{"a":["2024-01-01T00:00:00Z","2024-01-01T01:00:00+01:00"]}"#,
        holds: |it| finds(it, "duplicate_item") },
    Choice { option: "unevaluated", name: "exact", choose: |it| it.unevaluated(Unevaluated::Exact),
        schema: UNEVALUATED, input: r#"{"a":[1,2]}"#, holds: |it| !it.is_valid() },
    Choice { option: "unevaluated", name: "approximate", choose: |it| it.unevaluated(Unevaluated::Approximate),
        schema: UNEVALUATED, input: r#"{"a":[1,2]}"#, holds: |it| !it.is_valid() },
    Choice { option: "unevaluated", name: "warn", choose: |it| it.unevaluated(Unevaluated::Warn),
        schema: UNEVALUATED, input: r#"{"a":[1,2]}"#, holds: Parsed::is_valid },
    Choice { option: "cel", name: "on", choose: |it| it.cel(CelOptions::default()),
        schema: RULE, input: r#"{"a":3}"#, holds: |it| finds(it, "cel_violation") },
];

/// What goes against one another by its meaning: ambiguity is only an error of `anyOf` where it is one.
fn excludes(one: &Choice, other: &Choice) -> bool {
    one.option == other.option
        || one.option == "exclusive" && other.option == "ambiguity"
        || one.option == "ambiguity" && other.option == "exclusive"
}

// Proves REQ-004, REQ-098.
#[test]
fn every_option_is_honoured_beside_every_other() {
    let presets: &[(&str, Preset)] = &[
        ("new", ImportOptions::new),
        ("loose", || ImportOptions::new().profile(Profile::Loose)),
        ("kubernetes", ImportOptions::kubernetes),
        ("audit", ImportOptions::audit),
        ("loose server", || {
            ImportOptions::new().profile(Profile::Loose).semantics(Semantics::Server)
        }),
    ];
    let mut broken = Vec::new();
    for (preset, make) in presets {
        for one in CHOICES {
            for other in CHOICES.iter().filter(|other| !excludes(one, other)) {
                let options = (other.choose)((one.choose)(make()));
                let schema = decode(one.schema);
                let schema = import_with(schema.root(), &options, Codecs::standard());
                let schema = schema.unwrap_or_else(|error| panic!("{error}")).schema;
                let parsed = schema.parse(one.input, &ParseOptions::new());
                if !(one.holds)(&parsed) {
                    broken.push(format!(
                        "{preset}: {} {} beside {} {}: {:?} {}",
                        one.option, one.name, other.option, other.name, parsed.value, parsed.issues
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} pairs:\n{}", broken.len(), broken.join("\n"));
}
