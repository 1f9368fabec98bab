//! Suite `cbor-special`: values that JSON text cannot express, made here from what a case is called.
//!
//! Skipped is what has no counterpart: fields of a Go struct that share a name, `TextMarshaler`, which is the
//! only source of CBOR text, and types that have no encoding in either language.

use super::super::{Answerer, Suite};
use super::counterparts::{Duration, MicroTime, Time, from_json};
use super::{hex, lenient, same, skipped, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::{Result, anyhow};
use crdkit_codec::cbor::{self, ListWriter, Order, RawExtension};
use crdkit_codec::json;
use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;
use serde_json::{Map, Value as Any};
use std::collections::BTreeMap;

pub(crate) const SPECIAL: Suite = Suite {
    name: "cbor-special",
    cases: "cbor/encode_special.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let name = case.text("name");
    let answer = Answer::to(&case.id);
    let made = match name.strip_prefix("serializer.Encode ") {
        Some(name) => object(name),
        None => value(name),
    };
    match made {
        None => answer.string("skipped", &format!("{name}: {}", reason(name))),
        Some(Ok(bytes)) => answer.string("cbor_hex", &hex(&bytes)),
        Some(Err(error)) => answer.string("error", &format!("{error:#}")),
    }
    .finish()
}

/// A value without the tag; none if there is no such value.
fn value(name: &str) -> Option<Result<Vec<u8>>> {
    Some(match name {
        "float64 NaN" => item(&f64::NAN),
        "float64 +Inf" => item(&f64::INFINITY),
        "float64 -Inf" => item(&f64::NEG_INFINITY),
        "float32 NaN" => item(&f32::NAN),
        "float32 1" => item(&1_f32),
        "float32 16777216" => item(&16_777_216_f32),
        "map with NaN value" => item(&BTreeMap::from([("a", f64::NAN)])),
        "int (platform) 1" => item(&1_isize),
        "int32 -1" => item(&-1_i32),
        "intstr int 7" => item(&7),
        "json.Number 5 (string kind)" => item(&"5"),
        "nil []any" => item(&None::<Vec<u8>>),
        "nil pointer" | "time.Time zero" | "metav1.Time zero" | "*metav1.Time nil" => item(&()),
        "empty []any" => item(&Vec::<u8>::new()),
        "empty map" => item(&BTreeMap::<String, u8>::new()),
        "[]byte 24 zero bytes" => item(&ByteBuf::from(vec![0; 24])),
        "[3]byte" => item(&[1_u8, 2, 3]),
        "map[string][]byte" => item(&BTreeMap::from([("k", ByteBuf::from(vec![0xFF]))])),
        "invalid UTF-8 string ff" => again("41ff"),
        "invalid UTF-8 key" => again("a141ff01"),
        "json.RawMessage" => transcoded(r#"{"a":2.0,"b":1}"#),
        "json.Marshaler object" => transcoded(r#"{"foo":[42,3.1,true,false,null]}"#),
        "json.Marshaler bad json" => transcoded("{"),
        "json.Marshaler extraneous" => transcoded("{}{}"),
        "json.Marshaler map omitempty empty is kept" => transcoded(r#"{"m":{}}"#),
        "json.Marshaler nil map omitempty" => transcoded(r#"{"m":null}"#),
        "time.Time zone" => item(&"2022-05-04T12:13:14.5+05:30"),
        "metav1.Time non-UTC" => time::<Time>("2026-01-02T03:04:05+01:00"),
        "metav1.MicroTime" => time::<MicroTime>("2026-01-02T03:04:05.123456Z"),
        "metav1.MicroTime whole" => time::<MicroTime>("2026-01-02T03:04:05.000000Z"),
        "metav1.Duration 90s" => item(&Duration(90_000_000_000)),
        "omitempty all zero" | "omitempty empty non-nil containers" => item(&Omitted::default()),
        "omitempty none zero" => omitted_nothing(),
        r#"struct json:"-""# | "struct unexported" => item(&Hidden { a: 1, b: 2 }),
        "struct inline TypeMeta" => {
            item(&Inline { x: 1, kind: BTreeMap::from([("apiVersion", "v1"), ("kind", "K")]) })
        }
        r#"json:",string" is ignored"# => item(&BTreeMap::from([("a", 5)])),
        "json.Marshaler dup keys" => transcoded(r#"{"a":1,"a":2}"#),
        _ => return None,
    })
}

/// An object with the tag; none if there is no such object.
fn object(name: &str) -> Option<Result<Vec<u8>>> {
    Some(match name {
        "Unstructured nil content" => tagged(&BTreeMap::<String, u8>::new()),
        "UnstructuredList nil item content" => list(r#"{"items":[null]}"#),
        "metav1.List empty items" => {
            list(r#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[]}"#)
        }
        "metav1.List no typemeta" => list(r#"{"metadata":{}}"#),
        "metav1.List raw cbor item keeps tag 55799" => list_of_raw("d9d9f7a24162014161f93c00"),
        "WatchEvent with CBOR object" => {
            let object = "d9d9f7a2446b696e64414b4a61706956657273696f6e427631";
            tagged(&WatchEvent { r#type: "ADDED", object: RawExtension::new(unhex(object)) })
        }
        "WatchEvent with JSON object" => {
            let object = RawExtension::from_json(br#"{"kind":"K","apiVersion":"v1"}"#);
            tagged(&WatchEvent { r#type: "MODIFIED", object })
        }
        "WatchEvent empty" => {
            tagged(&WatchEvent { r#type: "BOOKMARK", object: RawExtension::default() })
        }
        "DeleteOptions" => {
            tagged(&BTreeMap::from([("kind", "DeleteOptions"), ("apiVersion", "v1")]))
        }
        "Unstructured int/float32/bytes content" => {
            tagged(&Content { b: ByteBuf::from(vec![1]), f: 0.5, i: 1, s: ["x"] })
        }
        "Unstructured NaN" => interrupted("{}", Some("a")),
        "UnstructuredList NaN in second item" => interrupted(r#"{"n":2}"#, None),
        "metav1.Status" => tagged(&BTreeMap::from([
            ("apiVersion", Any::from("v1")),
            ("kind", Any::from("Status")),
            ("metadata", Any::Object(Map::new())),
            ("status", Any::from("Failure")),
            ("message", Any::from("m")),
            ("reason", Any::from("NotFound")),
            ("code", Any::from(404)),
        ])),
        "PartialObjectMetadataList" => list(
            r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",
            "metadata":{"resourceVersion":"5","continue":"c"},"items":[
            {"metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"}},
            {"metadata":{"name":"b"}}]}"#,
        ),
        _ => return None,
    })
}

/// Why a case has no answer.
fn reason(name: &str) -> &'static str {
    match name {
        name if name.starts_with("TextMarshaler") => {
            "Go's TextMarshaler alone writes text strings; serde has strings, which are bytes"
        }
        name if name.starts_with("struct ") => {
            "Go decides between fields of the same name; here writing one twice is an error"
        }
        name if name.ends_with("unsupported") => "serde has no such type",
        _ => "no Rust value is known for this name",
    }
}

/// Go's way to leave out fields: everything empty, except structs and what writes itself.
#[derive(Default, Serialize)]
struct Omitted {
    #[serde(skip_serializing_if = "<&bool as std::ops::Not>::not")]
    b: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    i: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    l: Vec<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    m: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<i64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    s: &'static str,
    t: Option<Time>,
    x: BTreeMap<&'static str, u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tp: Option<Time>,
}

fn omitted_nothing() -> Result<Vec<u8>> {
    let time: Time = from_json("\"2026-01-02T03:04:05Z\"")?;
    item(&Omitted {
        b: true,
        f: Some(0.5),
        i: Some(1),
        l: vec![""],
        m: BTreeMap::from([("", "")]),
        p: Some(1),
        s: "s",
        t: Some(time),
        x: BTreeMap::new(),
        z: Some(time),
        tp: Some(time),
    })
}

#[derive(Serialize)]
struct Hidden {
    #[serde(skip)]
    #[expect(dead_code, reason = "it is there to be left out")]
    a: u8,
    #[serde(rename = "B")]
    b: u8,
}

#[derive(Serialize)]
struct Inline {
    x: u8,
    #[serde(flatten)]
    kind: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
struct Content {
    b: ByteBuf,
    f: f32,
    i: u8,
    s: [&'static str; 1],
}

fn time<T: DeserializeOwned + Serialize>(text: &str) -> Result<Vec<u8>> {
    item(&from_json::<T>(&format!("\"{text}\""))?)
}

/// Writes something with a NaN in it and says what was already written: an object if the NaN has a key, or
/// else a list in which it is in the second item.
fn interrupted(first: &str, key: Option<&str>) -> Result<Vec<u8>> {
    let limits = Limits::default();
    let mut builder = Builder::new(&limits, Duplicates::Error);
    let mut event = |event| builder.event(event, Span::default());
    let added = event(Event::BeginObject)
        .and_then(|()| event(Event::Key(key.unwrap_or("n"))))
        .and_then(|()| event(Event::Float(f64::NAN)))
        .and_then(|()| event(Event::EndObject));
    added.map_err(|issue| anyhow!("{issue}"))?;
    let (nan, _) = builder.finish();
    let mut out = Vec::new();
    let outcome = if key.is_some() {
        cbor::encode(nan.root(), Order::Sorted, &mut out).map_err(|error| anyhow!("{error}"))
    } else {
        let (head, first) = (document(r#"{"kind":"L"}"#)?, document(first)?);
        ListWriter::begin(&mut out, head.root(), 2, Order::Sorted)
            .and_then(|mut writer| {
                writer.item(first.root())?;
                writer.item(nan.root())?;
                writer.finish().map(drop)
            })
            .map_err(|error| anyhow!("{error}"))
    };
    outcome.map_err(|error| anyhow!("{error} (partial output {})", hex(&out)))?;
    Ok(out)
}

#[derive(Serialize)]
struct WatchEvent {
    r#type: &'static str,
    object: RawExtension,
}

fn item<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    cbor::write_to(value, &mut out)?;
    Ok(out)
}

fn tagged<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    Ok(cbor::to_vec(value)?)
}

fn transcoded(text: &str) -> Result<Vec<u8>> {
    cbor::from_json(text.as_bytes()).map_err(|error| anyhow!("{error}"))
}

/// Decodes and writes again what only CBOR can hold.
fn again(item: &str) -> Result<Vec<u8>> {
    let decoded = cbor::decode(&unhex(item), &lenient()).map_err(|issue| anyhow!("{issue}"))?;
    let mut out = Vec::new();
    cbor::write(decoded.document.root(), Order::Sorted, &mut out)
        .map_err(|error| anyhow!("{error}"))?;
    Ok(out)
}

fn document(text: &str) -> Result<Document> {
    let decoded = json::decode(text.as_bytes(), &lenient());
    decoded.map(|decoded| decoded.document).map_err(|issue| anyhow!("{issue}"))
}

fn list(text: &str) -> Result<Vec<u8>> {
    let list = document(text)?;
    cbor::write_list(Vec::new(), list.root(), Order::Sorted).map_err(|error| anyhow!("{error}"))
}

fn list_of_raw(item: &str) -> Result<Vec<u8>> {
    let head = document(r#"{"metadata":{}}"#)?;
    let writer = ListWriter::begin(Vec::new(), head.root(), 1, Order::Sorted);
    let finished = writer.and_then(|mut writer| {
        writer.encoded_item(&unhex(item))?;
        writer.finish()
    });
    finished.map_err(|error| anyhow!("{error}"))
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    if skipped(case, answer, score) {
        return;
    }
    let refused = answer.root().get("error").is_some();
    score.add("verdict", case.get("error").is_some() == refused, &case.id);
    score.add("bytes", same(case, answer, "cbor_hex"), &case.id);
    let partial = |text: &str| text.split_once("(partial output ").map(|(_, hex)| hex.to_owned());
    if let Some(want) = partial(case.text("error")) {
        let got = answer.root().get("error").and_then(Value::as_str).and_then(partial);
        score.add("partial output", Some(want) == got, &case.id);
    }
}
