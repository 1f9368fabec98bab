//! Kubernetes quantities: `100m`, `1.5Gi`, `12e6`.
//!
//! Takes text, gives a fixed-point number that remembers which kind of suffix it had. A value that fits is held as a
//! 64-bit number with a power of ten; anything else is held as decimal digits, rounded up to billionths.
//! Upstream: `k8s.io/apimachinery/pkg/api/resource`.

mod amount;
mod decimal;
mod parse;
mod text;

use std::cmp::Ordering;
use std::fmt;

use amount::Amount;

/// A parsed quantity.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: QuantityFormat,
    /// The text it was read from, when that is how it is printed.
    text: Option<Box<str>>,
}

/// Which suffixes a quantity is printed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityFormat {
    /// `12e6`.
    DecimalExponent,
    /// `12Mi`.
    BinarySi,
    /// `12M`.
    DecimalSi,
}

/// Why text is not a quantity, in the server's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The text has not the shape of a quantity.
    Format,
    /// The number cannot be read.
    Number,
    /// The suffix is not known.
    Suffix,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Number => "unable to parse numeric part of quantity",
            Self::Suffix => "unable to parse quantity's suffix",
        })
    }
}

impl std::error::Error for QuantityError {}

impl Quantity {
    /// Reads a quantity.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::quantity(text)
    }

    /// A whole number in the given format.
    pub fn from_i64(value: i64, format: QuantityFormat) -> Self {
        Self { amount: Amount::Small { value, exponent: 0 }, format, text: None }
    }

    /// Which suffixes it is printed with.
    pub fn format(&self) -> QuantityFormat {
        self.format
    }

    /// Less than zero, zero or more.
    pub fn sign(&self) -> Ordering {
        self.amount.sign()
    }

    /// Whether [`Quantity::as_i64`] has an answer. A whole number too large for the fast form does not count.
    pub fn is_integer(&self) -> bool {
        self.as_i64().is_some()
    }

    /// The value as a whole number, where that loses nothing and the value is held in the fast form.
    pub fn as_i64(&self) -> Option<i64> {
        self.amount.as_i64()
    }

    /// The value as a float, which may be a little off; the same little as on the server.
    pub fn as_f64(&self) -> f64 {
        self.amount.as_f64()
    }

    /// The value rounded up to thousandths, away from zero.
    #[must_use]
    pub fn rounded_up_to_milli(self) -> Self {
        let (rounded, exact) = self.amount.to_decimal().rounded_up_to(-3);
        if exact {
            return self;
        }
        Self { amount: Amount::Large(rounded), format: self.format, text: None }
    }

    /// The sum, or nothing when writing it down would take thousands of digits.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let format = if self.sign() == Ordering::Equal { other.format } else { self.format };
        Some(Self { amount: self.amount.add(&other.amount)?, format, text: None })
    }

    /// The difference, or nothing when writing it down would take thousands of digits.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        let format = if self.sign() == Ordering::Equal { other.format } else { self.format };
        Some(Self { amount: self.amount.add(&other.amount.negated())?, format, text: None })
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    /// By value: `1Ki` equals `1024`.
    fn cmp(&self, other: &Self) -> Ordering {
        self.amount.cmp(&other.amount)
    }
}

impl fmt::Display for Quantity {
    /// The canonical form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => f.write_str(&text::canonical(&self.amount, self.format)),
        }
    }
}
