//! CBOR and media types: tables of input and outcome, properties over random input, input made to do harm.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it is wrong")]

#[cfg(feature = "serde")]
mod bridge;
mod hostile;
#[cfg(feature = "serde")]
mod interop;
mod lists;
mod media;
mod plan;
mod properties;
mod raw;
mod tables;

use crdkit_codec::DecodeOptions;
use crdkit_value::Document;
use std::fmt::Write as _;

/// The bytes of hexadecimal digits; white space does not count.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

/// A document from JSON.
fn document(json: &str) -> Document {
    crdkit_codec::json::decode(json.as_bytes(), &DecodeOptions::default()).unwrap().document
}
