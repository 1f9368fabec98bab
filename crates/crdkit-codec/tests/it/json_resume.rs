//! Where reading goes on after JSON that is broken.

use crdkit_codec::json::{Documents, Framing};
use crdkit_codec::{DecodeError, DecodeOptions};
use proptest::prelude::*;
use std::io::{self, Read};

/// A reader that gives no more than a few bytes at a time.
pub(crate) struct Slow<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) n_bytes: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (text, rest) = self.text.split_at(self.text.len().min(self.n_bytes));
        let n_bytes = (&*text).read(buffer)?;
        self.text = rest;
        Ok(n_bytes)
    }
}

/// The documents of a text, with code and place of what is refused.
fn show(outcome: Result<crdkit_codec::Decoded, DecodeError>) -> String {
    match outcome {
        Ok(decoded) => format!("{:?}", decoded.document),
        Err(DecodeError::Refused(issue)) => {
            format!("{} @ {}", issue.code, issue.span.unwrap().start)
        }
        Err(DecodeError::Io(error)) => panic!("{error}"),
    }
}

fn documents(text: &[u8], framing: Framing, n_bytes: Option<usize>) -> Vec<String> {
    let options = DecodeOptions::default();
    match n_bytes {
        None => Documents::from_slice(text, framing, &options).map(show).collect(),
        Some(n_bytes) => {
            let reader = Slow { text, n_bytes };
            Documents::from_read(reader, framing, &options).map(show).collect()
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(documents(text.as_bytes(), Framing::Concatenated, None), expected, "{text}");
}

#[test]
fn a_broken_document_ends_where_its_brackets_do() {
    check(r#"{"a":}{"b":1}"#, &["json-syntax @ 5", r#"{"b": 1}"#]);
    check(r#"{"a":1,} {"b":1}"#, &["json-syntax @ 7", r#"{"b": 1}"#]);
    check(r#"{"a":[x,{"s":"]}"}]} {"b":1}"#, &["json-syntax @ 6", r#"{"b": 1}"#]);
    check("{a: 1,\nb: {c: 2}}\n{\"b\":1}", &["json-syntax @ 1", r#"{"b": 1}"#]);
    check(r#"[1e999,{"a":2}] 3"#, &["number-range @ 1", "3"]);
    check("1e999 {}", &["number-range @ 0", "{}"]);
    // Nested objects at the beginning of a line are not documents.
    check(
        "{\"a\":x,\"b\":[\n{},\n{}\n],\"c\":\n{}}\n{\"d\":1}",
        &["json-syntax @ 5", r#"{"d": 1}"#],
    );
}

#[test]
fn a_document_that_was_cut_off_ends_where_a_line_begins_with_a_brace() {
    check("{\"a\":1\n{\"b\":1}\n{\"c\":1}", &["json-syntax @ 7", r#"{"b": 1}"#, r#"{"c": 1}"#]);
    check("{\"a\":1,\n{\"b\":1}\n", &["json-syntax @ 8", r#"{"b": 1}"#]);
    check("{\"a\":\"x\n{\"b\":1}\n", &["json-syntax @ 7", r#"{"b": 1}"#]);
    check("{\"a\":{\"b\\\n{\"c\":1}", &["json-syntax @ 9", r#"{"c": 1}"#]);
    check("{\"a\":[}\n{\"b\":1}", &["json-syntax @ 6", r#"{"b": 1}"#]);
}

#[test]
fn what_stands_between_documents_is_told_once() {
    check(
        "{\"a\":1},\n{\"b\":1},{\"c\":1}]}",
        &[
            r#"{"a": 1}"#,
            "json-syntax @ 7",
            r#"{"b": 1}"#,
            "json-syntax @ 16",
            r#"{"c": 1}"#,
            "json-syntax @ 24",
        ],
    );
    check("\u{FEFF}{\"a\":1}", &["json-syntax @ 0", r#"{"a": 1}"#]);
    check("some words\n{\"a\":1}", &["json-syntax @ 0", r#"{"a": 1}"#]);
    check("some words", &["json-syntax @ 0"]);
}

#[test]
fn what_is_not_read_is_told() {
    check(r#"{"a":[}{"b":1}"#, &["json-syntax @ 6", "not-read @ 7"]);
    check(r#"{"a":"b"c","d":1} {"e":2}"#, &["json-syntax @ 8", "not-read @ 18"]);
    check(r#"{"a":1} words {"b":1}"#, &[r#"{"a": 1}"#, "json-syntax @ 8", "not-read @ 14"]);
    check(r#"{"a":[}"#, &["json-syntax @ 6"]);
}

#[test]
fn depth_is_no_matter() {
    let deep = "[".repeat(20_000) + &"]".repeat(20_000) + "{}";
    check(&deep, &["nesting-too-deep @ 10000", "{}"]);
}

/// Text with all that matters to the search.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{\"a\":1}",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        "\n{",
        " ",
        "x",
        "1",
        "\u{FEFF}",
        "\"a\":",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn slices_and_readers_go_on_at_the_same_places(text in text(), n_bytes in 1_usize..9) {
        for framing in [Framing::Concatenated, Framing::Lines] {
            let whole = documents(text.as_bytes(), framing, None);
            let chunked = documents(text.as_bytes(), framing, Some(n_bytes));
            // A mark is not recognized across chunks, which changes words only.
            prop_assert_eq!(whole, chunked);
        }
    }

    #[test]
    fn a_good_document_after_a_broken_line_is_read(broken in "[^\n{]{1,20}") {
        let text = format!("{broken}\n{{\"good\":1}}\n");
        for framing in [Framing::Concatenated, Framing::Lines] {
            let found = documents(text.as_bytes(), framing, None);
            // An array that is open takes the document in, as an item.
            let is_open = framing == Framing::Concatenated && broken.contains('[');
            prop_assert!(is_open || found.contains(&r#"{"good": 1}"#.to_owned()), "{found:?}");
        }
    }
}
