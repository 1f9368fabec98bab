//! Decimal numbers of any size, exactly: compared, and asked whether one is a multiple of another.
//!
//! A number is its digits without zeros at either end, an exponent and a sign, so that equal numbers are
//! equal records whatever their spelling. No function takes longer because an exponent is large.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    /// ASCII digits; none for zero.
    digits: Box<str>,
    /// How many places the last digit stands left of the point.
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number; zeros in front do no harm.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let places = i64::try_from(fraction.len()).ok()?;
        Some(Self::new(negative, &[whole, fraction].concat(), exponent.saturating_sub(places)))
    }

    /// The double, by its shortest spelling; none if it is not finite.
    pub fn from_f64(float: f64) -> Option<Self> {
        float.is_finite().then(|| Self::parse(&format!("{float:e}"))).flatten()
    }

    fn new(negative: bool, digits: &str, exponent: i64) -> Self {
        let trimmed = digits.trim_end_matches('0');
        let zeros = i64::try_from(digits.len() - trimmed.len()).unwrap_or(i64::MAX);
        let digits = trimmed.trim_start_matches('0');
        if digits.is_empty() {
            return Self::default();
        }
        Self { negative, digits: digits.into(), exponent: exponent.saturating_add(zeros) }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether there is nothing after the point.
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The significant digits, none for zero.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// How many places the last significant digit stands left of the point.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The integer it is, if it is one of 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        if !(0..20).contains(&self.exponent) {
            return None;
        }
        if self.is_zero() {
            return Some(0);
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}{}", self.digits, "0".repeat(zeros)).parse().ok()
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", if self.is_zero() { "0" } else { &self.digits }, self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// Whether it is an integer times `factor`. Nothing but zero is a multiple of zero.
    pub fn is_multiple_of(&self, factor: &Self) -> bool {
        if self.is_zero() || factor.is_zero() {
            return self.is_zero();
        }
        // The last digit of neither is zero, so places that only this number has cannot cancel out.
        let Ok(shift) = u64::try_from(i128::from(self.exponent) - i128::from(factor.exponent))
        else {
            return false;
        };
        let Ok(modulus) = factor.digits.parse::<u128>() else {
            return self.is_multiple_in_floats(factor);
        };
        if modulus > u128::MAX / 16 {
            return self.is_multiple_in_floats(factor);
        }
        let digits = self.digits.bytes().map(|digit| u128::from(digit - b'0'));
        let rest = digits.fold(0, |rest, digit| (rest * 10 + digit) % modulus);
        multiply(rest, power(10, shift, modulus), modulus) == 0
    }

    /// For factors with more digits than machine numbers have.
    fn is_multiple_in_floats(&self, factor: &Self) -> bool {
        (self.to_f64() / factor.to_f64()).fract() == 0.0
    }

    /// Where the first digit stands, counted from the point.
    fn magnitude(&self) -> i128 {
        i128::from(self.exponent) + self.digits.len() as i128
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits))
    }
}

fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // What is beyond this makes no difference to any comparison with a number people write.
    let exponent = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if negative { -exponent } else { exponent })
}

/// `left * right % modulus`, for a modulus of at most 124 bits.
fn multiply(mut left: u128, mut right: u128, modulus: u128) -> u128 {
    let mut product = 0;
    left %= modulus;
    while right > 0 {
        if right & 1 == 1 {
            product = (product + left) % modulus;
        }
        left = left * 2 % modulus;
        right >>= 1;
    }
    product
}

/// `base ^ exponent % modulus`.
fn power(base: u128, mut exponent: u64, modulus: u128) -> u128 {
    let (mut result, mut base) = (1 % modulus, base % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent >>= 1;
    }
    result
}

impl From<i64> for Decimal {
    fn from(int: i64) -> Self {
        Self::new(int < 0, &int.unsigned_abs().to_string(), 0)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            1 => self.compare_size(other),
            -1 => other.compare_size(self),
            _ => Ordering::Equal,
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Plain where that takes no row of zeros, else with an exponent: `1000000`, `0.001`, `1e21`, `1.5e-7`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let length = self.digits.len();
        let scientific = self.magnitude() - 1;
        if scientific < -6 || scientific >= 21 && self.exponent > 0 {
            let (first, rest) = self.digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            return write!(f, "{first}{point}{rest}e{scientific}");
        }
        if let Ok(zeros) = usize::try_from(self.exponent) {
            return write!(f, "{}{}", self.digits, "0".repeat(zeros));
        }
        let places = usize::try_from(-self.exponent).unwrap_or(usize::MAX);
        match length.checked_sub(places).filter(|whole| *whole > 0) {
            Some(whole) => {
                let (whole, fraction) = self.digits.split_at(whole);
                write!(f, "{whole}.{fraction}")
            }
            None => write!(f, "0.{}{}", "0".repeat(places - length), self.digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("`{text}` is not a number"))
    }

    #[test]
    fn equal_numbers_are_equal_records() {
        for same in [
            &["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000"][..],
            &["0", "-0", "0.0", "0e99", "-0.0e-7"],
            &["-120", "-1.2e2", "-12e+1"],
        ] {
            for text in same {
                assert_eq!(decimal(text), decimal(same[0]), "{text}");
            }
        }
    }

    #[test]
    fn what_json_does_not_call_a_number_is_none() {
        for text in ["", "-", ".5", "1.", "1e", "1e+", "e1", "+1", "1.2.3", "0x1", "Infinity"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let sorted = [
            "-1e400",
            "-12",
            "-1.5",
            "-1e-400",
            "0",
            "1e-400",
            "0.09",
            "0.1",
            "1",
            "9.99",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e400",
            "1e1000000000",
        ];
        for (at, left) in sorted.iter().enumerate() {
            for (other, right) in sorted.iter().enumerate() {
                assert_eq!(decimal(left).cmp(&decimal(right)), at.cmp(&other), "{left} {right}");
            }
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (number, factor, expected) in [
            ("4.35", "0.01", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e308", "0.123456789", false),
            ("12391239123", "1e-8", true),
            ("9007199254740993", "2", false),
            ("1e1000000000", "7", false),
            ("7e1000000000", "7", true),
            ("-6", "3", true),
            ("0", "5", true),
            ("1", "10", false),
            ("100", "1000", false),
        ] {
            assert_eq!(
                decimal(number).is_multiple_of(&decimal(factor)),
                expected,
                "{number} {factor}"
            );
        }
    }

    #[test]
    fn numbers_are_written_plainly_unless_that_needs_rows_of_zeros() {
        for (text, expected) in [
            ("1.0", "1"),
            ("1e6", "1000000"),
            ("100", "100"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e21"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("-1.2300", "-1.23"),
            ("15e-8", "1.5e-7"),
            ("-0", "0"),
        ] {
            assert_eq!(decimal(text).to_string(), expected);
        }
    }

    #[test]
    fn machine_numbers_come_and_go() {
        for int in [0, 1, -1, 10, i64::MAX, i64::MIN, 1 << 53] {
            assert_eq!(Decimal::from(int).to_i64(), Some(int));
        }
        assert_eq!(decimal("9223372036854775808").to_i64(), None);
        assert_eq!(decimal("1.5").to_i64(), None);
        assert_eq!(Decimal::from_f64(0.1), Some(decimal("0.1")));
        assert_eq!(decimal("1e400").to_f64(), f64::INFINITY);
        assert_eq!(Decimal::from_f64(f64::NAN), None);
    }
}
