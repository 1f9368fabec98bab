//! Canonical JSON: one text for each value.

use crate::arbitrary;
use crdkit_codec::json::{self, NumberNotation, write_canonical};
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_value::{Document, Event, NumberMode};
use proptest::prelude::*;

fn decode(text: &str, numbers: NumberMode) -> Document {
    let options = DecodeOptions::new().numbers(numbers);
    json::decode(text.as_bytes(), &options)
        .unwrap_or_else(|issue| panic!("{text}: {issue}"))
        .document
}

fn canonical(text: &str, notation: NumberNotation) -> Result<String, &'static str> {
    let numbers = if notation == (NumberNotation::Decimal { keep_scale: true }) {
        NumberMode::Text
    } else {
        NumberMode::Exact
    };
    let document = decode(text, numbers);
    let mut out = Vec::new();
    write_canonical(document.root(), notation, &mut out).map_err(|issue| issue.code.name())?;
    Ok(String::from_utf8(out).unwrap())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(canonical(text, NumberNotation::Exact).as_deref(), Ok(expected), "{text}");
}

// Proves REQ-161.
#[test]
fn members_are_sorted_by_the_bytes_of_their_keys() {
    check(
        r#" {"b": 1, "a": {"d": [], "c": {}}, "": null} "#,
        r#"{"":null,"a":{"c":{},"d":[]},"b":1}"#,
    );
    // By UTF-16 units the second would come first.
    check("{\"\u{10000}\": 1, \"\u{fffd}\": 2}", "{\"\u{fffd}\":2,\"\u{10000}\":1}");
    check("[3, 1, 2]", "[3,1,2]");
}

// Proves REQ-162.
#[test]
fn strings_have_the_escapes_that_are_needed_and_no_others() {
    check(r#""<a> \u0026 \/ \u00fc \u007f \u2028""#, "\"<a> & / ü \u{7f} \u{2028}\"");
    check(r#""\u0008\u0009\u000a\u000c\u000d\u001f\u0000\"\\""#, r#""\b\t\n\f\r\u001f\u0000\"\\""#);
}

// Proves REQ-163, REQ-164, REQ-165, REQ-166.
#[test]
fn numbers_in_each_notation() {
    use NumberNotation::{BigInt, Decimal, Exact, Float64};
    const PLAIN: NumberNotation = Decimal { keep_scale: false };
    const SCALED: NumberNotation = Decimal { keep_scale: true };
    const DOUBLE: NumberNotation = Float64 { lossy: false };
    let big = "12345678901234567890123";
    for (text, notation, expected) in [
        ("-0", Exact, Ok("0")),
        ("-0.0", Exact, Ok("0")),
        ("1.2300", Exact, Ok("1.23")),
        ("1.0", Exact, Ok("1")),
        ("1e6", Exact, Ok("1000000")),
        ("1e20", Exact, Ok("100000000000000000000")),
        ("1e21", Exact, Ok("1e21")),
        ("1.5e+21", Exact, Ok("1.5e21")),
        (big, Exact, Ok(big)),
        ("0.000001", Exact, Ok("0.000001")),
        ("0.0000001", Exact, Ok("1e-7")),
        ("1e400", Exact, Ok("1e400")),
        ("1e1000000000", Exact, Ok("1e1000000000")),
        ("9007199254740993", Exact, Ok("9007199254740993")),
        ("0.1000000000000000055", Exact, Ok("0.1000000000000000055")),
        ("0.1000000000000000055", DOUBLE, Ok("0.1")),
        ("9007199254740993", DOUBLE, Err("number-notation")),
        ("9007199254740993", Float64 { lossy: true }, Ok("9007199254740992")),
        ("9007199254740992", DOUBLE, Ok("9007199254740992")),
        ("1e21", DOUBLE, Ok("1e21")),
        ("1e400", DOUBLE, Err("number-notation")),
        ("1e21", PLAIN, Ok("1000000000000000000000")),
        ("1e-7", PLAIN, Ok("0.0000001")),
        ("1.2300", PLAIN, Ok("1.23")),
        ("1.00", PLAIN, Ok("1")),
        ("1.2300", SCALED, Ok("1.2300")),
        ("-0.00", SCALED, Ok("0.00")),
        ("12.50e1", SCALED, Ok("125.0")),
        ("5e-3", SCALED, Ok("0.005")),
        ("1e3", SCALED, Ok("1000")),
        ("1e1000000000", PLAIN, Err("number-notation")),
        ("1e-1000000000", SCALED, Err("number-notation")),
        ("1e3", BigInt, Ok("1000")),
        ("1.0", BigInt, Ok("1")),
        ("1.5", BigInt, Err("number-not-whole")),
        ("1e1000000000", BigInt, Err("number-notation")),
        (big, BigInt, Ok(big)),
    ] {
        let found = canonical(text, notation);
        assert_eq!(found.as_deref().map_err(|name| *name), expected, "{text} {notation:?}");
    }
}

// Proves REQ-164.
#[test]
fn every_power_of_ten_reads_back() {
    for exponent in -400..=400 {
        let text = format!("1e{exponent}");
        let written = canonical(&text, NumberNotation::Exact).unwrap();
        assert_eq!(canonical(&written, NumberNotation::Exact).as_ref(), Ok(&written));
        let plain = canonical(&text, NumberNotation::Decimal { keep_scale: false }).unwrap();
        assert!(!plain.contains('e'));
        assert_eq!(canonical(&plain, NumberNotation::Exact), Ok(written));
    }
}

// Proves REQ-163.
#[test]
fn what_is_no_number_has_no_text() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let document = Document::of_events([
            Event::BeginObject,
            Event::Key("a"),
            Event::BeginArray,
            Event::Float(float),
            Event::EndArray,
            Event::EndObject,
        ]);
        let issue =
            write_canonical(document.root(), NumberNotation::Exact, &mut Vec::new()).unwrap_err();
        assert_eq!(
            (issue.code.name(), issue.path.pointer().as_str()),
            ("number-not-finite", "/a/0")
        );
    }
}

#[test]
fn exact_numbers_come_from_yaml_too() {
    let options = DecodeOptions::new().numbers(NumberMode::Exact);
    let text = "[123456789012345678901234567891, 1.10, 0x10, .5]";
    let document = yaml::decode(text.as_bytes(), &options).unwrap().document;
    let mut out = Vec::new();
    write_canonical(document.root(), NumberNotation::Exact, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "[123456789012345678901234567891,1.1,16,0.5]");
}

proptest! {
    /// Writing is a fixed point, and equal values and only they have equal texts.
    #[test]
    fn canonical_text_stands_for_its_value(left in arbitrary::document(), right in arbitrary::document()) {
        let text = |document: &Document| {
            let mut out = Vec::new();
            write_canonical(document.root(), NumberNotation::Exact, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let written = text(&left);
        let read = decode(&written, NumberMode::Exact);
        prop_assert_eq!(&read, &left);
        prop_assert_eq!(text(&read), written.clone());
        prop_assert_eq!(text(&right) == written, right == left);
    }

    /// Any double keeps its value.
    #[test]
    fn doubles_read_back(bits in any::<u64>()) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let document = Document::from(float);
        let mut out = Vec::new();
        write_canonical(document.root(), NumberNotation::Float64 { lossy: false }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        prop_assert_eq!(text.parse::<f64>().unwrap(), float);
    }
}
