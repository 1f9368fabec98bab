//! The numbers that bounds and formats allow, as an interval.

use crdkit_schema::model::Schema;
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

impl Interval {
    /// What `schema` allows; of integers the ends belong to it.
    pub(super) fn of(schema: &Schema<'_>) -> Self {
        let bounds = schema.bounds();
        let end = |at: Option<f64>, open, none: f64| End { at: at.unwrap_or(none), open };
        let mut interval = Self {
            lower: end(bounds.minimum, bounds.exclusive_minimum, f64::NEG_INFINITY),
            upper: end(bounds.maximum, bounds.exclusive_maximum, f64::INFINITY),
        };
        let range = match (schema.type_name, schema.format) {
            ("integer", "int32") => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
            ("number", "float") => Some((f64::from(f32::MIN), f64::from(f32::MAX))),
            _ => None,
        };
        if let Some((low, high)) = range {
            if interval.lower.at < low {
                interval.lower = End { at: low, open: false };
            }
            if interval.upper.at > high {
                interval.upper = End { at: high, open: false };
            }
        }
        if schema.type_name == "integer" {
            interval.lower = whole(interval.lower, 1.0);
            interval.upper = whole(interval.upper, -1.0);
        }
        interval
    }

    /// Whether everything here is in `other`.
    pub(super) fn is_within(self, other: Self) -> bool {
        let looser = |end: End, limit: End, inside: bool| {
            inside || end.at == limit.at && (end.open || !limit.open)
        };
        looser(self.lower, other.lower, self.lower.at > other.lower.at)
            && looser(self.upper, other.upper, self.upper.at < other.upper.at)
    }

    /// Numbers at and around the ends of `other` and at the own ends.
    pub(super) fn edges(self, other: Self) -> Vec<f64> {
        let mut edges = Vec::new();
        for end in [other.upper, other.lower, self.upper, self.lower] {
            if end.at.is_finite() {
                edges.extend([end.at, end.at + 1.0, end.at - 1.0, end.at + 0.5, end.at - 0.5]);
            }
        }
        edges.retain(|edge| self.contains(*edge) && !other.contains(*edge));
        edges
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
        assert_eq!(closed.edges(open), [5.0, 0.0, 5.0, 0.0]);
        assert_eq!(whole(End { at: 6.0, open: true }, -1.0), End { at: 5.0, open: false });
        assert_eq!(whole(End { at: 5.5, open: false }, -1.0), End { at: 5.0, open: false });
    }
}
