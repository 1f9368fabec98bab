//! Numbers as the Kubernetes YAML reader hands them on.
//!
//! It writes JSON in between, so a number is what its JSON text says: `1.0` and `1e3` are written `1` and `1000`
//! and read as integers.
//!
//! Upstream: Go's `encoding/json` for values, `sigs.k8s.io/yaml` `yaml.go` for keys.

use super::resolve::Resolved;
use crdkit_text::number;

/// The JSON text of a number.
pub(super) fn json_text(number: &Resolved<'_>) -> String {
    match number {
        Resolved::Int(int) => int.to_string(),
        Resolved::Unsigned(int) => int.to_string(),
        Resolved::Float(float) => number::json(*float).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The integer that a float is written as in JSON, if it is one.
pub(super) fn whole(float: f64) -> Option<i64> {
    if float.fract() != 0.0 || float.abs() >= 1e19 {
        return None;
    }
    // The shortest digits that read back as this float, filled up with zeros: beyond 2^53 that is not the float.
    number::decimal(float).parse().ok()
}

/// A float as it is written in YAML.
pub(super) fn value_text(float: f64) -> String {
    named(number::shortest(float))
}

/// A float as the text of a key: the precision is that of a 32-bit float, whatever the value, and numbers of more
/// than six digits are written with an exponent.
pub(super) fn key_text(float: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "upstream prints keys with 32 bits")]
    named(number::shortest_f32(float as f32))
}

/// The same with YAML's names for what is not a number.
fn named(text: String) -> String {
    match text.as_str() {
        "NaN" => ".nan".to_owned(),
        "+Inf" => ".inf".to_owned(),
        "-Inf" => "-.inf".to_owned(),
        _ => text,
    }
}
