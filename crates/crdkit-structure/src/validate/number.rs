//! Numbers by what they are worth: limits and multiples are exact, whatever the spelling.

use super::LooseProblem;
use super::LooseValidator;
use crate::compiled::Settings;
use crate::import::Numbers;
use crdkit_issue::{Issue, codes};
use crdkit_schema::compile::{FormatKind, Literal};
use crdkit_schema::validate::{Instance, Problem, Relation};
use crdkit_text::number::Decimal;
use crdkit_value::{Kind, NodeId, Value};

/// The number of a value.
pub(super) fn of(kind: &Kind<'_>) -> Option<Decimal> {
    match kind {
        Kind::Int(int) => Some(Decimal::from(*int)),
        Kind::Float(float) => Decimal::from_f64(*float),
        Kind::Number(text) => Decimal::parse(text),
        _ => None,
    }
}

pub(super) fn of_literal(literal: &Literal) -> Option<Decimal> {
    match literal {
        Literal::Int(int) => Some(Decimal::from(*int)),
        Literal::Float(float) => Decimal::from_f64(*float),
        _ => None,
    }
}

impl<'t> LooseValidator<'_, 't> {
    pub(super) fn decimal(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        kind: &Kind<'_>,
    ) {
        self.representation(at, settings, kind);
        let Some(more) = at.node.more() else { return };
        let range = &more.range;
        let limits = [
            (&range.minimum, Relation::AtLeast),
            (&range.exclusive_minimum, Relation::Above),
            (&range.maximum, Relation::AtMost),
            (&range.exclusive_maximum, Relation::Below),
        ];
        let bounded = limits.iter().any(|(limit, _)| limit.is_some());
        if bounded || range.multiple_of.is_some() || more.check.is_some() {
            let Some(number) = of(kind) else { return };
            for (limit, relation) in limits {
                if let Some(limit) = limit
                    && !relation.holds(number.cmp(limit))
                {
                    self.add(at, Problem::Beyond(LooseProblem::Limit { relation }));
                }
            }
            if let Some(factor) = &range.multiple_of
                && !number.is_multiple_of(factor)
            {
                self.add(at, Problem::Beyond(LooseProblem::Multiple));
            }
            self.number_format(at, &number);
        }
    }

    /// Formats of numbers, where formats are checked.
    fn number_format(&mut self, at: &Instance<'t, '_>, number: &Decimal) {
        let Some(more) = at.node.more().filter(|more| more.check.is_some()) else { return };
        let fits = match at.node.format.map(|format| format.kind) {
            Some(FormatKind::Int32) => {
                number.to_i64().is_some_and(|int| i32::try_from(int).is_ok())
            }
            Some(FormatKind::Int64) => number.to_i64().is_some(),
            #[expect(clippy::cast_possible_truncation, reason = "overflow is what is asked about")]
            Some(FormatKind::Float) => (number.to_f64() as f32).is_finite(),
            Some(FormatKind::Double) => number.to_f64().is_finite(),
            _ => true,
        };
        if !fits && more.format.is_some() {
            self.add(at, Problem::Beyond(LooseProblem::Format));
        }
    }

    /// Whether the number can be kept in what the settings say numbers are kept in.
    pub(super) fn representation(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &Settings,
        kind: &Kind<'_>,
    ) {
        if !is_kept(settings.numbers, kind) {
            self.add(at, Problem::Beyond(LooseProblem::Overflow));
        }
    }
}

/// Whether numbers that are kept as `numbers` says can be `kind`.
fn is_kept(numbers: Numbers, kind: &Kind<'_>) -> bool {
    match (numbers, kind) {
        (Numbers::Exact | Numbers::Decimal { .. } | Numbers::Float64 { lossy: true }, _)
        | (Numbers::BigInt | Numbers::Kubernetes, Kind::Int(_))
        | (Numbers::Kubernetes, Kind::Float(_)) => true,
        (Numbers::Float64 { lossy: false }, _) => of(kind).is_some_and(|number| {
            !number.is_integer() || Decimal::from_f64(number.to_f64()) == Some(number)
        }),
        (Numbers::BigInt, _) => of(kind).is_some_and(|number| number.is_integer()),
        (Numbers::Kubernetes, _) => of(kind).is_some_and(|number| {
            number.to_i64().is_some()
                || number.to_f64().is_finite()
                    && (!number.is_integer() || Decimal::from_f64(number.to_f64()) == Some(number))
        }),
    }
}

/// Numbers of `value` that cannot be kept, wherever they are: no schema need look at them.
pub(crate) fn unkept_numbers(settings: &Settings, value: Value<'_>) -> Vec<(NodeId, Issue)> {
    if matches!(settings.numbers, Numbers::Exact | Numbers::Decimal { .. }) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value.kind() {
            Kind::Array(items) => pending.extend(items),
            Kind::Object(members) => pending.extend(members.map(|(_, member)| member)),
            kind @ (Kind::Int(_) | Kind::Float(_) | Kind::Number(_))
                if !is_kept(settings.numbers, &kind) =>
            {
                found.push((value.id(), overflow(settings).at(value.path())));
            }
            _ => {}
        }
    }
    found
}

/// A number that cannot be kept.
pub(super) fn overflow(settings: &Settings) -> Issue {
    let mode = match settings.numbers {
        Numbers::Float64 { .. } => "a double",
        Numbers::BigInt => "an integer",
        Numbers::Kubernetes => "an integer of 64 bits or a double",
        Numbers::Exact | Numbers::Decimal { .. } => "a decimal",
    };
    Issue::error(codes::schema::NUMBER_OVERFLOW).with("mode", mode)
}
