//! Numbers as the Kubernetes YAML reader hands them on.
//!
//! It writes JSON in between, so a number is what its JSON text says: `1.0` and `1e3` are written `1` and `1000`
//! and read as integers.
//!
//! Upstream: Go's `encoding/json` for values, `sigs.k8s.io/yaml` `yaml.go` for keys.

use super::resolve::Resolved;

/// The JSON text of a number.
pub(super) fn json_text(number: &Resolved<'_>) -> String {
    match number {
        Resolved::Int(int) => int.to_string(),
        Resolved::Unsigned(int) => int.to_string(),
        Resolved::Float(float) if *float == 0.0 || (1e-6..1e21).contains(&float.abs()) => {
            float.to_string()
        }
        Resolved::Float(float) => with_sign(&format!("{float:e}"), 1),
        _ => String::new(),
    }
}

/// The integer that a float is written as in JSON, if it is one.
pub(super) fn whole(float: f64) -> Option<i64> {
    if float.fract() != 0.0 || float.abs() >= 1e19 {
        return None;
    }
    // The shortest digits that read back as this float, filled up with zeros: beyond 2^53 that is not the float.
    float.to_string().parse().ok()
}

/// A float as it is written in YAML.
pub(super) fn value_text(float: f64) -> String {
    general(&format!("{float:e}"), float.to_string())
}

/// A float as the text of a key: the precision is that of a 32-bit float, whatever the value, and numbers of more
/// than six digits are written with an exponent.
pub(super) fn key_text(float: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "upstream prints keys with 32 bits")]
    let float = float as f32;
    general(&format!("{float:e}"), float.to_string())
}

/// The one of two notations that Go's `%g` chooses, with YAML's names for what is not a number.
fn general(scientific: &str, decimal: String) -> String {
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    match (exponent, decimal.as_str()) {
        (_, "NaN") => ".nan".to_owned(),
        (_, "inf") => ".inf".to_owned(),
        (_, "-inf") => "-.inf".to_owned(),
        (Some(-4..=5) | None, _) => decimal,
        (Some(_), _) => with_sign(scientific, 2),
    }
}

/// Scientific notation as Go writes it: the exponent has a sign and at least `digits` digits.
fn with_sign(scientific: &str, digits: usize) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{mantissa}e-{exponent:0>digits$}"),
        None => format!("{mantissa}e+{exponent:0>digits$}"),
    }
}
