//! Numbers that must not be rounded.

use crdkit_text::number::Decimal;
use crdkit_value::Event;

/// The number that JSON text says: a machine number where that is exactly it, the text otherwise.
pub(crate) fn exact(text: &str) -> Event<'_> {
    if let Ok(int) = text.parse() {
        return Event::Int(int);
    }
    let float = text.parse().ok().filter(|float: &f64| float.is_finite());
    match float {
        Some(float) if Decimal::from_f64(float) == Decimal::parse(text) => Event::Float(float),
        _ => Event::Number(text),
    }
}

/// Whether `text` is a number in JSON's grammar.
pub(crate) fn is_json(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let padded =
        digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    !padded && Decimal::parse(text).is_some()
}
