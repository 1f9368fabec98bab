//! Suite `cbor-special`: values that JSON text cannot express, made here from what a case is called.
//!
//! Skipped is what belongs to Go: struct tags and embedding, `TextMarshaler`, channels, the text forms of
//! Kubernetes' times and durations, built-in types, and what an interrupted writer had already put out.

use super::super::{Answerer, Suite};
use super::{hex, lenient, same, skipped, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::{Result, anyhow};
use crdkit::codec::cbor::{self, ListWriter, Order, RawExtension};
use crdkit::codec::json;
use crdkit::value::Document;
use serde::Serialize;
use serde_bytes::ByteBuf;
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
        None => answer.string("skipped", name),
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
            tagged(&Event { r#type: "ADDED", object: RawExtension::new(unhex(object)) })
        }
        "WatchEvent with JSON object" => {
            let object = RawExtension::from_json(br#"{"kind":"K","apiVersion":"v1"}"#);
            tagged(&Event { r#type: "MODIFIED", object })
        }
        "WatchEvent empty" => {
            tagged(&Event { r#type: "BOOKMARK", object: RawExtension::default() })
        }
        "DeleteOptions" => {
            tagged(&BTreeMap::from([("kind", "DeleteOptions"), ("apiVersion", "v1")]))
        }
        _ => return None,
    })
}

#[derive(Serialize)]
struct Event {
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
}
