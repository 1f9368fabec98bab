//! Documents for the tests.

use crdkit_codec::{DecodeOptions, Decoded, json, yaml};
use crdkit_value::Value;

/// Reads YAML, keeping positions.
pub(crate) fn decode(text: &str) -> Decoded {
    let options = DecodeOptions::new().positions(true);
    yaml::decode(text.as_bytes(), &options).expect("YAML")
}

/// Compact JSON.
pub(crate) fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    json::write(value, json::Layout::Compact, &mut out);
    String::from_utf8(out).expect("UTF-8")
}
