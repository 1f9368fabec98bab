//! Reads a quantity: sign, digits, suffix.

use super::amount::Amount;
use super::decimal::Decimal;
use super::{Quantity, QuantityError, QuantityFormat};

/// The finest step a quantity can express.
const NANO: i32 = -9;
/// As many decimal digits always fit 64 bits.
const SAFE_DIGITS: usize = 18;

pub(super) fn quantity(text: &str) -> Result<Quantity, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Format);
    }
    let parts = split(text)?;
    let (exponent, format) = suffix(parts.suffix).ok_or(QuantityError::Suffix)?;
    if let Some(quantity) = small(text, &parts, exponent, format)? {
        return Ok(quantity);
    }
    large(&parts, exponent, format)
}

struct QuantityParts<'t> {
    negative: bool,
    /// Sign, digits and point as written.
    number: &'t str,
    /// Digits before the point without leading zeros, at least one.
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

fn split(text: &str) -> Result<QuantityParts<'_>, QuantityError> {
    let digits_of = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let nonzero = unsigned.trim_start_matches('0');
    if nonzero.is_empty() {
        return Ok(QuantityParts { negative, number: "0", whole: "0", fraction: "", suffix: "" });
    }
    let (whole, mut rest) = nonzero.split_at_checked(digits_of(nonzero)).unwrap_or((nonzero, ""));
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at_checked(digits_of(after)).unwrap_or((after, ""));
    }
    let number = text.strip_suffix(rest).unwrap_or(text);
    let exponent = rest.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if digits_of(exponent) != exponent.len() {
        return Err(QuantityError::Format);
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(QuantityParts { negative, number, whole, fraction, suffix: rest })
}

/// The power a suffix stands for, of two for [`Format::BinarySi`] and of ten otherwise.
fn suffix(suffix: &str) -> Option<(i32, QuantityFormat)> {
    let decimal = |exponent| Some((exponent, QuantityFormat::DecimalSi));
    let binary = |exponent| Some((exponent, QuantityFormat::BinarySi));
    match suffix {
        "" => decimal(0),
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E'])?;
            let exponent = crate::number::parse_int(digits, 10).ok()?;
            #[expect(clippy::cast_possible_truncation, reason = "the server keeps the low 32 bits")]
            Some((exponent as i32, QuantityFormat::DecimalExponent))
        }
    }
}

/// The fast form, when the number is short enough for it.
fn small(
    text: &str,
    parts: &QuantityParts<'_>,
    exponent: i32,
    format: QuantityFormat,
) -> Result<Option<Quantity>, QuantityError> {
    let digits = parts.whole.len() + parts.fraction.len();
    let (scale, factor, fits) = match format {
        QuantityFormat::BinarySi => {
            let spent = parts.whole.len() + usize::try_from(exponent * 3 / 10).unwrap_or(0) + 1;
            (
                0,
                1_i64.checked_shl(exponent.unsigned_abs()).unwrap_or(0),
                parts.fraction.is_empty() && spent <= 15,
            )
        }
        _ => (exponent, 1, digits <= SAFE_DIGITS),
    };
    if !fits {
        return Ok(None);
    }
    let scale = scale.wrapping_sub(i32::try_from(parts.fraction.len()).unwrap_or(0));
    if scale < NANO {
        return Ok(None);
    }
    let shifted = format!("{}{}", parts.whole, parts.fraction);
    let value: i64 = shifted.parse().map_err(|_| QuantityError::Number)?;
    let Some(result) = value.checked_mul(factor) else { return Ok(None) };
    // Text that is canonical already is kept.
    let canonical = match format {
        QuantityFormat::BinarySi => exponent % 10 == 0 && value & 7 != 0,
        _ => scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'),
    } || text == "0";
    let value = if parts.negative { -result } else { result };
    let text = canonical.then(|| text.into());
    Ok(Some(Quantity { amount: Amount::Small { value, exponent: scale }, format, text }))
}

fn large(
    parts: &QuantityParts<'_>,
    exponent: i32,
    mut format: QuantityFormat,
) -> Result<Quantity, QuantityError> {
    if !parts.number.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(QuantityError::Number);
    }
    let fraction = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
    let digits = parts.whole.bytes().chain(parts.fraction.bytes());
    let magnitude = Decimal::new(false, digits, 0);
    let mut magnitude = if format == QuantityFormat::BinarySi {
        magnitude.times_power_of_two(exponent.unsigned_abs()).with_exponent(-fraction)
    } else {
        magnitude.with_exponent(exponent.wrapping_sub(fraction))
    };
    let zero = Decimal::from_i64(0, 0);
    if magnitude.cmp(&zero).is_gt() {
        // Whoever asks for a little gets a little, so values round up.
        magnitude = magnitude.rounded_up_to(NANO).0;
    }
    if format == QuantityFormat::BinarySi {
        let max = Decimal::from_i64(i64::MAX, 0);
        if magnitude.cmp(&max).is_gt() {
            magnitude = max;
        }
        if magnitude.cmp(&zero).is_gt() && magnitude.cmp(&Decimal::from_i64(1, 0)).is_lt() {
            format = QuantityFormat::DecimalSi;
        }
    }
    let value = if parts.negative { magnitude.negated() } else { magnitude };
    Ok(Quantity { amount: Amount::Large(value), format, text: None })
}
