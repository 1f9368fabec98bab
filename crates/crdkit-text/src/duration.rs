//! Go's durations, in nanoseconds: `1h30m`, `-1.5s`, and the looser `3 days` of the `duration` format.
//!
//! Upstream: Go `time.ParseDuration` and `Duration.String`, kube-openapi `strfmt.ParseDuration`.

use crate::error::TextError;
use crate::quote::{quote, quote_time};

const NANOSECOND: u64 = 1;
const MICROSECOND: u64 = 1000 * NANOSECOND;
const MILLISECOND: u64 = 1000 * MICROSECOND;
const SECOND: u64 = 1000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Reads `[-+]?([0-9]*(\.[0-9]*)?unit)+` or `0`.
pub fn parse(text: &str) -> Result<i64, TextError> {
    let error = |what: &str| TextError::new(format!("time: {what} {}", quote_time(text)));
    let invalid = || error("invalid duration");
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let value = leading_integer(whole).ok_or_else(invalid)?;
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (name, next) = after.split_at_checked(end).unwrap_or((after, ""));
        if name.is_empty() {
            return Err(error("missing unit in duration"));
        }
        let unit = unit(name)
            .ok_or_else(|| error(&format!("unknown unit {} in duration", quote_time(name))))?;
        let value =
            value.checked_mul(unit).filter(|value| *value <= 1 << 63).ok_or_else(invalid)?;
        let value = value + leading_fraction(fraction, unit);
        total = total.saturating_add(value);
        if value > 1 << 63 || total > 1 << 63 {
            return Err(invalid());
        }
        rest = next;
    }
    let signed = if negative { -i128::from(total) } else { i128::from(total) };
    i64::try_from(signed).map_err(|_| invalid())
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => NANOSECOND,
        // The micro sign and the Greek letter.
        "us" | "\u{b5}s" | "\u{3bc}s" => MICROSECOND,
        "ms" => MILLISECOND,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        _ => return None,
    })
}

fn digits(text: &str) -> (&str, &str) {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at_checked(length).unwrap_or((text, ""))
}

fn leading_integer(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |value, digit| {
        let value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        (value <= 1 << 63).then_some(value)
    })
}

/// `0.digits` of a unit. Digits beyond what fits count no more.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "floating point is what Go uses here, and its result is below one hour"
)]
fn leading_fraction(digits: &str, unit: u64) -> u64 {
    let mut value = 0_u64;
    let mut scale = 1.0;
    for digit in digits.bytes() {
        let next = value * 10 + u64::from(digit - b'0');
        if next > 1 << 63 {
            break;
        }
        value = next;
        scale *= 10.0;
        if value > i64::MAX as u64 / 10 {
            break;
        }
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// Writes a duration as Go does: `1h30m0s`, `1.5s`, `100ms`, `0s`.
pub fn format(nanoseconds: i64) -> String {
    let magnitude = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let text = match magnitude {
        0 => "0s".to_owned(),
        1..MICROSECOND => format!("{magnitude}ns"),
        MICROSECOND..MILLISECOND => format!("{}\u{b5}s", with_fraction(magnitude, MICROSECOND)),
        MILLISECOND..SECOND => format!("{}ms", with_fraction(magnitude, MILLISECOND)),
        _ => {
            let minutes = magnitude / MINUTE;
            let seconds = with_fraction(magnitude % MINUTE, SECOND);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, minutes) => format!("{minutes}m{seconds}s"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    };
    format!("{sign}{text}")
}

fn with_fraction(value: u64, unit: u64) -> String {
    let width = unit.ilog10() as usize;
    let text = format!("{}.{:0width$}", value / unit, value % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads a duration as the `duration` format does: Go's syntax, or else any numbers followed by unit words, such as
/// `3 days 4 hours`; text around them is ignored.
pub fn parse_lenient(text: &str) -> Result<i64, TextError> {
    if let Ok(duration) = parse(text) {
        return Ok(duration);
    }
    let mut total = 0_i64;
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = digits(rest.get(start..).unwrap_or_default());
        let spaced = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let letter = |c: char| c.is_ascii_alphabetic() || c == '\u{b5}';
        let end = spaced.find(|c| !letter(c)).unwrap_or(spaced.len());
        let (name, next) = spaced.split_at_checked(end).unwrap_or((spaced, ""));
        rest = after;
        if name.is_empty() {
            continue;
        }
        rest = next;
        let factor: i64 = number.parse().map_err(|_| {
            TextError::new(format!("strconv.Atoi: parsing {}: value out of range", quote(number)))
        })?;
        if let Some(unit) = word_unit(&name.to_ascii_lowercase()) {
            found = true;
            total = total.wrapping_add(factor.wrapping_mul(unit.cast_signed()));
        }
    }
    if found {
        return Ok(total);
    }
    Err(TextError::new(format!("unable to parse {text} as duration")))
}

fn word_unit(word: &str) -> Option<u64> {
    const DAY: u64 = 24 * HOUR;
    /// Short names, the beginning of the long name, nanoseconds.
    const UNITS: [(&[&str], &str, u64); 8] = [
        (&["ns"], "nano", NANOSECOND),
        (&["us", "\u{b5}s"], "micro", MICROSECOND),
        (&["ms"], "milli", MILLISECOND),
        (&["s"], "sec", SECOND),
        (&["m"], "min", MINUTE),
        (&["h", "hr"], "hour", HOUR),
        (&["d"], "day", DAY),
        (&["w", "wk"], "week", 7 * DAY),
    ];
    UNITS
        .iter()
        .find(|(names, start, _)| names.contains(&word) || word.starts_with(start))
        .map(|(.., unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_as_go_does() {
        for (text, nanoseconds, written) in [
            ("0", 0, "0s"),
            ("+5s", 5_000_000_000, "5s"),
            ("-1.5h", -5_400_000_000_000, "-1h30m0s"),
            ("1h2m3.5s", 3_723_500_000_000, "1h2m3.5s"),
            (".5ms", 500_000, "500\u{b5}s"),
            ("1\u{3bc}s1ns", 1001, "1.001\u{b5}s"),
            ("90m", 5_400_000_000_000, "1h30m0s"),
            ("-9223372036854775808ns", i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(parse(text), Ok(nanoseconds), "{text}");
            assert_eq!(format(nanoseconds), written);
        }
    }

    #[test]
    fn go_says_what_is_wrong_with_a_duration() {
        for (text, message) in [
            ("", r#"time: invalid duration """#),
            ("3", r#"time: missing unit in duration "3""#),
            ("3d", r#"time: unknown unit "d" in duration "3d""#),
            (".s", r#"time: invalid duration ".s""#),
            ("9223372036854775808ns", r#"time: invalid duration "9223372036854775808ns""#),
            ("1\u{e9}", r#"time: unknown unit "\xc3\xa9" in duration "1\xc3\xa9""#),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_format_also_takes_unit_words() {
        assert_eq!(parse_lenient("3 days 4hours"), Ok(76 * HOUR.cast_signed()));
        assert_eq!(parse_lenient("about 2 Weeks!"), Ok(14 * 24 * HOUR.cast_signed()));
        assert_eq!(parse_lenient("10"), Err(TextError::new("unable to parse 10 as duration")));
        assert!(parse_lenient("99999999999999999999 days").is_err());
    }
}
