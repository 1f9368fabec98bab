//! JSON text, what it means, and what is wrong with it.

use crdkit_codec::json::{self, Documents, Framing, Layout};
use crdkit_codec::{DecodeError, DecodeOptions};
use crdkit_issue::Issue;
use crdkit_value::{Duplicates, Limits, NumberMode};

/// `code @ start..end: message` for each finding.
fn show(issue: &Issue) -> String {
    let span = issue.span.map_or("?".to_owned(), |span| format!("{}..{}", span.start, span.end));
    format!("{} @ {span}: {issue}", issue.code)
}

fn run(text: &[u8], options: &DecodeOptions) -> String {
    match json::decode(text, options) {
        Ok(decoded) => {
            let document = format!("{:?}", decoded.document);
            let lines = std::iter::once(document).chain(decoded.issues.iter().map(show));
            lines.collect::<Vec<_>>().join("\n")
        }
        Err(issue) => show(&issue),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_bytes(text.as_bytes(), expected);
}

#[track_caller]
fn check_bytes(text: &[u8], expected: &str) {
    let options = DecodeOptions::new().positions(true);
    assert_eq!(run(text, &options), expected, "text: {}", String::from_utf8_lossy(text));
    let without = options.positions(false);
    let decoded = run(text, &without);
    let head = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(head(&decoded), head(expected), "positions must not change the value");
}

#[test]
fn values_keep_their_kind_and_order() {
    check(" null ", "null");
    check("[true,false]", "[true, false]");
    check(r#"{"b":1,"a":{"c":[]}}"#, r#"{"b": 1, "a": {"c": []}}"#);
    check("\t\r\n {} \n", "{}");
}

#[test]
fn integers_are_exact_and_other_numbers_are_doubles() {
    check(
        "[0,-0,9223372036854775807,-9223372036854775808]",
        "[0, 0, 9223372036854775807, -9223372036854775808]",
    );
    check("9223372036854775808", "9.223372036854776e18");
    check(
        "[1.0,1e2,-0.0,5e-324,1.7976931348623157e308]",
        "[1.0, 100.0, -0.0, 5e-324, 1.7976931348623157e308]",
    );
    check("0.1", "0.1");
    check("1e400", "number-range @ 0..5: the number `1e400` is too large for a 64-bit float");
    check("1e-400", "0.0");
}

#[test]
fn number_text_is_kept_when_asked_for() {
    let options = DecodeOptions::new().numbers(NumberMode::Text);
    assert_eq!(
        run(b"[1.50,1E+2,123456789012345678901234567890,1e400]", &options),
        "[1.50, 1E+2, 123456789012345678901234567890, 1e400]"
    );
}

#[test]
fn strings_are_read_as_go_reads_them() {
    check(r#""a\"\\\/\b\f\n\r\t\u00e9""#, r#""a\"\\/\u0008\u000c\n\r\té""#);
    check(r#""\ud83d\ude00""#, r#""😀""#);
    check(r#""\ud83d""#, r#""�""#);
    check(r#""\ude00\ud83d\ude00""#, r#""�😀""#);
    check(r#""\ud83dA""#, r#""�A""#);
    check(r#""\ud83d\u0041""#, r#""�A""#);
    check_bytes(b"\"a\xff\xfeb\"", r#""a��b""#);
    // One replacement for each bad byte: three of a cut-off sequence, not one.
    check_bytes(b"\"\xf0\x9f\x98\"", r#""���""#);
    check_bytes(b"{\"\xff\":1}", r#"{"�": 1}"#);
    check("\"\u{7f}é日😀\"", "\"\u{7f}é日😀\"");
}

#[test]
fn the_grammar_is_strict() {
    check("{\"a\":1,}", "json-syntax @ 7..8: expected a key in double quotes, found `}`");
    check("[1,]", "json-syntax @ 3..4: expected a JSON value, found `]`");
    check("[1 2]", "json-syntax @ 3..4: expected `,` or `]` after an array item, found `2`");
    check("{\"a\" 1}", "json-syntax @ 5..6: expected `:` after the key, found `1`");
    check(
        "{\"a\":1 \"b\":2}",
        "json-syntax @ 7..8: expected `,` or `}` after an object member, found `\"`",
    );
    check("{a:1}", "json-syntax @ 1..2: expected a key in double quotes, found `a`");
    check("[1}", "json-syntax @ 2..3: expected `,` or `]` after an array item, found `}`");
    check("01", "trailing-data @ 1..2: unexpected data after the document");
    check("[01]", "json-syntax @ 2..3: expected `,` or `]` after an array item, found `1`");
    check("-", "truncated @ 1..1: the input ends in the middle of a JSON document");
    check("-x", "json-syntax @ 1..2: expected a digit after `-`, found `x`");
    check("[1.]", "json-syntax @ 3..4: expected a digit after the decimal point, found `]`");
    check("[1e+]", "json-syntax @ 4..5: expected a digit in the exponent, found `]`");
    check("+1", "json-syntax @ 0..1: expected a JSON value, found `+`");
    check("NaN", "json-syntax @ 0..1: expected a JSON value, found `N`");
    check("Infinity", "json-syntax @ 0..1: expected a JSON value, found `I`");
    check("nul", "truncated @ 3..3: the input ends in the middle of a JSON document");
    check("nulx", "json-syntax @ 3..4: expected `null`, found `x`");
    check(
        "\"a\nb\"",
        "json-syntax @ 2..3: control characters in a string must be written as escapes, found byte 0x0A",
    );
    check(
        r#""\x""#,
        "json-syntax @ 2..3: expected one of `\"\\/bfnrtu` after a backslash, found `x`",
    );
    check(
        r#""\u12g4""#,
        "json-syntax @ 5..6: expected four hexadecimal digits after `\\u`, found `g`",
    );
    check("'a'", "json-syntax @ 0..1: expected a JSON value, found `'`");
    check("// comment\n1", "json-syntax @ 0..1: expected a JSON value, found `/`");
    check(
        "\u{feff}1",
        "json-syntax @ 0..1: found a byte order mark; write JSON as UTF-8 without a mark",
    );
}

#[test]
fn nothing_too_little_and_too_much_are_told_apart() {
    check("", "empty-input @ 0..0: there is no document here");
    check(" \n", "empty-input @ 2..2: there is no document here");
    check("{\"a\":", "truncated @ 5..5: the input ends in the middle of a JSON document");
    check("\"abc", "truncated @ 4..4: the input ends in the middle of a JSON document");
    check("{} {}", "trailing-data @ 3..4: unexpected data after the document");
    check_bytes(b"1\0", "trailing-data @ 1..2: unexpected data after the document");
}

#[test]
fn a_repeated_key_is_found_with_its_path_and_both_places() {
    let text = r#"{"spec":{"a":1,"b":2,"a":3}}"#;
    check(
        text,
        "{\"spec\": {\"b\": 2, \"a\": 3}}\nduplicate-key @ 21..24: spec.a: `a` is given more than once",
    );
    let options = DecodeOptions::new().positions(true);
    let issues = json::decode(text.as_bytes(), &options).unwrap().issues;
    let first = issues[0].related[0].span;
    assert_eq!(&text[first.start..first.end], "\"a\"");
    assert_eq!(first.start, 9);
}

#[test]
fn a_repeated_key_is_found_after_and_in_strings_with_escapes() {
    check(
        r#"{"a\n":"\u0041\t","b":"plain","a\u000a":2,"b":"\\"}"#,
        "{\"a\\n\": 2, \"b\": \"\\\\\"}\nduplicate-key @ 30..39: [a\n]: `a\n` is given more than once\nduplicate-key @ 42..45: b: `b` is given more than once",
    );
}

#[test]
fn the_last_or_the_first_of_equal_keys_stays() {
    let text = br#"{"a":1,"b":{"x":1},"a":{"y":2},"a":[3]}"#;
    let with = |duplicates| run(text, &DecodeOptions::new().duplicates(duplicates));
    assert_eq!(with(Duplicates::LastWins), r#"{"b": {"x": 1}, "a": [3]}"#);
    assert_eq!(with(Duplicates::FirstWins), r#"{"a": 1, "b": {"x": 1}}"#);
}

#[test]
fn repeated_keys_are_found_in_large_objects_too() {
    let members: Vec<String> = (0..1000).map(|i| format!("\"key{}\":{i}", i % 990)).collect();
    let text = format!("{{{}}}", members.join(","));
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
    assert_eq!(decoded.issues.len(), 10);
    assert_eq!(decoded.document.root().members().len(), 990);
    assert_eq!(
        decoded.document.root().get("key3").and_then(crdkit_value::Value::as_i64),
        Some(993)
    );
}

#[test]
fn positions_cover_keys_and_values() {
    let text = r#"{ "a" : [1, {"b": "x\ny"}], "c":null}"#;
    let options = DecodeOptions::new().positions(true);
    let document = json::decode(text.as_bytes(), &options).unwrap().document;
    let place = |pointer| document.place(document.root().pointer(pointer).unwrap().id()).unwrap();
    let source = |span: crdkit_issue::Span| &text[span.start..span.end];
    assert_eq!(source(place("").value), text);
    assert_eq!(source(place("/a").value), r#"[1, {"b": "x\ny"}]"#);
    assert_eq!(source(place("/a").key.unwrap()), "\"a\"");
    assert_eq!(place("/a/0").key, None);
    assert_eq!(source(place("/a/0").value), "1");
    assert_eq!(source(place("/a/1/b").value), r#""x\ny""#);
    assert_eq!(source(place("/c").value), "null");
}

#[test]
fn limits_are_findings_with_a_place() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        DecodeOptions::new().limits(limits)
    };
    assert_eq!(
        run(b"[[1]]", &limits(|limits| limits.depth = 1)),
        "nesting-too-deep @ 1..2: arrays and objects nest deeper than the limit of 1"
    );
    assert_eq!(run(b"[[1]]", &limits(|limits| limits.depth = 2)), "[[1]]");
    assert_eq!(
        run(b"[1,2,3]", &limits(|limits| limits.nodes = 3)),
        "too-many-values @ 5..6: the document has more than 3 values"
    );
    assert_eq!(
        run(b"[1,2,3]", &limits(|limits| limits.bytes = 6)),
        "input-too-large @ 6..6: the input is larger than the limit of 6 bytes"
    );
    assert_eq!(
        run(br#"{"a":"\n","b":{"\t":[1,2]}}"#, &limits(|limits| limits.nodes = 5)),
        "too-many-values @ 23..24: b[\t]: the document has more than 5 values"
    );
    let repeated = br#"{"a":1,"a":1,"a":1,"a":1}"#;
    let two = limits(|limits| limits.issues = 2);
    assert_eq!(json::decode(repeated, &two).unwrap().issues.len(), 2);
}

#[test]
fn documents_may_follow_one_another() {
    let all = |text: &str, framing| -> Vec<String> {
        let options = DecodeOptions::default();
        Documents::from_slice(text.as_bytes(), framing, &options)
            .map(|outcome| match outcome {
                Ok(decoded) => format!("{:?}", decoded.document),
                Err(DecodeError::Refused(issue)) => show(&issue),
                Err(DecodeError::Io(error)) => panic!("{error}"),
            })
            .collect()
    };
    assert_eq!(all(" ", Framing::Concatenated), [""; 0]);
    assert_eq!(all("{}[1]2 3\"x\"", Framing::Concatenated), ["{}", "[1]", "2", "3", "\"x\""]);
    assert_eq!(all("{}\n[\n1\n]\n", Framing::Concatenated), ["{}", "[1]"]);
    let broken = "{}\n{\"a\":}\n{\"b\":1}\n[";
    for framing in [Framing::Concatenated, Framing::Lines] {
        assert_eq!(
            all(broken, framing),
            [
                "{}",
                "json-syntax @ 8..9: expected a JSON value, found `}`",
                r#"{"b": 1}"#,
                "truncated @ 19..19: the input ends in the middle of a JSON document",
            ]
        );
    }
    assert_eq!(
        all("{\"a\":\n{\"b\":\"\n{\"c\":1}", Framing::Lines),
        [
            "json-syntax @ 5..6: the line ends in the middle of a JSON document",
            "json-syntax @ 12..13: control characters in a string must be written as escapes, found byte 0x0A",
            r#"{"c": 1}"#,
        ]
    );
}

#[test]
fn both_layouts_write_what_was_read() {
    let text = r#"{"a":[],"b":{},"c":[1,-2.5,1e+100,"q\"\\\n\u0001é"],"d":{"e":null}}"#;
    let document = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
    let write = |layout| {
        let mut out = Vec::new();
        json::write(document.root(), layout, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(write(Layout::Compact), text);
    let pretty = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    -2.5,\n    1e+100,\n    \"q\\\"\\\\\\n\\u0001é\"\n  ],\n  \"d\": {\n    \"e\": null\n  }\n}";
    assert_eq!(write(Layout::Pretty), pretty);
}
