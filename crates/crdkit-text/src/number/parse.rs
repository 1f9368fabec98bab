//! Reads numbers as `strconv.ParseInt`, `ParseUint` and `ParseFloat` do.
//!
//! Takes text and gives the number or Go's error. Where base 0 is asked for, prefixes (`0x`, `0b`, `0o`, `0`) and
//! underscores are understood.

use std::borrow::Cow;
use std::fmt;

use crate::quote::quote;

/// What a `strconv` parser says about text that is not a number it can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberError {
    function: &'static str,
    text: Box<str>,
    out_of_range: bool,
}

impl NumberError {
    /// Whether the text is a number, but too large.
    pub fn is_out_of_range(&self) -> bool {
        self.out_of_range
    }
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = if self.out_of_range { "value out of range" } else { "invalid syntax" };
        write!(f, "strconv.{}: parsing {}: {reason}", self.function, quote(&self.text))
    }
}

impl std::error::Error for NumberError {}

enum Fault {
    Syntax,
    Range,
}

fn named(function: &'static str, text: &str) -> impl FnOnce(Fault) -> NumberError {
    move |fault| NumberError {
        function,
        text: text.into(),
        out_of_range: matches!(fault, Fault::Range),
    }
}

/// `strconv.ParseInt(text, base, 64)`, for bases 0 and 2 to 36.
pub fn parse_int(text: &str, base: u32) -> Result<i64, NumberError> {
    let parse = || {
        let (negative, digits) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..)),
            Some(b'+') => (false, text.get(1..)),
            _ => (false, Some(text)),
        };
        let magnitude = i128::from(unsigned(digits.unwrap_or_default(), base)?);
        i64::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| Fault::Range)
    };
    parse().map_err(named("ParseInt", text))
}

/// `strconv.ParseUint(text, base, 64)`.
pub fn parse_uint(text: &str, base: u32) -> Result<u64, NumberError> {
    unsigned(text, base).map_err(named("ParseUint", text))
}

fn unsigned(text: &str, base: u32) -> Result<u64, Fault> {
    let (digits, radix) = if base == 0 { prefixed(text)? } else { (text, base) };
    if digits.is_empty() {
        return Err(Fault::Syntax);
    }
    let mut value = Some(0_u64);
    for c in digits.chars().filter(|&c| base != 0 || c != '_') {
        let digit = c.to_digit(radix.clamp(2, 36)).ok_or(Fault::Syntax)?;
        // Go stops at the first digit that does not fit and looks no further.
        value = value
            .and_then(|value| value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit)));
        if value.is_none() {
            return Err(Fault::Range);
        }
    }
    if base == 0 && !underscores_are_well_placed(text) {
        return Err(Fault::Syntax);
    }
    value.ok_or(Fault::Range)
}

/// Splits a base prefix off.
fn prefixed(text: &str) -> Result<(&str, u32), Fault> {
    let bytes = text.as_bytes();
    let radix = match (bytes, bytes.len()) {
        ([], _) => return Err(Fault::Syntax),
        ([b'0', b'b' | b'B', ..], 3..) => 2,
        ([b'0', b'o' | b'O', ..], 3..) => 8,
        ([b'0', b'x' | b'X', ..], 3..) => 16,
        ([b'0', ..], 2..) => return Ok((text.get(1..).unwrap_or_default(), 8)),
        _ => return Ok((text, 10)),
    };
    Ok((text.get(2..).unwrap_or_default(), radix))
}

/// An underscore stands between digits, or between a base prefix and a digit.
fn underscores_are_well_placed(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut previous = '^';
    let mut rest = unsigned;
    let mut hexadecimal = false;
    if let [b'0', letter, ..] = unsigned.as_bytes()
        && matches!(letter.to_ascii_lowercase(), b'b' | b'o' | b'x')
    {
        previous = '0';
        hexadecimal = letter.eq_ignore_ascii_case(&b'x');
        rest = unsigned.get(2..).unwrap_or_default();
    }
    for c in rest.chars() {
        let kind = match c {
            '0'..='9' => '0',
            'a'..='f' | 'A'..='F' if hexadecimal => '0',
            '_' if previous != '0' => return false,
            '_' => '_',
            _ if previous == '_' => return false,
            _ => '!',
        };
        previous = kind;
    }
    previous != '_'
}

/// `strconv.ParseFloat(text, 64)`.
pub fn parse_float(text: &str) -> Result<f64, NumberError> {
    float(text).map_err(named("ParseFloat", text))
}

fn float(text: &str) -> Result<f64, Fault> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return Ok(sign * f64::INFINITY);
    }
    if text.eq_ignore_ascii_case("nan") {
        return Ok(f64::NAN);
    }
    let underscores = unsigned.contains('_');
    if underscores && !underscores_are_well_placed(text) {
        return Err(Fault::Syntax);
    }
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return Ok(sign * hexadecimal(digits)?);
    }
    let text = if underscores { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    let decimal =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !text.as_bytes().iter().all(decimal) {
        return Err(Fault::Syntax);
    }
    let value: f64 = text.parse().map_err(|_| Fault::Syntax)?;
    if value.is_infinite() { Err(Fault::Range) } else { Ok(value) }
}

/// The digits of a hexadecimal float after `0x`: `mantissa p exponent`.
fn hexadecimal(text: &str) -> Result<f64, Fault> {
    let (mantissa, exponent) = text.split_once(['p', 'P']).ok_or(Fault::Syntax)?;
    let mut bits = 0_u64;
    let mut shift = 0_i64;
    let mut seen_point = false;
    let mut seen_digit = false;
    for c in mantissa.chars().filter(|&c| c != '_') {
        if c == '.' && !seen_point {
            seen_point = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16).ok_or(Fault::Syntax)?);
        seen_digit = true;
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
            shift -= if seen_point { 4 } else { 0 };
        } else {
            // Digits that no longer fit count only as "more than this".
            bits |= u64::from(digit != 0);
            shift += if seen_point { 0 } else { 4 };
        }
    }
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent).replace('_', "");
    if !seen_digit || digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Syntax);
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX).min(100_000);
    let value =
        scaled(bits, shift + if exponent.starts_with('-') { -magnitude } else { magnitude });
    if value.is_infinite() { Err(Fault::Range) } else { Ok(value) }
}

/// `bits * 2^exponent`, rounded once to the nearest number, ties to even.
fn scaled(bits: u64, exponent: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    // Keep 64 bits left-aligned; `top` is the exponent of the first bit.
    let zeros = bits.leading_zeros();
    let aligned = bits << zeros;
    let top = exponent + 63 - i64::from(zeros);
    if top > 1023 {
        return f64::INFINITY;
    }
    // Subnormal numbers have fewer bits to keep.
    let kept = if top >= -1022 { 53 } else { 53 - (-1022 - top) };
    if kept < 0 {
        return 0.0;
    }
    let dropped = u32::try_from(64 - kept).unwrap_or(64);
    let (whole, rest) =
        if dropped == 64 { (0, aligned) } else { (aligned >> dropped, aligned << (64 - dropped)) };
    let half = 1_u64 << 63;
    let rounded = whole + u64::from(rest > half || (rest == half && whole & 1 == 1));
    // A carry out of the mantissa is exactly the step to the next exponent.
    let biased = if top >= -1022 { u64::try_from(top + 1022).unwrap_or(0) << 52 } else { 0 };
    f64::from_bits(biased + rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_go_reads_them() {
        for (text, base, value) in [
            ("0", 10, Ok(0)),
            ("-9223372036854775808", 10, Ok(i64::MIN)),
            ("+7", 10, Ok(7)),
            ("0x_ff", 0, Ok(255)),
            ("0b101", 0, Ok(5)),
            ("017", 0, Ok(15)),
            ("1_000", 0, Ok(1000)),
            ("1_000", 10, Err(r#"strconv.ParseInt: parsing "1_000": invalid syntax"#)),
            ("1_", 0, Err(r#"strconv.ParseInt: parsing "1_": invalid syntax"#)),
            ("1__0", 0, Err(r#"strconv.ParseInt: parsing "1__0": invalid syntax"#)),
            ("", 10, Err(r#"strconv.ParseInt: parsing "": invalid syntax"#)),
            (
                "9223372036854775808",
                10,
                Err(r#"strconv.ParseInt: parsing "9223372036854775808": value out of range"#),
            ),
            ("é", 10, Err("strconv.ParseInt: parsing \"é\": invalid syntax")),
        ] {
            assert_eq!(
                parse_int(text, base).map_err(|error| error.to_string()),
                value.map_err(str::to_owned)
            );
        }
        assert_eq!(parse_uint("18446744073709551615", 10), Ok(u64::MAX));
        assert!(parse_uint("-1", 10).is_err());
    }

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, value) in [
            ("1", 1.0),
            ("+.5e1", 5.0),
            ("5.", 5.0),
            ("Infinity", f64::INFINITY),
            ("-inf", f64::NEG_INFINITY),
            ("0x1p-2", 0.25),
            ("0X1.8P+1", 3.0),
            ("0x_1p0", 1.0),
            ("0x1.fffffffffffff8p1023", f64::NAN),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1074", 1e-323),
        ] {
            if value.is_nan() {
                assert!(parse_float(text).is_err_and(|error| error.is_out_of_range()));
            } else {
                assert_eq!(parse_float(text), Ok(value), "{text}");
            }
        }
        for text in
            ["", "+nan", "1__0", "0x1", "0x.p1", "1e", "e1", "infinit", "1e400", "0x1p9999", "١"]
        {
            assert!(parse_float(text).is_err(), "{text}");
        }
    }
}
