//! Building, reading, comparing and changing documents, through the public interface.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, NodeId};

/// Builds a document from a list of events.
fn document(events: &[Event<'_>]) -> Document {
    let limits = Limits::default();
    let mut builder = Builder::new(&limits, Duplicates::LastWins);
    for event in events {
        builder.event(*event, Span::default()).unwrap();
    }
    assert!(builder.is_complete());
    builder.finish().0
}

/// `{"a": 1, "b": [true, {"c.d": "x"}], "e": null}`.
fn sample() -> Document {
    use Event::{BeginArray, BeginObject, Bool, EndArray, EndObject, Int, Key, Null, String};
    document(&[
        BeginObject,
        Key("a"),
        Int(1),
        Key("b"),
        BeginArray,
        Bool(true),
        BeginObject,
        Key("c.d"),
        String("x"),
        EndObject,
        EndArray,
        Key("e"),
        Null,
        EndObject,
    ])
}

fn id(document: &Document, pointer: &str) -> NodeId {
    document.root().pointer(pointer).unwrap().id()
}

#[track_caller]
fn check(document: &Document, expected: &str) {
    assert_eq!(format!("{document:?}"), expected);
    assert_eq!(format!("{:?}", Document::copy_of(document.root())), expected, "a copy is the same");
}

#[test]
fn a_value_knows_its_place() {
    let document = sample();
    let value = document.root().pointer("/b/1/c.d").unwrap();
    assert_eq!(value.as_str(), Some("x"));
    assert_eq!(value.path().to_string(), "b[1][c.d]");
    assert_eq!(value.path().pointer(), "/b/1/c.d");
    assert_eq!(value.key(), Some("c.d"));
    assert_eq!(
        value.parent().and_then(crdkit_value::Value::parent).map(|b| b.path().to_string()),
        Some("b".into())
    );
    assert!(document.root().pointer("/b/2").is_none());
    assert!(document.root().pointer("b").is_none());
}

#[test]
fn removed_values_are_gone_for_every_reader() {
    let mut document = sample();
    document.remove(id(&document, "/b/0"));
    document.remove(id(&document, "/e"));
    document.remove(NodeId::ROOT);
    check(&document, r#"{"a": 1, "b": [{"c.d": "x"}]}"#);
    assert_eq!(document.root().members().len(), 2);
    assert_eq!(document.root().pointer("/b/0/c.d").unwrap().path().to_string(), "b[0][c.d]");
}

#[test]
fn inserting_puts_a_copy_last_and_replaces_an_equal_key() {
    let other = sample();
    let mut document = sample();
    document.insert(NodeId::ROOT, "a", other.root().get("b").unwrap());
    document.push(id(&document, "/b"), other.root().get("a").unwrap());
    check(&document, r#"{"b": [true, {"c.d": "x"}, 1], "e": null, "a": [true, {"c.d": "x"}]}"#);
    assert!(document.insert(id(&document, "/b"), "x", other.root()).is_none(), "not an object");
    assert!(document.push(NodeId::ROOT, other.root()).is_none(), "not an array");
}

#[test]
fn a_whole_document_becomes_a_member_without_what_was_removed() {
    let mut other = sample();
    other.remove(id(&other, "/b/0"));
    let mut document = sample();
    let top = document.append_member(id(&document, "/b/1"), None, "new", other.root()).unwrap();
    check(
        &document,
        r#"{"a": 1, "b": [true, {"c.d": "x", "new": {"a": 1, "b": [{"c.d": "x"}], "e": null}}], "e": null}"#,
    );
    assert_eq!(document.value(top).path().to_string(), "b[1].new");
    let inner = document.root().pointer("/b/1/new/b/0/c.d").unwrap();
    assert_eq!(inner.path().to_string(), "b[1].new.b[0][c.d]");
    let (object, text) = (id(&document, "/b/1"), other.root().pointer("/b/0/c.d").unwrap());
    let next = document.append_member(object, Some(top), "last", text).unwrap();
    assert_eq!(document.value(next).as_str(), Some("x"));
    assert_eq!(document.root().pointer("/b/1").unwrap().members().len(), 3);
}

#[test]
fn inserting_works_where_everything_was_removed() {
    let other = sample();
    let mut document =
        document(&[Event::BeginObject, Event::Key("a"), Event::Null, Event::EndObject]);
    document.remove(id(&document, "/a"));
    document.insert(NodeId::ROOT, "b", other.root().get("a").unwrap());
    check(&document, r#"{"b": 1}"#);
}

#[test]
fn setting_changes_a_value_in_place() {
    let mut document = sample();
    document.set(id(&document, "/b"), "new");
    document.set(id(&document, "/a"), -7);
    check(&document, r#"{"a": -7, "b": "new", "e": null}"#);
}

#[test]
fn equality_ignores_member_order_and_number_spelling() {
    use Event::{BeginObject, EndObject, Float, Int, Key};
    let of = |events: &[Event<'_>]| document(events);
    let ab = of(&[BeginObject, Key("a"), Int(1), Key("b"), Int(2), EndObject]);
    assert_eq!(ab, of(&[BeginObject, Key("b"), Float(2.0), Key("a"), Int(1), EndObject]));
    assert_ne!(ab, of(&[BeginObject, Key("a"), Int(1), Key("c"), Int(2), EndObject]));
    assert_ne!(ab, of(&[BeginObject, Key("a"), Int(1), EndObject]));
    assert_ne!(of(&[Int(1)]), of(&[Event::Bool(true)]));
    assert_ne!(of(&[Int(1)]), of(&[Event::String("1")]));
    assert_ne!(
        of(&[Int(i64::MAX)]),
        of(&[Float(9_223_372_036_854_775_807.0)]),
        "not the same number"
    );
}

#[test]
fn an_id_of_nowhere_is_null() {
    let large = sample();
    let small = Document::null();
    assert!(small.value(id(&large, "/b/1/c.d")).is_null());
}

#[test]
fn a_copy_can_keep_positions() {
    let limits = Limits::default();
    let mut builder = Builder::new(&limits, Duplicates::LastWins).keeping_positions(0);
    let events = [
        Event::BeginArray,
        Event::Null,
        Event::BeginArray,
        Event::Int(7),
        Event::EndArray,
        Event::EndArray,
    ];
    for (at, event) in events.into_iter().enumerate() {
        builder.event(event, Span::new(at, at + 1)).unwrap();
    }
    let document = builder.finish().0;
    let copy = Document::copy_with_positions(document.root().at(1).unwrap());
    assert_eq!(format!("{copy:?}"), "[7]");
    assert_eq!(copy.place(NodeId::ROOT).unwrap().value, Span::new(2, 5));
    assert_eq!(copy.place(id(&copy, "/0")).unwrap().value, Span::new(3, 4));
}
