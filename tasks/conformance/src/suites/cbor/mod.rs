//! Suites about CBOR: what the Kubernetes serializer reads and writes, and how formats are negotiated.
//!
//! Bytes stand in cases and answers as hexadecimal text. A case that only a Go type can answer is counted
//! as `skipped`, never as right, and its snapshot names every one with the reason.

mod builtin;
mod counterparts;
mod media;
mod object;
mod partial;
mod raw;
mod sequence;
mod special;
mod typed;
mod value;

pub(super) use builtin::BUILTIN;
pub(super) use media::{ACCEPT, CONTENT_TYPE};
pub(super) use object::{OBJECT, STORAGE};
pub(super) use raw::RAW;
pub(super) use sequence::FRAMER;
pub(super) use special::SPECIAL;
pub(super) use typed::TYPED;
pub(super) use value::{DECODE, DIAGNOSTIC, ENCODE, ENCODE_LARGE, TRANSCODE};

use crate::case::{self, Case};
use crate::score::Score;
use crdkit_codec::DecodeOptions;
use crdkit_value::{Document, Duplicates, Value};
use std::fmt::Write as _;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that `text` spells; what is not a digit ends them.
fn unhex(text: &str) -> Vec<u8> {
    let digits = text.chars().map_while(|digit| digit.to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect()
}

fn is(case: &Case, key: &str) -> bool {
    case.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// Reads JSON as a server does that has not been asked to be strict.
fn lenient() -> DecodeOptions {
    DecodeOptions::new().duplicates(Duplicates::LastWins)
}

/// Whether case and answer agree on a member; neither of them having it is agreement.
fn same(case: &Case, answer: &Document, key: &str) -> bool {
    case.get(key) == answer.root().get(key)
}

/// Whether a member that is JSON text in case and answer says the same in both.
fn same_json(case: &Case, answer: &Document, key: &str) -> bool {
    let got = answer.root().get(key).and_then(Value::as_str).unwrap_or_default();
    same_json_text(case.text(key), got)
}

/// Whether two texts say the same in JSON.
fn same_json_text(want: &str, got: &str) -> bool {
    let parse = |text: &str| case::parse(text.as_bytes()).ok();
    match (parse(want), parse(got)) {
        (Some(want), Some(got)) => want.root() == got.root(),
        (want, got) => want.is_none() && got.is_none(),
    }
}

/// Counts a case that has an answer, and lists one that has none with the reason; says whether it was that.
fn skipped(case: &Case, answer: &Document, score: &mut Score) -> bool {
    let reason = answer.root().get("skipped").and_then(Value::as_str);
    match reason {
        Some(reason) => score.skip(&case.id, reason),
        None => score.add("answered", true, &case.id),
    }
    reason.is_some()
}
