//! Points in time as Go reads and writes them.
//!
//! Takes RFC 3339 text and its relatives, gives seconds since 1970 with nanoseconds and the offset that was written.
//! Go's parser is more lenient than RFC 3339 (one digit for the hour, a comma before the fraction), and so is this.
//! Upstream: Go `time.Parse`, kube-openapi `strfmt.ParseDateTime`, `IsDate` and `IsDateTime`.

mod civil;
mod layout;

use std::fmt;

pub use civil::Civil;
use layout::Layout;

use crate::error::TextError;

/// An instant and the offset from UTC it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Seconds since the start of 1970 in UTC.
    pub seconds: i64,
    /// Nanoseconds after that second.
    pub nanoseconds: u32,
    /// Seconds east of UTC.
    pub offset: i32,
}

impl Timestamp {
    /// `time.Parse(time.RFC3339, text)`.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TextError> {
        Layout::RFC3339.parse(text)
    }

    /// The same with exactly six digits of fraction, as `MicroTime` is written.
    pub fn parse_rfc3339_micro(text: &str) -> Result<Self, TextError> {
        Layout::MICROSECONDS.parse(text)
    }

    /// `time.Parse("2006-01-02", text)`: the first moment of a day in UTC.
    pub fn parse_date(text: &str) -> Result<Self, TextError> {
        Layout::DATE.parse(text)
    }

    /// The value of a string of format `date-time`: RFC 3339, with or without a zone; nothing at all is the start
    /// of 1970.
    pub fn parse_date_time(text: &str) -> Result<Self, TextError> {
        if text.is_empty() {
            return Ok(Self { seconds: 0, nanoseconds: 0, offset: 0 });
        }
        [Layout::MICROSECONDS, Layout::MILLISECONDS, Layout::RFC3339, Layout::NANOSECONDS]
            .iter()
            .find_map(|layout| layout.parse(text).ok())
            .map_or_else(|| Layout::LOCAL.parse(text), Ok)
    }

    /// Year, month, day and time of day at the instant's own offset.
    pub fn civil(&self) -> Civil {
        Civil::of(self.seconds.saturating_add(i64::from(self.offset)))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 with as many digits of fraction as needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Civil { year, month, day, hour, minute, second, .. } = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.nanoseconds > 0 {
            let digits = format!("{:09}", self.nanoseconds);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Whether a string is of format `date`.
pub fn is_date(text: &str) -> bool {
    Timestamp::parse_date(text).is_ok()
}

/// Whether a string is of format `date-time`: a date, a `T` in either case, a time with a zone. What follows a
/// second `T` is not looked at.
pub fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let Some((clock, rest)) = time.split_at_checked(8) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *clock.as_bytes() else { return false };
    let below = |tens: u8, ones: u8, limit: [u8; 2]| {
        tens.is_ascii_digit() && ones.is_ascii_digit() && [tens, ones] <= limit
    };
    is_date(date)
        && below(h1, h2, *b"23")
        && below(m1, m2, *b"59")
        && below(s1, s2, *b"59")
        && (is_zone(rest) || fraction(rest).is_some_and(is_zone))
}

/// What follows a fraction; any one character may stand for the point.
fn fraction(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    characters.next().filter(|c| *c != '\n')?;
    let digits = characters.as_str();
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < digits.len()).then_some(rest)
}

fn is_zone(text: &str) -> bool {
    match *text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_and_written_as_go_does() {
        for (text, seconds, written) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
            ("2024-02-29T12:00:00.120Z", 1_709_208_000, "2024-02-29T12:00:00.12Z"),
            ("2024-02-29T12:00:00+05:30", 1_709_188_200, "2024-02-29T12:00:00+05:30"),
            ("0000-01-01T00:00:00Z", -62_167_219_200, "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, "9999-12-31T23:59:59.999999999Z"),
            ("2024-02-29T00:00:00-24:60", 1_709_254_800, "2024-02-29T00:00:00-25:00"),
            ("2024-02-29T1:00:00,5Z", 1_709_168_400, "2024-02-29T01:00:00.5Z"),
        ] {
            let parsed = Timestamp::parse_rfc3339(text).unwrap();
            assert_eq!((parsed.seconds, parsed.to_string().as_str()), (seconds, written));
        }
    }

    #[test]
    fn go_says_what_is_wrong_with_a_timestamp() {
        for (text, message) in [
            ("", r#"parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006""#),
            ("2023-02-29T00:00:00Z", r#"parsing time "2023-02-29T00:00:00Z": day out of range"#),
            ("2023-13-01T00:00:00Z", r#"parsing time "2023-13-01T00:00:00Z": month out of range"#),
            (
                "2023-01-01 00:00:00Z",
                r#"parsing time "2023-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T""#,
            ),
            (
                "2023-01-01T00:00:00+25:00",
                r#"parsing time "2023-01-01T00:00:00+25:00": time zone offset hour out of range"#,
            ),
            ("2023-01-01T00:00:00Zx", r#"parsing time "2023-01-01T00:00:00Zx": extra text: "x""#),
        ] {
            assert_eq!(Timestamp::parse_rfc3339(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_date_time_format_differs_from_its_value() {
        assert!(is_date_time("2024-01-01t10:00:00z"));
        assert!(is_date_time("2024-01-01T10:00:00.5+01:00"));
        assert!(is_date_time("2024-01-01T10:00:00Ztrailing"));
        assert!(!is_date_time("2024-01-01T24:00:00Z"));
        assert!(!is_date_time("2024-01-01T10:00:00"));
        assert!(Timestamp::parse_date_time("2024-01-01T10:00:00").is_ok());
        assert!(Timestamp::parse_date_time("").is_ok());
        assert!(is_date("2024-02-29") && !is_date("2023-02-29") && !is_date("2024-2-1"));
    }
}
