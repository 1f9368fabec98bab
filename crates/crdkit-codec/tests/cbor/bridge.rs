//! Rust types to and from CBOR.

use super::{bytes, hex};
use crdkit_codec::cbor::{
    FieldsV1, RawExtension, from_slice, from_slice_keeping_raw, from_slice_strict, to_vec, write_to,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Widget {
    api_version: String,
    kind: String,
    size: i32,
    ratio: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Box<Widget>>,
    labels: BTreeMap<String, Option<String>>,
    list: Option<Vec<u64>>,
    shape: Shape,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Shape {
    #[default]
    Round,
    Square(u8),
    Other {
        name: String,
    },
}

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, expected: &str) {
    let mut out = Vec::new();
    write_to(value, &mut out).unwrap();
    assert_eq!(hex(&out), expected.replace(' ', ""));
    assert_eq!(&from_slice::<T>(&out).unwrap(), value);
    assert_eq!(&from_slice::<T>(&to_vec(value).unwrap()).unwrap(), value);
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn decodes<T: DeserializeOwned + PartialEq + Debug>(item: &str, expected: Option<T>) {
    assert_eq!(from_slice::<T>(&bytes(item)).ok(), expected, "{item}");
}

#[test]
fn values_come_back() {
    round_trip(&1.5_f32, "f93e00");
    round_trip(&u64::MAX, "1bffffffffffffffff");
    round_trip(&'ü', "42c3bc");
    round_trip(&(1, String::from("a"), [true, false]), "83 01 4161 82 f5 f4");
    round_trip(&BTreeMap::from([(1, 2), (-1, 3), (256, 4)]), "a3 01 02 190100 04 20 03");
    round_trip(&Some(vec![None, Some(1)]), "82 f6 01");
    round_trip(&Shape::Square(3), "a1 46537175617265 03");
    round_trip(&Shape::Other { name: "n".into() }, "a1 454f74686572 a1 446e616d65 416e");
    let widget = Widget {
        api_version: "v1".into(),
        kind: "Widget".into(),
        parent: Some(Box::new(Widget { size: -1, ..Widget::default() })),
        labels: BTreeMap::from([("b".into(), None), ("a".into(), Some(String::new()))]),
        list: Some(vec![]),
        ..Widget::default()
    };
    let parent = "a7 446b696e64 40 446c697374 f6 4473697a65 20 457368617065 45526f756e64 45726174696f f90000 466c6162656c73 a0 4a61706956657273696f6e 40";
    let parent = parent.replace(
        "457368617065 45526f756e64 45726174696f f90000",
        "45726174696f f90000 457368617065 45526f756e64",
    );
    round_trip(
        &widget,
        &format!(
            "a8 446b696e64 46576964676574 446c697374 80 4473697a65 00 45726174696f f90000 457368617065 45526f756e64 466c6162656c73 a2 4161 40 4162 f6 46706172656e74 {parent} 4a61706956657273696f6e 427631"
        ),
    );
}

#[derive(Serialize)]
struct Twice {
    #[serde(rename = "a")]
    first: u8,
    #[serde(rename = "a")]
    second: u8,
}

#[test]
fn what_has_no_form_is_an_error() {
    assert!(to_vec(&f64::NAN).is_err());
    assert!(to_vec(&f32::INFINITY).is_err());
    let error = to_vec(&Twice { first: 1, second: 2 }).unwrap_err();
    assert_eq!(error.to_string(), "'a' is given more than once");
}

#[test]
fn null_is_the_empty_value_where_it_is_not_allowed_for() {
    decodes("f6", Some(0_u8));
    decodes("f6", Some(String::new()));
    decodes("f6", Some(false));
    decodes("f6", Some(Vec::<u8>::new()));
    decodes("f6", Some(Widget::default()));
    decodes("f6", Some(None::<u8>));
    decodes("f7", Some(None::<u8>));
    decodes::<u8>("f7", None);
    decodes(
        "a2 4161 4178 4162 f6",
        Some(BTreeMap::from([("a".to_owned(), "x".to_owned()), ("b".to_owned(), String::new())])),
    );
}

#[test]
fn numbers_and_strings_are_not_mixed_up() {
    decodes::<i64>("f93c00", None);
    decodes("01", Some(1.0_f64));
    decodes::<f32>("fb47efffffffffffff", None);
    decodes::<i8>("18ff", None);
    decodes::<String>("01", None);
    decodes::<String>("41ff", None);
    decodes("d6 41ff", Some("/w==".to_owned()));
    decodes(
        "c0 74 323031332d30332d32315432303a30343a30305a",
        Some("2013-03-21T20:04:00Z".to_owned()),
    );
    decodes::<String>("c0 41 61", None);
    decodes("c1 05", Some(5_i64));
    decodes::<Vec<u8>>("a0", None);
    decodes::<Widget>("80", None);
}

#[test]
fn bytes_are_base64_unless_a_tag_says_otherwise() {
    use serde_bytes::ByteBuf;
    round_trip(&ByteBuf::from([1, 2, 3]), "d6 43010203");
    decodes("44 41514944", Some(ByteBuf::from([1, 2, 3])));
    decodes("46 4151 0d0a 4944", Some(ByteBuf::from([1, 2, 3])));
    decodes("44 41513d3d", Some(ByteBuf::from([1])));
    decodes::<ByteBuf>("43 415149", None);
    decodes::<ByteBuf>("44 3d3d3d3d", None);
    decodes("d7 41ff", Some(ByteBuf::from([255])));
    decodes("82 01 02", Some(ByteBuf::from([1, 2])));
    decodes::<ByteBuf>("64 41514944", None);
}

#[test]
fn fields_are_matched_to_the_letter_and_never_twice() {
    decodes("a1 644b696e64 01", Some(Widget::default()));
    decodes(
        "bf 7f 626b69 626e64 ff 4161 ff",
        Some(Widget { kind: "a".into(), ..Widget::default() }),
    );
    decodes::<Widget>("a2 446b696e64 4161 646b696e64 4162", None);
    decodes::<Widget>("a2 417a 01 417a 02", None);
    decodes("a2 00 01 01 02", Some(Widget::default()));
    decodes::<Widget>("a2 00 01 00 02", None);
    decodes::<Widget>("a1 f6 01", None);
    decodes::<Widget>("a1 d9d9f7 446b696e64 4161", None);
    // What an unknown field holds is not looked at.
    decodes("a1 417a a2 4161 f7 4161 61ff", Some(Widget::default()));
    decodes::<Widget>("a1 417a f97e00", None);
}

#[test]
fn unknown_fields_are_found_with_their_paths() {
    let item = "a3 417a 01 466c6162656c73 a1 4178 40 46706172656e74 a2 4179 02 4473697a65 03";
    let (widget, unknown) = from_slice_strict::<Widget>(&bytes(item)).unwrap();
    assert_eq!(widget.parent.unwrap().size, 3);
    let shown: Vec<_> = unknown.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["z: `z` is not a field of this type", "parent.y: `y` is not a field of this type"]
    );
    assert_eq!(unknown[1].server_message(), "cbor: found unknown field at map element index 0");
}

#[test]
fn raw_values_pass_through() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Event {
        object: RawExtension,
        fields: FieldsV1,
    }
    let item = bytes("a2 466669656c6473 a143663a61a0 466f626a656374 d9d9f7a1416101");
    let event: Event = from_slice_keeping_raw(&item).unwrap();
    assert_eq!(event.object.raw(), Some(&bytes("d9d9f7a1416101")[..]));
    let mut out = Vec::new();
    write_to(&event, &mut out).unwrap();
    assert_eq!(hex(&out), hex(&item));
    let indefinite =
        Event { object: RawExtension::new(bytes("d9d9f79fff")), fields: FieldsV1::default() };
    assert!(to_vec(&indefinite).is_err());
}

#[test]
fn raw_values_are_json_unless_they_are_to_stay_as_they_are() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Event {
        object: RawExtension,
        fields: FieldsV1,
        #[serde(default)]
        nested: Vec<RawExtension>,
    }
    let item = bytes("a2 466669656c6473 a143663a61a0 466f626a656374 d9d9f7a1416101");
    let event: Event = from_slice(&item).unwrap();
    assert_eq!(event.object.raw(), Some(&br#"{"a":1}"#[..]));
    assert_eq!(event.fields.raw(), br#"{"f:a":{}}"#);

    // JSON both ways, at any depth, whichever format the bytes are in.
    let text =
        r#"{"object":{"a":[1,null,"x"]},"fields":{"f:a":{}},"nested":[{"b":{"c":1.5}},null]}"#;
    let event: Event = serde_json::from_str(text).unwrap();
    assert_eq!(event.object.raw(), Some(&br#"{"a":[1,null,"x"]}"#[..]));
    assert_eq!(event.nested[1].raw(), None);
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
    let kept: Event = from_slice_keeping_raw(&to_vec(&event).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&kept).unwrap(), text);
    let document = crdkit_codec::typed::to_document(&kept).unwrap();
    assert_eq!(document.to_string(), text);
    let again: Event = crdkit_codec::typed::from_value(document.root()).unwrap();
    assert_eq!(again, event);

    // An object that a program has put there is written in the format of what is around it.
    let object = RawExtension::from_object(document);
    assert_eq!(serde_json::to_string(&object).unwrap(), text);
    let read: RawExtension = from_slice(&to_vec(&object).unwrap()).unwrap();
    let same: serde_json::Value = serde_json::from_slice(read.raw().unwrap()).unwrap();
    assert_eq!(same, serde_json::from_str::<serde_json::Value>(text).unwrap());
}

#[test]
fn nesting_is_bounded() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Nest(Vec<Nest>);
    let nested = [vec![0x81; 60], vec![0x80]].concat();
    assert!(from_slice::<Nest>(&nested).is_ok());
    let nested = [vec![0x81; 9_998], vec![0x80]].concat();
    assert!(from_slice::<Nest>(&nested).is_err());
    // What is passed over may be as deep as it likes.
    let ignored = [bytes("a1 417a"), nested].concat();
    assert!(from_slice::<Widget>(&ignored).is_ok());
}
