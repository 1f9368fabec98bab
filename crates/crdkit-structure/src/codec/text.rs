//! Points in time: RFC 3339 as text in, the one canonical spelling in UTC out.
//!
//! What is not exactly RFC 3339, or lies outside the years 0000 to 9999, is refused and never corrected.

use super::{Codec, string, text};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};

/// RFC 3339: any offset in, UTC with as many digits of fraction as are needed out.
///
/// Strict: a period before the fraction, at most nine digits of it, no leap second, years 0000 to 9999
/// after the move to UTC. `t` and `z` may be small.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rfc3339;

impl Rfc3339 {
    /// The one spelling of the instant that `text` names.
    ///
    /// # Errors
    /// Why it names none.
    pub fn canonical(text: &str) -> Result<String, String> {
        utc(text).map(|instant| instant.to_string())
    }
}

impl Codec for Rfc3339 {
    fn name(&self) -> &'static str {
        "RFC 3339 time"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        Ok(string(&Self::canonical(text(wire)?)?))
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        self.decode(domain)
    }
}

/// The first moment of the years 0 and 10000.
const YEARS: std::ops::Range<i64> = -62_167_219_200..253_402_300_800;

/// The instant that `text` names, in UTC.
pub(super) fn utc(text: &str) -> Result<Timestamp, String> {
    if !has_form(text) {
        return Err("it is not written as RFC 3339 asks for".to_owned());
    }
    let upper = text.to_ascii_uppercase();
    let instant = Timestamp::parse_rfc3339(&upper).map_err(|error| error.to_string())?;
    if !YEARS.contains(&instant.seconds) {
        return Err("in UTC its year is not between 0000 and 9999".to_owned());
    }
    Ok(Timestamp { offset: 0, ..instant })
}

/// The grammar of RFC 3339 with at most nine digits of fraction; ranges are looked at elsewhere.
fn has_form(text: &str) -> bool {
    let bytes = text.as_bytes();
    let fits = |form: &[u8], at: usize| {
        form.iter().enumerate().all(|(offset, wanted)| {
            bytes.get(at + offset).is_some_and(|byte| match wanted {
                b'd' => byte.is_ascii_digit(),
                b't' => matches!(byte, b'T' | b't'),
                b's' => matches!(byte, b'+' | b'-'),
                other => byte == other,
            })
        })
    };
    if !fits(b"dddd-dd-ddtdd:dd:dd", 0) {
        return false;
    }
    let mut at = 19;
    if bytes.get(at) == Some(&b'.') {
        let digits = bytes.iter().skip(at + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return false;
        }
        at += 1 + digits;
    }
    match bytes.get(at) {
        Some(b'Z' | b'z') => bytes.len() == at + 1,
        _ => fits(b"sdd:dd", at) && bytes.len() == at + 6,
    }
}
