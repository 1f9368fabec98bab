//! Changes of one schema, keyword by keyword, in crdify's words.

use crate::support::{crd, document};
use crdkit_compat::crdify::{self, Config};
use crdkit_schema::read;

/// What comparing a schema with another finds, without the version and without configuration.
#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    check_with(&Config::default(), old, new, expected);
}

fn findings(config: &Config, old: &str, new: &str) -> Vec<String> {
    let (old_document, new_document) = (document(&crd(old)), document(&crd(new)));
    let (old_crd, new_crd) = (read::crd(old_document.root()).0, read::crd(new_document.root()).0);
    let report = crdify::compare(&old_crd, &new_crd, config);
    let text =
        |it: &crdify::CrdifyFinding| format!("{} {}: {}", it.property, it.check.name(), it.message);
    report.findings.iter().map(text).collect()
}

#[track_caller]
fn check_with(config: &Config, old: &str, new: &str, expected: &[&str]) {
    assert_eq!(findings(config, old, new), expected, "\nold {old}\nnew {new}");
}

#[test]
fn equal_schemas_have_no_findings_however_they_are_written() {
    for (old, new) in [
        ("{type: string}", "{type: string}"),
        ("{}", "{nullable: false, description: '', required: [], enum: [], maxLength: null}"),
        ("{default: {a: 1, b: 2}}", "{default: {b: 2, a: 1.0}}"),
        ("{enum: [a, b]}", "{enum: [b, a, a]}"),
        ("{required: [a, b]}", "{required: [b, a]}"),
        ("{maximum: 1}", "{maximum: 1.0}"),
        ("{minimum: 0}", "{minimum: -0.0}"),
        (COLLIDING, COLLIDING),
    ] {
        check(old, new, &[]);
        check(new, old, &[]);
    }
}

/// Two ways to the text `^.spec.a.b`, and two to `^.spec.items`.
const COLLIDING: &str = "{items: {type: string}, properties: {items: {type: integer},
    a.b: {type: string}, a: {properties: {b: {type: integer}}}}}";

#[test]
fn loosened_limits_are_fine_and_tightened_ones_are_not() {
    for (keyword, check_name, low, high) in [
        ("maximum", "maximum", "1.5", "2.5"),
        ("maxItems", "maxItems", "1", "2"),
        ("maxLength", "maxLength", "1", "2"),
        ("maxProperties", "maxProperties", "1", "2"),
    ] {
        let schema = |value: &str| format!("{{{keyword}: {value}}}");
        check(&schema(low), &schema(high), &[]);
        check(&schema(high), "{}", &[]);
        let decreased = format!("^.spec {check_name}: maximum decreased : {high} -> {low}");
        check(&schema(high), &schema(low), &[&decreased]);
        let added = format!(
            "^.spec {check_name}: maximum constraint added when there was none previously : {low}"
        );
        check("{}", &schema(low), &[&added]);
    }
    for keyword in ["minimum", "minItems", "minLength", "minProperties"] {
        let schema = |value: &str| format!("{{{keyword}: {value}}}");
        check(&schema("2"), &schema("1"), &[]);
        check(&schema("2"), "{}", &[]);
        let increased = format!("^.spec {keyword}: minimum increased : 1 -> 2");
        check(&schema("1"), &schema("2"), &[&increased]);
        let added = format!(
            "^.spec {keyword}: minimum constraint added when there was none previously : 0"
        );
        check("{}", &schema("0"), &[&added]);
    }
}

#[test]
fn numbers_are_written_as_go_writes_them() {
    check(
        "{maximum: 1000000000000000000000}",
        "{maximum: 100000000}",
        &["^.spec maximum: maximum decreased : 1e+21 -> 1e+08"],
    );
    check(
        "{minimum: 0.00001}",
        "{minimum: 0.25}",
        &["^.spec minimum: minimum increased : 1e-05 -> 0.25"],
    );
}

#[test]
fn a_change_of_text_quotes_both_texts() {
    check(
        "{type: string}",
        "{type: integer}",
        &[r#"^.spec type: type changed : "string" -> "integer""#],
    );
    check("{type: string}", "{}", &[r#"^.spec type: type changed : "string" -> """#]);
    check(
        r#"{description: "a \"b\""}"#,
        r#"{description: "tab\t"}"#,
        &[r#"^.spec description: description changed : "a \"b\"" -> "tab\t""#],
    );
    check("{}", "{pattern: ^a}", &[r#"^.spec pattern: pattern added : "" -> "^a""#]);
    check("{pattern: ^a}", "{}", &[r#"^.spec pattern: pattern removed : "^a" -> """#]);
    check("{pattern: ^a}", "{pattern: ^b}", &[r#"^.spec pattern: pattern changed : "^a" -> "^b""#]);
    check("{}", "{nullable: true}", &["^.spec nullable: nullable added : false -> true"]);
    check("{nullable: true}", "{}", &["^.spec nullable: nullable removed : true -> false"]);
}

#[test]
fn defaults_are_shown_as_json() {
    check(
        "{}",
        "{default: <on>}",
        &[
            r#"^.spec default: default added when there was none previously : "\"\\u003con\\u003e\"""#,
        ],
    );
    check("{default: null}", "{}", &[]);
    check(
        "{default: {b: 1, a: [x]}}",
        "{}",
        &[r#"^.spec default: default value removed : "{\"a\":[\"x\"],\"b\":1}""#],
    );
    check(
        "{default: 1}",
        "{default: 2}",
        &[r#"^.spec default: default value changed : "1" -> "2""#],
    );
}

#[test]
fn a_removed_value_hides_an_added_one() {
    check(
        "{}",
        "{enum: [b, a]}",
        &[r#"^.spec enum: enum constraint added when there was none previously : ["a" "b"]"#],
    );
    check("{enum: [a, b]}", "{}", &[r#"^.spec enum: allowed enum values removed : ["a" "b"]"#]);
    check(
        "{enum: [a, b]}",
        "{enum: [b, c]}",
        &[r#"^.spec enum: allowed enum values removed : ["a"]"#],
    );
    check("{enum: [1]}", "{enum: [1, null]}", &["^.spec enum: allowed enum values added : []"]);
}

#[test]
fn newly_required_fields_are_sorted() {
    check(
        "{required: [a]}",
        "{required: [z, a, b]}",
        &["^.spec required: new required fields: [b z]"],
    );
    check("{required: [a, b]}", "{required: [a]}", &[]);
}

#[test]
fn a_field_that_is_gone_is_reported_with_everything_it_said() {
    check(
        "{properties: {mode: {type: string, enum: [a], default: a, maxLength: 3, items: {}}}}",
        "{}",
        &[
            " existingFieldRemoval: removed field : v1.^.spec.mode",
            " existingFieldRemoval: removed field : v1.^.spec.mode.items",
            r#"^.spec.mode default: default value removed : "\"a\"""#,
            r#"^.spec.mode enum: allowed enum values removed : ["a"]"#,
            r#"^.spec.mode type: type changed : "string" -> """#,
        ],
    );
    check("{}", "{properties: {mode: {type: string, required: [a]}}}", &[]);
}

#[test]
fn every_kind_of_schema_below_has_a_path() {
    let schema = |word: &str| {
        format!(
            "{{items: [{{title: {word}}}], not: {{title: {word}}}, patternProperties: {{^x: {{title: {word}}}}},
              additionalItems: {{title: {word}}}, definitions: {{d: {{title: {word}}}}}, dependencies: {{e: {{title: {word}}}}},
              properties: {{'': {{title: {word}}}}}}}"
        )
    };
    let (old, new) = (schema("old"), schema("new"));
    let change = "title: \"old\" -> \"new\"";
    let at = |path: &str| format!("^.spec{path} unhandled: unhandled changes found :\n  {change}");
    let container = format!(
        "^.spec unhandled: unhandled changes found :\n  not.{change}\n  patternProperties.^x.{change}\n  \
         dependencies.e.{change}\n  additionalItems.{change}\n  definitions.d.{change}"
    );
    let below = [
        ".additionalItems",
        ".definitions[d]",
        ".dependencies[e]",
        ".items[0]",
        ".not",
        ".patternProperties[^x]",
        "[]",
    ];
    let mut expected = vec![container];
    expected.extend(below.map(at));
    check(&old, &new, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_change_inside_a_map_is_also_one_of_the_map() {
    check(
        "{additionalProperties: {type: string, maxLength: 1}}",
        "{additionalProperties: {type: string, maxLength: 2}}",
        &["^.spec unhandled: unhandled changes found :\n  additionalProperties.maxLength: 1 -> 2"],
    );
    check(
        "{additionalProperties: true}",
        "{additionalProperties: {}}",
        &["^.spec unhandled: unhandled changes found :\n  additionalProperties: true -> {}"],
    );
}

#[test]
fn absent_and_false_differ_only_where_the_server_keeps_them_apart() {
    check(
        "{}",
        "{x-kubernetes-preserve-unknown-fields: false}",
        &[
            "^.spec unhandled: unhandled changes found :\n  x-kubernetes-preserve-unknown-fields: unset -> false",
        ],
    );
    check("{}", "{x-kubernetes-int-or-string: false, uniqueItems: false}", &[]);
    check(
        "{x-kubernetes-list-type: set}",
        "{x-kubernetes-list-type: atomic}",
        &[
            "^.spec unhandled: unhandled changes found :\n  x-kubernetes-list-type: \"set\" -> \"atomic\"",
        ],
    );
}

#[test]
fn format_is_unhandled_unless_it_is_asked_for() {
    let (old, new) = ("{format: int32}", "{format: int64}");
    check(
        old,
        new,
        &["^.spec unhandled: unhandled changes found :\n  format: \"int32\" -> \"int64\""],
    );
    let config = document("validations: [{name: format, enforcement: Warn}]");
    let config = Config::read(config.root()).unwrap();
    check_with(&config, old, new, &[r#"^.spec format: format changed : "int32" -> "int64""#]);
}

#[test]
fn policies_allow_what_they_name() {
    let config = document(
        "
        validations:
        - {name: enum, enforcement: Error, configuration: {additionPolicy: Allow}}
        - {name: pattern, enforcement: Error, configuration: {removalPolicy: Allow}}
        - {name: nullable, enforcement: Error, configuration: {additionPolicy: Allow, removalPolicy: Allow}}
        - {name: description, enforcement: None}
        unhandledEnforcement: None",
    );
    let config = Config::read(config.root()).unwrap();
    for (old, new) in [
        ("{enum: [a]}", "{enum: [a, b]}"),
        ("{pattern: a}", "{}"),
        ("{}", "{nullable: true}"),
        ("{nullable: true}", "{}"),
        ("{description: a}", "{description: b}"),
        ("{title: a}", "{title: b}"),
    ] {
        check_with(&config, old, new, &[]);
    }
    check_with(
        &config,
        "{}",
        "{enum: [a]}",
        &[r#"^.spec enum: enum constraint added when there was none previously : ["a"]"#],
    );
}

#[test]
fn alternatives_are_compared_when_a_configuration_says_so() {
    let none = "{type: object}";
    let ab = "{type: object, oneOf: [{required: [a], description: one}, {required: [b]}]}";
    let ba = "{type: object, oneOf: [{required: [b]}, {title: other, required: [a]}]}";
    let a = "{type: object, oneOf: [{required: [a]}]}";
    let config = |options: &str| {
        let text = format!("validations: [{{name: oneOf, enforcement: Error{options}}}]");
        Config::read(document(&text).root()).unwrap()
    };
    // What is below alternatives is compared as well; that is not the question here.
    let check = |config: &Config, old: &str, new: &str, expected: &[&str]| {
        let found = findings(config, old, new);
        let found: Vec<_> = found.iter().filter(|it| it.starts_with("^.spec oneOf:")).collect();
        assert_eq!(found, expected, "\nold {old}\nnew {new}");
    };
    let strict = config("");
    let added = r#"^.spec oneOf: oneOf constraint added when there was none previously: [{"required":["a"]}]"#;
    check(&strict, none, a, &[added]);
    check(&strict, ab, ba, &[]);
    let removed = r#"^.spec oneOf: allowed oneOf schemas removed: [{"required":["b"]}]"#;
    check(&strict, ab, a, &[removed]);
    let more = r#"^.spec oneOf: allowed oneOf schemas added: [{"required":["b"]}]"#;
    check(&strict, a, ab, &[more]);
    let lenient = config(", configuration: {additionPolicy: Allow, removalPolicy: Allow}");
    check(&lenient, a, ba, &[]);
    check(&lenient, ab, a, &[]);
}
