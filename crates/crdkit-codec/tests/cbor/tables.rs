//! Bytes, what they decode to or why they are refused, and their diagnostic notation.
//!
//! A line of `decode.txt` is `HEX = VALUE` or `HEX ! CODE OFFSET PATH`; one of `encode.txt` is `JSON = HEX`;
//! one of `diag.txt` is `HEX = NOTATION`. With `UPDATE=1` in the environment the right-hand sides are written
//! anew, to be read before they are committed.

use super::{bytes, document, hex};
use crdkit_codec::{DecodeOptions, cbor, json};
use std::fmt::Write as _;
use std::path::Path;

/// Runs `answer` on the left-hand side of each line of a table.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a test reads and renews its table")]
fn check(table: &str, separators: &[&str], answer: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cbor").join(table);
    let expected = std::fs::read_to_string(&path).unwrap();
    let mut actual = String::new();
    for line in expected.lines() {
        let input = separators.iter().find_map(|separator| line.split_once(separator));
        match input.filter(|_| !line.starts_with('#')) {
            Some((input, _)) => writeln!(actual, "{input}{}", answer(input)).unwrap(),
            None => writeln!(actual, "{line}").unwrap(),
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &actual).unwrap();
    }
    for (actual, expected) in actual.lines().zip(expected.lines()) {
        assert_eq!(actual, expected);
    }
}

#[test]
fn bytes_decode_to_values_or_are_refused() {
    check("decode.txt", &[" = ", " ! "], |input| {
        match cbor::decode(&bytes(input), &DecodeOptions::default()) {
            Ok(decoded) => {
                let mut text = Vec::new();
                json::write(decoded.document.root(), json::Layout::Compact, &mut text);
                format!(" = {}", String::from_utf8(text).unwrap())
            }
            Err(issue) => {
                let start = issue.span.unwrap().start;
                format!(" ! {} {start} {}", issue.code, issue.path).trim_end().to_owned()
            }
        }
    });
}

#[test]
fn values_encode_to_bytes() {
    check("encode.txt", &[" = "], |input| {
        let mut out = Vec::new();
        cbor::write(document(input).root(), cbor::Order::Sorted, &mut out).unwrap();
        format!(" = {}", hex(&out))
    });
}

#[test]
fn bytes_are_shown_in_diagnostic_notation() {
    check("diag.txt", &[" = "], |input| match cbor::diag::notation(&bytes(input)) {
        Ok(notation) => format!(" = {notation}"),
        Err(issue) => format!(" = ! {}", issue.code),
    });
}

#[test]
fn sequences_are_shown_with_commas() {
    let notations = |input| {
        let lines = cbor::diag::notations(&bytes(input)).into_iter();
        let show = |line: Result<_, Box<crdkit_issue::Issue>>| {
            line.unwrap_or_else(|issue| format!("{} {:?}", issue.code, issue.span))
        };
        lines.map(show).collect::<Vec<_>>()
    };
    assert_eq!(notations("01 d9d9f7f6 c001 8102"), ["1", "55799(null)", "0(1)", "[2]"]);
    assert_eq!(notations(""), Vec::<String>::new());
    assert_eq!(notations("01 81"), ["1", "cbor-truncated Some(Span { start: 2, end: 2 })"]);
    assert_eq!(notations("01 1c 02").len(), 2);
}

#[test]
fn strings_that_are_not_utf8_come_back_as_they_were() {
    // A key and a value, next to a key and a value that look the same when shown.
    let input = bytes("a3 41ff 42fefe 41fe 43efbfbd 43efbfbd 41ff");
    let decoded = cbor::decode(&input, &DecodeOptions::default()).unwrap();
    let mut out = Vec::new();
    cbor::write(decoded.document.root(), cbor::Order::Sorted, &mut out).unwrap();
    assert_eq!(hex(&out), "a341fe43efbfbd41ff42fefe43efbfbd41ff");
    let copy = crdkit_value::Document::copy_of(decoded.document.root());
    assert_eq!(copy, decoded.document);
    let mut again = Vec::new();
    cbor::write(copy.root(), cbor::Order::Sorted, &mut again).unwrap();
    assert_eq!(out, again);
}

#[test]
fn positions_are_byte_offsets() {
    let options = DecodeOptions::new().positions(true);
    let decoded = cbor::decode(&bytes("d9d9f7 a1 4161 82 01 c101"), &options).unwrap();
    let place = |pointer: &str| {
        let value = decoded.document.root().pointer(pointer).unwrap();
        let place = decoded.document.place(value.id()).unwrap();
        (place.key.map(|key| (key.start, key.end)), (place.value.start, place.value.end))
    };
    assert_eq!(place(""), (None, (0, 10)));
    assert_eq!(place("/a"), (Some((4, 6)), (6, 10)));
    assert_eq!(place("/a/1"), (None, (8, 10)));
}
