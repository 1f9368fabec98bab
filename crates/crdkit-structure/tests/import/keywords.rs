//! Each keyword: a value that satisfies it and one that does not.

use crate::support::{check, check_with, decode, loose};
use crdkit_structure::ParseOptions;
use crdkit_structure::import::{
    DefaultMode, Dialect, Embedded, Formats, ImportOptions, IntOrString, Numbers, Unevaluated,
};

// Proves REQ-020, REQ-040, REQ-132.
#[test]
fn types_are_sets_and_a_number_without_fraction_is_an_integer() {
    check("{type: integer}", "1.0", &[]);
    check("{type: integer}", "1e400", &[]);
    check("{type: integer}", "1.5", &["type-mismatch @ "]);
    check("{type: [string, 'null']}", "null", &[]);
    check("{type: [string, 'null']}", "1", &["type-mismatch @ "]);
    check("{type: number}", "3", &[]);
    check("{type: 'null'}", "false", &["type-mismatch @ "]);
    for kind in ["string", "number", "integer", "boolean", "null", "object", "array"] {
        let values = [
            ("string", "a"),
            ("integer", "1"),
            ("boolean", "true"),
            ("null", "null"),
            ("object", "{}"),
            ("array", "[]"),
        ];
        for (of, value) in values {
            let fits = kind == of || kind == "number" && of == "integer";
            let expected: &[&str] = if fits { &[] } else { &["type-mismatch @ "] };
            check(&format!("{{type: '{kind}'}}"), value, expected);
        }
    }
}

// Proves REQ-021.
#[test]
fn nullable_is_a_type_more() {
    let options = loose().dialect(Dialect::OpenApi30);
    check_with(&options, "{type: string, nullable: true}", "null", &[]);
    check_with(&options, "{type: string, nullable: false}", "null", &["type-mismatch @ "]);
    // Null must be among the values listed, as in the reading as a union.
    check_with(
        &options,
        "{type: string, nullable: true, enum: [a]}",
        "null",
        &["enum-mismatch @ "],
    );
    check("{type: string, nullable: true}", "null", &[]);
}

// Proves REQ-024, REQ-042.
#[test]
fn limits_are_exact() {
    check("{maximum: 9007199254740992}", "9007199254740993", &["maximum @ "]);
    check("{minimum: 0.1}", "0.1", &[]);
    check("{exclusiveMinimum: 0.1}", "0.10", &["minimum @ "]);
    check("{exclusiveMaximum: 3}", "3", &["maximum @ "]);
    check("{maximum: 3, exclusiveMaximum: true}", "3", &["maximum @ "]);
    check("{maximum: 3, exclusiveMaximum: true}", "2.9", &[]);
    check("{multipleOf: 0.01}", "4.35", &[]);
    check("{multipleOf: 0.01}", "4.355", &["multiple-of @ "]);
    check("{multipleOf: 7}", "1e1000000", &["multiple-of @ "]);
}

// Proves REQ-022.
#[test]
fn strings_count_characters() {
    check("{minLength: 2, maxLength: 2}", "日本", &[]);
    check("{maxLength: 1}", "日本", &["max-length @ "]);
    check("{minLength: 3}", "日本", &["min-length @ "]);
    check(r"{pattern: '^\d+$'}", "12", &[]);
    check(r"{pattern: '^\d+$'}", "'٣'", &["pattern-mismatch @ "]);
    check(r"{pattern: '\/\u0041$'}", "/A", &[]);
    check("{const: {a: [1, 2.0]}}", "{a: [1.0, 2]}", &[]);
    check("{const: 1}", "true", &["const-mismatch @ "]);
    check("{enum: [1, a, null]}", "1.0", &[]);
    check("{enum: [1, a, null]}", "null", &[]);
    check("{enum: []}", "1", &["never-valid @ "]);
}

// Proves REQ-023, REQ-128.
#[test]
fn formats_describe_unless_they_are_to_be_checked() {
    check("{format: ipv4}", "300.1.1.1", &[]);
    let strict = loose().formats(Formats::KnownStrict);
    check_with(&strict, "{format: ipv4}", "300.1.1.1", &["format-mismatch @  (ipv4)"]);
    check_with(&strict, "{format: unheard-of}", "x", &[]);
    check_with(
        &strict,
        "{type: integer, format: int32}",
        "2147483648",
        &["format-mismatch @  (int32)"],
    );
    check_with(&strict, "{type: integer, format: int64}", "2147483648", &[]);
    let own = loose().format("even", |text| text.len() % 2 == 0);
    check_with(&own, "{format: even}", "abc", &["format-mismatch @  (even)"]);
    check_with(&own, "{format: even}", "abcd", &[]);
}

// Proves REQ-026.
#[test]
fn arrays_have_items_by_position_and_after() {
    check("{prefixItems: [{type: string}], items: {type: integer}}", "[a, 1, 2]", &[]);
    check(
        "{prefixItems: [{type: string}], items: {type: integer}}",
        "[1, a]",
        &["type-mismatch @ /0", "type-mismatch @ /1"],
    );
    let draft4 = loose().dialect(Dialect::Draft4);
    check_with(
        &draft4,
        "{items: [{type: string}], additionalItems: false}",
        "[a, b]",
        &["never-valid @ /1"],
    );
    check("{minItems: 2, maxItems: 3}", "[1]", &["min-items @ "]);
    check("{minItems: 2, maxItems: 3}", "[1, 2, 3, 4]", &["max-items @ "]);
    check("{prefixItems: [true], unevaluatedItems: false}", "[1, 2]", &["unevaluated @ /1"]);
}

// Proves REQ-028, REQ-040, REQ-132.
#[test]
fn objects_have_names_counts_and_dependencies() {
    check(
        "{patternProperties: {'^x': {type: integer}, 'y$': {type: string}}}",
        "{xy: 1}",
        &["type-mismatch @ /xy"],
    );
    check("{propertyNames: {maxLength: 1}}", "{a: 1, bc: 2}", &["property-name @ /bc"]);
    check("{dependentRequired: {a: [b, c]}}", "{a: 1, c: 1}", &["dependent-required @ /b"]);
    check("{dependentSchemas: {a: {required: [b]}}}", "{a: 1}", &["required @ /b"]);
    check(
        "{dependencies: {a: [b], c: {required: [d]}}}",
        "{a: 1, c: 1}",
        &["dependent-required @ /b", "required @ /d"],
    );
    check("{minProperties: 1, maxProperties: 1}", "{}", &["min-properties @ "]);
    check("{minProperties: 1, maxProperties: 1}", "{a: 1, b: 2}", &["max-properties @ "]);
    check("{required: [never, declared]}", "{never: 1}", &["required @ /declared"]);
    check(
        "{properties: {a: {type: integer}}, additionalProperties: {type: string}}",
        "{a: x, b: 1}",
        &["type-mismatch @ /a", "type-mismatch @ /b"],
    );
}

// Proves REQ-029, REQ-123, REQ-127.
#[test]
fn unevaluated_members_are_those_that_nothing_looked_at() {
    let schema = "{allOf: [{properties: {a: true}}], if: {required: [k], properties: {k: {const: 1}}}, then: {properties: {b: true}}, unevaluatedProperties: false}";
    check(schema, "{a: 1, k: 1, b: 1}", &[]);
    check(schema, "{a: 1, k: 2, b: 1}", &["unevaluated @ /b", "unevaluated @ /k"]);
    let approximate = loose().unevaluated(Unevaluated::Approximate);
    check_with(&approximate, schema, "{a: 1, k: 2, b: 1}", &[]);
    check_with(&approximate, schema, "{z: 1}", &["unevaluated @ /z"]);
    check_with(&loose().unevaluated(Unevaluated::Warn), schema, "{z: 1}", &[]);
}

// Proves REQ-030.
#[test]
fn conditions_choose_and_negation_is_one_finding() {
    let schema =
        "{if: {properties: {kind: {const: a}}}, then: {required: [x]}, else: {required: [z]}}";
    check(schema, "{kind: a}", &["required @ /x"]);
    check(schema, "{kind: b}", &["required @ /z"]);
    check(schema, "{kind: b, z: 1}", &[]);
    check("{not: {type: string}}", "a", &["not @ "]);
    check("{not: {type: string}}", "1", &[]);
    check("{properties: {a: false}}", "{a: 1}", &["never-valid @ /a"]);
    check("{allOf: [{minimum: 3}, {minimum: 5}, {minimum: 3}]}", "1", &["minimum @ "]);
}

// Proves REQ-033, REQ-058.
#[test]
fn int_or_string_is_an_integer_or_digits_and_narrows_a_type() {
    let schema = "{x-kubernetes-int-or-string: true}";
    let any = loose().int_or_string(IntOrString::AnyString);
    for (value, numeric, text) in [
        ("5", true, true),
        ("-5", true, true),
        ("'5'", true, true),
        ("'-5'", true, true),
        ("'+5'", false, true),
        ("'5%'", false, true),
        ("''", false, true),
        ("' 5'", false, true),
        ("'٣'", false, true),
        ("5.0", true, true),
        ("5.5", false, false),
        ("true", false, false),
        ("null", false, false),
    ] {
        let schema_of = |options: &ImportOptions| crate::support::schema(schema, options);
        assert_eq!(
            crate::support::found(&schema_of(&loose()), value).is_empty(),
            numeric,
            "{value}"
        );
        assert_eq!(crate::support::found(&schema_of(&any), value).is_empty(), text, "{value}");
    }
    check("{type: string, x-kubernetes-int-or-string: true}", "3", &["type-mismatch @ "]);
    check("{type: string, x-kubernetes-int-or-string: true}", "'3'", &[]);
    check("{type: integer, x-kubernetes-int-or-string: true}", "'3'", &["type-mismatch @ "]);
}

// Proves REQ-036, REQ-059, REQ-101, REQ-191.
#[test]
fn embedded_resources_have_a_type_and_metadata() {
    let schema = "{properties: {t: {type: object, x-kubernetes-embedded-resource: true}}}";
    check(schema, "{t: {}}", &[]);
    let minimal = loose().embedded(Embedded::Minimal);
    check_with(
        &minimal,
        schema,
        "{t: {}}",
        &[
            "embedded-required @ /t/apiVersion",
            "embedded-required @ /t/kind",
            "embedded-required @ /t/metadata",
        ],
    );
    check_with(
        &minimal,
        schema,
        "{t: {apiVersion: 1, kind: '', metadata: []}}",
        &["type-mismatch @ /t/apiVersion", "type-mismatch @ /t/metadata"],
    );
    let kubernetes = loose().embedded(Embedded::Kubernetes);
    check_with(&kubernetes, schema, "{t: {apiVersion: v1, kind: Pod}}", &[]);
    check_with(
        &kubernetes,
        schema,
        "{t: {apiVersion: a/b/c, kind: '', metadata: {}}}",
        &["embedded-invalid @ /t/apiVersion", "embedded-invalid @ /t/kind"],
    );
}

// Proves REQ-038, REQ-097.
#[test]
fn a_default_stands_in_for_a_required_property_unless_defaults_are_ignored() {
    let text = decode("{required: [a], properties: {a: {default: 1}}}");
    for (mode, expected) in [
        (DefaultMode::Ignore, &["required"][..]),
        (DefaultMode::Annotate, &[]),
        (DefaultMode::Apply, &[]),
    ] {
        let imported = crdkit_structure::import(text.root(), &loose().defaults(mode));
        let schema = imported.expect("a schema").schema;
        let found = schema.parse("{}", &ParseOptions::new()).issues;
        let found: Vec<_> = found.iter().map(|issue| issue.short().into_owned()).collect();
        assert_eq!(found, expected, "{mode:?}");
    }
}

// Proves REQ-025, REQ-099.
#[test]
fn numbers_must_fit_what_they_are_kept_in() {
    let with = |numbers| loose().numbers(numbers);
    let overflow = &["number-overflow @ "];
    check_with(&with(Numbers::Float64 { lossy: false }), "{}", "9007199254740993", overflow);
    check_with(&with(Numbers::Float64 { lossy: true }), "{}", "9007199254740993", &[]);
    check_with(&with(Numbers::Float64 { lossy: false }), "{}", "0.1", &[]);
    check_with(&with(Numbers::BigInt), "{}", "1e3", &[]);
    check_with(&with(Numbers::BigInt), "{}", "1.5", overflow);
    check_with(&with(Numbers::Kubernetes), "{}", "9007199254740993", &[]);
    check_with(&with(Numbers::Kubernetes), "{}", "18446744073709551617", overflow);
    check_with(&with(Numbers::Exact), "{}", "18446744073709551617", &[]);
}

// Proves REQ-203, REQ-204.
#[test]
fn unions_by_field_follow_their_discriminator() {
    let schema = "
properties: {account: {type: string}, user: {type: object}, group: {type: object}}
x-kubernetes-unions:
- discriminator: account
  fields-to-discriminateBy: {user: User, group: Group}";
    check(schema, "{account: User, user: {}}", &[]);
    check(schema, "{account: User}", &["required @ /user"]);
    check(schema, "{account: User, user: {}, group: {}}", &["union-field @ /group"]);
    check(schema, "{account: Other}", &["discriminator-unknown @ /account (Other)"]);
    check(schema, "{user: {}}", &[]);
}
