//! Suite `cbor-typed`: one item decoded into one Rust type, next to the Go type it stands for.
//!
//! Skipped are Go types whose rules are not the serializer's: arrays of a fixed length, which Go pads and
//! cuts, and `time.Time`, `MicroTime`, `Duration` and `Quantity` with parsers of their own. Where Go has
//! `nil` for a list, a map or bytes, Rust has an empty one. A Rust `String` refuses what is not UTF-8, and
//! `null` in a map of strings is an empty string, not the one before it as in Go.

use super::super::{Answerer, Suite};
use super::{hex, is, skipped, unhex};
use crate::answer::Answer;
use crate::case::{self, Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit::codec::cbor::{self, FieldsV1, RawExtension};
use crdkit::text::timestamp::Timestamp;
use crdkit::value::{Document, Value};
use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;
use serde_json::Value as Any;
use std::collections::BTreeMap;
use std::fmt;

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
        "string" => json::<String>,
        "*string" => json::<Option<String>>,
        "bool" => json::<bool>,
        "int8" => json::<i8>,
        "int32" => json::<i32>,
        "int64" => json::<i64>,
        "uint8" => json::<u8>,
        "uint32" => json::<u32>,
        "uint64" => json::<u64>,
        "float32" => json::<f32>,
        "float64" => json::<f64>,
        "[]string" => json::<Vec<String>>,
        "[]any" => json::<Vec<Any>>,
        "map[string]string" => json::<BTreeMap<String, String>>,
        "map[string]int64" => json::<BTreeMap<String, i64>>,
        "map[string]any" => json::<BTreeMap<String, Any>>,
        "intstr.IntOrString" => json::<IntOrString>,
        "[]byte" => |bytes| decoded(bytes, |value: &ByteBuf| format!("hex:{}", hex(value))),
        "metav1.Time" => |bytes| decoded(bytes, Time::to_string),
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
    #[serde(skip_serializing_if = "String::is_empty")]
    b: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    m: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    n: BTreeMap<String, i64>,
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
fn base64<S: Serializer>(bytes: &ByteBuf, out: S) -> Result<S::Ok, S::Error> {
    use serde::ser::Error as _;
    let item = cbor::to_vec(bytes).map_err(S::Error::custom)?;
    let text = cbor::to_json(&item).map_err(S::Error::custom)?;
    serde_json::from_slice::<String>(&text).map_err(S::Error::custom)?.serialize(out)
}

/// An instant: RFC 3339 text, or null for none.
pub(super) struct Time(Option<Timestamp>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let Some(text) = Option::<String>::deserialize(input)? else { return Ok(Self(None)) };
        let instant = Timestamp::parse_rfc3339(&text).map_err(de::Error::custom)?;
        Ok(Self(Some(Timestamp { offset: 0, ..instant })))
    }
}

impl Serialize for Time {
    /// JSON has whole seconds.
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let whole = self.0.map(|instant| Timestamp { nanoseconds: 0, ..instant }.to_string());
        whole.serialize(out)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instant) => instant.fmt(f),
            None => f.write_str("0001-01-01T00:00:00Z"),
        }
    }
}

/// A number of 32 bits or text; text if null.
#[derive(Serialize)]
#[serde(untagged)]
enum IntOrString {
    Int(i32),
    String(String),
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(IntOrStringVisitor)
    }
}

struct IntOrStringVisitor;

impl Visitor<'_> for IntOrStringVisitor {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of 32 bits or a string")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<IntOrString, E> {
        i32::try_from(number).map(IntOrString::Int).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<IntOrString, E> {
        i32::try_from(number).map(IntOrString::Int).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<IntOrString, E> {
        Ok(IntOrString::String(text.to_owned()))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<IntOrString, E> {
        Ok(IntOrString::String(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<IntOrString, E> {
        Ok(IntOrString::String(String::new()))
    }
}
