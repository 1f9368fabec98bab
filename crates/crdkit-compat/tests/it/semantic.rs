//! What becomes of objects: verdicts and witnesses, keyword by keyword.

use crate::support::{crd, document};
use crdkit_codec::go_json;
use crdkit_compat::semantic::{self, CompatReport, Question, ReasonLevel, Verdict};

fn report(old: &str, new: &str) -> CompatReport {
    match semantic::compare(&document(&crd(old)), &document(&crd(new))) {
        Ok(report) => report,
        Err(error) => panic!("{error}\n{old}\n{new}"),
    }
}

/// The verdict, with the `spec` of each witness or `?` where there is none.
fn answer(question: Question, old: &str, new: &str) -> String {
    let report = report(old, new);
    let answer = report.answers.iter().find(|answer| answer.question == question).unwrap();
    let mut out = answer.verdict().name().to_owned();
    for reason in &answer.reasons {
        let witness = reason.evidence.as_ref().ok().and_then(|it| it.witness.as_ref());
        let spec = witness.map(|it| it.root().get("spec").map(go_json::value));
        out.push(' ');
        out.push_str(&spec.map_or("?".into(), |spec| spec.unwrap_or_else(|| "absent".into())));
    }
    out
}

#[track_caller]
fn check(question: Question, cases: &[(&str, &str, &str)]) {
    for (old, new, expected) in cases {
        assert_eq!(answer(question, old, new), *expected, "\nold {old}\nnew {new}");
    }
}

#[test]
fn strings_are_compared_as_languages() {
    check(
        Question::Accept,
        &[
            ("{type: string}", "{type: string, maxLength: 2}", r#"unsafe "aaa""#),
            ("{type: string, maxLength: 2}", "{type: string, maxLength: 3}", "safe"),
            ("{type: string, pattern: '^a{1,3}$'}", "{type: string, maxLength: 3}", "safe"),
            (
                "{type: string, pattern: '^a{1,4}$'}",
                "{type: string, maxLength: 3}",
                r#"unsafe "aaaa""#,
            ),
            ("{type: string, pattern: '^a+$'}", "{type: string, minLength: 1}", "safe"),
            ("{type: string}", "{type: string, minLength: 1}", r#"unsafe """#),
            ("{type: string, pattern: '^[a-c]+$'}", "{type: string, pattern: '^[a-z]+$'}", "safe"),
            (
                "{type: string, pattern: '^[a-z]+$'}",
                "{type: string, pattern: '^[a-c]+$'}",
                r#"unsafe "d""#,
            ),
            ("{type: string, pattern: '^[ab]*$'}", "{type: string, pattern: '^(a|b)*$'}", "safe"),
            ("{type: string, enum: [a, bb]}", "{type: string, maxLength: 2}", "safe"),
            ("{type: string, enum: [a, bb]}", "{type: string, maxLength: 1}", r#"unsafe "bb""#),
            ("{type: string, enum: [a, b]}", "{type: string}", "safe"),
            ("{type: string, enum: [a, b]}", "{type: string, enum: [b, c]}", r#"unsafe "a""#),
            ("{type: string}", "{type: string, enum: [a]}", r#"unsafe "aa""#),
            (
                "{type: string, format: ipv4}",
                "{type: string, format: ipv6}",
                r#"unsafe "192.0.2.1""#,
            ),
            // A list passes for a text that has a format.
            ("{type: string, format: date}", "{type: string}", "unsafe []"),
            ("{type: string}", "{type: string, format: unheard-of}", "safe"),
        ],
    );
}

#[test]
fn numbers_are_compared_as_sets() {
    check(
        Question::Accept,
        &[
            (
                "{type: integer, maximum: 5}",
                "{type: integer, maximum: 6, exclusiveMaximum: true}",
                "safe",
            ),
            (
                "{type: integer, maximum: 6}",
                "{type: integer, maximum: 6, exclusiveMaximum: true}",
                "unsafe 6",
            ),
            ("{type: integer}", "{type: integer, format: int32}", "unsafe 2147483648"),
            ("{type: integer, format: int32}", "{type: integer, format: int64}", "safe"),
            ("{type: integer, minimum: 1}", "{type: integer, minimum: 0}", "safe"),
            ("{type: number}", "{type: integer}", "unsafe 0.5"),
            ("{type: integer}", "{type: number}", "safe"),
            ("{type: integer, multipleOf: 4}", "{type: integer, multipleOf: 2}", "safe"),
            ("{type: integer, multipleOf: 2}", "{type: integer, multipleOf: 4}", "unsafe 2"),
            ("{type: integer}", "{x-kubernetes-int-or-string: true}", "safe"),
            ("{x-kubernetes-int-or-string: true}", "{type: integer}", r#"unsafe "a""#),
            ("{type: integer, enum: [1, 5]}", "{type: integer, minimum: 1, maximum: 5}", "safe"),
            ("{type: boolean}", "{type: boolean, enum: [true, false]}", "safe"),
            ("{type: boolean}", "{type: boolean, enum: [true]}", "unsafe false"),
        ],
    );
}

#[test]
fn objects_and_lists_are_compared_member_by_member() {
    let list = "{type: array, items: {type: string}";
    check(
        Question::Accept,
        &[
            (
                "{type: object, properties: {a: {type: string}}}",
                "{type: object, required: [a], properties: {a: {type: string}}}",
                "unsafe {}",
            ),
            (
                "{type: object, properties: {a: {type: string}}}",
                "{type: object, required: [a], properties: {a: {type: string, default: x}}}",
                "safe",
            ),
            (
                "{type: object}",
                "{type: object, properties: {a: {type: object, required: [b], properties: {b: {type: string}}}}}",
                "safe",
            ),
            (
                "{type: object, additionalProperties: {type: string}}",
                "{type: object, additionalProperties: {type: string, maxLength: 1}}",
                r#"unsafe {"anything":"aa"}"#,
            ),
            (
                "{type: object, additionalProperties: {type: string}}",
                "{type: object, additionalProperties: {type: string}, maxProperties: 1}",
                r#"unsafe {"key0":"a","key1":"a"}"#,
            ),
            (
                "{type: object, x-kubernetes-preserve-unknown-fields: true}",
                "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: integer}}}",
                r#"unsafe {"a":"a"}"#,
            ),
            (&format!("{list}}}"), &format!("{list}, maxItems: 1}}"), r#"unsafe ["a","a"]"#),
            (&format!("{list}}}"), &format!("{list}, minItems: 1}}"), "unsafe []"),
            (
                &format!("{list}}}"),
                &format!("{list}, x-kubernetes-list-type: set}}"),
                r#"unsafe ["a","a"]"#,
            ),
            (
                "{type: array, items: {type: string}}",
                "{type: array, items: {type: string, pattern: '^b'}}",
                r#"unsafe [""]"#,
            ),
        ],
    );
    check(
        Question::Retain,
        &[
            (
                "{type: object, properties: {a: {type: string}, b: {type: string}}}",
                "{type: object, properties: {b: {type: string}}}",
                r#"unsafe {"a":"a"}"#,
            ),
            (
                "{type: object, properties: {a: {type: string}}}",
                "{type: object, x-kubernetes-preserve-unknown-fields: true}",
                "safe",
            ),
            (
                "{type: object, properties: {a: {type: string}}}",
                "{type: object, additionalProperties: {type: string}}",
                "safe",
            ),
            (
                "{type: object, additionalProperties: {type: string}}",
                "{type: object}",
                r#"unsafe {"anything":"a"}"#,
            ),
            (
                "{type: object, x-kubernetes-preserve-unknown-fields: true}",
                "{type: object}",
                r#"unsafe {"anything":"a"}"#,
            ),
            (
                "{type: object, properties: {a: {type: string, nullable: true}}}",
                "{type: object, properties: {a: {type: string}}}",
                r#"unsafe {"a":null}"#,
            ),
            // What is gone is found although the object would also be refused.
            (
                "{type: object, properties: {a: {type: string}}}",
                "{type: object, required: [b], properties: {b: {type: string}}}",
                r#"unsafe {"a":"a"}"#,
            ),
        ],
    );
}

#[test]
fn defaults_change_what_is_stored() {
    let with =
        |default: &str| format!("{{type: object, properties: {{a: {{type: string{default}}}}}}}");
    check(
        Question::Mean,
        &[
            (&with(""), &with(", default: x"), "unsafe {}"),
            (&with(", default: x"), &with(""), "unsafe {}"),
            (&with(", default: x"), &with(", default: y"), "unsafe {}"),
            (&with(", default: x"), &with(", default: x, maxLength: 3"), "safe"),
        ],
    );
    // A default that a rule above can see is not taken for harmless.
    let ruled = |default: &str| {
        format!(
            "{{type: object, properties: {{a: {{type: string{default}}}}}, x-kubernetes-validations: [{{rule: '!has(self.a)'}}]}}"
        )
    };
    check(Question::Accept, &[(&ruled(""), &ruled(", default: x"), "unsafe {}")]);
}

#[test]
fn a_default_can_make_items_alike() {
    let map = |name: &str| {
        format!(
            "{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], \
             items: {{type: object, properties: {{name: {{type: string{name}}}}}}}}}"
        )
    };
    let atomic = "{type: array, items: {type: object, properties: {name: {type: string}}}}";
    let with = map(", default: a");
    let expected = r#"unsafe [{},{"name":"a"}] [{},{}]"#;
    check(Question::Accept, &[(atomic, &with, expected)]);
    // What repeats in a stored object may stay.
    check(Question::Update, &[(atomic, &with, "safe")]);
}

#[test]
fn rules_and_junctors_are_decided_where_they_can_be() {
    let fields = "type: object, properties: {a: {type: string}, b: {type: string}}";
    let rule = |rule: &str| format!("{{{fields}, x-kubernetes-validations: [{{rule: '{rule}'}}]}}");
    check(
        Question::Accept,
        &[
            (&rule("has(self.a)"), &format!("{{{fields}}}"), "safe"),
            (&format!("{{{fields}}}"), &rule("!has(self.b)"), r#"unsafe {"b":"a"}"#),
            (
                &format!("{{{fields}}}"),
                &rule("!has(self.a) || self.a != \"zzz\""),
                r#"unsafe {"a":"zzz"}"#,
            ),
            (&format!("{{{fields}}}"), &rule("self == oldSelf"), "safe"),
            (
                &format!("{{{fields}, anyOf: [{{required: [a]}}, {{required: [b]}}]}}"),
                &format!("{{{fields}, anyOf: [{{required: [b]}}, {{required: [a]}}]}}"),
                "safe",
            ),
            (
                &format!("{{{fields}, anyOf: [{{required: [a]}}, {{required: [b]}}]}}"),
                &format!("{{{fields}, anyOf: [{{required: [b]}}]}}"),
                r#"unsafe {"a":"a"}"#,
            ),
            (
                &format!("{{{fields}, oneOf: [{{required: [a]}}, {{required: [b]}}]}}"),
                &format!("{{{fields}}}"),
                "safe",
            ),
        ],
    );
    check(Question::Update, &[(&format!("{{{fields}}}"), &rule("self == oldSelf"), "unsafe {}")]);
}

#[test]
fn looser_schemas_are_a_matter_for_readers() {
    let (old, new) = ("{type: string, enum: [a]}", "{type: string, enum: [a, b]}");
    check(Question::Accept, &[(old, new, "safe")]);
    check(Question::Observe, &[(old, new, r#"unsafe "b""#)]);
    let report = report(old, new);
    assert_eq!(report.verdict(ReasonLevel::Error), Verdict::Safe, "nobody who writes is hurt");
}

#[test]
fn the_same_crd_is_safe_in_every_respect() {
    let schema = "{type: object, required: [a], properties: {a: {type: string, pattern: '^x', default: xy}}}";
    for answer in report(schema, schema).answers {
        assert_eq!(answer.verdict(), Verdict::Safe, "{:?}", answer.question);
    }
}
