//! Numbers: range of the type, `multipleOf`, `minimum`, `maximum`.
//!
//! A limit that the type itself cannot hold (`maximum: 1.5` on an integer) is a finding for every
//! number and is then compared in floats. Otherwise an integer meets the limit without its fraction.

use super::finding::{NumberSubject, Problem, Relation};
use super::{Instance, Keywords, Validator};
use crate::compile::{FormatKind, Node, Number, Types};
use crdkit_value::Kind;

/// A number as the checks see it.
#[derive(Clone, Copy)]
enum Seen {
    Int(i64),
    Float(f64),
}

impl<'t, K: Keywords<'t>> Validator<'t, K> {
    #[inline]
    pub(super) fn number(&mut self, at: &Instance<'t, '_>, kind: &Kind<'_>) -> u32 {
        let seen = match kind {
            Kind::Int(int) => Seen::Int(*int),
            Kind::Float(float) => Seen::Float(*float),
            _ => return 2,
        };
        if !fits(seen, at.node) {
            self.add(at, Problem::Range { subject: NumberSubject::Checked });
        }
        if let Some(bounds) = at.node.bounds() {
            if let Some(factor) = bounds.multiple_of {
                let seen = self.native(at, seen, factor, NumberSubject::MultipleOf);
                self.multiple_of(at, seen, factor.get());
            }
            if let Some(limit) = bounds.minimum {
                let seen = self.native(at, seen, limit, NumberSubject::Minimum);
                let relation =
                    if bounds.exclusive_minimum { Relation::Above } else { Relation::AtLeast };
                self.relation(at, seen, limit, relation);
            }
            if let Some(limit) = bounds.maximum {
                let seen = self.native(at, seen, limit, NumberSubject::Maximum);
                let relation =
                    if bounds.exclusive_maximum { Relation::Below } else { Relation::AtMost };
                self.relation(at, seen, limit, relation);
            }
        }
        2
    }

    /// The number as it is compared with `limit`: in floats if the type cannot hold the limit.
    fn native(
        &mut self,
        at: &Instance<'t, '_>,
        seen: Seen,
        limit: Number,
        subject: NumberSubject,
    ) -> Seen {
        if fits(Seen::Float(limit.get()), at.node) {
            return seen;
        }
        self.add(at, Problem::Range { subject });
        Seen::Float(seen.float())
    }

    fn relation(&mut self, at: &Instance<'t, '_>, seen: Seen, limit: Number, relation: Relation) {
        let holds = match seen {
            Seen::Int(int) => relation.holds(int.cmp(&truncate(limit.get()))),
            Seen::Float(float) => {
                float.partial_cmp(&limit.get()).is_some_and(|order| relation.holds(order))
            }
        };
        if !holds {
            self.add(at, Problem::Bound { relation, in_floats: seen.is_float() });
        }
    }

    fn multiple_of(&mut self, at: &Instance<'t, '_>, seen: Seen, factor: f64) {
        let (positive, multiple) = match seen {
            Seen::Int(int) => {
                let factor = truncate(factor);
                (factor > 0, factor > 0 && int % factor == 0)
            }
            Seen::Float(float) => {
                let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
                (factor > 0.0, is_integer(quotient))
            }
        };
        let in_floats = seen.is_float();
        if !positive {
            self.add(at, Problem::FactorNotPositive { in_floats });
        } else if !multiple {
            self.add(at, Problem::MultipleOf { in_floats });
        }
    }
}

impl Seen {
    #[expect(clippy::cast_precision_loss, reason = "what Go's float64(i) does")]
    fn float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }
}

/// Whether the type of `node`, if it is one number type, can hold the number.
fn fits(seen: Seen, node: &Node) -> bool {
    let format = node.format.map(|format| format.kind);
    match (node.types, format) {
        (Types::Integer, Some(FormatKind::Int32)) => match seen {
            Seen::Int(int) => i32::try_from(int).is_ok(),
            Seen::Float(float) => {
                float.fract() == 0.0 && float >= f64::from(i32::MIN) && float <= f64::from(i32::MAX)
            }
        },
        (Types::Integer, _) => match seen {
            Seen::Int(_) => true,
            Seen::Float(float) => float.fract() == 0.0 && is_in_i64(float),
        },
        (Types::Number, Some(FormatKind::Float)) => {
            #[expect(clippy::cast_possible_truncation, reason = "overflow is what is asked about")]
            let single = seen.float() as f32;
            single.is_finite()
        }
        _ => true,
    }
}

/// Whether a float counts as an integer in JSON: close enough to one, and small enough to tell.
pub fn is_integer(float: f64) -> bool {
    const MAX: f64 = 9_007_199_254_740_991.0;
    const TOLERANCE: f64 = 1e-9;
    let rounded = float.round();
    (-MAX..=MAX).contains(&float)
        && (float == rounded
            || rounded != 0.0 && (float - rounded).abs() < TOLERANCE * rounded.abs())
}

/// Whether an `int64` can hold a float, apart from its fraction.
pub fn is_in_i64(float: f64) -> bool {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (-LIMIT..LIMIT).contains(&float)
}

/// Go's conversion of a float to an `int64` on the server's hardware: towards zero, and the smallest
/// integer for all that does not fit.
pub fn truncate(float: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "in range")]
    let int = if is_in_i64(float) { float as i64 } else { i64::MIN };
    int
}
