//! Suites `cbor-encode`, `cbor-encode-large`, `cbor-decode`, `cbor-diagnostic` and `cbor-transcode`: single
//! values to CBOR, from CBOR, and between CBOR and JSON text.

use super::super::{Answerer, Suite};
use super::{hex, lenient, same, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::{DecodeOptions, cbor, go_json, json};
use crdkit_issue::Issue;
use crdkit_value::Document;

pub(crate) const ENCODE: Suite = Suite {
    name: "cbor-encode",
    cases: "cbor/encode.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(encode)) },
    score: score_encode,
};

pub(crate) const ENCODE_LARGE: Suite =
    Suite { name: "cbor-encode-large", cases: "cbor/encode_large.jsonl.gz", ..ENCODE };

pub(crate) const DECODE: Suite = Suite {
    name: "cbor-decode",
    cases: "cbor/decode.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(decode)) },
    score: score_decode,
};

pub(crate) const DIAGNOSTIC: Suite = Suite {
    name: "cbor-diagnostic",
    cases: "cbor/diagnostic.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(diagnose)) },
    score: score_diagnostic,
};

pub(crate) const TRANSCODE: Suite = Suite {
    name: "cbor-transcode",
    cases: "cbor/transcode.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(transcode)) },
    score: score_transcode,
};

fn encode(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let decoded = match json::decode(case.text("json").as_bytes(), &lenient()) {
        Ok(decoded) => decoded,
        Err(issue) => return answer.string("error", &issue.server_message()).finish(),
    };
    let root = decoded.document.root();
    let mut out = Vec::new();
    let outcome = match case.text("mode") {
        "value" => {
            cbor::write(root, cbor::Order::Sorted, &mut out).map_err(|error| error.to_string())
        }
        "list" => cbor::write_list(&mut out, root, cbor::Order::Sorted)
            .map(drop)
            .map_err(|error| error.to_string()),
        _ => cbor::encode(root, cbor::Order::Sorted, &mut out).map_err(|error| error.to_string()),
    };
    match outcome {
        Ok(()) => answer.string("cbor_hex", &hex(&out)),
        Err(error) => answer.string("error", &error),
    }
    .finish()
}

fn score_encode(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("bytes", same(case, answer, "cbor_hex"), &case.id);
}

fn decode(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let bytes = unhex(case.text("cbor_hex"));
    match cbor::decode(&bytes, &DecodeOptions::default()) {
        Ok(decoded) => {
            let mut again = Vec::new();
            let written = cbor::write(decoded.document.root(), cbor::Order::Sorted, &mut again);
            let mut text = Vec::new();
            go_json::write(decoded.document.root(), json::Layout::Compact, &mut text);
            answer
                .bool("ok", written.is_ok())
                .string("reencoded_hex", &hex(&again))
                .string("json", &String::from_utf8_lossy(&text))
        }
        Err(issue) => answer
            .bool("ok", false)
            .string("error_class", class(&issue))
            .string("error", &issue.server_message()),
    }
    .finish()
}

/// What recorded answers call a finding.
fn class(issue: &Issue) -> &'static str {
    match issue.code.name() {
        "cbor-empty-input" => "empty_input",
        "cbor-truncated" => "truncated",
        "cbor-trailing-data" => "trailing_data",
        "cbor-nesting-too-deep" => "max_nesting",
        "cbor-too-many-items" => "max_array_elements",
        "cbor-too-many-pairs" => "max_map_pairs",
        "cbor-length" => "length_overflow",
        "cbor-reserved-argument" => "reserved_additional_info",
        "cbor-simple-form" => "reserved_simple_encoding",
        "cbor-unexpected-break" => "unexpected_break",
        "cbor-chunk-type" => "wrong_chunk_type",
        "cbor-nested-chunk" => "nested_indefinite_chunk",
        "cbor-nan" => "nan",
        "cbor-infinity" => "infinity",
        "cbor-bignum" => "bignum_tag",
        "cbor-simple-value" => "simple_value",
        "cbor-invalid-utf8" => "invalid_utf8",
        "cbor-duplicate-key" => "duplicate_key",
        "cbor-tag-content" => "tag_content_type",
        "cbor-integer-range" => "integer_overflow",
        "cbor-key-type" => "map_key_type",
        "cbor-time-syntax" => "time_parse",
        "cbor-time-range" => "time_range",
        "cbor-time-overflow" => "time_overflow",
        other => other,
    }
}

fn score_decode(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("verdict", same(case, answer, "ok"), &case.id);
    if super::is(case, "ok") {
        score.add("value", same(case, answer, "reencoded_hex"), &case.id);
        let want = case.get("transcoded_json").or_else(|| case.get("json"));
        score.add("text", want == answer.root().get("json"), &case.id);
    } else {
        score.add("error class", same(case, answer, "error_class"), &case.id);
        score.add("message", same(case, answer, "error"), &case.id);
    }
}

fn diagnose(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    match cbor::diag::notation(&unhex(case.text("cbor_hex"))) {
        Ok(notation) => answer.string("diagnostic", &notation),
        Err(issue) => answer.string("error", &issue.server_message()),
    }
    .finish()
}

fn score_diagnostic(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("notation", same(case, answer, "diagnostic"), &case.id);
}

fn transcode(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let input = case.text("in");
    let outcome = if case.text("direction") == "json_to_cbor" {
        cbor::from_json(input.as_bytes()).map(|item| hex(&item))
    } else {
        cbor::to_json(&unhex(input)).map(|text| String::from_utf8_lossy(&text).into_owned())
    };
    match outcome {
        Ok(out) => answer.string("out", &out),
        Err(error) => answer.string("error", &error.to_string()),
    }
    .finish()
}

fn score_transcode(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("output", same(case, answer, "out"), &case.id);
}
