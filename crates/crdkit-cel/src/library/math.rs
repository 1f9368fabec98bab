//! Mathematics.

use std::cmp::Ordering;

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Val, compare};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("math.@min(double) -> double", One, least),
    define("math.@min(int) -> int", One, least),
    define("math.@min(uint) -> uint", One, least),
    define("math.@min(double, double) -> double", One, least),
    define("math.@min(int, int) -> int", One, least),
    define("math.@min(uint, uint) -> uint", One, least),
    define("math.@min(int, uint) -> dyn", One, least),
    define("math.@min(int, double) -> dyn", One, least),
    define("math.@min(double, int) -> dyn", One, least),
    define("math.@min(double, uint) -> dyn", One, least),
    define("math.@min(uint, int) -> dyn", One, least),
    define("math.@min(uint, double) -> dyn", One, least),
    define("math.@min(list(double)) -> double", One, least),
    define("math.@min(list(int)) -> int", One, least),
    define("math.@min(list(uint)) -> uint", One, least),
    define("math.@max(double) -> double", One, greatest),
    define("math.@max(int) -> int", One, greatest),
    define("math.@max(uint) -> uint", One, greatest),
    define("math.@max(double, double) -> double", One, greatest),
    define("math.@max(int, int) -> int", One, greatest),
    define("math.@max(uint, uint) -> uint", One, greatest),
    define("math.@max(int, uint) -> dyn", One, greatest),
    define("math.@max(int, double) -> dyn", One, greatest),
    define("math.@max(double, int) -> dyn", One, greatest),
    define("math.@max(double, uint) -> dyn", One, greatest),
    define("math.@max(uint, int) -> dyn", One, greatest),
    define("math.@max(uint, double) -> dyn", One, greatest),
    define("math.@max(list(double)) -> double", One, greatest),
    define("math.@max(list(int)) -> int", One, greatest),
    define("math.@max(list(uint)) -> uint", One, greatest),
    define("math.ceil(double) -> double", One, ceil),
    define("math.floor(double) -> double", One, floor),
    define("math.round(double) -> double", One, round),
    define("math.trunc(double) -> double", One, trunc),
    define("math.isInf(double) -> bool", One, is_inf),
    define("math.isNaN(double) -> bool", One, is_nan),
    define("math.isFinite(double) -> bool", One, is_finite),
    define("math.abs(double) -> double", One, abs),
    define("math.abs(int) -> int", One, abs),
    define("math.abs(uint) -> uint", One, abs),
    define("math.sign(double) -> double", One, sign),
    define("math.sign(int) -> int", One, sign),
    define("math.sign(uint) -> uint", One, sign),
    define("math.bitAnd(int, int) -> int", One, bit_and),
    define("math.bitAnd(uint, uint) -> uint", One, bit_and),
    define("math.bitOr(int, int) -> int", One, bit_or),
    define("math.bitOr(uint, uint) -> uint", One, bit_or),
    define("math.bitXor(int, int) -> int", One, bit_xor),
    define("math.bitXor(uint, uint) -> uint", One, bit_xor),
    define("math.bitNot(int) -> int", One, bit_not),
    define("math.bitNot(uint) -> uint", One, bit_not),
    define("math.bitShiftLeft(int, int) -> int", One, shift_left),
    define("math.bitShiftLeft(uint, int) -> uint", One, shift_left),
    define("math.bitShiftRight(int, int) -> int", One, shift_right),
    define("math.bitShiftRight(uint, int) -> uint", One, shift_right),
    define("math.sqrt(double) -> double", One, sqrt),
    define("math.sqrt(int) -> double", One, sqrt),
    define("math.sqrt(uint) -> double", One, sqrt),
];

fn extreme<'v>(
    data: Data<'v>,
    arguments: &[Val<'v>],
    wanted: Ordering,
    name: &str,
) -> Evaluated<'v> {
    let values: Vec<Val<'v>> = match arguments {
        [Val::List(list)] => list.iter(data).collect::<Result<_, _>>()?,
        many => many.to_vec(),
    };
    let mut values = values.into_iter();
    let Some(mut best) = values.next() else {
        return Err(EvalError::message(format!("{name}(list) argument must not be empty")));
    };
    for value in values {
        if compare(&value, &best)? == wanted {
            best = value;
        }
    }
    match best {
        Val::Int(_) | Val::Uint(_) | Val::Double(_) => Ok(best),
        _ => no_overload(),
    }
}

fn least<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    extreme(data, arguments, Ordering::Less, "math.@min")
}

fn greatest<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    extreme(data, arguments, Ordering::Greater, "math.@max")
}

fn double<'v>(arguments: &[Val<'v>], apply: fn(f64) -> Val<'v>) -> Evaluated<'v> {
    match arguments {
        [Val::Double(value)] => Ok(apply(*value)),
        _ => no_overload(),
    }
}

fn ceil<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Double(value.ceil()))
}

fn floor<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Double(value.floor()))
}

fn round<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Double(value.round()))
}

fn trunc<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Double(value.trunc()))
}

fn is_inf<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Bool(value.is_infinite()))
}

fn is_nan<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Bool(value.is_nan()))
}

fn is_finite<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    double(arguments, |value| Val::Bool(value.is_finite()))
}

fn abs<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Double(value)] => Ok(Val::Double(value.abs())),
        [Val::Int(value)] => {
            value.checked_abs().map(Val::Int).ok_or(EvalError::fixed("integer overflow"))
        }
        [Val::Uint(value)] => Ok(Val::Uint(*value)),
        _ => no_overload(),
    }
}

fn sign<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Double(value)] if value.is_nan() || *value == 0.0 => Ok(Val::Double(value + 0.0)),
        [Val::Double(value)] => Ok(Val::Double(value.signum())),
        [Val::Int(value)] => Ok(Val::Int(value.signum())),
        [Val::Uint(value)] => Ok(Val::Uint(u64::from(*value > 0))),
        _ => no_overload(),
    }
}

fn bits<'v>(arguments: &[Val<'v>], apply: fn(u64, u64) -> u64) -> Evaluated<'v> {
    match arguments {
        [Val::Int(a), Val::Int(b)] => {
            Ok(Val::Int(apply(a.cast_unsigned(), b.cast_unsigned()).cast_signed()))
        }
        [Val::Uint(a), Val::Uint(b)] => Ok(Val::Uint(apply(*a, *b))),
        _ => no_overload(),
    }
}

fn bit_and<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    bits(arguments, |a, b| a & b)
}

fn bit_or<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    bits(arguments, |a, b| a | b)
}

fn bit_xor<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    bits(arguments, |a, b| a ^ b)
}

fn bit_not<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Int(value)] => Ok(Val::Int(!value)),
        [Val::Uint(value)] => Ok(Val::Uint(!value)),
        _ => no_overload(),
    }
}

fn shift<'v>(
    arguments: &[Val<'v>],
    name: &str,
    apply: fn(u64, u32) -> Option<u64>,
) -> Evaluated<'v> {
    let [value, Val::Int(by)] = arguments else {
        return no_overload();
    };
    if *by < 0 {
        return Err(EvalError::message(format!("{name}() negative offset: {by}")));
    }
    let by = u32::try_from(*by).unwrap_or(u32::MAX);
    match value {
        Val::Int(value) => {
            Ok(Val::Int(apply(value.cast_unsigned(), by).unwrap_or(0).cast_signed()))
        }
        Val::Uint(value) => Ok(Val::Uint(apply(*value, by).unwrap_or(0))),
        _ => no_overload(),
    }
}

fn shift_left<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    shift(arguments, "math.bitShiftLeft", u64::checked_shl)
}

fn shift_right<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    shift(arguments, "math.bitShiftRight", u64::checked_shr)
}

#[expect(clippy::cast_precision_loss, reason = "the root of the nearest double")]
fn sqrt<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Double(value)] => Ok(Val::Double(value.sqrt())),
        [Val::Int(value)] => Ok(Val::Double((*value as f64).sqrt())),
        [Val::Uint(value)] => Ok(Val::Double((*value as f64).sqrt())),
        _ => no_overload(),
    }
}
