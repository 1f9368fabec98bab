//! Quantities: `kubernetes.Quantity`.

use std::cmp::Ordering;

use crdkit_text::quantity::{Quantity, QuantityFormat};

use super::no_overload;
use crate::cost::CostModel::{One, Parse};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("quantity(string) -> kubernetes.Quantity", Parse, to_quantity),
    define("isQuantity(string) -> bool", Parse, is_quantity),
    define("sign(kubernetes.Quantity) -> int", One, sign),
    define("kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) -> bool", One, is_greater_than),
    define("kubernetes.Quantity.isLessThan(kubernetes.Quantity) -> bool", One, is_less_than),
    define("kubernetes.Quantity.compareTo(kubernetes.Quantity) -> int", One, compare_to),
    define("kubernetes.Quantity.asApproximateFloat() -> double", One, as_approximate_float),
    define("kubernetes.Quantity.asInteger() -> int", One, as_integer),
    define("kubernetes.Quantity.isInteger() -> bool", One, is_integer),
    define("kubernetes.Quantity.add(kubernetes.Quantity) -> kubernetes.Quantity", One, add),
    define("kubernetes.Quantity.add(int) -> kubernetes.Quantity", One, add),
    define("kubernetes.Quantity.sub(kubernetes.Quantity) -> kubernetes.Quantity", One, subtract),
    define("kubernetes.Quantity.sub(int) -> kubernetes.Quantity", One, subtract),
];

fn to_quantity<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => match Quantity::parse(text) {
            Ok(value) => {
                Ok(Val::Opaque(data.arena.opaque(Opaque::Quantity { value, computed: false })))
            }
            Err(error) => Err(EvalError::message(error.to_string())),
        },
        _ => no_overload(),
    }
}

fn is_quantity<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Bool(Quantity::parse(text).is_ok())),
        _ => no_overload(),
    }
}

fn one<'v>(arguments: &[Val<'v>]) -> Result<&'v Quantity, EvalError> {
    match arguments {
        [Val::Opaque(Opaque::Quantity { value, .. })] => Ok(value),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

fn ordering(arguments: &[Val<'_>]) -> Result<Ordering, EvalError> {
    match arguments {
        [
            Val::Opaque(Opaque::Quantity { value: a, .. }),
            Val::Opaque(Opaque::Quantity { value: b, .. }),
        ] => Ok(a.cmp(b)),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

/// -1, 0 or 1.
pub(super) fn as_number<'v>(ordering: Ordering) -> Val<'v> {
    Val::Int(match ordering {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })
}

fn sign<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(as_number(one(arguments)?.sign()))
}

fn is_greater_than<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(ordering(arguments)?.is_gt()))
}

fn is_less_than<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(ordering(arguments)?.is_lt()))
}

fn compare_to<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(as_number(ordering(arguments)?))
}

fn as_approximate_float<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Double(one(arguments)?.as_f64()))
}

fn as_integer<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    one(arguments)?
        .as_i64()
        .map(Val::Int)
        .ok_or(EvalError::fixed("cannot convert value to integer"))
}

fn is_integer<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.as_i64().is_some()))
}

type Arithmetic = fn(&Quantity, &Quantity) -> Option<Quantity>;

fn arithmetic<'v>(data: Data<'v>, arguments: &[Val<'v>], apply: Arithmetic) -> Evaluated<'v> {
    let value = match arguments {
        [
            Val::Opaque(Opaque::Quantity { value: a, .. }),
            Val::Opaque(Opaque::Quantity { value: b, .. }),
        ] => apply(a, b),
        [Val::Opaque(Opaque::Quantity { value: a, .. }), Val::Int(b)] => {
            apply(a, &Quantity::from_i64(*b, QuantityFormat::DecimalExponent))
        }
        _ => return no_overload(),
    };
    let value = value.ok_or(EvalError::fixed("quantity overflow"))?;
    Ok(Val::Opaque(data.arena.opaque(Opaque::Quantity { value, computed: true })))
}

fn add<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    arithmetic(data, arguments, Quantity::checked_add)
}

fn subtract<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    arithmetic(data, arguments, Quantity::checked_sub)
}
