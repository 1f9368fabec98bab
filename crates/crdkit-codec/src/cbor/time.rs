//! Times under tags 0 and 1, which become RFC 3339 text.
//!
//! The accepted grammar is that of Go's `time.Parse` with the RFC 3339 layout, which is wider than the
//! standard: one digit for the hour will do, a comma may begin the fraction, an offset's minutes may be
//! 60. What comes out is normal: fraction without trailing zeros, `Z` for no offset.

use super::problem::CborProblem;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// A time of day, in seconds and nanoseconds since 1970 in its own zone.
struct Local {
    seconds: i64,
    nanoseconds: u32,
    offset_minutes: i64,
}

/// Why text is not a time, as Go sees it.
enum Fault<'t> {
    /// What is left does not begin with this part of the layout.
    Part(&'static str, &'t [u8]),
    /// A part is out of its range.
    Range(&'static str),
    /// Something follows the time.
    Extra(&'t [u8]),
}

/// The normal form of the time in `text`.
pub(crate) fn normalize(text: &[u8]) -> Result<String, CborProblem> {
    let local = parse(text).map_err(|_| CborProblem::TimeSyntax)?;
    if local.offset_minutes.abs() >= 24 * 60 {
        return Err(CborProblem::TimeZone);
    }
    format(&local)
}

/// What is wrong with `text`, in Go's words.
pub(crate) fn explain(text: &[u8]) -> String {
    const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
    let shown = quote(text);
    match parse(text) {
        Ok(_) => String::new(),
        Err(Fault::Part(part, rest)) => {
            let rest = quote(rest);
            format!("parsing time {shown} as \"{LAYOUT}\": cannot parse {rest} as \"{part}\"")
        }
        Err(Fault::Range(part)) => format!("parsing time {shown}: {part} out of range"),
        Err(Fault::Extra(rest)) => format!("parsing time {shown}: extra text: {}", quote(rest)),
    }
}

/// Text in quotes with everything outside ASCII as the bytes it is made of.
fn quote(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b' '..=b'~' | 0x7F => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

/// The time `seconds` after 1970 began.
pub(crate) fn epoch(seconds: i64) -> Result<String, CborProblem> {
    format(&Local { seconds, nanoseconds: 0, offset_minutes: 0 })
}

/// The same for seconds with a fraction, of which nanoseconds are kept.
pub(crate) fn epoch_float(seconds: f64) -> Result<String, CborProblem> {
    let whole = seconds.trunc();
    // Both bounds are powers of two and so exact; Go lets 2^63 itself pass and then wraps around.
    if !(-9_223_372_036_854_775_808.0..=9_223_372_036_854_775_808.0).contains(&whole) {
        return Err(CborProblem::TimeFloat { seconds });
    }
    #[expect(clippy::cast_possible_truncation, reason = "what Go does")]
    let (whole, nanoseconds) = (whole as i64, ((seconds - whole) * 1e9) as i64);
    // Nanoseconds count up from the second before when the time is before 1970.
    let (whole, nanoseconds) = if nanoseconds < 0 {
        (whole.wrapping_sub(1), nanoseconds + 1_000_000_000)
    } else {
        (whole, nanoseconds)
    };
    let nanoseconds = u32::try_from(nanoseconds).unwrap_or_default();
    format(&Local { seconds: whole, nanoseconds, offset_minutes: 0 })
}

fn parse(text: &[u8]) -> Result<Local, Fault<'_>> {
    let (year, rest) = number(text, 4, "2006")?;
    let (month, rest) = number(literal(rest, "-")?, 2, "01")?;
    in_range(month, 1..=12, "month")?;
    let (day, rest) = number(literal(rest, "-")?, 2, "02")?;
    let rest = literal(rest, "T")?;
    let (hour, rest) = number(rest, 2, "15").or_else(|_| number(rest, 1, "15"))?;
    in_range(hour, 0..=23, "hour")?;
    let (minute, rest) = number(literal(rest, ":")?, 2, "04")?;
    in_range(minute, 0..=59, "minute")?;
    let (second, rest) = number(literal(rest, ":")?, 2, "05")?;
    in_range(second, 0..=59, "second")?;
    let (nanoseconds, rest) = fraction(rest);
    let (offset_minutes, rest) = zone(rest)?;
    if !rest.is_empty() {
        return Err(Fault::Extra(rest));
    }
    in_range(day, 1..=days_in(year, month), "day")?;
    Ok(Local {
        seconds: days_before(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second,
        nanoseconds,
        offset_minutes,
    })
}

fn literal<'t>(text: &'t [u8], part: &'static str) -> Result<&'t [u8], Fault<'t>> {
    text.strip_prefix(part.as_bytes()).ok_or(Fault::Part(part, text))
}

fn number<'t>(text: &'t [u8], n: usize, part: &'static str) -> Result<(i64, &'t [u8]), Fault<'t>> {
    digits(text, n).ok_or(Fault::Part(part, text))
}

fn in_range(
    number: i64,
    range: RangeInclusive<i64>,
    part: &'static str,
) -> Result<(), Fault<'static>> {
    if range.contains(&number) { Ok(()) } else { Err(Fault::Range(part)) }
}

fn digits(text: &[u8], n: usize) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.split_at_checked(n)?;
    let number = digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })?;
    Some((number, rest))
}

/// A fraction of a second in nanoseconds, if one follows.
fn fraction(text: &[u8]) -> (u32, &[u8]) {
    let [b'.' | b',', tail @ ..] = text else { return (0, text) };
    let n = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if n == 0 {
        return (0, text);
    }
    let (digits, rest) = tail.split_at(n);
    let digit = |at: usize| digits.get(at).map_or(0, |digit| u32::from(digit - b'0'));
    ((0..9).fold(0, |number, at| number * 10 + digit(at)), rest)
}

/// `Z`, or an offset from UTC in minutes.
fn zone(text: &[u8]) -> Result<(i64, &[u8]), Fault<'_>> {
    if let [b'Z', rest @ ..] = text {
        return Ok((0, rest));
    }
    let fault = || Fault::Part("Z07:00", text);
    let (offset, rest) = text.split_at_checked(6).ok_or_else(fault)?;
    let [sign, h1, h2, b':', m1, m2] = offset else { return Err(fault()) };
    let two = |pair: [u8; 2]| digits(&pair, 2).map(|(number, _)| number).ok_or_else(fault);
    let (hours, minutes) = (two([*h1, *h2])?, two([*m1, *m2])?);
    in_range(hours, 0..=24, "time zone offset hour")?;
    in_range(minutes, 0..=60, "time zone offset minute")?;
    match sign {
        b'+' => Ok((hours * 60 + minutes, rest)),
        b'-' => Ok((-(hours * 60 + minutes), rest)),
        _ => Err(fault()),
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date. Years begin in March here, so that the leap day is the last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date so many days after 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

fn format(local: &Local) -> Result<String, CborProblem> {
    let (year, month, day) = date(local.seconds.div_euclid(86_400));
    if !(0..=9_999).contains(&year) {
        return Err(CborProblem::TimeYear);
    }
    let second = local.seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if local.nanoseconds != 0 {
        let digits = format!("{:09}", local.nanoseconds);
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
    let (sign, minutes) = (local.offset_minutes, local.offset_minutes.abs());
    if sign == 0 {
        out.push('Z');
    } else {
        let sign = if sign < 0 { '-' } else { '+' };
        let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    }
    Ok(out)
}
