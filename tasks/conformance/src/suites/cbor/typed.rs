//! Suite `cbor-typed`: one item decoded into one Rust type, next to the Go type it stands for.
//!
//! Where Go has `nil` for a list, a map or bytes, Rust has an empty one.

use super::super::{Answerer, Suite};
use super::counterparts::{
    Array, Bytes, Duration, Instant, IntOrString, Map, MicroTime, Quantity, ThreeBytes, Time,
};
use super::{hex, is, skipped, unhex};
use crate::answer::Answer;
use crate::case::{self, Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::cbor::{self, FieldsV1, RawExtension};
use crdkit_value::{Document, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_bytes::ByteBuf;
use serde_json::Value as Any;
use std::collections::BTreeMap;

pub(crate) const TYPED: Suite = Suite {
    name: "cbor-typed",
    cases: "cbor/decode_typed.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let bytes = unhex(case.text("cbor_hex"));
    let answer = Answer::to(&case.id);
    let Some(decode) = decoder(case.text("dest")) else {
        return answer.string("skipped", case.text("dest")).finish();
    };
    answer.merge(&decode(&bytes)).finish()
}

type Decode = fn(&[u8]) -> Answer;

fn decoder(name: &str) -> Option<Decode> {
    let decode: Decode = match name {
        "string" => json::<Bytes>,
        "*string" => json::<Option<Bytes>>,
        "bool" => json::<bool>,
        "int8" => json::<i8>,
        "int32" => json::<i32>,
        "int64" => json::<i64>,
        "uint8" => json::<u8>,
        "uint32" => json::<u32>,
        "uint64" => json::<u64>,
        "float32" => json::<f32>,
        "float64" => json::<f64>,
        "[]string" => json::<Vec<Bytes>>,
        "[]any" => json::<Vec<Any>>,
        "map[string]string" => json::<Map<Bytes>>,
        "map[string]int64" => json::<Map<i64>>,
        "map[string]any" => json::<BTreeMap<String, Any>>,
        "intstr.IntOrString" => json::<IntOrString>,
        "[]byte" => |bytes| decoded(bytes, |value: &ByteBuf| format!("hex:{}", hex(value))),
        "[2]int64" => json::<Array<i64, 2>>,
        "[3]byte" => json::<ThreeBytes>,
        "metav1.Time" => |bytes| decoded(bytes, Time::to_string),
        "metav1.MicroTime" => |bytes| decoded(bytes, MicroTime::to_string),
        "time.Time" => |bytes| decoded(bytes, Instant::to_string),
        "metav1.Duration" => json::<Duration>,
        "resource.Quantity" => json::<Quantity>,
        "runtime.RawExtension" => |bytes| decoded(bytes, |value: &RawExtension| kept(value.raw())),
        "metav1.FieldsV1" => |bytes| {
            decoded(bytes, |value: &FieldsV1| kept(Some(value.raw()).filter(|raw| !raw.is_empty())))
        },
        name if name.starts_with("struct{a int64;") => json::<Members>,
        _ => return None,
    };
    Some(decode)
}

fn kept(raw: Option<&[u8]>) -> String {
    raw.map_or_else(|| "nil".to_owned(), |raw| format!("raw:{}", hex(raw)))
}

fn json<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Answer {
    decoded(bytes, |value: &T| serde_json::to_string(value).unwrap_or_default())
}

fn decoded<T: DeserializeOwned>(bytes: &[u8], show: impl Fn(&T) -> String) -> Answer {
    let answer = Answer::new();
    match cbor::from_slice_strict::<T>(bytes) {
        Err(error) => answer.bool("ok", false).string("error", &error.to_string()),
        Ok((value, unknown)) => {
            let answer = answer.bool("ok", true).string("value", &show(&value));
            match unknown.first() {
                None => answer,
                Some(issue) => answer.string("strict_error", &issue.server_message()),
            }
        }
    }
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    if skipped(case, answer, score) {
        return;
    }
    let got = |key| answer.root().get(key);
    score.add("verdict", case.get("ok") == got("ok"), &case.id);
    if is(case, "ok") {
        let value = got("value").and_then(Value::as_str).unwrap_or_default();
        score.add("value", same_value(case.text("value"), value), &case.id);
        score.add("strict", case.get("strict_error") == got("strict_error"), &case.id);
    }
}

fn same_value(want: &str, got: &str) -> bool {
    let empty = matches!((want, got), ("nil", "hex:") | ("raw:", "nil") | ("null", "[]" | "{}"));
    let parse = |text: &str| case::parse(text.as_bytes()).ok();
    let same = parse(want).zip(parse(got)).is_some_and(|(want, got)| want.root() == got.root());
    want == got || empty || same
}

/// The structure that cases about fields are decoded into.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Members {
    a: i64,
    #[serde(skip_serializing_if = "Bytes::is_empty")]
    b: Bytes,
    #[serde(skip_serializing_if = "Map::is_empty")]
    m: Map<Bytes>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    n: Map<i64>,
    #[serde(skip_serializing_if = "is_empty", serialize_with = "base64")]
    d: ByteBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<i64>,
    #[serde(skip_serializing_if = "Any::is_null")]
    i: Any,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Time>,
}

fn is_empty(bytes: &ByteBuf) -> bool {
    bytes.is_empty()
}

/// Bytes have no form in JSON; the transcoder's base64 is Go's.
pub(super) fn base64<S: Serializer>(bytes: &ByteBuf, out: S) -> Result<S::Ok, S::Error> {
    use serde::ser::Error as _;
    let item = cbor::to_vec(bytes).map_err(S::Error::custom)?;
    let text = cbor::to_json(&item).map_err(S::Error::custom)?;
    serde_json::from_slice::<String>(&text).map_err(S::Error::custom)?.serialize(out)
}
