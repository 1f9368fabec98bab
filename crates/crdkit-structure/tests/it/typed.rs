//! Values of schemas as types of a program.

use crdkit_structure::{
    Codecs, Decoded, DefaultMode, ImportOptions, Nulls, ParseOptions, Profile, Schema, Tri,
    import_yaml,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u8>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    shape: Shape,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    ports: BTreeMap<u16, f64>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
enum Shape {
    #[default]
    Flat,
    Round {
        radius: i64,
    },
    Pair(u64, bool),
    Wrapped(Box<Shape>),
}

fn schema() -> Schema {
    let yaml = "
type: object
properties:
  name: {type: string}
  size: {type: integer, default: 3}
  tags: {type: array, items: {type: string}}
  shape: {x-kubernetes-preserve-unknown-fields: true}
  ports: {type: object, additionalProperties: {type: number}}
  at: {type: string, format: date-time}
";
    let options = ImportOptions::new().defaults(DefaultMode::Apply);
    import_yaml(yaml.as_bytes(), &options).unwrap().schema.with_codecs(Codecs::standard())
}

// Proves REQ-153.
#[test]
fn a_type_comes_and_goes() {
    let schema = schema();
    let text = r#"{"name":"a","tags":["x"],"shape":{"Wrapped":{"Round":{"radius":2}}},"ports":{"80":1.5}}"#;
    let decoded = schema.decode::<Order>(text, &ParseOptions::new()).unwrap();
    let order = &decoded.value;
    assert_eq!((order.size, order.ports.get(&80)), (Some(3), Some(&1.5)));
    assert_eq!(order.shape, Shape::Wrapped(Box::new(Shape::Round { radius: 2 })));
    let preserved = schema.to_preserving(&decoded).unwrap();
    assert_eq!(
        String::from_utf8(preserved).unwrap(),
        r#"{"name":"a","ports":{"80":1.5},"shape":{"Wrapped":{"Round":{"radius":2}}},"tags":["x"]}"#
    );
    let canonical = schema.to_canonical(&decoded.value).unwrap();
    assert!(String::from_utf8(canonical).unwrap().contains(r#""size":3"#));
    let pair = schema.decode::<Order>(
        r#"{"name":"a","shape":{"Pair":[18446744073709551615,true]}}"#,
        &ParseOptions::new(),
    );
    assert_eq!(pair.unwrap().value.shape, Shape::Pair(u64::MAX, true));
}

// Proves REQ-150.
#[test]
fn what_a_type_does_not_take_is_told_with_its_path() {
    let schema = schema();
    for (text, path) in [
        (r#"{"name": "a", "size": 300}"#, "/size"),
        (r#"{"name": "a", "shape": {"Round": {"radius": "x"}}}"#, "/shape/Round/radius"),
        (r#"{"name": "a", "shape": {"Pair": [1, "x"]}}"#, "/shape/Pair/1"),
        (r#"{"name": "a", "shape": "Square"}"#, "/shape"),
        (r#"{"name": "a", "ports": {"http": 1}}"#, "/ports/http"),
        (r#"{"tags": []}"#, "/name"),
    ] {
        let issues = schema.decode::<Order>(text, &ParseOptions::new()).unwrap_err();
        let issue = issues.first().unwrap();
        assert_eq!(
            (issue.path.pointer().as_str(), &*issue.short()),
            (path, "invalid_type"),
            "{text}"
        );
    }
    let issues =
        schema.decode::<Order>(r#"{"name": 1, "tags": [1]}"#, &ParseOptions::new()).unwrap_err();
    assert_eq!(issues.len(), 2, "all that is wrong comes in one error");
}

#[test]
fn a_partial_update_tells_missing_from_null() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Patch {
        #[serde(default, skip_serializing_if = "Tri::is_missing")]
        a: Tri<i64>,
        #[serde(default, skip_serializing_if = "Tri::is_missing")]
        b: Tri<i64>,
        #[serde(default, skip_serializing_if = "Tri::is_missing")]
        c: Tri<i64>,
    }
    let yaml = "type: object\nproperties: {a: &n {type: integer, nullable: true}, b: *n, c: *n}";
    let schema = import_yaml(yaml.as_bytes(), &ImportOptions::new()).unwrap().schema;
    let decoded = schema.decode::<Patch>(r#"{"b": null, "c": 1}"#, &ParseOptions::new()).unwrap();
    assert_eq!(decoded.value, Patch { a: Tri::Missing, b: Tri::Null, c: Tri::Present(1) });
    assert_eq!(schema.to_canonical(&decoded.value).unwrap(), br#"{"b":null,"c":1}"#);
    assert_eq!(decoded.value.c.into_option(), Some(1));
}

// Proves REQ-144, REQ-155, REQ-171.
#[test]
fn missing_stays_missing_and_null_stays_null_at_every_depth_after_edits() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Item {
        a: Option<i64>,
        b: Option<i64>,
        #[serde(default)]
        tri: Tri<i64>,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Whole {
        name: Option<String>,
        list: Option<Vec<Item>>,
        plain: Option<Vec<i64>>,
        map: Option<BTreeMap<String, Option<i64>>>,
    }
    let yaml = "
type: object
properties:
  name: {type: string, nullable: true}
  list:
    type: array
    items:
      type: object
      properties:
        a: {type: integer, default: 7}
        b: {type: integer, nullable: true}
        tri: {type: integer, nullable: true}
  plain: {type: array, items: {type: integer, default: 5}}
  map: {type: object, additionalProperties: {type: integer, nullable: true}}
";
    let options = ImportOptions::new().defaults(DefaultMode::Apply).nulls(Nulls::DropLikeApiServer);
    let schema = import_yaml(yaml.as_bytes(), &options).unwrap().schema;
    let read = |text: &str| schema.decode::<Whole>(text, &ParseOptions::new()).unwrap();
    let write = |decoded: &Decoded<Whole>| {
        String::from_utf8(schema.to_preserving(decoded).unwrap()).unwrap()
    };
    for text in [
        "{}",
        r#"{"list":[{},{"a":7,"b":null},{"b":1}],"map":{"x":null,"y":1},"name":null}"#,
        r#"{"list":[{"tri":null},{"tri":1}],"plain":[1,null,5]}"#,
        r#"{"list":[{"a":null}]}"#,
    ] {
        assert_eq!(write(&read(text)), text);
    }
    // What is removed takes its presence with it, what is added has none.
    let mut decoded = read(r#"{"list":[{"a":1},{"b":null},{"a":2,"b":3}],"plain":[null,2,null]}"#);
    decoded.value.list.as_mut().unwrap().remove(0);
    decoded.value.plain.as_mut().unwrap().remove(0);
    assert_eq!(write(&decoded), r#"{"list":[{"b":null},{"a":2,"b":3}],"plain":[2,null]}"#);
    let mut decoded = read(r#"{"list":[{"b":null},{"a":2,"b":3}],"plain":[2,null]}"#);
    let item = decoded.value.list.as_mut().unwrap().get_mut(0).unwrap();
    item.tri = Tri::Null;
    item.a = Some(8);
    decoded.value.plain.as_mut().unwrap().push(5);
    assert_eq!(
        write(&decoded),
        r#"{"list":[{"a":8,"b":null,"tri":null},{"a":2,"b":3}],"plain":[2,null,5]}"#
    );
}

#[test]
fn a_type_that_nests_without_end_is_refused() {
    #[derive(Debug, Deserialize, Serialize)]
    struct Nested {
        next: Option<Box<Nested>>,
    }
    let yaml = "type: object\nx-kubernetes-preserve-unknown-fields: true";
    let schema = import_yaml(yaml.as_bytes(), &ImportOptions::new()).unwrap().schema;
    let text = format!("{}null{}", "{\"next\":".repeat(100), "}".repeat(100));
    assert!(schema.decode::<Nested>(&text, &ParseOptions::new()).is_err());
    let text = format!("{}null{}", "{\"next\":".repeat(20), "}".repeat(20));
    assert!(schema.decode::<Nested>(&text, &ParseOptions::new()).is_ok());
}

#[test]
fn texts_become_types_of_rust() {
    use crdkit_structure::with;
    use std::time::Duration;
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Limits {
        #[serde(with = "with::duration")]
        timeout: Duration,
        #[serde(with = "with::base64")]
        data: Vec<u8>,
        #[serde(with = "with::quantity")]
        memory: with::quantity::Quantity,
    }
    let yaml = "
type: object
properties:
  timeout: {type: string, format: duration}
  data: {type: string, format: byte}
  memory: {type: string, format: quantity}
";
    let schema = import_yaml(yaml.as_bytes(), &ImportOptions::new()).unwrap().schema;
    let schema = schema.with_codecs(Codecs::standard());
    let text = r#"{"data":"aGk=","memory":"1500m","timeout":"90m"}"#;
    let decoded = schema.decode::<Limits>(text, &ParseOptions::new()).unwrap();
    assert_eq!(decoded.value.timeout, Duration::from_mins(90));
    assert_eq!(decoded.value.data, b"hi");
    assert_eq!(decoded.value.memory.to_string(), "1500m");
    assert_eq!(
        schema.to_canonical(&decoded.value).unwrap(),
        br#"{"data":"aGk=","memory":"1500m","timeout":"1h30m0s"}"#
    );
}

#[test]
fn times_are_those_of_jiff() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Lease {
        acquired: jiff::Timestamp,
        day: jiff::civil::Date,
    }
    let yaml = "
type: object
properties:
  acquired: {type: string, format: date-time}
  day: {type: string, format: date}
";
    let schema = import_yaml(yaml.as_bytes(), &ImportOptions::new()).unwrap().schema;
    let schema = schema.with_codecs(Codecs::standard());
    let text = r#"{"acquired":"2024-05-01T12:00:00.5+02:00","day":"2024-05-01"}"#;
    let decoded = schema.decode::<Lease>(text, &ParseOptions::new()).unwrap();
    assert_eq!(decoded.value.acquired, "2024-05-01T10:00:00.5Z".parse().unwrap());
    assert_eq!(decoded.value.day, jiff::civil::date(2024, 5, 1));
    assert_eq!(
        schema.to_canonical(&decoded.value).unwrap(),
        br#"{"acquired":"2024-05-01T10:00:00.5Z","day":"2024-05-01"}"#
    );
    let refused =
        schema.decode::<Lease>(r#"{"acquired":"noon","day":"2024-05-01"}"#, &ParseOptions::new());
    assert!(refused.is_err());
}

#[cfg(feature = "schemars")]
#[test]
fn a_type_has_a_schema_of_its_own() {
    use crdkit_structure::for_type;
    /// A lamp.
    #[derive(Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Lamp {
        name: String,
        #[schemars(range(max = 60))]
        #[serde(default = "forty")]
        watts: u32,
        colour: Option<Colour>,
        #[serde(default)]
        dimmed: Tri<u8>,
        #[serde(default)]
        parts: Vec<Lamp>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
    enum Colour {
        Warm,
        Cold,
    }
    fn forty() -> u32 {
        40
    }
    let options = ImportOptions::new().defaults(DefaultMode::Apply);
    let imported = for_type::<Lamp>(&options).unwrap();
    assert!(!imported.diagnostics.has_warnings(), "{}", imported.diagnostics);
    let schema = imported.schema;
    for text in [
        r#"{"name":"a"}"#,
        r#"{"colour":null,"dimmed":null,"name":"a","parts":[{"name":"b"},{"colour":"Warm","name":"c","watts":40}]}"#,
    ] {
        let lamp = schema.decode::<Lamp>(text, &ParseOptions::new()).unwrap();
        assert_eq!(lamp.value.watts, 40);
        assert_eq!(String::from_utf8(schema.to_preserving(&lamp).unwrap()).unwrap(), text);
    }
    let wrong = r#"{"name":"a","watts":61,"parts":[{"colour":"Green"}]}"#;
    let issues = schema.parse(wrong, &ParseOptions::new()).issues;
    let found: Vec<_> = issues.iter().map(|issue| issue.path.pointer()).collect();
    assert_eq!(found, ["/parts/0/colour", "/parts/0/name", "/watts"], "{issues}");
}

/// A type with every way to be absent: a default, an option, three states, lists and maps of such.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Every {
    #[serde(default)]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<i64>,
    #[serde(default, skip_serializing_if = "Tri::is_missing")]
    tri: Tri<u8>,
    #[serde(default)]
    filled: Option<i64>,
    #[serde(default)]
    list: Option<Vec<Option<bool>>>,
    #[serde(default)]
    map: Option<BTreeMap<String, Option<f64>>>,
    #[serde(default)]
    inner: Option<Vec<Every>>,
}

const EVERY: &str = "
$defs:
  every:
    type: object
    properties:
      text: {type: [string, 'null']}
      left_out: {type: integer}
      tri: {type: [integer, 'null']}
      filled: {type: integer, default: 7}
      list: {type: array, items: {type: [boolean, 'null']}}
      map: {type: object, additionalProperties: {type: [number, 'null']}}
      inner: {type: array, items: {$ref: '#/$defs/every'}}
$ref: '#/$defs/every'
";

fn every() -> impl Strategy<Value = String> {
    fn object(members: Vec<(&str, Option<String>)>) -> String {
        let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let members = members.map(|(key, value)| format!("{key:?}:{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
    let one_of = |values: &'static [&'static str]| {
        prop::option::of(prop::sample::select(values).prop_map(str::to_owned))
    };
    let leaf = (
        one_of(&["null", r#""""#, r#""x""#]),
        one_of(&["0", "-3"]),
        one_of(&["null", "5"]),
        one_of(&["7", "8", "null"]),
        one_of(&["[]", "[true,null]", "[null]"]),
        one_of(&["{}", r#"{"a":null}"#, r#"{"":1.5,"b":2}"#]),
    );
    let leaf = leaf.prop_map(|(text, left_out, tri, filled, list, map)| {
        vec![
            ("filled", filled),
            ("left_out", left_out),
            ("list", list),
            ("map", map),
            ("text", text),
            ("tri", tri),
        ]
    });
    let inner = prop::option::of(prop::collection::vec(leaf.clone(), 0..3));
    (leaf, inner).prop_map(|(mut members, inner)| {
        let inner = inner.map(|items| {
            let items: Vec<String> = items.into_iter().map(object).collect();
            format!("[{}]", items.join(","))
        });
        members.insert(1, ("inner", inner));
        object(members)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// What a type reads it writes back: as it was, and the same value again whichever output is read.
    #[test]
    fn a_type_comes_and_goes_whatever_it_holds(text in every(), mode in 0..3_u8, drops in any::<bool>()) {
        let defaults = match mode {
            0 => DefaultMode::Ignore,
            1 => DefaultMode::Annotate,
            _ => DefaultMode::Apply,
        };
        let mut options = ImportOptions::new().profile(Profile::Loose).defaults(defaults);
        if drops {
            options = options.nulls(Nulls::DropLikeApiServer);
        }
        let schema = import_yaml(EVERY.as_bytes(), &options).unwrap().schema;
        let decoded = schema.decode::<Every>(&text, &ParseOptions::new());
        prop_assume!(decoded.is_ok());
        let decoded = decoded.unwrap();
        let preserved = String::from_utf8(schema.to_preserving(&decoded).unwrap()).unwrap();
        prop_assert_eq!(&preserved, &text);
        let again = schema.decode::<Every>(&preserved, &ParseOptions::new()).unwrap();
        prop_assert_eq!(&again.value, &decoded.value);
    }
}
