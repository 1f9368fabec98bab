//! Patches that nobody sends in good faith: refused in the server's words, in time proportional to their size.

use crdkit_codec::{DecodeOptions, json};
use crdkit_patch::managed::{ApplyError, Versions, Writer, owners};
use crdkit_patch::{Definitions, PatchLimits, Schema, diff, json::JsonPatch, merge};
use crdkit_schema::compile::Table;
use crdkit_text::timestamp::Timestamp;
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
    let json = |text: &str| refused(JsonPatch::read(text.as_bytes(), &limits));
    let merge = |text: &str| refused(merge::MergePatch::read(text.as_bytes(), &limits));
    for text in ["{", "{} x", "a: 1", ""] {
        assert_eq!(json(text), (400, "invalid JSON patch".to_owned()));
        assert_eq!(merge(text), (400, "invalid JSON patch".to_owned()));
    }
    let unmarshal = "json: cannot unmarshal";
    let map = "Go value of type map[string]interface {}";
    assert_eq!(
        json("{}").1,
        format!(
            "error decoding patch: {unmarshal} object into Go value of type []handlers.jsonPatchOp"
        )
    );
    assert_eq!(
        json("[5]").1,
        format!(
            "error decoding patch: {unmarshal} number into Go value of type handlers.jsonPatchOp"
        )
    );
    assert_eq!(merge("[]").1, format!("error decoding patch: {unmarshal} array into {map}"));
    assert_eq!(merge("5").1, format!("error decoding patch: {unmarshal} number into {map}"));
    assert_eq!(merge("null"), (400, "Invalid JSON Patch".to_owned()));
}

#[test]
fn a_strict_reader_knows_the_members_of_operations() {
    let strict = |text: &str| {
        let patch = JsonPatch::read(text.as_bytes(), &PatchLimits::default()).unwrap();
        patch.strict().map_err(|error| error.status().message)
    };
    let wrong = "error decoding patch: json: cannot unmarshal";
    for (text, expected) in [
        (r#"[{"op":"test","path":"/a","value":{"z":1}}, null, {"from":null}]"#, Ok(vec![])),
        (r#"[{"op":"test"},{"zz":1}]"#, Ok(vec![r#"json patch unknown field "[1].zz""#])),
        (r#"[{"op":"a","op":"b"}]"#, Ok(vec![r#"json patch duplicate field "[0].op""#])),
        (r#"[{"op":5}]"#, Err("number into Go struct field jsonPatchOp.op of type string")),
        (r#"[{"from":[]}]"#, Err("array into Go struct field jsonPatchOp.from of type string")),
    ] {
        let expected = expected.map(|texts| texts.into_iter().map(str::to_owned).collect());
        assert_eq!(strict(text), expected.map_err(|text| format!("{wrong} {text}")), "{text}");
    }
}

#[test]
fn operations_are_counted() {
    let one = r#"{"op":"test","path":"/a","value":1},"#.repeat(10_001);
    let text = format!("[{}]", one.trim_end_matches(','));
    let (code, message) = refused(JsonPatch::read(text.as_bytes(), &PatchLimits::default()));
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
    let patch = JsonPatch::read(patch.as_bytes(), &PatchLimits::default()).expect("a patch");
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
    let patch = merge::MergePatch::read(text.as_bytes(), &PatchLimits::default()).expect("a patch");
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
    let patch = JsonPatch::read(patch.as_bytes(), &PatchLimits::default()).expect("a patch");
    patch.apply(&mut object).expect("applies");
    assert_eq!(object.root().pointer(&deepest).and_then(crdkit_value::Value::as_i64), Some(2));
}

#[test]
fn keys_given_twice_are_reported() {
    let patch =
        merge::MergePatch::read(br#"{"a":1,"a":2}"#, &PatchLimits::default()).expect("a patch");
    assert_eq!(patch.repeated().len(), 1);
    assert_eq!(patch.document().to_string(), r#"{"a":2}"#);
}

/// A writer of `ConfigMap`s, whose data is a map that nobody bounds.
fn config_map<R>(manager: &str, then: impl FnOnce(&Writer<'_>) -> R) -> R {
    then(&Writer {
        manager,
        api_version: "v1",
        subresource: "",
        time: Timestamp { seconds: 1_700_000_000, nanoseconds: 0, offset: 0 },
        reset: &[],
        versions: &ConfigMaps,
    })
}

struct ConfigMaps;

impl Versions for ConfigMaps {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        Schema::of_kind(Definitions::native(), api_version, "ConfigMap")
    }

    fn convert(&self, object: &Document, _: &str) -> Result<Document, String> {
        Ok(object.clone())
    }
}

fn with_data(data: &str) -> Document {
    document(&format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{data}}}"#
    ))
}

#[test]
fn objects_of_many_fields_are_applied_in_linear_time() {
    let data = |value: &str| {
        let members = (0..100_000).map(|at| format!("\"k{at}\":\"{value}\""));
        with_data(&format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    };
    let apply = |manager: &str, live: Option<&Document>, config: &Document, force| {
        config_map(manager, |writer| writer.apply("ConfigMap", live, config, force))
    };
    let live = apply("one", None, &data("a"), false).expect("created").document;
    let Err(ApplyError::Conflicts(conflicts)) = apply("two", Some(&live), &data("b"), false) else {
        panic!("no conflict");
    };
    assert_eq!(conflicts.len(), 100_000);
    let taken = apply("two", Some(&live), &data("b"), true).expect("forced").document;
    let left = apply("two", Some(&taken), &with_data("{}"), false).expect("given up").document;
    assert_eq!(left.root().get("data").map(|data| data.members().len()), Some(0));
    assert_eq!(owners(&taken).expect("readable").len(), 100_000);
}

#[test]
fn many_managers_are_read_and_joined_in_linear_time() {
    let managers = |operation: &str| {
        let entry = |at: usize| {
            format!(
                r#"{{"manager":"m{at}","operation":"{operation}","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{"f:data":{{"f:k{at}":{{}}}}}}}}"#
            )
        };
        let entries: Vec<String> = (0..10_000).map(entry).collect();
        document(&format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a","managedFields":[{}]}},"data":{{"a":"1"}}}}"#,
            entries.join(",")
        ))
    };
    let n_managers = |object: &Document| {
        object.root().pointer("/metadata/managedFields").map_or(0, |list| list.items().len())
    };
    let config = with_data(r#"{"a":"2"}"#);
    for operation in ["Apply", "Update"] {
        let live = managers(operation);
        let applied = config_map("me", |it| it.apply("ConfigMap", Some(&live), &config, false));
        assert_eq!(n_managers(&applied.expect("applied").document), 10_001);
    }
    let live = managers("Update");
    let mut new = live.clone();
    let data = new.root().get("data").map(crdkit_value::Value::id).expect("data");
    new.insert(data, "b", "2");
    config_map("me", |writer| writer.update(Some(&live), &mut new));
    assert_eq!(n_managers(&new), 10);
}

#[test]
fn deep_values_are_leaves_for_owners() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    let schema = Schema::new(Table::empty(), None, true);
    assert!(diff::fields(&schema, document(&deep).root(), document(&deep).root()).is_empty());
    let other = deep.replace('1', "2");
    let changes = diff::fields(&schema, document(&deep).root(), document(&other).root());
    assert_eq!(changes.len(), 1);
}

#[test]
fn owners_are_forgotten_where_the_request_says_so() {
    let live = config_map("one", |writer| {
        let mut live = with_data(r#"{"a":"1"}"#);
        writer.update(None, &mut live);
        live
    });
    let managers = |object: &Document| {
        object.root().pointer("/metadata/managedFields").map_or(0, |list| list.items().len())
    };
    assert_eq!(managers(&live), 1);
    for (list, want) in [("[]", 0), ("[{}]", 0), ("null", 1), (r#"[{"manager":"x"}]"#, 1)] {
        let mut new = live.clone();
        let metadata = new.root().get("metadata").expect("metadata").id();
        new.insert(metadata, "managedFields", &document(list));
        config_map("two", |writer| writer.update(Some(&live), &mut new));
        assert_eq!(managers(&new), want, "{list}");
    }
}

#[test]
fn a_refused_apply_says_so_as_the_server_does() {
    let apply = |live: Option<&Document>, config: &Document| {
        let applied = config_map("me", |it| it.apply("ConfigMap", live, config, false));
        let status = applied.expect_err("refused").status();
        (status.code, status.message)
    };
    let other = document(r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}"#);
    assert_eq!(apply(None, &other), (400, "invalid object type: /v1, Kind=Secret".to_owned()));
    let managed = document(
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[{}]}}"#,
    );
    assert_eq!(apply(None, &managed), (400, "metadata.managedFields must be nil".to_owned()));
    let live = document(
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"x":{}}}]}}"#,
    );
    assert_eq!(apply(Some(&live), &with_data("{}")).0, 500);
    assert_eq!(apply(None, &with_data("[]")).0, 500);
}
