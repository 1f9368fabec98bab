//! Patches that nobody sends in good faith: refused in the server's words, in time proportional to their size.

use crdkit_codec::{DecodeOptions, json};
use crdkit_patch::{PatchLimits, json::Patch, merge};
use crdkit_value::Document;
use std::fmt::Write as _;

fn document(text: &str) -> Document {
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON").document
}

fn refused(outcome: Result<impl Sized, crdkit_patch::PatchError>) -> (u16, String) {
    let status = outcome.err().expect("refused").status();
    (status.code, status.message)
}

#[test]
fn what_is_no_patch_is_refused_as_the_server_does() {
    let limits = PatchLimits::default();
    let json = |text: &str| refused(Patch::read(text.as_bytes(), &limits));
    let merge = |text: &str| refused(merge::Patch::read(text.as_bytes(), &limits));
    for text in ["{", "{} x", "a: 1", ""] {
        assert_eq!(json(text), (400, "invalid JSON patch".to_owned()));
        assert_eq!(merge(text), (400, "invalid JSON patch".to_owned()));
    }
    let unmarshal = "json: cannot unmarshal";
    let map = "Go value of type map[string]interface {}";
    assert_eq!(
        json("{}").1,
        format!("error decoding patch: {unmarshal} object into Go value of type []interface {{}}")
    );
    assert_eq!(
        json("[5]").1,
        format!("{unmarshal} number into Go value of type jsonpatch.Operation")
    );
    assert_eq!(merge("[]").1, format!("error decoding patch: {unmarshal} array into {map}"));
    assert_eq!(merge("5").1, format!("error decoding patch: {unmarshal} number into {map}"));
    assert_eq!(merge("null"), (400, "Invalid JSON Patch".to_owned()));
}

#[test]
fn operations_are_counted() {
    let one = r#"{"op":"test","path":"/a","value":1},"#.repeat(10_001);
    let text = format!("[{}]", one.trim_end_matches(','));
    let (code, message) = refused(Patch::read(text.as_bytes(), &PatchLimits::default()));
    assert_eq!(code, 413);
    assert_eq!(
        message,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
}

#[test]
fn copies_do_not_grow_without_bound() {
    let mut object = document(r#"{"a":["0123456789"]}"#);
    let copy = r#"{"op":"copy","from":"/a","path":"/a/-"},"#.repeat(60);
    let patch = format!("[{}]", copy.trim_end_matches(','));
    let patch = Patch::read(patch.as_bytes(), &PatchLimits::default()).expect("a patch");
    let (code, message) = refused(patch.apply(&mut object));
    assert_eq!(code, 422);
    assert_eq!(message, "the server rejected our request due to an error in our request");
    assert_eq!(object, document(r#"{"a":["0123456789"]}"#));
}

#[test]
fn large_objects_are_merged_in_linear_time() {
    let mut text = String::from("{");
    for at in 0..100_000 {
        let _ = write!(text, "{}\"k{at}\":{at}", if at == 0 { "" } else { "," });
    }
    text.push('}');
    let mut object = document(&text);
    let patch = merge::Patch::read(text.as_bytes(), &PatchLimits::default()).expect("a patch");
    patch.apply(&mut object);
    assert_eq!(object, document(&text));
}

#[test]
fn deep_objects_are_merged_without_recursion() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(9_000), "}".repeat(9_000));
    let mut object = document(&deep);
    merge::apply(&mut object, document(&deep).root());
    assert_eq!(object, document(&deep));
    let deepest = "/a".repeat(9_000);
    let patch = format!(r#"[{{"op":"replace","path":"{deepest}","value":2}}]"#);
    let patch = Patch::read(patch.as_bytes(), &PatchLimits::default()).expect("a patch");
    patch.apply(&mut object).expect("applies");
    assert_eq!(object.root().pointer(&deepest).and_then(crdkit_value::Value::as_i64), Some(2));
}

#[test]
fn keys_given_twice_are_reported() {
    let patch = merge::Patch::read(br#"{"a":1,"a":2}"#, &PatchLimits::default()).expect("a patch");
    assert_eq!(patch.repeated().len(), 1);
    assert_eq!(patch.document().to_string(), r#"{"a":2}"#);
}
