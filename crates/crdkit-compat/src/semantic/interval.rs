//! The numbers that a schema allows, as the server compares them.
//!
//! An integer and a float of the same size are judged apart: an integer meets a limit without its
//! fraction, and a limit beyond all integers is the smallest one. A limit that the type cannot hold refuses
//! every number.

use crdkit_schema::model::Schema;
use crdkit_schema::validate::{is_in_i64, truncate};
use crdkit_value::Document;
use std::fmt;

/// An end of an interval: the last number that belongs to it, or the first that does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) at: f64,
    pub(super) open: bool,
}

/// From a lower to an upper end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) lower: End,
    pub(super) upper: End,
}

/// Integers and floats that limits and formats allow; nothing where there are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    ints: Option<(i64, i64)>,
    floats: Option<Interval>,
    /// Whether floats have no fraction.
    is_whole: bool,
}

/// Floats beyond this one are never taken for integers.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;
/// The least number that rounds to infinity as a 32-bit float.
const BEYOND_SINGLE: f64 = f32::MAX as f64 + 1.014_120_480_182_583_5e31;

impl Numbers {
    /// What `schema` allows.
    pub(super) fn of(schema: &Schema<'_>) -> Self {
        let bounds = schema.bounds();
        let is_whole = schema.type_name == "integer";
        let limits = [bounds.minimum, bounds.maximum, bounds.multiple_of];
        if limits.into_iter().flatten().any(|limit| !holds(schema, limit)) {
            return Self { ints: None, floats: None, is_whole };
        }
        Self { ints: ints(schema), floats: floats(schema), is_whole }
    }

    /// Whether everything here is in `other`.
    pub(super) fn is_within(self, other: Self) -> bool {
        let ints = match (self.ints, other.ints) {
            (Some(own), Some(other)) => own.0 >= other.0 && own.1 <= other.1,
            (own, _) => own.is_none(),
        };
        let floats = match (self.floats, other.floats) {
            (Some(own), Some(other)) => own.is_within(other),
            (own, _) => own.is_none(),
        };
        ints && floats
    }

    pub(super) fn has_int(self, int: i64) -> bool {
        self.ints.is_some_and(|(low, high)| low <= int && int <= high)
    }

    pub(super) fn has_float(self, float: f64) -> bool {
        (!self.is_whole || float.fract() == 0.0)
            && self.floats.is_some_and(|floats| floats.contains(float))
    }

    /// The largest distance from zero.
    pub(super) fn reach(self) -> f64 {
        let hull = self.hull();
        hull.map_or(0.0, |hull| hull.lower.at.abs().max(hull.upper.at.abs()))
    }

    /// From the least to the largest, in floats; integers without a limit have none here.
    pub(super) fn hull(self) -> Option<Interval> {
        let end = |at, open| End { at, open };
        #[expect(clippy::cast_precision_loss, reason = "rounding keeps the order")]
        let ints = self.ints.map(|(low, high)| Interval {
            lower: end(if low == i64::MIN { f64::NEG_INFINITY } else { low as f64 }, false),
            upper: end(if high == i64::MAX { f64::INFINITY } else { high as f64 }, false),
        });
        let (Some(ints), Some(floats)) = (ints, self.floats) else { return ints.or(self.floats) };
        let is_lower = |one: End, other: End| one.at < other.at || one.at == other.at && !one.open;
        let is_upper = |one: End, other: End| one.at > other.at || one.at == other.at && !one.open;
        Some(Interval {
            lower: if is_lower(ints.lower, floats.lower) { ints.lower } else { floats.lower },
            upper: if is_upper(ints.upper, floats.upper) { ints.upper } else { floats.upper },
        })
    }

    /// Numbers of these at and around the ends of `other` and at the own ends that `other` does not have.
    pub(super) fn beyond(self, other: Self) -> Vec<Document> {
        let ends = |of: Self| of.ints.into_iter().flat_map(|(low, high)| [high, low]);
        let ints = ends(other).chain(ends(self)).chain([1]);
        let ints = ints.flat_map(|at| [at, at.saturating_add(1), at.saturating_sub(1)]);
        let ints = ints.filter(|int| self.has_int(*int) && !other.has_int(*int));
        let ends = |of: Self| of.floats.into_iter().flat_map(|it| [it.upper.at, it.lower.at]);
        let floats = ends(other).chain(ends(self)).filter(|at| at.is_finite()).chain([1.0]);
        let floats = floats.flat_map(|at| {
            [at + 0.5, at - 0.5, at, at + 1.0, at - 1.0, at.next_up(), at.next_down()]
        });
        let floats = floats.filter(|float| self.has_float(*float) && !other.has_float(*float));
        ints.map(Document::from).chain(floats.map(Document::from)).collect()
    }
}

/// Whether the type of a schema can hold one of its limits.
fn holds(schema: &Schema<'_>, limit: f64) -> bool {
    match (schema.type_name, schema.format) {
        ("integer", "int32") => {
            limit.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&limit)
        }
        ("integer", _) => limit.fract() == 0.0 && is_in_i64(limit),
        ("number", "float") => limit.abs() < BEYOND_SINGLE,
        _ => true,
    }
}

fn ints(schema: &Schema<'_>) -> Option<(i64, i64)> {
    let bounds = schema.bounds();
    let (mut low, mut high) = match (schema.type_name, schema.format) {
        ("integer", "int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    if let Some(limit) = bounds.minimum.map(truncate) {
        low = low.max(if bounds.exclusive_minimum { limit.checked_add(1)? } else { limit });
    }
    if let Some(limit) = bounds.maximum.map(truncate) {
        high = high.min(if bounds.exclusive_maximum { limit.checked_sub(1)? } else { limit });
    }
    (low <= high).then_some((low, high))
}

fn floats(schema: &Schema<'_>) -> Option<Interval> {
    let bounds = schema.bounds();
    let is_either = schema.extensions().int_or_string;
    let reach = match (schema.type_name, schema.format) {
        ("integer", "int32") => End { at: f64::from(i32::MAX) + 1.0, open: true },
        ("number", "float") => End { at: BEYOND_SINGLE, open: true },
        (name, _) if name == "integer" || is_either => End { at: LARGEST_WHOLE, open: false },
        _ => End { at: f64::INFINITY, open: true },
    };
    let mut interval = Interval { lower: End { at: -reach.at, ..reach }, upper: reach };
    if schema.format == "int32" && schema.type_name == "integer" {
        interval.lower.open = false;
    }
    if let Some(at) = bounds.minimum {
        let limit = End { at, open: bounds.exclusive_minimum };
        if at > interval.lower.at || at == interval.lower.at && limit.open {
            interval.lower = limit;
        }
    }
    if let Some(at) = bounds.maximum {
        let limit = End { at, open: bounds.exclusive_maximum };
        if at < interval.upper.at || at == interval.upper.at && limit.open {
            interval.upper = limit;
        }
    }
    if schema.type_name == "integer" {
        interval.lower = whole(interval.lower, 1.0);
        interval.upper = whole(interval.upper, -1.0);
    }
    let (lower, upper) = (interval.lower, interval.upper);
    let is_empty = lower.at > upper.at || lower.at == upper.at && (lower.open || upper.open);
    (!is_empty).then_some(interval)
}

impl Interval {
    /// Whether everything here is in `other`.
    pub(super) fn is_within(self, other: Self) -> bool {
        let looser = |end: End, limit: End, inside: bool| {
            inside || end.at == limit.at && (end.open || !limit.open)
        };
        looser(self.lower, other.lower, self.lower.at > other.lower.at)
            && looser(self.upper, other.upper, self.upper.at < other.upper.at)
    }

    pub(super) fn contains(self, number: f64) -> bool {
        let above = number > self.lower.at || number == self.lower.at && !self.lower.open;
        let below = number < self.upper.at || number == self.upper.at && !self.upper.open;
        above && below
    }
}

/// As people write it: `from 1 to 5`, `below 6`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |end: End, open: &'static str, closed| if end.open { open } else { closed };
        let (low, high) = (self.lower, self.upper);
        match (low.at.is_finite(), high.at.is_finite()) {
            (true, true) if !low.open && !high.open => write!(f, "from {} to {}", low.at, high.at),
            (true, true) => write!(
                f,
                "{} {} and {} {}",
                word(low, "above", "from"),
                low.at,
                word(high, "below", "up to"),
                high.at
            ),
            (true, false) => write!(f, "{} {}", word(low, "above", "from"), low.at),
            (false, true) => write!(f, "{} {}", word(high, "below", "up to"), high.at),
            (false, false) => f.write_str("of any size"),
        }
    }
}

/// The end as the nearest integer inside; `inside` is the direction.
fn whole(end: End, inside: f64) -> End {
    if !end.at.is_finite() {
        return end;
    }
    let at = if inside > 0.0 { end.at.ceil() } else { end.at.floor() };
    let excluded = end.open && at == end.at;
    End { at: if excluded { at + inside } else { at }, open: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_end_is_inside_a_closed_one() {
        let interval = |low, low_open, high, high_open| Interval {
            lower: End { at: low, open: low_open },
            upper: End { at: high, open: high_open },
        };
        let closed = interval(0.0, false, 5.0, false);
        let open = interval(0.0, true, 5.0, true);
        assert!(open.is_within(closed) && !closed.is_within(open));
        assert_eq!(whole(End { at: 6.0, open: true }, -1.0), End { at: 5.0, open: false });
        assert_eq!(whole(End { at: 5.5, open: false }, -1.0), End { at: 5.0, open: false });
    }

    #[test]
    fn a_single_holds_what_rounds_to_one() {
        #[expect(clippy::cast_possible_truncation, reason = "overflow is what is asked about")]
        let single = |number: f64| number as f32;
        assert!(single(BEYOND_SINGLE).is_infinite());
        assert!(single(BEYOND_SINGLE.next_down()).is_finite());
    }
}
