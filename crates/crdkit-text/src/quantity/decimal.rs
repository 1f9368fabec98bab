//! Decimal numbers of any length: digits and a power of ten.
//!
//! Enough arithmetic for quantities: sums, order, rounding away from zero. Digits are kept one per byte; such
//! numbers are rare and short, so plain is better than fast.

use std::cmp::Ordering;

/// More digits than this are not worked out.
const MAX_DIGITS: i64 = 10_000;

/// `±digits * 10^exponent`.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    negative: bool,
    /// Most significant first, no leading zeros; none at all for zero.
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    /// Reads ASCII digits; anything else in the text is skipped.
    pub(super) fn new(negative: bool, digits: impl IntoIterator<Item = u8>, exponent: i32) -> Self {
        let digits = digits.into_iter().filter(u8::is_ascii_digit).map(|digit| digit - b'0');
        let digits: Vec<u8> = digits.skip_while(|digit| *digit == 0).collect();
        Self { negative: negative && !digits.is_empty(), digits, exponent }
    }

    pub(super) fn from_i64(value: i64, exponent: i32) -> Self {
        Self::new(value < 0, value.unsigned_abs().to_string().into_bytes(), exponent)
    }

    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    pub(super) fn with_exponent(mut self, exponent: i32) -> Self {
        self.exponent = exponent;
        self
    }

    pub(super) fn sign(&self) -> Ordering {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    pub(super) fn negated(mut self) -> Self {
        self.negative = !self.negative && !self.digits.is_empty();
        self
    }

    /// The digits with their sign, the exponent left aside.
    pub(super) fn unscaled(&self) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let sign = if self.negative { "-" } else { "" };
        sign.chars().chain(self.digits.iter().map(|digit| char::from(b'0' + digit))).collect()
    }

    /// Multiplies by a power of two below 2^61.
    pub(super) fn times_power_of_two(mut self, power: u32) -> Self {
        let mut carry = 0_u128;
        for digit in self.digits.iter_mut().rev() {
            let product = (u128::from(*digit) << power) + carry;
            *digit = u8::try_from(product % 10).unwrap_or(0);
            carry = product / 10;
        }
        if carry > 0 {
            let high = carry.to_string().into_bytes();
            self.digits.splice(0..0, high.into_iter().map(|digit| digit - b'0'));
        }
        self
    }

    /// Appends zeros until the exponent is `exponent`, which must not be larger; nothing when that is too long.
    fn padded_to(&self, exponent: i32) -> Option<Self> {
        let zeros = i64::from(self.exponent) - i64::from(exponent);
        if self.digits.is_empty() {
            return Some(self.clone().with_exponent(exponent));
        }
        if zeros < 0 || zeros + i64::try_from(self.digits.len()).ok()? > MAX_DIGITS {
            return None;
        }
        let mut padded = self.clone().with_exponent(exponent);
        padded.digits.resize(padded.digits.len() + usize::try_from(zeros).ok()?, 0);
        Some(padded)
    }

    /// Gives the number the exponent `exponent`, rounding away from zero, and says whether nothing was lost.
    ///
    /// A number so large that this would take too many digits is left as it is.
    pub(super) fn rounded_up_to(&self, exponent: i32) -> (Self, bool) {
        if exponent <= self.exponent {
            return (self.padded_to(exponent).unwrap_or_else(|| self.clone()), true);
        }
        let dropped = i64::from(exponent) - i64::from(self.exponent);
        let dropped = usize::try_from(dropped).unwrap_or(usize::MAX);
        let kept = self.digits.len().saturating_sub(dropped);
        let (kept, lost) = self.digits.split_at(kept);
        let mut rounded = Self { negative: self.negative, digits: kept.to_vec(), exponent };
        let exact = lost.iter().all(|digit| *digit == 0);
        if !exact {
            rounded.increment();
        }
        rounded.negative &= !rounded.digits.is_empty();
        (rounded, exact)
    }

    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    pub(super) fn add(&self, other: &Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let (left, right) = (self.padded_to(exponent)?, other.padded_to(exponent)?);
        if left.negative == right.negative {
            let digits = add_digits(&left.digits, &right.digits);
            return Some(Self { negative: left.negative, digits, exponent });
        }
        let (large, small) = match compare_digits(&left.digits, &right.digits) {
            Ordering::Less => (right, left),
            _ => (left, right),
        };
        let digits = subtract_digits(&large.digits, &small.digits);
        Some(Self { negative: large.negative && !digits.is_empty(), digits, exponent })
    }

    /// Moves trailing zeros into the exponent.
    pub(super) fn without_factors_of_ten(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent = self.exponent.wrapping_add(1);
        }
        self
    }

    /// Multiplies the digits by ten, so that the exponent falls by one.
    pub(super) fn shifted(mut self) -> Self {
        self.digits.push(0);
        self.exponent = self.exponent.wrapping_sub(1);
        self
    }

    /// Divides the digits by 1024 as often as that leaves no rest; gives how often.
    pub(super) fn without_factors_of_1024(mut self) -> (Self, u32) {
        let mut times = 0;
        while !self.digits.is_empty() {
            let mut rest = 0_u32;
            let quotient = self.digits.iter().map(|digit| {
                let value = rest * 10 + u32::from(*digit);
                rest = value % 1024;
                b'0' + u8::try_from(value / 1024).unwrap_or(0)
            });
            let quotient = Self::new(self.negative, quotient.collect::<Vec<_>>(), self.exponent);
            if rest != 0 {
                break;
            }
            self = quotient;
            times += 1;
        }
        (self, times)
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.sign();
        if sign != other.sign() || sign == Ordering::Equal {
            return sign.cmp(&other.sign());
        }
        let magnitude = self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Equal lengths before the point: compare digit by digit, as if padded with zeros.
            let length = self.digits.len().max(other.digits.len());
            let padded = |digits: &[u8]| {
                digits.iter().copied().chain(std::iter::repeat(0)).take(length).collect::<Vec<_>>()
            };
            padded(&self.digits).cmp(&padded(&other.digits))
        });
        if self.negative { magnitude.reverse() } else { magnitude }
    }

    /// The position of the first digit.
    fn magnitude(&self) -> i64 {
        i64::try_from(self.digits.len())
            .unwrap_or(i64::MAX)
            .saturating_add(i64::from(self.exponent))
    }
}

fn compare_digits(left: &[u8], right: &[u8]) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn add_digits(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(left.len().max(right.len()) + 1);
    let (mut left, mut right) = (left.iter().rev(), right.iter().rev());
    let mut carry = 0;
    loop {
        let (a, b) = (left.next(), right.next());
        if a.is_none() && b.is_none() {
            break;
        }
        let sum = a.copied().unwrap_or(0) + b.copied().unwrap_or(0) + carry;
        digits.push(sum % 10);
        carry = sum / 10;
    }
    if carry > 0 {
        digits.push(carry);
    }
    digits.reverse();
    digits
}

/// `large - small`, where `large` is not the smaller.
fn subtract_digits(large: &[u8], small: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(large.len());
    let mut small = small.iter().rev();
    let mut borrow = 0;
    for digit in large.iter().rev() {
        let taken = small.next().copied().unwrap_or(0) + borrow;
        borrow = u8::from(*digit < taken);
        digits.push(digit + 10 * borrow - taken);
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits.reverse();
    digits
}
