//! Canonical JSON: one text for each value.
//!
//! Members are sorted by the UTF-8 bytes of their keys, there is no white space, strings have the
//! escapes the grammar asks for and no others, and a number is written in the one way its
//! [`NumberNotation`] allows. So equal values have equal bytes, whatever order, spelling and escapes their
//! source had, and writing what was read back changes nothing.
//!
//! Nothing recurses, and a number with a huge exponent is refused before it is spelled out.

use super::write::{Layout, Spelling, walk, write_string, write_word};
use crdkit_issue::{Issue, codes};
use crdkit_text::number::Decimal;
use crdkit_value::{Cursor, Kind, Value};

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberNotation {
    /// All digits and no more, with an exponent only where plain notation would need a row of zeros.
    #[default]
    Exact,
    /// The same for the nearest double.
    Float64 {
        /// Whether integers that no double holds are rounded instead of refused.
        lossy: bool,
    },
    /// Never an exponent.
    Decimal {
        /// Whether zeros at the end of a fraction are kept as they were written.
        keep_scale: bool,
    },
    /// Whole numbers, all digits.
    BigInt,
}

/// So many digits are written where the source had fewer.
const MAX_EXPANDED: usize = 1024;

/// Appends the canonical text of `value` to `out`.
///
/// # Errors
/// The finding about the first number that has none.
pub fn write_canonical(
    value: Value<'_>,
    notation: NumberNotation,
    out: &mut Vec<u8>,
) -> Result<(), Box<Issue>> {
    walk(value, &Canonical(notation), Layout::Compact, out)
}

struct Canonical(NumberNotation);

impl Spelling for Canonical {
    const SORTED: bool = true;
    type Error = Box<Issue>;

    fn key(&self, member: Cursor<'_>, out: &mut Vec<u8>) {
        write_string(member.key_text(), out);
    }

    fn scalar(
        &self,
        at: Cursor<'_>,
        scalar: &Kind<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Box<Issue>> {
        match scalar {
            Kind::String(text) => write_string(text, out),
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => {
                let text = canonical_number(scalar, self.0)
                    .map_err(|issue| Box::new((*issue).at(at.value().path())))?;
                out.extend_from_slice(text.as_bytes());
            }
            other => write_word(other, out),
        }
        Ok(())
    }
}

/// The one text of a number.
///
/// # Errors
/// Why it has none.
pub fn canonical_number(number: &Kind<'_>, notation: NumberNotation) -> Result<String, Box<Issue>> {
    let (decimal, source) = match number {
        Kind::Int(int) => (Some(Decimal::from(*int)), String::new()),
        Kind::Float(float) => {
            // A whole double is read back as an integer, so it must be written with all of its digits.
            let whole = (notation == NumberNotation::Exact).then(|| whole(*float)).flatten();
            (whole.map(Decimal::from).or_else(|| Decimal::from_f64(*float)), String::new())
        }
        Kind::Number(text) => (Decimal::parse(text), (*text).to_owned()),
        _ => return Ok(String::new()),
    };
    let Some(decimal) = decimal else {
        let shown = if let Kind::Float(float) = number { float.to_string() } else { source };
        return Err(Box::new(Issue::error(codes::domain::NOT_FINITE).with("number", shown)));
    };
    match notation {
        NumberNotation::Exact => Ok(decimal.to_string()),
        NumberNotation::Float64 { lossy } => float64(&decimal, lossy),
        NumberNotation::Decimal { keep_scale } => {
            plain(&decimal, if keep_scale { scale(&source) } else { 0 })
        }
        NumberNotation::BigInt if !decimal.is_integer() => Err(Box::new(
            Issue::error(codes::domain::NOT_WHOLE).with("number", decimal.to_string()),
        )),
        NumberNotation::BigInt => plain(&decimal, 0),
    }
}

/// The integer that `float` is, if it is one of 64 bits.
fn whole(float: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and fits")]
    (float.fract() == 0.0 && (-LIMIT..LIMIT).contains(&float)).then_some(float as i64)
}

fn float64(decimal: &Decimal, lossy: bool) -> Result<String, Box<Issue>> {
    let rounded = Decimal::from_f64(decimal.to_f64())
        .ok_or_else(|| refused(decimal, "it is too large for a 64-bit float"))?;
    if decimal.is_integer() && rounded != *decimal && !lossy {
        return Err(refused(decimal, "a 64-bit float would round it"));
    }
    Ok(rounded.to_string())
}

/// All digits without an exponent, with at least `places` after the point.
fn plain(decimal: &Decimal, places: usize) -> Result<String, Box<Issue>> {
    let n_digits = decimal.digits().len();
    let n_zeros = usize::try_from(decimal.exponent().unsigned_abs()).unwrap_or(usize::MAX);
    if n_digits.max(n_zeros).max(places) > MAX_EXPANDED.max(n_digits) {
        return Err(refused(decimal, "it has too many digits"));
    }
    let sign = if decimal.is_negative() { "-" } else { "" };
    let mut out = String::from(sign);
    let n_places = if decimal.exponent() < 0 { n_zeros } else { 0 };
    if let Some(whole) = n_digits.checked_sub(n_places).filter(|whole| *whole > 0) {
        let (whole, fraction) = decimal.digits().split_at(whole);
        out.push_str(whole);
        if decimal.exponent() > 0 {
            out.extend(std::iter::repeat_n('0', n_zeros));
        }
        push_fraction(fraction, places, &mut out);
    } else {
        out.push('0');
        let padded = format!("{}{}", "0".repeat(n_places - n_digits), decimal.digits());
        push_fraction(&padded, places, &mut out);
    }
    Ok(out)
}

fn push_fraction(fraction: &str, places: usize, out: &mut String) {
    if fraction.is_empty() && places == 0 {
        return;
    }
    out.push('.');
    out.push_str(fraction);
    out.extend(std::iter::repeat_n('0', places.saturating_sub(fraction.len())));
}

/// How many digits after the point `text` has, its exponent taken into account.
fn scale(text: &str) -> usize {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent = exponent.parse().unwrap_or(i64::MAX);
    let places = i64::try_from(places).unwrap_or(i64::MAX).saturating_sub(exponent);
    usize::try_from(places).unwrap_or_default()
}

#[cold]
fn refused(decimal: &Decimal, problem: &str) -> Box<Issue> {
    let issue = Issue::error(codes::domain::NUMBER_NOTATION);
    Box::new(issue.with("number", decimal.to_string()).with("problem", problem))
}
