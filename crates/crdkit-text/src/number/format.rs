//! Prints floating-point numbers as Go does.
//!
//! Where the point and the exponent go is Go's. The shortest digits are those nearest to the number, and the even ones
//! where two are equally near.

/// `%v` and `FormatFloat(f, 'g', -1, 64)`: an exponent below -4 or above 5 is written out.
pub fn shortest(value: f64) -> String {
    Shortest::new(value).general()
}

/// [`shortest`] for a 32-bit number.
pub fn shortest_f32(value: f32) -> String {
    Shortest::of(f64::from(value), zmij::Buffer::new().format(value)).general()
}

/// `FormatFloat(f, 'f', -1, 64)`: never an exponent.
pub fn decimal(value: f64) -> String {
    Shortest::new(value).positional()
}

/// `FormatFloat(f, 'e', -1, 64)`: always an exponent.
pub fn exponential(value: f64) -> String {
    Shortest::new(value).scientific(2)
}

/// `%.Nf`.
pub fn fixed(value: f64, precision: u16) -> String {
    special(value).map_or_else(|| format!("{value:.*}", usize::from(precision)), str::to_owned)
}

/// `%.Ne`.
pub fn scientific(value: f64, precision: u16) -> String {
    let text = format!("{value:.*e}", usize::from(precision));
    match (special(value), text.split_once('e')) {
        (Some(special), _) => special.to_owned(),
        (None, Some((mantissa, exponent))) => {
            with_exponent(mantissa, exponent.parse().unwrap_or_default(), 2)
        }
        (None, None) => text,
    }
}

/// The number as `encoding/json` writes it; infinities and NaN have no such form.
pub fn json(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let shortest = Shortest::new(value);
    let magnitude = value.abs();
    let positional = magnitude == 0.0 || (1e-6..1e21).contains(&magnitude);
    // A negative exponent loses its leading zero; a positive one has two digits anyway.
    Some(if positional { shortest.positional() } else { shortest.scientific(1) })
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

/// At least `width` digits of exponent, always with a sign.
fn with_exponent(mantissa: &str, exponent: i32, width: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0width$}", exponent.unsigned_abs())
}

/// A number in its shortest form, taken apart: its significant digits, with the point after the first of them.
struct Shortest {
    special: Option<&'static str>,
    sign: &'static str,
    digits: String,
    exponent: i32,
}

impl Shortest {
    fn new(value: f64) -> Self {
        Self::of(value, zmij::Buffer::new().format(value))
    }

    /// Takes `text`, which is `value` with or without a point and an exponent.
    fn of(value: f64, text: &str) -> Self {
        let text = text.trim_start_matches('-');
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let size = |n: usize| i32::try_from(n).unwrap_or_default();
        let n_zeros = size(all.len() - digits.len());
        let exponent = exponent.parse().unwrap_or(0) + size(whole.len()) - 1 - n_zeros;
        let is_zero = digits.is_empty();
        Self {
            special: special(value),
            sign: if value.is_sign_negative() { "-" } else { "" },
            digits: if is_zero { "0".into() } else { digits.trim_end_matches('0').into() },
            exponent: if is_zero { 0 } else { exponent },
        }
    }

    fn general(&self) -> String {
        if (-4..6).contains(&self.exponent) { self.positional() } else { self.scientific(2) }
    }

    fn positional(&self) -> String {
        let Self { special: None, sign, digits, exponent } = self else {
            return self.special.unwrap_or_default().to_owned();
        };
        match usize::try_from(exponent + 1) {
            Ok(point) if point >= digits.len() => format!("{sign}{digits:0<point$}"),
            Ok(point) if point > 0 => {
                let (whole, fraction) = digits.split_at(point);
                format!("{sign}{whole}.{fraction}")
            }
            _ => {
                let length = digits.len() + (exponent + 1).unsigned_abs() as usize;
                format!("{sign}0.{digits:0>length$}")
            }
        }
    }

    fn scientific(&self, width: usize) -> String {
        if let Some(special) = self.special {
            return special.to_owned();
        }
        let (first, rest) = self.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        with_exponent(&format!("{}{first}{point}{rest}", self.sign), self.exponent, width)
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
        assert_eq!(scientific(f64::NAN, 6), "NaN");
        assert_eq!(exponential(-1e20), "-1e+20");
        assert_eq!(exponential(0.0012), "1.2e-03");
        assert_eq!(decimal(1e22), "10000000000000000000000");
        assert_eq!(decimal(1.5e-7), "0.00000015");
        assert_eq!(decimal(f64::INFINITY), "+Inf");
    }
}
