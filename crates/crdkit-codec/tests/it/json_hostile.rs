//! Input made to hurt: a finding with a place, in time proportional to the input.

use crdkit_codec::json::{self, Reader};
use crdkit_codec::{DecodeError, DecodeOptions};
use crdkit_value::{Limits, NumberMode};

fn refused(text: &[u8]) -> (String, usize) {
    let issue = json::decode(text, &DecodeOptions::default()).unwrap_err();
    (issue.code.to_string(), issue.span.unwrap().start)
}

#[test]
fn a_megabyte_of_brackets_stops_at_the_depth_limit() {
    assert_eq!(refused(&vec![b'['; 1 << 20]), ("nesting-too-deep".into(), 10_000));
    let objects = "{\"a\":".repeat(200_000);
    assert_eq!(refused(objects.as_bytes()), ("nesting-too-deep".into(), 50_000));
}

#[test]
fn nesting_up_to_the_limit_is_read_written_and_dropped_on_a_small_stack() {
    let work = || {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let document = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
        let mut out = Vec::new();
        json::write(document.root(), json::Layout::Compact, &mut out);
        assert_eq!(out, text.as_bytes());
        assert_eq!(document, document.clone());
    };
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_cut_anywhere_is_found_at_the_cut() {
    let text = r#"{"a":[1,-2.5e3,"x\u00e9\n",true,null],"b":{"c":{}}}"#;
    for cut in 1..text.len() {
        let (code, at) = refused(&text.as_bytes()[..cut]);
        assert_eq!((code.as_str(), at), ("truncated", cut), "cut at {cut}");
    }
}

#[test]
fn a_hundred_megabyte_string_is_read_whole_and_in_chunks() {
    let mut text = vec![b'x'; 100_000_000];
    text[0] = b'"';
    assert_eq!(refused(&text), ("truncated".into(), text.len()));
    *text.last_mut().unwrap() = b'"';
    let document = json::decode(&text, &DecodeOptions::default()).unwrap().document;
    assert_eq!(document.root().as_str().map(str::len), Some(text.len() - 2));
    let limits = Limits::default();
    let mut reader = Reader::from_read(&text[..], &limits, NumberMode::Value);
    assert!(matches!(reader.next_event(), Ok(Some(_))));
}

#[test]
fn a_reader_does_not_buffer_beyond_its_limit() {
    let limits = Limits::new().bytes(1 << 20);
    let endless = std::io::Read::chain(&b"\""[..], std::io::repeat(b'x'));
    let mut reader = Reader::from_read(endless, &limits, NumberMode::Value);
    match reader.next_event() {
        Err(DecodeError::Refused(issue)) => assert_eq!(issue.code.name(), "input-too-large"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_million_keys_take_linear_time() {
    let distinct: Vec<String> = (0..1_000_000).map(|i| format!("\"{i}\":0")).collect();
    let text = format!("{{{}}}", distinct.join(","));
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
    assert_eq!(decoded.document.root().members().len(), 1_000_000);
    let same = format!("{{{}}}", vec!["\"a\":0"; 1_000_000].join(","));
    let decoded = json::decode(same.as_bytes(), &DecodeOptions::default()).unwrap();
    assert_eq!(decoded.document.root().members().len(), 1);
    assert_eq!(decoded.issues.len(), Limits::default().issues);
}

#[test]
fn a_nul_byte_is_no_white_space() {
    assert_eq!(refused(b"\0"), ("json-syntax".into(), 0));
    assert_eq!(refused(b"{\"a\0\":1}"), ("json-syntax".into(), 3));
    assert_eq!(refused(b"[1\0]"), ("json-syntax".into(), 2));
}
