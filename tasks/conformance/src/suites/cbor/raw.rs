//! Suite `cbor-raw`: `RawExtension` and `FieldsV1` from and to both formats.

use super::super::{Answerer, Suite};
use super::{hex, is, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::cbor::{self, FieldsV1, RawError, RawExtension};
use crdkit_value::{Document, Value};
use std::borrow::Cow;

pub(crate) const RAW: Suite = Suite {
    name: "cbor-raw",
    cases: "cbor/raw_types.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let bytes = unhex(case.text("in_hex"));
    let operation = case.text("op");
    let outcome = if case.text("type") == "RawExtension" {
        let absent = is(case, "nil_raw");
        extension(operation, &bytes, absent)
    } else {
        fields(operation, &bytes)
    };
    let answer = Answer::to(&case.id);
    match outcome {
        Err(error) => answer.string("error", &error.to_string()),
        Ok(out) => {
            let answer = answer.string("out_hex", &hex(&out));
            // An encoder looks at what a value wrote of itself.
            let refused = (operation == "marshal_cbor").then(|| cbor::check_embedded(&out));
            match refused {
                Some(Err(issue)) => answer.string("encoder_error", &issue.server_message()),
                _ => answer,
            }
        }
    }
    .finish()
}

fn extension(operation: &str, bytes: &[u8], absent: bool) -> Result<Vec<u8>, RawError> {
    let held = || if absent { RawExtension::default() } else { RawExtension::new(bytes.to_vec()) };
    let kept = |value: RawExtension| value.raw().unwrap_or_default().to_vec();
    match operation {
        "marshal_cbor" => held().to_cbor().map(Cow::into_owned),
        "marshal_json" => held().to_json().map(Cow::into_owned),
        "unmarshal_cbor" => Ok(kept(RawExtension::from_cbor(bytes))),
        _ => Ok(kept(RawExtension::from_json(bytes))),
    }
}

fn fields(operation: &str, bytes: &[u8]) -> Result<Vec<u8>, RawError> {
    match operation {
        "marshal_cbor" => FieldsV1::new(bytes.to_vec()).to_cbor().map(Cow::into_owned),
        "marshal_json" => FieldsV1::new(bytes.to_vec()).to_json().map(Cow::into_owned),
        "unmarshal_cbor" => Ok(FieldsV1::from_cbor(bytes).raw().to_vec()),
        _ => Ok(FieldsV1::from_json(bytes).raw().to_vec()),
    }
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let got = |key| answer.root().get(key);
    score.add("answered", true, &case.id);
    score.add("verdict", case.get("error").is_some() == got("error").is_some(), &case.id);
    if case.get("error").is_none() {
        // Go tells no bytes from none at all; here both are empty.
        let out = got("out_hex").and_then(Value::as_str);
        score.add("bytes", out == Some(case.text("out_hex")), &case.id);
    }
    if case.text("op") == "marshal_cbor" {
        let same = case.get("encoder_error").is_some() == got("encoder_error").is_some();
        score.add("encoder", same, &case.id);
    }
}
