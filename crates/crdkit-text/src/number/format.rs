//! Prints floating-point numbers as Go does.
//!
//! Where the point and the exponent go is Go's; the digits come from the standard library.

/// `%v` and `FormatFloat(f, 'g', -1, 64)`: an exponent below -4 or above 5 is written out.
pub fn shortest(value: f64) -> String {
    Digits::shortest(value).general()
}

/// [`shortest`] for a 32-bit number.
pub fn shortest_f32(value: f32) -> String {
    let places = fraction_digits(&format!("{value:e}"));
    Digits::of(f64::from(value), format!("{value:.places$e}")).general()
}

/// `FormatFloat(f, 'f', -1, 64)`: never an exponent.
pub fn decimal(value: f64) -> String {
    Digits::shortest(value).positional()
}

/// `%.Nf`.
pub fn fixed(value: f64, precision: u16) -> String {
    special(value).map_or_else(|| format!("{value:.*}", usize::from(precision)), str::to_owned)
}

/// `%.Ne`.
pub fn scientific(value: f64, precision: u16) -> String {
    Digits::of(value, format!("{value:.*e}", usize::from(precision))).scientific(2)
}

/// The number as `encoding/json` writes it; infinities and NaN have no such form.
pub fn json(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let digits = Digits::shortest(value);
    let magnitude = value.abs();
    let positional = magnitude == 0.0 || (1e-6..1e21).contains(&magnitude);
    // A negative exponent loses its leading zero; a positive one has two digits anyway.
    Some(if positional { digits.positional() } else { digits.scientific(1) })
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// How many digits stand after the point of a number in scientific notation.
///
/// The standard library finds how many digits are needed. Of two equally near numbers of that length it takes the
/// upper, Go the even one, as printing with that many digits does.
fn fraction_digits(scientific: &str) -> usize {
    let mantissa = scientific.split_once('e').map_or(scientific, |(mantissa, _)| mantissa);
    mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// A number in scientific notation, taken apart.
struct Digits {
    special: Option<&'static str>,
    mantissa: String,
    exponent: i32,
}

impl Digits {
    fn shortest(value: f64) -> Self {
        let places = fraction_digits(&format!("{value:e}"));
        Self::of(value, format!("{value:.places$e}"))
    }

    /// Takes `scientific`, the standard library's `d.ddde-7` form of `value`.
    fn of(value: f64, scientific: String) -> Self {
        let (mantissa, exponent) = match scientific.split_once('e') {
            Some((mantissa, exponent)) => (mantissa.to_owned(), exponent.parse().unwrap_or(0)),
            None => (scientific, 0),
        };
        Self { special: special(value), mantissa, exponent }
    }

    fn general(&self) -> String {
        if (-4..6).contains(&self.exponent) { self.positional() } else { self.scientific(2) }
    }

    fn positional(&self) -> String {
        if let Some(special) = self.special {
            return special.to_owned();
        }
        let (sign, digits) = self.digits();
        let point = self.exponent + 1;
        match usize::try_from(point) {
            Ok(point) if point > 0 && point < digits.len() => {
                let (whole, fraction) = digits.split_at(point);
                format!("{sign}{whole}.{fraction}")
            }
            Ok(point) if point > 0 => format!("{sign}{digits:0<point$}"),
            _ => {
                let zeros = "0".repeat(point.unsigned_abs() as usize);
                if digits == "0" { format!("{sign}0") } else { format!("{sign}0.{zeros}{digits}") }
            }
        }
    }

    /// At least `width` digits of exponent, always with a sign.
    fn scientific(&self, width: usize) -> String {
        if let Some(special) = self.special {
            return special.to_owned();
        }
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:0width$}", self.mantissa, self.exponent.unsigned_abs())
    }

    fn digits(&self) -> (&'static str, String) {
        match self.mantissa.strip_prefix('-') {
            Some(mantissa) => ("-", mantissa.replace('.', "")),
            None => ("", self.mantissa.replace('.', "")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_form_switches_to_an_exponent() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (123_456_789.0, "1.23456789e+08"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1e20, "1e+20"),
            (1e21, "1e+21"),
            (5e-324, "5e-324"),
            (2_095_571_743_398_537.0 + 0.25, "2.0955717433985372e+15"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(shortest(value), text);
        }
        assert_eq!(shortest_f32(0.1), "0.1");
        assert_eq!(shortest_f32(16_777_216.0), "1.6777216e+07");
    }

    #[test]
    fn json_writes_whole_numbers_up_to_twenty_one_digits() {
        for (value, text) in [
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (-0.0, "-0"),
            (3.0, "3"),
        ] {
            assert_eq!(json(value).as_deref(), Some(text));
        }
        assert_eq!(json(f64::NAN), None);
    }

    #[test]
    fn fixed_and_scientific_take_a_precision() {
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(1.0, 6), "1.000000");
        assert_eq!(scientific(1234.5, 2), "1.23e+03");
        assert_eq!(scientific(0.0, 6), "0.000000e+00");
        assert_eq!(decimal(1e22), "10000000000000000000000");
        assert_eq!(decimal(f64::INFINITY), "+Inf");
    }
}
