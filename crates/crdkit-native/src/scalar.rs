//! Single values: what Go calls those it cannot take, and the canonical text of those with a form of their own.

use crdkit_text::duration;
use crdkit_text::quantity::Quantity;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Kind, Value};

/// What Go's decoder calls a JSON value.
pub(crate) fn found(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
        Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => "number",
    }
}

/// The same where an integer is wanted: a number that is none is shown.
pub(crate) fn found_for_integer(value: Value<'_>) -> String {
    match number_text(value) {
        Some(text) => format!("number {text}"),
        None => found(value).to_owned(),
    }
}

/// A number as it was written, as far as that is known.
fn number_text(value: Value<'_>) -> Option<String> {
    /// From here on floats are written without a fraction.
    const WHOLE: f64 = 9_223_372_036_854_775_808.0;
    match value.kind() {
        Kind::Int(int) => Some(int.to_string()),
        Kind::Float(float) if float.abs() >= WHOLE => Some(format!("{float:.0}")),
        Kind::Float(float) => Some(format!("{float:?}")),
        Kind::Number(text) => Some(text.to_owned()),
        _ => None,
    }
}

/// The canonical text of a quantity, or why it is none.
pub(crate) fn quantity(value: Value<'_>) -> Result<String, String> {
    let number = number_text(value);
    let text = value.as_str().or(number.as_deref()).unwrap_or("{");
    Quantity::parse(text).map(|quantity| quantity.to_string()).map_err(|error| error.to_string())
}

/// A quantity rounded up to thousandths.
pub(crate) fn rounded_up(text: &str) -> Option<String> {
    Some(Quantity::parse(text).ok()?.rounded_up_to_milli().to_string())
}

/// A point in time in UTC, to the second.
pub(crate) fn time(text: &str) -> Result<String, String> {
    let time = Timestamp::parse_rfc3339(text).map_err(|error| error.to_string())?;
    Ok(seconds(&time))
}

/// A point in time to the second, as it is written.
pub(crate) fn seconds(time: &Timestamp) -> String {
    Timestamp { nanoseconds: 0, offset: 0, ..*time }.to_string()
}

/// A point in time in UTC, to the microsecond.
pub(crate) fn micro_time(text: &str) -> Result<String, String> {
    let time = Timestamp::parse_rfc3339_micro(text).map_err(|error| error.to_string())?;
    Ok(microseconds(&time))
}

/// A point in time to the microsecond, as it is written.
pub(crate) fn microseconds(time: &Timestamp) -> String {
    let whole = seconds(time);
    let whole = whole.trim_end_matches('Z');
    format!("{whole}.{:06}Z", time.nanoseconds / 1000)
}

/// A span of time as Go writes it.
pub(crate) fn duration(text: &str) -> Result<String, String> {
    duration::parse(text).map(duration::format).map_err(|error| error.to_string())
}
