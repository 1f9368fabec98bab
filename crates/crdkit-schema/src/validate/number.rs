//! Bounds of numbers.
//!
//! A bound is a double. Against an integer value it is cut to an integer, unless the schema is for
//! integers and the bound is none: then that is a finding of its own and doubles are compared.

use super::name::Name;
use super::outcome::Outcome;
use super::{Expected, Validator, shown};
use crate::model::Schema;
use crdkit_issue::{Arg, Code, codes};
use crdkit_text::number::{decimal, shortest};
use crdkit_value::{Kind, Value};

/// Whether a double is close enough to an integer to pass for one, as the server decides it.
pub(super) fn is_integral(float: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !float.is_finite() || float.abs() > LARGEST {
        return false;
    }
    let whole = float.trunc();
    // Only from above: the server compares with the next integer towards zero, and gets nonsense for
    // negative numbers that are not whole.
    float == whole || (whole > 0.0 && (float - whole) / (float + whole) < 1e-9)
}

/// A bound or factor beside the value it is compared with.
#[derive(Clone, Copy)]
enum Pair {
    Ints(i64, i64),
    Floats(f64, f64),
}

impl Validator<'_, '_> {
    pub(super) fn number(
        &self,
        schema: &Schema<'_>,
        expected: &Expected<'_>,
        value: Value<'_>,
        name: Name<'_>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let bounds = schema.bounds();
        let range = Range::of(expected);
        let text = match value.kind() {
            Kind::Int(int) => int.to_string(),
            _ => decimal(value.as_f64().unwrap_or_default()),
        };
        self.in_range(&range, &text, "Checked", name, &mut outcome);
        // The bound as it counts, and whether it fits the schema's own type.
        let mut pair = |bound: f64, what: &str, outcome: &mut Outcome| {
            let fits = self.in_range(&range, &decimal(bound), what, name, outcome);
            match value.kind() {
                #[expect(clippy::cast_possible_truncation, reason = "Go converts so")]
                Kind::Int(int) if fits => Pair::Ints(int, bound as i64),
                _ => Pair::Floats(value.as_f64().unwrap_or_default(), bound),
            }
        };
        if let Some(factor) = bounds.multiple_of {
            let pair = pair(factor, "MultipleOf", &mut outcome);
            self.multiple(pair, value, name, &mut outcome);
        }
        let exclusive = bounds.exclusive_minimum;
        if let Some(minimum) = bounds.minimum {
            let pair = pair(minimum, "Minimum boundary", &mut outcome);
            let (below, limit) = compare(pair, |value, bound| value < bound, |value, bound| value < bound, exclusive);
            if below {
                let code = if exclusive { EXCLUSIVE_MINIMUM } else { codes::validate::MINIMUM };
                outcome.add(self.keyed(code, name).value(self.number_shown(pair, value)).with("limit", limit));
            }
        }
        let exclusive = bounds.exclusive_maximum;
        if let Some(maximum) = bounds.maximum {
            let pair = pair(maximum, "Maximum boundary", &mut outcome);
            let (above, limit) = compare(pair, |value, bound| value > bound, |value, bound| value > bound, exclusive);
            if above {
                let code = if exclusive { EXCLUSIVE_MAXIMUM } else { codes::validate::MAXIMUM };
                outcome.add(self.keyed(code, name).value(self.number_shown(pair, value)).with("limit", limit));
            }
        }
        outcome.matched();
        outcome
    }

    /// Compared as doubles, an integer is shown as one, which looks the same.
    #[expect(clippy::unused_self, reason = "reads like the other steps")]
    fn number_shown(&self, pair: Pair, value: Value<'_>) -> Arg {
        match pair {
            Pair::Ints(int, _) => Arg::from(int),
            Pair::Floats(float, _) if value.as_i64().is_some() => {
                Arg::Literal(shortest(float).into())
            }
            Pair::Floats(..) => shown(value),
        }
    }

    fn multiple(&self, pair: Pair, value: Value<'_>, name: Name<'_>, outcome: &mut Outcome) {
        let (positive, multiple, factor) = match pair {
            Pair::Ints(int, factor) => {
                (factor > 0, int.checked_rem(factor) == Some(0), factor.to_string())
            }
            Pair::Floats(float, factor) => {
                let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
                (factor > 0.0, is_integral(quotient), shortest(factor))
            }
        };
        if !positive {
            let issue = self.keyed(codes::validate::MULTIPLE_OF_FACTOR, name);
            outcome.add(issue.value(Arg::Literal(factor.clone().into())).with("factor", factor));
        } else if !multiple {
            let issue = self.keyed(codes::validate::MULTIPLE_OF, name);
            outcome.add(issue.value(self.number_shown(pair, value)).with("factor", factor));
        }
    }

    fn in_range(
        &self,
        range: &Range<'_>,
        text: &str,
        what: &str,
        name: Name<'_>,
        outcome: &mut Outcome,
    ) -> bool {
        let fits = range.holds(text);
        if !fits {
            let format = match range.format {
                "" => "(default format)".to_owned(),
                format => format!("with format {format}"),
            };
            let issue = self.plain(codes::validate::NUMBER_RANGE, &name.to_string());
            let issue = issue.with("what", what).with("type", range.type_name);
            outcome.add(issue.with("format", format));
        }
        fits
    }
}

const EXCLUSIVE_MINIMUM: Code = codes::validate::EXCLUSIVE_MINIMUM;
const EXCLUSIVE_MAXIMUM: Code = codes::validate::EXCLUSIVE_MAXIMUM;

/// Whether a value is beyond a bound, and the bound as it is shown.
fn compare(
    pair: Pair,
    ints: fn(i64, i64) -> bool,
    floats: fn(f64, f64) -> bool,
    exclusive: bool,
) -> (bool, String) {
    match pair {
        Pair::Ints(int, bound) => {
            (ints(int, bound) || (exclusive && int == bound), bound.to_string())
        }
        Pair::Floats(float, bound) => {
            (floats(float, bound) || (exclusive && float == bound), shortest(bound))
        }
    }
}

/// What a number must be able to be converted to.
struct Range<'s> {
    type_name: &'s str,
    format: &'s str,
}

impl<'s> Range<'s> {
    /// Only a schema with exactly one type, a numeric one, has a range.
    fn of(expected: &Expected<'s>) -> Self {
        let (type_name, format) = match (expected.types, expected.format) {
            (["integer"], format @ ("int32" | "int64")) => ("integer", format),
            (["integer"], _) => ("integer", ""),
            (["number"], format @ ("float" | "double")) => ("number", format),
            (["number"], _) => ("number", ""),
            _ => ("", ""),
        };
        Self { type_name, format }
    }

    fn holds(&self, text: &str) -> bool {
        match (self.type_name, self.format) {
            ("integer", "int32") => text.parse::<i32>().is_ok(),
            ("integer", _) => text.parse::<i64>().is_ok(),
            ("number", "float") => text.parse::<f32>().is_ok_and(f32::is_finite),
            _ => true,
        }
    }
}
