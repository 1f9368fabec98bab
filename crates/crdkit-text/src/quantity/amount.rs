//! The value of a quantity: a 64-bit number with a power of ten where that fits, decimal digits where not.
//!
//! Which of the two forms a value is held in shows: only the fast form converts to an integer, and the two convert
//! to floats along different ways. Hence the rules for when a sum leaves the fast form are the server's.

use std::cmp::Ordering;

use super::decimal::Decimal;

#[derive(Clone, Debug)]
pub(super) enum Amount {
    /// `value * 10^exponent`.
    Small {
        value: i64,
        exponent: i32,
    },
    Large(Decimal),
}

impl Amount {
    pub(super) fn sign(&self) -> Ordering {
        match self {
            Self::Small { value, .. } => value.cmp(&0),
            Self::Large(decimal) => decimal.sign(),
        }
    }

    pub(super) fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Small { value, exponent } => scaled_up(value, exponent),
            Self::Large(_) => None,
        }
    }

    pub(super) fn as_f64(&self) -> f64 {
        let (base, exponent) = match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the nearest float is what is asked for"
            )]
            Self::Small { value, exponent } => (*value as f64, *exponent),
            Self::Large(decimal) => (decimal.unscaled().parse().unwrap_or(0.0), decimal.exponent()),
        };
        if exponent == 0 { base } else { base * power_of_ten(exponent) }
    }

    pub(super) fn to_decimal(&self) -> Decimal {
        match self {
            Self::Small { value, exponent } => Decimal::from_i64(*value, *exponent),
            Self::Large(decimal) => decimal.clone(),
        }
    }

    pub(super) fn negated(&self) -> Self {
        match self {
            Self::Small { value, exponent } => {
                Self::Small { value: value.wrapping_neg(), exponent: *exponent }
            }
            Self::Large(decimal) => Self::Large(decimal.clone().negated()),
        }
    }

    pub(super) fn add(&self, other: &Self) -> Option<Self> {
        if let (&Self::Small { value, exponent }, &Self::Small { value: more, exponent: at }) =
            (self, other)
            && let Some((value, exponent)) = add_small((value, exponent), (more, at))
        {
            return Some(Self::Small { value, exponent });
        }
        self.to_decimal().add(&other.to_decimal()).map(Self::Large)
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small { value, exponent }, Self::Small { value: than, exponent: at })
                if exponent == at =>
            {
                value.cmp(than)
            }
            _ => self.to_decimal().cmp(&other.to_decimal()),
        }
    }
}

fn add_small((value, exponent): (i64, i32), (more, at): (i64, i32)) -> Option<(i64, i32)> {
    match exponent.cmp(&at) {
        _ if more == 0 => Some((value, exponent)),
        _ if value == 0 => Some((more, at)),
        Ordering::Equal => Some((value.checked_add(more)?, exponent)),
        Ordering::Greater => {
            Some((scaled_up(value, exponent.checked_sub(at)?)?.checked_add(more)?, at))
        }
        Ordering::Less => {
            Some((value.checked_add(scaled_up(more, at.checked_sub(exponent)?)?)?, exponent))
        }
    }
}

/// `value * 10^exponent`, for a power of ten that is not below one and a result that fits.
fn scaled_up(value: i64, exponent: i32) -> Option<i64> {
    let exponent = u32::try_from(exponent).ok()?;
    if value == 0 {
        return Some(0);
    }
    value.checked_mul(10_i64.checked_pow(exponent)?)
}

/// `math.Pow10`: a product of two table entries, so not always the nearest float to the power.
fn power_of_ten(exponent: i32) -> f64 {
    const SMALL: [f64; 32] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
    ];
    const LARGE: [f64; 10] = [1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288];
    const TINY: [f64; 11] =
        [1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320];
    let magnitude = exponent.unsigned_abs() as usize;
    let small = SMALL.get(magnitude % 32).copied().unwrap_or(1.0);
    match exponent {
        0..=308 => LARGE.get(magnitude / 32).map_or(f64::INFINITY, |large| large * small),
        -323..0 => TINY.get(magnitude / 32).map_or(0.0, |tiny| tiny / small),
        ..0 => 0.0,
        _ => f64::INFINITY,
    }
}
