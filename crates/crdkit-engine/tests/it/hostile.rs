//! Input that nobody writes by accident.

use crate::support;
use crdkit_engine::{Crd, Outcome, RequestOptions};
use crdkit_value::Limits;
use std::fmt::Write as _;

fn lenient() -> Crd {
    support::crd(
        "type: object\nproperties:\n  any: {type: object, x-kubernetes-preserve-unknown-fields: true}\n  \
         map: {type: object, additionalProperties: true}\n  set: {type: array, x-kubernetes-list-type: set, \
         items: {type: string}}\n",
        "",
    )
}

/// Runs a body through a thread with a small stack, and says what became of it.
fn run(body: String, check: impl FnOnce(&Outcome) + Send + 'static) {
    let worker = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
        let crd = lenient();
        let outcome =
            crd.version("v1").expect("v1").create(body.as_bytes(), &RequestOptions::default());
        check(&outcome);
    });
    worker.expect("a thread").join().expect("no panic");
}

fn lamp(content: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"a"}},{content}}}"#
    )
}

#[test]
fn ten_thousand_levels_cost_no_stack() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let deep = format!("{}1{}", open.repeat(9_990), close.repeat(9_990));
        let accepted = format!(r#""any":{{"a":{deep}}}"#);
        run(lamp(&accepted), |outcome| assert!(outcome.is_accepted(), "{:?}", outcome.issues));
        let pruned = format!(r#""map":{{"a":{deep}}}"#);
        run(lamp(&pruned), |outcome| assert!(outcome.issues.len() < 2));
        let wrong = format!(r#""set":[{deep},{deep}]"#);
        run(lamp(&wrong), |outcome| assert!(!outcome.is_accepted()));
    }
}

#[test]
fn beyond_the_depth_limit_there_is_one_finding_with_a_place() {
    let deep = format!(r#""any":{{"a":{}{}}}"#, "[".repeat(20_000), "]".repeat(20_000));
    run(lamp(&deep), |outcome| {
        assert_eq!(outcome.issues.len(), 1);
        assert!(outcome.issues.iter().all(|issue| issue.span.is_some()));
    });
}

#[test]
fn bytes_that_are_not_utf8_become_replacement_characters() {
    let mut body = lamp(r#""any":{"a":"?"}"#).into_bytes();
    if let Some(byte) = body.iter_mut().find(|byte| **byte == b'?') {
        *byte = 0xFF;
    }
    let crd = lenient();
    let outcome = crd.version("v1").expect("v1").create(&body, &RequestOptions::default());
    let found = outcome.document().root().pointer("/any/a").and_then(crdkit_value::Value::as_str);
    assert_eq!(found, Some("\u{FFFD}"));
}

#[test]
fn repeated_keys_at_every_level_are_all_found() {
    let body = r#"{"kind":"x","kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a","name":"b"},
        "any":{"a":1,"a":{"b":[{"c":1,"c":2}]}},"any":{"a":1,"a":2}}"#;
    run(body.into(), |outcome| {
        let spans = outcome.issues.iter().map(|issue| issue.span.expect("a place"));
        assert_eq!(spans.collect::<std::collections::BTreeSet<_>>().len(), 6);
    });
}

#[test]
fn many_members_and_many_findings_take_linear_time() {
    let mut members = String::new();
    for index in 0..100_000 {
        let _ = write!(members, r#""k{index}":1,"#);
    }
    run(lamp(&format!(r#""any":{{{members}"z":1}}"#)), |outcome| assert!(outcome.is_accepted()));
    run(lamp(&format!(r#"{members}"z":1"#)), |outcome| assert_eq!(outcome.issues.len(), 100_001));
    let same = r#""x","#.repeat(50_000);
    run(lamp(&format!(r#""set":[{same}"y"]"#)), |outcome| assert_eq!(outcome.issues.len(), 1));
}

#[test]
fn many_findings_in_one_array_take_linear_time() {
    const N: usize = 300_000;
    let schema = |items: &str| {
        format!(
            r#"{{"type":"object","properties":{{"list":{{"type":"array","maxItems":{N},"items":{items}}}}}}}"#
        )
    };
    let rule =
        r#"{"type":"string","maxLength":3,"x-kubernetes-validations":[{"rule":"self != 'a'"}]}"#;
    for (items, item) in [
        (r#"{"type":"object","properties":{"a":{"type":"string"}}}"#, r#"{"b":1}"#),
        (r#"{"type":"string"}"#, "1"),
        (rule, "\"a\""),
    ] {
        let crd = support::crd(&schema(items), "");
        let version = crd.version("v1").expect("v1");
        let body = lamp(&format!(r#""list":[{}]"#, vec![item; N].join(",")));
        let strict = RequestOptions::new().field_validation(crdkit_engine::FieldValidation::Strict);
        let outcome = version.create(body.as_str(), &strict.report_all(true));
        assert!(outcome.issues.len() >= N, "{} findings of {items}", outcome.issues.len());
        let last = format!("list[{}]", N - 1);
        let is_last = |issue: &crdkit_issue::Issue| issue.path.to_string().starts_with(&last);
        assert!(outcome.issues.iter().any(is_last));
    }
}

/// Whatever is wrong with a body, there is one finding, and it stands at `text`.
#[track_caller]
fn check_place(body: &str, code: crdkit_issue::Code, text: &str) {
    let crd = lenient();
    let outcome = crd.version("v1").expect("v1").create(body, &RequestOptions::default());
    assert!(!outcome.is_accepted());
    let [issue] = outcome.issues.as_slice() else { panic!("{:?}", outcome.issues) };
    let span = issue.span.expect("a place");
    assert_eq!((issue.code, body.get(span.start..span.end)), (code, Some(text)));
}

#[test]
fn what_is_no_lamp_is_a_finding_with_its_place() {
    use crdkit_issue::codes::{decode, object};
    for body in ["[1, 2]", "\"text\"", "7", "true"] {
        check_place(body, object::NOT_AN_OBJECT, body);
    }
    for body in ["null", "{}", r#"{"apiVersion":"example.com/v1"}"#, r#"{"kind":7}"#] {
        check_place(body, object::KIND_MISSING, body);
    }
    check_place("", decode::EMPTY_INPUT, "");
    let without = r#"{"kind":"Lamp","metadata":{"name":"a"}}"#;
    check_place(without, object::API_VERSION_MISMATCH, without);
    let other = r#"{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"}}"#;
    check_place(other, object::API_VERSION_MISMATCH, "\"example.com/v2\"");
    let number = r#"{"kind":"Lamp","apiVersion":7}"#;
    check_place(number, object::API_VERSION_TYPE, "7");
    let slashes = r#"{"kind":"Lamp","apiVersion":"a/b/c"}"#;
    check_place(slashes, object::API_VERSION_FORM, "\"a/b/c\"");
    let torch = r#"{"kind":"Torch","apiVersion":"example.com/v1","metadata":{"name":"a"}}"#;
    check_place(torch, object::WRONG_KIND, "\"Torch\"");
    let metadata = r#"{"kind":"Lamp","apiVersion":"example.com/v1","metadata":[]}"#;
    check_place(metadata, object::METADATA_TYPE, "\"metadata\"");
}

#[test]
fn versions_that_are_unknown_or_not_served_are_not_there() {
    let crd = lenient();
    assert!(crd.version("v2").is_none() && crd.version("").is_none());
}

#[test]
fn a_hundred_megabytes_are_judged_to_the_last_byte() {
    let mut body = lamp(r#""any":{"a":"HERE"},"set":7"#);
    let at = body.find("HERE").expect("a place");
    body.replace_range(at..at + 4, &"x".repeat(100 << 20));
    let crd = lenient();
    let version = crd.version("v1").expect("v1");
    let outcome = version.create(body.as_str(), &RequestOptions::default());
    let [issue] = outcome.issues.as_slice() else { panic!("{} findings", outcome.issues.len()) };
    let span = issue.span.expect("a place");
    assert_eq!(body.get(span.start..span.end), Some("7"));
    let limits = Limits::new().bytes(1 << 20);
    let outcome = version.create(body.as_str(), &RequestOptions::new().limits(limits));
    let [issue] = outcome.issues.as_slice() else { panic!("{} findings", outcome.issues.len()) };
    assert_eq!(issue.code, crdkit_issue::codes::decode::TOO_LARGE);
    assert!(issue.span.is_some());
}

#[test]
fn many_required_fields_and_members_take_linear_time() {
    let names: Vec<String> = (0..20_000).map(|index| format!("\"r{index}\"")).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{"spec":{{"type":"object","required":[{}],
        "x-kubernetes-preserve-unknown-fields":true,"properties":{{"size":{{"type":"integer"}}}}}}}}}}"#,
        names.join(",")
    );
    let members: Vec<String> = (0..100_000).map(|index| format!("\"r{index}\":1")).collect();
    let crd = support::crd(&schema, "");
    let version = crd.version("v1").expect("v1");
    let full = lamp(&format!(r#""spec":{{{}}}"#, members.join(",")));
    let outcome = version.create(full.as_str(), &RequestOptions::default());
    assert!(outcome.is_accepted(), "{} findings", outcome.issues.len());
    let missing = full.replace("\"r", "\"q");
    let outcome = version.create(missing.as_str(), &RequestOptions::default());
    assert_eq!(outcome.issues.len(), 20_000);
}

#[test]
fn a_large_default_in_every_item_is_a_finding() {
    let long = "x".repeat(20_000);
    let schema = format!(
        r#"{{"type":"object","properties":{{"spec":{{"type":"array","items":{{"type":"object",
        "properties":{{"a":{{"type":"string","default":"{long}"}}}}}}}}}}}}"#
    );
    let crd = support::crd(&schema, "");
    let version = crd.version("v1").expect("v1");
    let items = |n: usize| lamp(&format!(r#""spec":[{}]"#, vec!["{}"; n].join(",")));
    let outcome = version.create(items(100).as_str(), &RequestOptions::default());
    assert!(outcome.is_accepted(), "{:?}", outcome.issues);
    let outcome = version.create(items(20_000).as_str(), &RequestOptions::default());
    let codes: Vec<_> = outcome.issues.iter().map(|issue| issue.code.name()).collect();
    assert_eq!(codes, ["defaults-too-large"]);
}
