//! Prints a quantity in canonical form: no fraction, the largest suffix that loses nothing.

use std::cmp::Ordering;

use super::QuantityFormat;
use super::amount::Amount;

pub(super) fn canonical(amount: &Amount, format: QuantityFormat) -> String {
    if amount.sign() == Ordering::Equal {
        return "0".to_owned();
    }
    if format == QuantityFormat::BinarySi
        && let Some(text) = binary(amount)
    {
        return text;
    }
    let (number, exponent) = thousands(amount);
    let suffix = match (format, exponent) {
        (QuantityFormat::DecimalExponent, 0) => String::new(),
        (QuantityFormat::DecimalExponent, exponent) => format!("e{exponent}"),
        (_, exponent) => decimal_suffix(exponent).to_owned(),
    };
    number + &suffix
}

/// The binary form; a value below 1024 or with a fraction has none.
fn binary(amount: &Amount) -> Option<String> {
    let limit = |value| Amount::Small { value, exponent: 0 };
    if amount.cmp(&limit(-1024)).is_gt() && amount.cmp(&limit(1024)).is_lt() {
        return None;
    }
    let (whole, true) = amount.to_decimal().rounded_up_to(0) else { return None };
    let (number, times) = whole.without_factors_of_1024();
    let suffix = match times {
        1 => "Ki",
        2 => "Mi",
        3 => "Gi",
        4 => "Ti",
        5 => "Pi",
        6 => "Ei",
        // The server has no suffix to print here either.
        _ => "",
    };
    Some(number.unscaled() + suffix)
}

/// Digits and a power of ten that is a multiple of three.
fn thousands(amount: &Amount) -> (String, i32) {
    let mut number = amount.to_decimal().without_factors_of_ten();
    while number.exponent() % 3 != 0 {
        number = number.shifted();
    }
    (number.unscaled(), number.exponent())
}

fn decimal_suffix(exponent: i32) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        // One, and what the server has no suffix for.
        _ => "",
    }
}
